/* The inside of the control socket, shared by control.c and control_time.c and by nobody else. */
#ifndef PTYBOT_APP_CONTROL_CONTROL_STATE_H
#define PTYBOT_APP_CONTROL_CONTROL_STATE_H

#include "app/control/control.h"
#include "app/control/control_client.h"
#include "app/control/control_listener.h"

enum { CONTROL_LISTENERS = 2 }; /* the Unix socket, and a port where one was asked for */

struct control {
    struct methods_scope scope; /* without what a client watches */
    struct poller *poller;
    struct control_listener listeners[CONTROL_LISTENERS];
    uint64_t next_ticket;
    size_t next_client;              /* whose request comes next */
    int64_t watch_ns, watch_left_ns; /* when and how much time watchers had left (control_time.c) */
    bool is_attentive;               /* some client must be looked at after each step */
    struct control_client clients[CONTROL_CLIENTS_MAX];
};

/* app/control/control_time.c: what goes with simulated time. */

/* Takes in the request that a client has just made and that is answered later. */
void control_time_take(struct control *control, struct control_client *client);
/* Ends steps that are done and begins the next, one at a time; ends waits that ran out. */
void control_time_order(struct control *control);
/* The run is over: whoever waits is told. */
void control_time_end(struct control *control);

#endif
