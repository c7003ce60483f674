/* Aligned columns of text, for all lists that ptybot prints. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TABLE_COLUMNS_MAX = 12 };

struct table {
    size_t columns;
    const char *heads[TABLE_COLUMNS_MAX]; /* `>` in front: right-aligned */
    char **cells;                         /* rows after one another, owned */
    size_t count;
    bool is_short; /* memory ran out: rows are missing */
};

/* HEADS end with NULL and outlive the table. */
void table_init(struct table *table, const char *const *heads);

/* Adds a row: one text per column, copied. If memory runs out, the row is left out and table_print
 * reports it. */
void table_row(struct table *table, const char *const *cells);

/* Prints heads and rows: INDENT blanks in front, two blanks between columns, no blanks at the end
 * of lines. Frees the rows. False: memory ran out and rows are missing, which is reported on
 * stderr. */
bool table_print(struct table *table, int indent, FILE *out);

/* Frees the rows. */
void table_drop(struct table *table);

/* Writes a number in its shortest form: integers in full, others with nine digits, `-` for infinity
 * and NaN. */
const char *table_number(double value, char *text, size_t size);
