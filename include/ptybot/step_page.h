/* Memory that a client and a run share, to request steps without messages:
 * docs/reference/control.md. */
#ifndef PTYBOT_STEP_PAGE_H
#define PTYBOT_STEP_PAGE_H

#include <stdint.h>

struct ptybot_step_page {
    uint64_t key;      /* the key in the reply that names the page */
    uint32_t asked;    /* number of the last step that the client requested */
    uint32_t answered; /* number of the last step that has ended; a futex */
    uint32_t ms;       /* duration of the step */
    int32_t code;      /* error code of the step; 0: success */
    int64_t time_us;   /* simulated time after the step */
    char text[764];    /* text of the error */
    uint32_t is_awake; /* the run notices a request without a wake-up */
    struct ptybot_step_link {
        uint64_t wanted; /* total number of bytes from the driver that the step waits for */
        uint64_t received, written; /* bytes from and to the driver so far */
    } links[];
};

#endif
