/* Memory in which a client asks for steps without messages: docs/reference/control.md. */
#ifndef PTYBOT_STEP_PAGE_H
#define PTYBOT_STEP_PAGE_H

#include <stdint.h>

struct ptybot_step_page {
    uint64_t key;      /* as in the reply that names the page */
    uint32_t asked;    /* number of the last step that the client asked for */
    uint32_t answered; /* number of the last one that has ended; a futex */
    uint32_t ms;       /* duration of the step */
    int32_t code;      /* of its error; 0: it is done */
    int64_t time_us;   /* simulated time after it */
    char text[764];    /* of the error */
    uint32_t is_awake; /* the run notices a request without being woken */
    struct ptybot_step_link {
        uint64_t wanted;            /* bytes from the driver, in total, that it waits for */
        uint64_t received, written; /* bytes from and to the driver so far */
    } links[];
};

#endif
