/* The modem lines of a serial line, as bits, named as the driver sees them. */
#pragma once

enum modem_line {
    MODEM_DTR = 1, /* DTR and RTS are set by the driver; both are on when it opens the port */
    MODEM_RTS = 2,
    MODEM_CTS = 4, /* these four lines are set by the robot */
    MODEM_DSR = 8,
    MODEM_DCD = 16,
    MODEM_RI = 32,
    MODEM_HOST_LINES = MODEM_DTR | MODEM_RTS,
    MODEM_ROBOT_LINES = MODEM_CTS | MODEM_DSR | MODEM_DCD | MODEM_RI,
    MODEM_ROBOT_READY = MODEM_CTS | MODEM_DSR | MODEM_DCD, /* chosen: for a ready robot */
};
