/* Folders of a run. Its own lies beside the ptys: a lock held for life proves that the run lives,
 * and control.sock in it leads to its control socket. In another one a test leaves what helps to
 * understand it. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

enum { RUN_FOLDER_PATH_MAX = 1024, RUN_FOLDER_RUNS_MAX = 64 };

struct run_folder {
    int lock;
    char path[RUN_FOLDER_PATH_MAX];
    char lock_path[RUN_FOLDER_PATH_MAX];
    char socket_path[RUN_FOLDER_PATH_MAX]; /* control.sock in it */
};

/* ---- The folder of a run ---- */

/* Makes and locks the folder of this process. False, with the remedy in ERROR. */
bool run_folder_open(struct run_folder *folder, struct error *error);

/* Makes its subfolder for private ports, and writes its name as pty_path_folder takes it. False,
 * with the reason in ERROR. */
bool run_folder_ports(const struct run_folder *folder, char name[RUN_FOLDER_PATH_MAX],
                      struct error *error);

/* The control socket of this run is at PATH: writes its absolute path, and lets control.sock lead
 * there where it is not that itself. False: nothing leads there, and who means it must name it. */
bool run_folder_lead(const struct run_folder *folder, const char *path, char absolute[PATH_MAX]);

/* Removes the folder with all that is in it. */
void run_folder_close(struct run_folder *folder);

struct run_folder_found {
    pid_t pid;
    bool is_private; /* it belongs to a program: nobody means it who names none */
    char socket_path[RUN_FOLDER_PATH_MAX];
};

/* Lists the living runs of this user, at most RUN_FOLDER_RUNS_MAX, and removes the folders that
 * dead ones left. Returns how many. FOUND NULL: only removes. */
size_t run_folder_list(struct run_folder_found *found);

/* ---- What a test leaves: in the folder that was asked for, or in a temporary one, which stays
 * only after a failure ---- */

struct out_folder {
    char path[PATH_MAX]; /* absolute */
    bool is_own;         /* temporary: nobody asked for it */
};

/* Makes the folder WANTED and its missing parents; "": one in $TMPDIR or /tmp.
 * False, with the reason in ERROR. */
bool out_folder_open(struct out_folder *folder, const char *wanted, struct error *error);

/* Marks the folder as one of tests. What an earlier test has left in a folder with that mark, and
 * in such folders in it, is removed first, and nothing else. False, with the remedy in ERROR, where
 * such files stand in a folder without a mark: they are somebody's. */
bool out_folder_clear(const struct out_folder *folder, struct error *error);

/* Writes the path of a file in it; returns TEXT. */
const char *out_folder_file(const struct out_folder *folder, const char *name, char text[PATH_MAX]);

/* Removes a temporary folder with all that is in it, unless it is to be kept. */
void out_folder_close(struct out_folder *folder, bool is_kept);

/* Removes a folder and all that is in it; follows no link. */
void out_folder_remove(const char *path);
