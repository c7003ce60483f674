#include "app/files/page.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/markup.h"
#include "app/files/file_bytes.h"
#include "app/files/page_html.h"

enum {
    FILE_MAX = 64 << 20, /* chosen: larger than any picture */
    DIGITS = 9,          /* chosen: for numbers in charts */
};

/* Offset in the template after MARK. */
static size_t behind(const char *mark)
{
    const char *at = memmem(page_html, sizeof page_html, mark, strlen(mark));
    assert(at);
    return (size_t)(at - (const char *)page_html) + strlen(mark);
}

static void put_template(FILE *page, size_t from, size_t to)
{
    fwrite(page_html + from, 1, to - from, page);
}

FILE *page_open(struct fresh_file *file, const char *path, const char *title, struct error *error)
{
    if (!fresh_file_open(file, path, error))
        return error_null(error_prefix(error, "--html "));
    FILE *page = file->out;
    put_template(page, 0, behind("<title>"));
    page_text(page, title);
    put_template(page, behind("<title>"), behind("<h1>"));
    page_text(page, title);
    put_template(page, behind("<h1>"), behind("</h1>\n"));
    return page;
}

void page_text(FILE *page, const char *text)
{
    markup_text(text, true, page);
}

void page_cell(FILE *page, const char *text)
{
    fputs("<td>", page);
    page_text(page, text);
}

void page_link(FILE *page, const char *path, const char *text)
{
    static const char plain[] = "/-._~";
    fputs("<a href=\"file://", page);
    for (const char *at = path; *at; at++)
        fprintf(page, isalnum((unsigned char)*at) || strchr(plain, *at) ? "%c" : "%%%02X",
                (unsigned char)*at);
    fprintf(page, "\">%s</a>", text);
}

void page_file(FILE *page, const char *path, const char *type)
{
    struct error ignored = {0};
    size_t size = 0;
    char *bytes = file_bytes_read(path, FILE_MAX, &size, &ignored);
    fprintf(page, bytes ? "data:%s;base64," : "data:,", type);
    markup_base64(bytes, size, page);
    free(bytes);
}

/* "</script" ends a script element, even within a string. */
static int put_json(const char *bytes, size_t size, void *page)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] == '<')
            fputs("\\u003c", page);
        else
            fputc(bytes[i], page);
    return 0;
}

bool page_close(struct fresh_file *file, json_t *data, struct error *error)
{
    FILE *page = file->out;
    put_template(page, behind("</h1>\n"), behind("id=\"bundle\">"));
    bool has_data =
        json_dump_callback(data, put_json, page, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS)) == 0;
    put_template(page, behind("id=\"bundle\">"), sizeof page_html);
    json_decref(data);
    if (!has_data)
        error_environment(error, "not enough memory");
    return (fresh_file_close(file, has_data, error) && has_data) || error_prefix(error, "--html ");
}
