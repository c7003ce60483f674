/* Memory that ptybot shares with a firmware in C, in place of most messages. */
#ifndef PTYBOT_FIRMWARE_PAGE_H
#define PTYBOT_FIRMWARE_PAGE_H

#include <stdint.h>

/* The size precedes each message. A question of size 0 is the end. Pictures and scans that belong
 * to a question come over the socket. */
struct ptybot_firmware_page {
    uint32_t is_used;         /* set by the firmware before its hello */
    uint32_t asked, answered; /* numbers of the last messages; futexes */
    uint32_t waits;           /* the firmware waits for a question */
    uint8_t question[4 + 8192], answer[4 + 16384];
};

#endif
