/* What the build knows about this program: its version and identity, and where its scenes,
 * documentation and preload libraries are installed. */
#ifndef PTYBOT_APP_CLI_PROGRAM_H
#define PTYBOT_APP_CLI_PROGRAM_H

#include <stddef.h>

const char *program_version(void);

/* Identity of the sources that decide the bytes of a run: the same with every compiler and its
 * options. */
const char *program_build(void);
const char *program_compiler(void);

/* The folder in which scenes are looked up by name: that of the installation to which this binary
 * belongs, else that of its source tree. Written into TEXT; empty if it does not fit. */
void program_scene_folder(char *text, size_t size);

/* The folder of the documentation, looked up in the same way; it holds README.md. Empty if there is
 * none. */
void program_docs(char *text, size_t size);

/* The serial shim, looked up in the same way. Empty if there is none. */
void program_shim(char *text, size_t size);
/* The clock shim, looked up in the same way. */
void program_clock(char *text, size_t size);

/* The programs that paint pictures, open windows, serve pages and run firmwares of an AVR, looked
 * up in the same way. Empty where it is neither installed nor built. */
void program_picture(char *text, size_t size);
void program_viewer(char *text, size_t size);
void program_web(char *text, size_t size);
void program_avr(char *text, size_t size);

/* Of the core of Arduino for the PC: the folder of its headers, and its library. */
void program_arduino(char *headers, char *core, size_t size);

/* The file of a page for a run in one file, looked up in the same way. Empty if there is none. */
void program_replay_page(char *text, size_t size);

#endif
