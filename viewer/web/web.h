/* The server process of a run's page. */
#pragma once

/* Returns the exit code of the process. */
int web_run(int argc, char **argv);
