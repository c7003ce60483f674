/* Replies of the control socket as lines and tables for people and shell scripts. */
#ifndef PTYBOT_SIM_APP_CTL_PRINT_H
#define PTYBOT_SIM_APP_CTL_PRINT_H

#include <jansson.h>

/* One line `name value unit` each; a value that is not finite is `-`. */
void ctl_print_signals(const json_t *result, const char *what);
void ctl_print_totals(const json_t *result, const char *what);
/* A table; WHAT says of what. */
void ctl_print_list(const json_t *result, const char *what);
void ctl_print_nothing(const json_t *result, const char *what);

#endif
