/* Text from elsewhere made fit for a terminal and a report. */
#ifndef PTYBOT_BASE_PLAIN_TEXT_H
#define PTYBOT_BASE_PLAIN_TEXT_H

#include <stddef.h>

/* Makes the SIZE bytes of TEXT plain, in place, and ends them with NUL (there is room for it):
 * without colors and what else terminals obey, and with a line for each time that a line was
 * written over. What is not UTF-8 stays as it is. Returns the new size, never more than SIZE. */
size_t plain_text_clean(char *text, size_t size);

/* On one line: line breaks and other control characters of TEXT become blanks. */
void plain_text_flatten(char *text);

#endif
