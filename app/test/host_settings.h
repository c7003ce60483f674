/* What a test tells its host through the environment: where each robot is, and the control socket.
 */
#ifndef PTYBOT_APP_TEST_HOST_SETTINGS_H
#define PTYBOT_APP_TEST_HOST_SETTINGS_H

#include "app/run/links.h"
#include "sim/sim.h"

/* NAME=value texts, ended by NULL: PTYBOT_CONTROL; for each robot PTYBOT_PORT_<ROBOT> with the port
 * of its first link, and PTYBOT_PORT_<ROBOT>_<CHANNEL> for each, where the name of a whole robot
 * goes before. A port is a path or host:port; a real UART has none, since a host is at its other
 * end. NULL where memory is short. */
char **host_settings(const struct sim *sim, const struct links *links, const char *control);

void host_settings_free(char **settings);

#endif
