/* What the build knows of this program: its version and identity, and where scenes and the
 * libraries to preload are installed. */
#ifndef PTYBOT_APP_CLI_PROGRAM_H
#define PTYBOT_APP_CLI_PROGRAM_H

#include <stddef.h>

const char *program_version(void);

/* Identity of the sources that decide the bytes of a run: the same with every compiler and its
 * options. */
const char *program_build(void);
const char *program_compiler(void);

/* The folder in which scenes are looked for by name: that of the installation which this binary
 * belongs to, else that of the sources it was built from. Written into TEXT; empty where it is too
 * long. */
void program_scene_folder(char *text, size_t size);

/* The serial shim: that of the installation this binary belongs to, else that of the build. Written
 * into TEXT; empty where there is none. */
void program_shim(char *text, size_t size);
/* The clock shim, in the same way. */
void program_clock(char *text, size_t size);

/* The viewer's program: the same. Empty where this was built without cairo and pango. */
void program_viewer(char *text, size_t size);

#endif
