/* The lines of a journal and its head. One table defines the fields of each line, for reading and
 * writing. */
#include "sim/record/journal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"

enum { CHECK_DIGITS = 8, HASH_DIGITS = 16, NUMBER_DIGITS = 19 }; // of what fits an int64_t

enum fields {
    HAS_STEP = 1,
    HAS_INDEX = 2,
    HAS_NUMBER = 4,
    HAS_HASH = 8,
    HAS_TEXT = 16,  /* escaped, up to the end of the line */
    HAS_BYTES = 32, /* in hexadecimal */
};

struct line_row {
    const char *word;
    unsigned fields;
};

static const struct line_row rows[JOURNAL_KINDS] = {
    [JOURNAL_PROGRAM] = {"program", HAS_TEXT},
    [JOURNAL_BUILD] = {"build", HAS_TEXT},
    [JOURNAL_COMPILER] = {"compiler", HAS_TEXT},
    [JOURNAL_TYPE] = {"type", HAS_TEXT},
    [JOURNAL_FILE] = {"file", HAS_TEXT},
    [JOURNAL_TEXT] = {"text", HAS_TEXT},
    [JOURNAL_DATA] = {"data", HAS_BYTES},
    [JOURNAL_SET] = {"set", HAS_TEXT},
    [JOURNAL_SEED] = {"seed", HAS_NUMBER},
    [JOURNAL_STORAGE] = {"storage", HAS_INDEX | HAS_BYTES},
    [JOURNAL_CHANNEL] = {"channel", HAS_INDEX | HAS_TEXT},
    [JOURNAL_START] = {"start", 0},
    [JOURNAL_HOST] = {"host", HAS_STEP | HAS_INDEX | HAS_NUMBER},
    [JOURNAL_LINES] = {"lines", HAS_STEP | HAS_INDEX | HAS_NUMBER},
    [JOURNAL_BAUD] = {"baud", HAS_STEP | HAS_INDEX | HAS_NUMBER},
    [JOURNAL_MODE] = {"mode", HAS_STEP | HAS_INDEX | HAS_NUMBER},
    [JOURNAL_BYTES] = {"bytes", HAS_STEP | HAS_INDEX | HAS_BYTES},
    [JOURNAL_COMMAND] = {"do", HAS_STEP | HAS_TEXT},
    [JOURNAL_SAVED] = {"saved", HAS_STEP | HAS_INDEX},
    [JOURNAL_READS] = {"reads", HAS_STEP | HAS_INDEX | HAS_NUMBER},
    [JOURNAL_ANSWER] = {"answer", HAS_STEP | HAS_INDEX | HAS_BYTES},
    [JOURNAL_DELAY] = {"delay", HAS_STEP | HAS_INDEX | HAS_NUMBER},
    [JOURNAL_OUT] = {"out", HAS_STEP | HAS_INDEX | HAS_NUMBER | HAS_HASH},
    [JOURNAL_STATE] = {"state", HAS_STEP | HAS_HASH},
    [JOURNAL_END] = {"end", HAS_STEP | HAS_HASH},
};

static uint32_t check_of(uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32);
}

/* ---- Writing ---- */

static size_t put_number(char *at, uint64_t number)
{
    assert(number <= INT64_MAX);
    return (size_t)snprintf(at, NUMBER_DIGITS + 2, " %" PRIu64, number);
}

static bool is_escaped(uint8_t byte)
{
    return byte < 0x20 || byte == 0x7f || byte == '\\';
}

static size_t put_text(char *at, const uint8_t *bytes, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        if (is_escaped(bytes[i])) {
            at[used++] = '\\';
            at[used++] = 'x';
            used += text_hex(&bytes[i], 1, at + used);
        } else {
            at[used++] = (char)bytes[i];
        }
    }
    return used;
}

size_t journal_begin(struct journal_writer *writer)
{
    int size = snprintf(writer->line, sizeof writer->line, "%s%d\n", JOURNAL_MAGIC, JOURNAL_FORMAT);
    writer->check = hash_bytes(HASH_START, writer->line, (size_t)size);
    return (size_t)size;
}

