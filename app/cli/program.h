/* What the build knows about this program: its version and identity, and where its scenes,
 * documentation and preload libraries are installed. */
#pragma once

#include <stddef.h>

const char *program_version(void);

/* Identity of the sources that decide the bytes of a run: the same with every compiler and its
 * options. */
const char *program_build(void);
const char *program_compiler(void);

/* The folder in which scenes are looked up by name: that of the installation to which this binary
 * belongs, else that of its source tree. Written into TEXT; empty if it does not fit. */
void program_scene_folder(char *text, size_t size);

/* What else an installation holds. */
enum program_part {
    PROGRAM_DOCS,        /* the folder of the documentation; it holds README.md */
    PROGRAM_SHIM,        /* the serial shim */
    PROGRAM_CLOCK,       /* the clock shim */
    PROGRAM_REPLAY_PAGE, /* the file of a page for a run in one file */
    PROGRAM_AVR_BUILD,   /* the script that compiles a sketch */
    PROGRAM_PICTURE,     /* the programs that paint pictures, */
    PROGRAM_VIEWER,      /* open windows, */
    PROGRAM_WEB,         /* serve pages, */
    PROGRAM_AVR,         /* and run firmwares of an AVR */
};

/* Its path, looked up in the same way. Empty if it is neither installed nor built. */
void program_find(enum program_part part, char *text, size_t size);
