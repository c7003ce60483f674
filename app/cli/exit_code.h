/* How the program ends. An orderly end on SIGINT or SIGTERM is EXIT_CODE_OK. */
#ifndef PTYBOT_APP_CLI_EXIT_CODE_H
#define PTYBOT_APP_CLI_EXIT_CODE_H

enum exit_code {
    EXIT_CODE_OK = 0,
    EXIT_CODE_FAILED = 1,      /* an expectation or a host failed */
    EXIT_CODE_USAGE = 2,       /* bad command line, scene or command */
    EXIT_CODE_ENVIRONMENT = 3, /* path taken, no permission, nothing is running */
};

#endif