size_t journal_write(struct journal_writer *writer, const struct journal_entry *entry)
{
    assert(entry->kind < JOURNAL_KINDS && entry->size <= JOURNAL_PAYLOAD_MAX);
    const struct line_row *row = &rows[entry->kind];
    char *body = writer->line + CHECK_DIGITS + 1;
    size_t used = strlen(row->word);
    memcpy(body, row->word, used);
    if (row->fields & HAS_STEP)
        used += put_number(body + used, (uint64_t)entry->step);
    if (row->fields & HAS_INDEX)
        used += put_number(body + used, entry->index);
    if (row->fields & HAS_NUMBER)
        used += put_number(body + used, entry->number);
    if (row->fields & HAS_HASH)
        used += (size_t)snprintf(body + used, HASH_DIGITS + 2, " %016" PRIx64, entry->hash);
    if (row->fields & (HAS_TEXT | HAS_BYTES))
        body[used++] = ' ';
    if (row->fields & HAS_TEXT)
        used += put_text(body + used, entry->bytes, entry->size);
    if (row->fields & HAS_BYTES)
        used += text_hex(entry->bytes, entry->size, body + used);
    body[used++] = '\n';
    body[used] = '\0';
    writer->check = hash_bytes(writer->check, body, used);
    snprintf(writer->line, CHECK_DIGITS + 1, "%08" PRIx32, check_of(writer->check));
    writer->line[CHECK_DIGITS] = ' ';
    return CHECK_DIGITS + 1 + used;
}

/* ---- Reading ---- */

/* The unread part of a line. */
struct rest {
    const char *at, *end;
};

static bool take_blank(struct rest *rest)
{
    if (rest->at == rest->end || *rest->at != ' ')
        return false;
    rest->at++;
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool take_hex(struct rest *rest, size_t digits, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < digits; i++) {
        int digit = rest->at < rest->end ? hex_digit(*rest->at) : -1;
        if (digit < 0)
            return false;
        *value = *value << 4 | (unsigned)digit;
        rest->at++;
    }
    return true;
}

static bool take_number(struct rest *rest, uint64_t *number)
{
    size_t digits = 0;
    *number = 0;
    if (!take_blank(rest))
        return false;
    for (; rest->at < rest->end && *rest->at >= '0' && *rest->at <= '9'; rest->at++) {
        if (++digits > NUMBER_DIGITS)
            return false;
        *number = *number * 10 + (unsigned)(*rest->at - '0');
    }
    return digits > 0 && *number <= INT64_MAX;
}

static bool take_bytes(struct rest *rest, struct journal_reader *reader, size_t *size)
{
    for (*size = 0; rest->at < rest->end; ++*size) {
        uint64_t byte;
        if (*size == sizeof reader->payload || !take_hex(rest, 2, &byte))
            return false;
        reader->payload[*size] = (uint8_t)byte;
    }
    return true;
}

static bool take_text(struct rest *rest, struct journal_reader *reader, size_t *size)
{
    for (*size = 0; rest->at < rest->end; ++*size) {
        uint64_t byte = (uint8_t)*rest->at++;
        if (*size == sizeof reader->payload)
            return false;
        if (byte == '\\' && (rest->at == rest->end || *rest->at++ != 'x' ||
                             !take_hex(rest, 2, &byte) || !is_escaped((uint8_t)byte)))
            return false;
        reader->payload[*size] = (uint8_t)byte;
    }
    return true;
}

static bool take_fields(struct rest *rest, struct journal_reader *reader, unsigned fields,
                        struct journal_entry *entry)
{
    uint64_t step = 0;
    bool is_good =
        (!(fields & HAS_STEP) || take_number(rest, &step)) &&
        (!(fields & HAS_INDEX) || take_number(rest, &entry->index)) &&
        (!(fields & HAS_NUMBER) || take_number(rest, &entry->number)) &&
        (!(fields & HAS_HASH) || (take_blank(rest) && take_hex(rest, HASH_DIGITS, &entry->hash))) &&
        (!(fields & (HAS_TEXT | HAS_BYTES)) || take_blank(rest)) &&
        (!(fields & HAS_TEXT) || take_text(rest, reader, &entry->size)) &&
        (!(fields & HAS_BYTES) || take_bytes(rest, reader, &entry->size));
    entry->step = (int64_t)step;
    entry->bytes = reader->payload;
    return is_good && rest->at == rest->end;
}

