#include "tests/e2e/journal_rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

size_t journal_rewrite(const struct folder *folder, const char *from, const char *to,
                       journal_change *change)
{
    static struct journal_reader reader;
    static struct journal_writer writer;
    struct journal_entry entry;
    struct error error = {0};
    char path[FOLDER_PATH_MAX];
    size_t count = 0;
    char *bytes = folder_read(folder, from);
    FILE *file = fopen(folder_path(folder, to, path), "wb");
    assert_non_null(file);
    if (!journal_open(&reader, bytes, strlen(bytes), &error))
        fail_msg("%s: %s", from, error.text);
    fwrite(writer.line, 1, journal_begin(&writer), file);
    enum journal_next next;
    while ((next = journal_read(&reader, &entry, &error)) == JOURNAL_ENTRY) {
        count++;
        if (!change(&entry))
            continue;
        size_t size = journal_write(&writer, &entry);
        fwrite(writer.line, 1, size, file);
    }
    if (next == JOURNAL_DAMAGED)
        fail_msg("%s: %s", from, error.text);
    assert_int_equal(fclose(file), 0);
    free(bytes);
    return count;
}
