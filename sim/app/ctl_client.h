/* The client's side of the control socket: one request, one reply. */
#ifndef PTYBOT_SIM_APP_CTL_CLIENT_H
#define PTYBOT_SIM_APP_CTL_CLIENT_H

#include <jansson.h>

#include "protocols/error.h"

/* Asks and waits for the reply. Takes over PARAMS. Returns an exit code: EXIT_CODE_OK with RESULT
 * (the caller's), EXIT_CODE_USAGE where the simulation refused, EXIT_CODE_ENVIRONMENT where it
 * cannot be reached; the reason is in ERROR. */
int ctl_client_ask(const char *path, const char *method, json_t *params, json_t **result,
                   struct error *error);

#endif
