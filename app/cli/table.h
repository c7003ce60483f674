/* Aligned columns of text, for everything that is listed. */
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
    bool is_short; /* memory was short: rows are missing */
};

/* HEADS end with NULL and outlive the table. */
void table_init(struct table *table, const char *const *heads);

/* One row: as many texts as there are columns, copied. If memory is short it is left out, and
 * table_print says so. */
void table_row(struct table *table, const char *const *cells);

/* Prints heads and rows, two blanks between columns, no blanks at the end of lines, INDENT blanks
 * in front; and frees the rows. False: memory was short and rows are missing, as stderr says. */
bool table_print(struct table *table, int indent, FILE *out);

/* Frees the rows. */
void table_drop(struct table *table);

/* A number as short as it is exact enough: whole numbers in full, others with nine digits, `-` for
 * what is not finite. */
const char *table_number(double value, char *text, size_t size);
