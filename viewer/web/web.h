/* The process that serves a run's page. */
#ifndef PTYBOT_VIEWER_WEB_WEB_H
#define PTYBOT_VIEWER_WEB_WEB_H

/* Returns the exit code of the process. */
int web_run(int argc, char **argv);

#endif
