#include "app/lab/compare/compare_page.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/files/page.h"
#include "base/text.h"

enum {
    PLOTS_MAX = 8,     /* chosen: as many as a reader looks at */
    POINTS_MAX = 2000, /* chosen: per curve, more than the pixels of a screen */
};

void compare_field_name(const struct comparison *comparison, const struct compare_field *field,
                        char *text, size_t size)
{
    const struct compare_packet *packet = &comparison->packets[field->packet];
    snprintf(text, size, "%s.%s", packet->real->packet->name, field->field->name);
    if (field->field->count > 1)
        text_add(text, size, "", "[%zu]", field->element);
}

static json_t *list_numbers(const double *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i += count / POINTS_MAX + 1)
        json_array_append_new(list, json_real(values[i]));
    return list;
}

static bool put_field(FILE *page, const struct comparison *comparison,
                      const struct compare_field *field, json_t *curves)
{
    char name[160];
    struct compare_columns columns;
    if (!compare_columns_take(&columns, comparison, field))
        return false;
    compare_field_name(comparison, field, name, sizeof name);
    fputs("<tr>", page);
    page_cell(page, name);
    page_cell(page, *field->why ? field->why : "within its tolerance");
    fprintf(page, "<td>%.4g %s<td>%.2f s<td>%zu of %zu\n", field->worst, field->field->unit,
            field->worst_at_s, field->beyond, field->pairs);
    json_t *curve = json_pack("{s:s,s:s,s:o,s:o,s:o}", "name", name, "unit", field->field->unit,
                              "time_s", list_numbers(columns.time_s, columns.count), "real",
                              list_numbers(columns.real, columns.count), "ours",
                              list_numbers(columns.ours, columns.count));
    compare_columns_free(&columns);
    return json_array_append_new(curves, curve) == 0;
}

static int by_score(const void *a, const void *b)
{
    const struct compare_field *left = *(const struct compare_field *const *)a;
    const struct compare_field *right = *(const struct compare_field *const *)b;
    return (left->score < right->score) - (left->score > right->score);
}

bool compare_page_write(const char *path, const char *title, const struct comparison *comparison,
                        struct error *error)
{
    const struct compare_field **worst = calloc(comparison->field_count + 1, sizeof *worst);
    struct fresh_file file;
    FILE *page = page_open(&file, path, title, error);
    json_t *curves = json_array();
    size_t count = 0;
    bool is_whole = worst;
    for (size_t i = 0; is_whole && i < comparison->field_count; i++)
        if (comparison->fields[i].pairs > 0)
            worst[count++] = &comparison->fields[i];
    if (is_whole)
        qsort(worst, count, sizeof *worst, by_score);
    if (page)
        fputs("<p>The fields that differ most come first.\n<table tabindex=\"0\" "
              "class=\"text\"><tr><th>field"
              "<th>difference<th>worst<th>at<th>beyond\n",
              page);
    for (size_t i = 0; page && is_whole && i < count && i < PLOTS_MAX; i++)
        is_whole = put_field(page, comparison, worst[i], curves);
    free(worst);
    if (page)
        fputs("</table>\n", page);
    json_t *data = page && is_whole ? json_pack("{s:o}", "curves", curves) : NULL;
    if (!data)
        json_decref(curves);
    return page && page_close(&file, data, error);
}