static bool take_entry(struct rest *rest, struct journal_reader *reader,
                       struct journal_entry *entry)
{
    const char *word = rest->at;
    while (rest->at < rest->end && *rest->at != ' ')
        rest->at++;
    size_t size = (size_t)(rest->at - word);
    for (int kind = 0; kind < JOURNAL_KINDS; kind++) {
        if (strlen(rows[kind].word) != size || memcmp(rows[kind].word, word, size) != 0)
            continue;
        *entry = (struct journal_entry){.kind = (enum journal_kind)kind};
        return take_fields(rest, reader, rows[kind].fields, entry);
    }
    return false;
}

bool journal_open(struct journal_reader *reader, const char *bytes, size_t size,
                  struct error *error)
{
    char first[32];
    size_t wanted = (size_t)snprintf(first, sizeof first, "%s%d\n", JOURNAL_MAGIC, JOURNAL_FORMAT);
    reader->bytes = bytes;
    reader->size = size;
    reader->at = wanted;
    reader->line = 1;
    reader->check = hash_bytes(HASH_START, first, wanted);
    if (size >= wanted && memcmp(bytes, first, wanted) == 0)
        return true;
    if (size < sizeof JOURNAL_MAGIC - 1 ||
        memcmp(bytes, JOURNAL_MAGIC, sizeof JOURNAL_MAGIC - 1) != 0)
        return error_set(error, "not a journal: the first line is not '%s%d'", JOURNAL_MAGIC,
                         JOURNAL_FORMAT);
    return error_set(error, "the journal is not of format %d: another version of ptybot wrote it",
                     JOURNAL_FORMAT);
}

enum journal_next journal_read(struct journal_reader *reader, struct journal_entry *entry,
                               struct error *error)
{
    if (reader->at == reader->size)
        return JOURNAL_DONE;
    const char *line = reader->bytes + reader->at;
    size_t left = reader->size - reader->at;
    const char *newline = memchr(line, '\n', left);
    if (!newline && left < JOURNAL_LINE_MAX)
        return JOURNAL_CUT;
    reader->line++;

    struct rest rest = {line, newline};
    uint64_t check;
    bool is_right = newline && take_hex(&rest, CHECK_DIGITS, &check) && take_blank(&rest);
    if (is_right) {
        reader->check = hash_bytes(reader->check, rest.at, (size_t)(newline + 1 - rest.at));
        is_right = check == check_of(reader->check);
    }
    if (!is_right) {
        error_set(error, "line %" PRIu64 " is damaged: its checksum does not match", reader->line);
        return JOURNAL_DAMAGED;
    }
    if (!take_entry(&rest, reader, entry)) {
        error_set(error, "line %" PRIu64 ": not a line of a journal", reader->line);
        return JOURNAL_DAMAGED;
    }
    reader->at = (size_t)(newline + 1 - reader->bytes);
    return JOURNAL_ENTRY;
}

/* ---- Writing the head ---- */

struct target {
    struct journal_writer *writer;
    journal_sink *sink;
    void *context;
};

static void head_put(const struct target *to, const struct journal_entry *entry)
{
    size_t size = journal_write(to->writer, entry);
    to->sink(to->context, to->writer->line, size);
}

static void head_put_text(const struct target *to, enum journal_kind kind, size_t index,
                          const char *text)
{
    head_put(to, &(struct journal_entry){.kind = kind,
                                         .index = index,
                                         .bytes = (const uint8_t *)text,
                                         .size = strlen(text)});
}

/* Lines of text stay text, so that a scene in a journal is readable; other content is written as
 * bytes. */
