/* Logs of any length in files of a bounded one: their beginning and their end. */
#ifndef PTYBOT_APP_TEST_LONG_LOG_H
#define PTYBOT_APP_TEST_LONG_LOG_H

#include <stdint.h>

/* Looks at the file PATH, which others append to (O_APPEND), and cuts the middle out of it if it
 * has more than 16 MiB, with a note of how much; what is written at that moment may be lost too.
 * LEFT_OUT counts the bytes. What is no regular file stays as it is. */
void long_log_look(const char *path, uint64_t *left_out);

#endif
