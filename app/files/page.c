#include "app/files/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/markup.h"
#include "app/files/file_bytes.h"

enum { DATA_MAX = 64 << 20 }; /* chosen: more than a picture has */

FILE *page_open(const char *path, const char *title, const char *style, struct error *error)
{
    FILE *page = fopen(path, "we");
    if (!page) {
        error_environment(error, "--html %s: %s", path, strerror(errno));
        return NULL;
    }
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>", page);
    page_text(page, title);
    fprintf(page,
            "</title>\n<style>body{font:15px sans-serif;margin:2em;max-width:60em}\n%s</style>"
            "</head><body>\n<h1>",
            style);
    page_text(page, title);
    fputs("</h1>\n", page);
    return page;
}

void page_text(FILE *page, const char *text)
{
    markup_text(text, true, page);
}

bool page_data(FILE *page, const char *path, const char *type)
{
    struct error ignored = {0};
    size_t size = 0;
    char *bytes = file_bytes_read(path, DATA_MAX, &size, &ignored);
    if (bytes) {
        fprintf(page, "data:%s;base64,", type);
        markup_base64(bytes, size, page);
    } else {
        fputs("data:,", page);
    }
    free(bytes);
    return bytes;
}

bool page_close(FILE *page, const char *path, struct error *error)
{
    fputs("</body></html>\n", page);
    bool is_whole = !ferror(page);
    is_whole = fclose(page) == 0 && is_whole;
    return is_whole || error_environment(error, "--html %s: cannot be written", path);
}