static void head_put_file(const struct target *to, const struct scene_source *file)
{
    head_put_text(to, JOURNAL_FILE, 0, file->path);
    bool is_text = !memchr(file->bytes, '\0', file->size);
    for (size_t at = 0; at < file->size;) {
        size_t left = file->size - at;
        size_t most = left < JOURNAL_PAYLOAD_MAX ? left : JOURNAL_PAYLOAD_MAX;
        const char *newline = is_text ? memchr(file->bytes + at, '\n', most) : NULL;
        struct journal_entry entry = {.kind = newline ? JOURNAL_TEXT : JOURNAL_DATA,
                                      .bytes = (const uint8_t *)file->bytes + at,
                                      .size =
                                          newline ? (size_t)(newline - file->bytes) - at : most};
        head_put(to, &entry);
        at += entry.size + (newline ? 1 : 0);
    }
}

void journal_head_write(const struct journal_head *head, struct journal_writer *writer,
                        journal_sink *sink, void *context)
{
    const struct target to = {writer, sink, context};
    sink(context, writer->line, journal_begin(writer));
    head_put_text(&to, JOURNAL_PROGRAM, 0, head->program);
    head_put_text(&to, JOURNAL_BUILD, 0, head->build);
    head_put_text(&to, JOURNAL_COMPILER, 0, head->compiler);
    if (head->type[0])
        head_put_text(&to, JOURNAL_TYPE, 0, head->type);
    for (const struct scene_source *file = head->sources; file; file = file->next)
        head_put_file(&to, file);
    for (size_t i = 0; i < head->set_count; i++)
        head_put_text(&to, JOURNAL_SET, 0, head->sets[i]);
    head_put(&to, &(struct journal_entry){.kind = JOURNAL_SEED, .number = head->seed});
    for (size_t i = 0; i < head->storage_count; i++)
        head_put(&to, &(struct journal_entry){.kind = JOURNAL_STORAGE,
                                              .index = head->storages[i].robot,
                                              .bytes = head->storages[i].memory.bytes,
                                              .size = head->storages[i].memory.size});
    for (size_t i = 0; i < head->channel_count; i++)
        head_put_text(&to, JOURNAL_CHANNEL, head->channels[i].channel, head->channels[i].name);
    head_put(&to, &(struct journal_entry){.kind = JOURNAL_START});
}

/* ---- Reading the head ---- */

/* A file while its lines are read. */
struct growing {
    char *path;
    char *bytes;
    size_t size, capacity;
};

/* Appends an item to an array. NULL: out of memory. */
static void *grow(void *items, size_t *count, size_t item_size)
{
    void **array = items;
    // The capacity doubles whenever the count reaches a power of two.
    if ((*count & (*count - 1)) == 0) {
        void *larger = realloc(*array, (*count ? *count * 2 : 1) * item_size);
        if (!larger)
            return NULL;
        *array = larger;
    }
    void *item = (char *)*array + *count * item_size;
    memset(item, 0, item_size);
    ++*count;
    return item;
}

static char *copy_text(const struct journal_entry *entry)
{
    char *text = malloc(entry->size + 1);
    if (text) {
        memcpy(text, entry->bytes, entry->size);
        text[entry->size] = '\0';
    }
    return text;
}

/* Names and paths are printed on terminals, so control characters are rejected. */
static bool is_plain(const struct journal_entry *entry)
{
    for (size_t i = 0; i < entry->size; i++)
        if (entry->bytes[i] < 0x20 || entry->bytes[i] == 0x7f)
            return false;
    return true;
}

static bool take_name(char name[JOURNAL_NAME_MAX], const struct journal_entry *entry)
{
    if (entry->size >= JOURNAL_NAME_MAX || !is_plain(entry))
        return false;
    memcpy(name, entry->bytes, entry->size);
    name[entry->size] = '\0';
    return true;
}

static bool end_file(struct journal_head *head, struct growing *file)
{
    bool is_added = !file->path || scene_source_add(&head->sources, file->path,
                                                    file->bytes ? file->bytes : "", file->size);
    free(file->path);
    free(file->bytes);
    *file = (struct growing){0};
    return is_added;
}

