/* A page for a browser that is one file: style and pictures are in it, and it asks nobody for
 * anything. */
#ifndef PTYBOT_APP_FILES_PAGE_H
#define PTYBOT_APP_FILES_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* Begins PATH with its head, the title as its heading, and what STYLE adds to the style of all
 * pages. NULL, with the reason in ERROR. */
FILE *page_open(const char *path, const char *title, const char *style, struct error *error);

/* Text, which may hold anything. */
void page_text(FILE *page, const char *text);

/* The file at PATH as an address within the page ("data:TYPE;base64,..."); "data:," and false where
 * it cannot be read. */
bool page_data(FILE *page, const char *path, const char *type);

/* Ends the page. False, with the reason in ERROR: it could not be written. */
bool page_close(FILE *page, const char *path, struct error *error);

#endif
