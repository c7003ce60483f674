/* A page for a browser that is one file: style, script and pictures are in it, and it requests
 * nothing. app/files/page has its parts. The program writes tables; the script adds charts of the
 * data, where the browser runs scripts. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "app/files/fresh_file.h"

/* Begins the file at PATH with its head and the title as its heading. NULL, with the reason in
 * ERROR. */
FILE *page_open(struct fresh_file *file, const char *path, const char *title, struct error *error);

/* Text, which may hold anything. */
void page_text(FILE *page, const char *text);

/* A cell of a table, with a text that may hold anything. */
void page_cell(FILE *page, const char *text);

/* A link to the file at PATH. TEXT is HTML. */
void page_link(FILE *page, const char *path, const char *text);

/* The file at PATH as an address within the page ("data:TYPE;base64,..."); "data:," where it cannot
 * be read. */
void page_file(FILE *page, const char *path, const char *type);

/* Ends the page with the DATA of its script, which it takes over; NULL: memory was short. False,
 * with the reason in ERROR: it could not be written. */
bool page_close(struct fresh_file *file, json_t *data, struct error *error);
