#include "app/run/page_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/markup.h"
#include "app/cli/program.h"
#include "app/files/file_bytes.h"
#include "app/files/fresh_file.h"
#include "app/files/scene_file.h"
#include "sim/parse/scene_parse.h"
#include "sim/record/journal.h"

enum { JOURNAL_BYTES_MAX = 1 << 26 }; /* chosen: a size that browsers handle easily */

static const char gap[] = "id=\"bundle\">"; /* the run is inserted here; cmake/one_file.cmake */

bool page_file_check(struct error *error)
{
    char template[PATH_MAX];
    program_find(PROGRAM_REPLAY_PAGE, template, sizeof template);
    return *template ||
           error_set(error, "this ptybot has no web page: install the package ptybot-web "
                            "(ptybot-web_*.deb of ./dev package), or clang, "
                            "lld, wasi-libc and libclang-rt-dev-wasm32 and build it again");
}

/* PLACE points into TEMPLATE, where the bundle is inserted. */
static bool write_file(const char *path, const char *template, size_t template_size,
                       const char *place, const char *bundle, size_t size, struct error *error)
{
    struct fresh_file file;
    if (!fresh_file_open(&file, path, error))
        return false;
    fwrite(template, 1, (size_t)(place - template), file.out);
    markup_base64(bundle, size, file.out);
    fwrite(place, 1, template_size - (size_t)(place - template), file.out);
    return fresh_file_close(&file, true, error);
}

bool page_file_write(const char *path, const struct bundle *bundle, struct error *error)
{
    char from[PATH_MAX];
    size_t size, template_size;
    if (!page_file_check(error))
        return false;
    program_find(PROGRAM_REPLAY_PAGE, from, sizeof from);
    char *packed = bundle_pack(bundle, &size, error);
    if (!packed)
        return error_prefix(error, "%s: ", path);
    char *template = file_bytes_read(from, INT_MAX, &template_size, error);
    char *place = template ? memmem(template, template_size, gap, strlen(gap)) : NULL;
    bool is_written = place && write_file(path, template, template_size, place + strlen(gap),
                                          packed, size, error);
    if (template && !place)
        error_set(
            error,
            "%s: the page is of another version of ptybot: install both from the same version",
            from);
    free(template);
    free(packed);
    return is_written;
}

/* READER is at the head of the journal. */
static bool write_again(const char *path, struct journal_reader *reader, struct error *error)
{
    struct journal_head head;
    if (!journal_head_read(&head, reader, error))
        return false;
    struct scene *scene = head.type[0] ? scene_of_type(head.type, error)
                                       : scene_file_reopen(head.sources, true, error);
    head.sources = NULL; // the scene's now
    const struct bundle bundle = {
        .scene = scene, .journal = reader->bytes, .journal_size = reader->size};
    bool is_written = scene && page_file_write(path, &bundle, error);
    scene_destroy(scene);
    journal_head_free(&head);
    return is_written;
}

bool page_file_of_journal(const char *path, const char *journal, struct error *error)
{
    size_t size;
    if (!page_file_check(error))
        return false;
    char *bytes = file_bytes_read(journal, JOURNAL_BYTES_MAX, &size, error);
    if (!bytes)
        return error_prefix(error, "%s: ", journal);
    struct journal_reader *reader = malloc(sizeof *reader);
    bool is_written =
        reader && journal_open(reader, bytes, size, error) && write_again(path, reader, error);
    if (!reader)
        error_set(error, "not enough memory for a page");
    free(reader);
    free(bytes);
    return is_written;
}
