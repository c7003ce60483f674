/* Folders of a run. The run's own folder is in the same folder as the ptys. A lock, held for the
 * whole run, proves that the run is alive, and control.sock in the folder is or links to its
 * control socket. An output folder contains the files of a test, which explain its result. */
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

/* Creates and locks the folder of this process. False, with the remedy in ERROR. */
bool run_folder_open(struct run_folder *folder, struct error *error);

/* Creates the subfolder for private ports, and writes its name in the form of pty_path_folder.
 * False, with the reason in ERROR. */
bool run_folder_ports(const struct run_folder *folder, char name[RUN_FOLDER_PATH_MAX],
                      struct error *error);

/* The control socket of this run is at PATH. Writes its absolute path, and makes control.sock a
 * link to it unless it is control.sock itself. False: control.sock does not lead to the socket,
 * so clients must give PATH. */
bool run_folder_lead(const struct run_folder *folder, const char *path, char absolute[PATH_MAX]);

/* Removes the folder and everything in it. */
void run_folder_close(struct run_folder *folder);

struct run_folder_found {
    pid_t pid;
    bool is_private; /* the run belongs to a program: clients must name it explicitly */
    char socket_path[RUN_FOLDER_PATH_MAX];
};

/* Lists the live runs of this user, at most RUN_FOLDER_RUNS_MAX, and removes the folders that dead
 * runs left behind. Returns the number of runs. FOUND NULL: only removes. */
size_t run_folder_list(struct run_folder_found *found);

/* ---- Output of a test, in the requested folder or in a temporary one, which is kept only after a
 * failure ---- */

struct out_folder {
    char path[PATH_MAX]; /* absolute */
    bool is_own;         /* temporary: the user requested no folder */
};

/* Creates the folder WANTED and its missing parents; "": a folder in $TMPDIR or /tmp.
 * False, with the reason in ERROR. */
bool out_folder_open(struct out_folder *folder, const char *wanted, struct error *error);

/* Marks the folder as an output folder. If it has that mark already, first deletes the files of
 * an earlier test in it and in its marked subfolders, and nothing else. False, with the remedy
 * in ERROR, if the folder has such files but no mark: another program or a user may have written
 * them. */
bool out_folder_clear(const struct out_folder *folder, struct error *error);

/* Writes the path of a file in the folder. Returns TEXT. */
const char *out_folder_file(const struct out_folder *folder, const char *name, char text[PATH_MAX]);

/* Removes a temporary folder and everything in it, unless IS_KEPT. */
void out_folder_close(struct out_folder *folder, bool is_kept);

/* Removes a folder and everything in it. Follows no links. */
void out_folder_remove(const char *path);
