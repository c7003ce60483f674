/* Build facts about this program: its version and identity, and where its scenes, documentation and
 * preload libraries are installed. */
#pragma once

#include <stddef.h>

const char *program_version(void);

/* Identity of the sources that determine the bytes of a run: the same for all compilers and
 * compiler options. */
const char *program_build(void);
const char *program_compiler(void);

/* Writes into TEXT the folder where scenes are looked up by name: that of the installation that
 * contains this binary, else that of the source tree. Empty if it does not fit. */
void program_scene_folder(char *text, size_t size);

/* Other parts of an installation. */
enum program_part {
    PROGRAM_DOCS,        /* the folder of the documentation; it holds README.md */
    PROGRAM_SHIM,        /* the serial shim */
    PROGRAM_CLOCK,       /* the clock shim */
    PROGRAM_REPLAY_PAGE, /* the file of a page for `ptybot replay --html` */
    PROGRAM_AVR_BUILD,   /* the script that compiles an Arduino sketch */
    PROGRAM_PICTURE,     /* program that paints pictures */
    PROGRAM_VIEWER,      /* program that opens windows */
    PROGRAM_WEB,         /* program that serves pages */
    PROGRAM_AVR,         /* program that runs AVR firmwares */
};

/* Writes the path of a part, looked up in the same way. Empty if it is neither installed nor
 * built. */
void program_find(enum program_part part, char *text, size_t size);
