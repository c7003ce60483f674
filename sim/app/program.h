/* What the build knows of this program: its version, and where scenes and the host shim are
 * installed. */
#ifndef PTYBOT_SIM_APP_PROGRAM_H
#define PTYBOT_SIM_APP_PROGRAM_H

#include <stddef.h>

const char *program_version(void);

enum { PROGRAM_SCENE_FOLDERS = 2 };

/* The folder number INDEX in which scenes are looked for by name: that of the sources, then that of
 * the installation this binary belongs to. Written into TEXT; empty where it cannot be told. */
void program_scene_folder(size_t index, char *text, size_t size);

/* The host shim: that of the installation this binary belongs to, else that of the build. Written
 * into TEXT; empty where there is none. */
void program_shim(char *text, size_t size);

#endif
