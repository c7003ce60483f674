/* How near two words are in spelling, for did-you-mean. */
#ifndef PTYBOT_BASE_SPELLING_H
#define PTYBOT_BASE_SPELLING_H

#include <limits.h>

#define SPELLING_FAR INT_MAX

/* 0 for the same word, growing with the letters that differ; case is ignored. SPELLING_FAR where
 * nobody would have meant CANDIDATE. The beginning of a word is near to it. */
int spelling_distance(const char *word, const char *candidate);

#endif
