/* How the host of a test did, told apart: never started, failed, crashed, too slow, never there. */
#ifndef PTYBOT_APP_TEST_HOST_VERDICT_H
#define PTYBOT_APP_TEST_HOST_VERDICT_H

#include "app/test/judgement.h"
#include "app/test/test_guide.h"

/* Adds the case of a host that was started. WORDS are its command; IS_HELD: the world waited for
 * it.
 */
void host_verdict_add(struct judgement *judgement, const struct test_guide *guide,
                      const char *const *words, bool is_held);

/* Adds the case of one that could not be, for a REASON. */
void host_verdict_not_started(struct judgement *judgement, const char *const *words,
                              const char *reason);

/* Adds the case of one that somebody else was to start and that did not come. */
void host_verdict_not_come(struct judgement *judgement, double waited_s);

#endif