static bool add_bytes(struct growing *file, const struct journal_entry *entry)
{
    size_t size = file->size + entry->size + (entry->kind == JOURNAL_TEXT);
    if (!file->path)
        return false;
    if (size > file->capacity) {
        char *larger = realloc(file->bytes, 2 * size);
        if (!larger)
            return false;
        file->bytes = larger;
        file->capacity = 2 * size;
    }
    if (entry->size > 0) // else there may be no bytes yet
        memcpy(file->bytes + file->size, entry->bytes, entry->size);
    if (entry->kind == JOURNAL_TEXT)
        file->bytes[size - 1] = '\n';
    file->size = size;
    return true;
}

static bool take_storage(struct journal_head *head, const struct journal_entry *entry)
{
    if (entry->size > ROBOT_STORAGE_MAX)
        return false;
    struct journal_storage *storage =
        grow(&head->storages, &head->storage_count, sizeof *head->storages);
    if (!storage)
        return false;
    storage->robot = (size_t)entry->index;
    storage->memory.size = (uint32_t)entry->size;
    memcpy(storage->memory.bytes, entry->bytes, entry->size);
    return true;
}

static bool take_channel(struct journal_head *head, const struct journal_entry *entry)
{
    struct journal_channel *channel =
        grow(&head->channels, &head->channel_count, sizeof *head->channels);
    if (!channel)
        return false;
    channel->channel = (size_t)entry->index;
    return take_name(channel->name, entry);
}

static bool take_set(struct journal_head *head, const struct journal_entry *entry)
{
    char **set = is_plain(entry) ? grow(&head->sets, &head->set_count, sizeof *head->sets) : NULL;
    if (set)
        *set = copy_text(entry);
    return set && *set;
}

/* False: this entry is not allowed in the head, or memory is short. */
static bool head_take(struct journal_head *head, struct growing *file,
                      const struct journal_entry *entry)
{
    if (entry->kind == JOURNAL_TEXT || entry->kind == JOURNAL_DATA)
        return add_bytes(file, entry);
    if (!end_file(head, file))
        return false;
    switch (entry->kind) {
    case JOURNAL_PROGRAM:
        return take_name(head->program, entry);
    case JOURNAL_BUILD:
        return take_name(head->build, entry);
    case JOURNAL_COMPILER:
        return take_name(head->compiler, entry);
    case JOURNAL_TYPE:
        return take_name(head->type, entry);
    case JOURNAL_FILE:
        file->path = is_plain(entry) ? copy_text(entry) : NULL;
        return file->path;
    case JOURNAL_SET:
        return take_set(head, entry);
    case JOURNAL_SEED:
        head->seed = entry->number;
        return true;
    case JOURNAL_STORAGE:
        return take_storage(head, entry);
    case JOURNAL_CHANNEL:
        return take_channel(head, entry);
    default:
        return entry->kind == JOURNAL_START;
    }
}

bool journal_head_read(struct journal_head *head, struct journal_reader *reader,
                       struct error *error)
{
    struct growing file = {0};
    struct journal_entry entry = {.kind = JOURNAL_KINDS};
    enum journal_next next = JOURNAL_ENTRY;
    *head = (struct journal_head){0};
    bool is_good = true;
    while (is_good && entry.kind != JOURNAL_START &&
           (next = journal_read(reader, &entry, error)) == JOURNAL_ENTRY)
        is_good = head_take(head, &file, &entry);
    bool is_whole = is_good && next == JOURNAL_ENTRY;
    if (!is_good)
        error_set(error, "line %" PRIu64 ": this line may not occur in the head of a journal",
                  reader->line);
    else if (next == JOURNAL_CUT || next == JOURNAL_DONE)
        error_set(error, "the journal ends after line %" PRIu64 ", before its run began",
                  reader->line);
    else if (is_whole && !head->type[0] == !head->sources)
        is_whole = error_set(error, "the journal has no scene, or two scenes");
    free(file.path);
    free(file.bytes);
    if (!is_whole)
        journal_head_free(head);
    return is_whole;
}

void journal_head_free(struct journal_head *head)
{
    for (size_t i = 0; i < head->set_count; i++)
        free(head->sets[i]);
    free(head->sets);
    free(head->storages);
    free(head->channels);
    scene_source_free(&head->sources);
    *head = (struct journal_head){0};
}
