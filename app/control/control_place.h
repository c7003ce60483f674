/* Which run a client means. */
#ifndef PTYBOT_APP_CONTROL_CONTROL_PLACE_H
#define PTYBOT_APP_CONTROL_CONTROL_PLACE_H

#include <stddef.h>

/* Writes where the control socket is: what was GIVEN ("": nothing), else $PTYBOT_CONTROL, else that
 * of the only run of this user. Returns an exit code, after having said what is wrong. */
int control_place_find(const char *given, char *place, size_t size);

#endif
