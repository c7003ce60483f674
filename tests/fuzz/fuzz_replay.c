/* Any bytes as the file of a journal, unchanged and as lines with correct checks added, through
 * `ptybot replay` to its exit code: it succeeds only with a readable journal. */
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/subcommands/subcommands.h"
#include "sim/record/journal.h"
#include "tests/fuzz/journal_seal.h"
#include "tests/fuzz/run_subcommand_silently.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Chosen: the steps of fuzz_journal, so that no input is slow. */
#define UNTIL "0.3"
enum { UNTIL_STEPS = 300 };

/* Whether the head and the following lines are valid, up to the end, an incomplete line, or a later
 * time. */
static bool is_journal(const char *bytes, size_t size)
{
    static struct journal_reader reader;
    struct journal_head head;
    struct journal_entry entry;
    struct error error = {0};
    enum journal_next next = JOURNAL_DONE;
    if (!journal_open(&reader, bytes, size, &error) || !journal_head_read(&head, &reader, &error))
        return false;
    do
        next = journal_read(&reader, &entry, &error);
    while (next == JOURNAL_ENTRY && entry.step <= UNTIL_STEPS);
    journal_head_free(&head);
    return next != JOURNAL_DAMAGED;
}

static void replay(const char *bytes, size_t size)
{
    char path[QUIET_PATH];
    int fd = temporary_file(bytes, size, path);
    const char *const words[] = {path,        "--any-build", "--until",   UNTIL, "--log",
                                 "/dev/null", "--capture",   "/dev/null", NULL};
    int code = run_subcommand_silently(&replay_subcommand, words);
    assert(code != EXIT_CODE_OK || is_journal(bytes, size));
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t sealed_size;
    char *sealed = journal_seal(data, size, &sealed_size);
    replay((const char *)data, size);
    replay(sealed, sealed_size);
    free(sealed);
    return 0;
}
