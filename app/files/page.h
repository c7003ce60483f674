/* A page for a browser in a single file: it contains style, script and pictures, and requests
 * nothing. Its parts are in app/files/page. The program writes tables; the script adds charts of
 * the data, if the browser runs scripts. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "app/files/fresh_file.h"

/* Begins the file at PATH with its head. TITLE is also its heading. NULL, with the reason in
 * ERROR. */
FILE *page_open(struct fresh_file *file, const char *path, const char *title, struct error *error);

/* Writes any text, escaped. */
void page_text(FILE *page, const char *text);

/* Writes a cell of a table with any text, escaped. */
void page_cell(FILE *page, const char *text);

/* Writes a link to the file at PATH. TEXT is HTML. */
void page_link(FILE *page, const char *path, const char *text);

/* Writes the contents of the file at PATH as an address ("data:TYPE;base64,..."); "data:," if it
 * cannot be read. */
void page_file(FILE *page, const char *path, const char *type);

/* Ends the page with the DATA of its script, which it takes over. NULL: creating the data ran out
 * of memory. False, with the reason in ERROR, if the file could not be written. */
bool page_close(struct fresh_file *file, json_t *data, struct error *error);
