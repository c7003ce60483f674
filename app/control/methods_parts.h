/* What the files of the methods share with each other and with nobody else. */
#ifndef PTYBOT_APP_CONTROL_METHODS_PARTS_H
#define PTYBOT_APP_CONTROL_METHODS_PARTS_H

#include "app/control/methods.h"

const struct methods_scope *methods_scope_of(const struct rpc_call *call);

/* Takes RESULT over; NULL: memory was short. */
enum rpc_outcome methods_done(struct rpc_call *call, json_t *result);

/* app/control/methods_signals.c */
enum rpc_outcome methods_get(struct rpc_call *call);
enum rpc_outcome methods_watch(struct rpc_call *call);

/* app/control/methods_time.c */
enum rpc_outcome methods_step(struct rpc_call *call);
enum rpc_outcome methods_wait(struct rpc_call *call);

#endif
