/* The head of a journal, written and read. */
#include "sim/record/journal_head.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Writing ---- */

struct target {
    struct journal_writer *writer;
    journal_sink *sink;
    void *context;
};

static void put(const struct target *to, const struct journal_entry *entry)
{
    size_t size = journal_write(to->writer, entry);
    to->sink(to->context, to->writer->line, size);
}

static void put_text(const struct target *to, enum journal_kind kind, size_t index,
                     const char *text)
{
    put(to,
        &(struct journal_entry){
            .kind = kind, .index = index, .bytes = (const uint8_t *)text, .size = strlen(text)});
}

/* A line of text as text, so that a scene can be read in its journal; all else as bytes. */
static void put_file(const struct target *to, const struct scene_source *file)
{
    put_text(to, JOURNAL_FILE, 0, file->path);
    bool is_text = !memchr(file->bytes, '\0', file->size);
    for (size_t at = 0; at < file->size;) {
        size_t left = file->size - at;
        size_t most = left < JOURNAL_PAYLOAD_MAX ? left : JOURNAL_PAYLOAD_MAX;
        const char *newline = is_text ? memchr(file->bytes + at, '\n', most) : NULL;
        struct journal_entry entry = {.kind = newline ? JOURNAL_TEXT : JOURNAL_DATA,
                                      .bytes = (const uint8_t *)file->bytes + at,
                                      .size =
                                          newline ? (size_t)(newline - file->bytes) - at : most};
        put(to, &entry);
        at += entry.size + (newline ? 1 : 0);
    }
}

void journal_head_write(const struct journal_head *head, struct journal_writer *writer,
                        journal_sink *sink, void *context)
{
    const struct target to = {writer, sink, context};
    sink(context, writer->line, journal_begin(writer));
    put_text(&to, JOURNAL_PROGRAM, 0, head->program);
    put_text(&to, JOURNAL_BUILD, 0, head->build);
    put_text(&to, JOURNAL_COMPILER, 0, head->compiler);
    if (head->type[0])
        put_text(&to, JOURNAL_TYPE, 0, head->type);
    for (const struct scene_source *file = head->sources; file; file = file->next)
        put_file(&to, file);
    for (size_t i = 0; i < head->set_count; i++)
        put_text(&to, JOURNAL_SET, 0, head->sets[i]);
    put(&to, &(struct journal_entry){.kind = JOURNAL_SEED, .number = head->seed});
    for (size_t i = 0; i < head->storage_count; i++)
        put(&to, &(struct journal_entry){.kind = JOURNAL_STORAGE,
                                         .index = head->storages[i].robot,
                                         .bytes = head->storages[i].memory.bytes,
                                         .size = head->storages[i].memory.size});
    for (size_t i = 0; i < head->channel_count; i++)
        put_text(&to, JOURNAL_CHANNEL, head->channels[i].channel, head->channels[i].name);
    put(&to, &(struct journal_entry){.kind = JOURNAL_START});
}

/* ---- Reading ---- */

/* A file that is being put together. */
struct growing {
    char *path;
    char *bytes;
    size_t size, capacity;
};

/* One more item at the end of an array. NULL: memory is short. */
static void *grow(void *items, size_t *count, size_t item_size)
{
    void **array = items;
    // Room grows by doubling: at each power of two.
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

/* Names and paths are shown to people, whose terminals must not obey them. */
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

/* False: this entry does not belong here, or memory is short. */
static bool take(struct journal_head *head, struct growing *file, const struct journal_entry *entry)
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
        is_good = take(head, &file, &entry);
    bool is_whole = is_good && next == JOURNAL_ENTRY;
    if (!is_good)
        error_set(error, "line %" PRIu64 ": this does not belong into the head of a journal",
                  reader->line);
    else if (next == JOURNAL_CUT || next == JOURNAL_DONE)
        error_set(error, "it ends after line %" PRIu64 ", before its run began", reader->line);
    else if (is_whole && !head->type[0] == !head->sources)
        is_whole = error_set(error, "it has no scene, or two");
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
