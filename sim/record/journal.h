/* A journal: the inputs and outputs of a run, as lines of text that are only appended. This file
 * defines its lines and its head, which contains everything that is needed to repeat the run. The
 * recorder writes inputs and comparison values, and the playback reads them. This code reads and
 * writes no files.
 *
 *     ptybot-journal 1
 *     CHECK WORD [STEP] [INDEX] [NUMBER] [HASH] [PAYLOAD]
 *
 * CHECK, eight hexadecimal digits, covers the line and all lines before it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "protocols/robot.h"
#include "sim/scene/scene.h"

#define JOURNAL_MAGIC "ptybot-journal " /* start of the first line, before the format */

enum {
    JOURNAL_FORMAT = 1,
    JOURNAL_PAYLOAD_MAX = 4096, /* bytes in one line, before they are escaped */
    JOURNAL_LINE_MAX = 4 * JOURNAL_PAYLOAD_MAX + 128, /* with its newline */
};

/* The head ends with START. Inputs and comparison values follow. */
enum journal_kind {
    JOURNAL_PROGRAM,  /* text: the version of ptybot */
    JOURNAL_BUILD,    /* text: identity of the sources */
    JOURNAL_COMPILER, /* text */
    JOURNAL_TYPE,     /* text: a robot type; the scene is made from it */
    JOURNAL_FILE,     /* text: path of a file of the scene; the scene file comes first */
    JOURNAL_TEXT,     /* text: a line of that file, without its newline */
    JOURNAL_DATA,     /* bytes of that file */
    JOURNAL_SET,      /* text: an option set from outside */
    JOURNAL_SEED,     /* number */
    JOURNAL_STORAGE,  /* robot, bytes: its memory at the start */
    JOURNAL_CHANNEL,  /* channel, text: its name; for each channel with a link */
    JOURNAL_START,    /* end of the head */

    JOURNAL_HOST,    /* inputs: step, channel, number; see sim/state/inputs.h */
    JOURNAL_LINES,   /* the same */
    JOURNAL_BAUD,    /* the same */
    JOURNAL_MODE,    /* the same */
    JOURNAL_BYTES,   /* step, channel, bytes */
    JOURNAL_COMMAND, /* step, text */
    JOURNAL_SAVED,   /* step, robot */
    JOURNAL_READS,   /* step, channel, number */
    JOURNAL_ANSWER,  /* step of the question, robot, bytes; only if it differs from the previous
                        answer. Lines of one step and robot form one answer; no bytes: its process
                        has ended */
    JOURNAL_DELAY, /* step, thread of a slow driver, microseconds: delay after which it continued. A
                      replay has its bytes and does not need it */

    JOURNAL_OUT,   /* step, channel, number of bytes sent to its driver so far, hash of them */
    JOURNAL_STATE, /* step, hash of the simulation */
    JOURNAL_END,   /* the same, at the regular end of the run */
    JOURNAL_KINDS,
};

struct journal_entry {
    enum journal_kind kind;
    int64_t step;   /* of the simulation, from its start */
    uint64_t index; /* channel or robot */
    uint64_t number;
    uint64_t hash;
    const uint8_t *bytes; /* payload */
    size_t size;
};

/* ---- Writing ---- */

struct journal_writer {
    uint64_t check;
    char line[JOURNAL_LINE_MAX + 1];
};

/* Begins a journal: writes the first line to LINE, with a newline and a NUL. Returns its size. */
size_t journal_begin(struct journal_writer *writer);

/* Writes the line of an entry to LINE in the same way. A payload has at most JOURNAL_PAYLOAD_MAX
 * bytes. */
size_t journal_write(struct journal_writer *writer, const struct journal_entry *entry);

/* ---- Reading ---- */

enum journal_next {
    JOURNAL_ENTRY,
    JOURNAL_DONE,    /* no more lines */
    JOURNAL_CUT,     /* the last line is incomplete, as after a crash */
    JOURNAL_DAMAGED, /* the error contains place and reason */
};

struct journal_reader {
    const char *bytes; /* owned by the caller; must outlive the reader */
    size_t size, at;
    uint64_t check;
    uint64_t line; /* number of the last line that was read, from 1 */
    uint8_t payload[JOURNAL_PAYLOAD_MAX];
};

/* Returns false with the reason if the bytes are not a journal of this format. */
bool journal_open(struct journal_reader *reader, const char *bytes, size_t size,
                  struct error *error);

/* The next entry; its payload is valid until the next call. */
enum journal_next journal_read(struct journal_reader *reader, struct journal_entry *entry,
                               struct error *error);

/* ---- The head ---- */

enum { JOURNAL_NAME_MAX = 128 }; /* of a channel, a version or a type; with NUL */

struct journal_storage {
    size_t robot; /* index in the order of the scene */
    struct robot_storage memory;
};

struct journal_channel {
    size_t channel;              /* index in the simulation */
    char name[JOURNAL_NAME_MAX]; /* robot.channel */
};

struct journal_head {
    char program[JOURNAL_NAME_MAX];  /* version */
    char build[JOURNAL_NAME_MAX];    /* identity of the sources */
    char compiler[JOURNAL_NAME_MAX]; /* for the user */
    char type[JOURNAL_NAME_MAX];     /* the robot type if the scene is made from it, or "" */
    struct scene_source *sources;    /* files of the scene; the scene file is the first */
    char **sets;                     /* ROBOT.OPTION=VALUE */
    size_t set_count;
    uint64_t seed;
    struct journal_storage *storages; /* for robots whose memory was not empty */
    size_t storage_count;
    struct journal_channel *channels; /* channels with a link */
    size_t channel_count;
};

/* Receives the lines. */
typedef void journal_sink(void *context, const char *text, size_t size);

/* Begins a journal and writes its head. */
void journal_head_write(const struct journal_head *head, struct journal_writer *writer,
                        journal_sink *sink, void *context);

/* Reads the head of an open journal, up to its first input. On an error returns false and sets
 * ERROR; HEAD is then empty. The caller frees it. */
bool journal_head_read(struct journal_head *head, struct journal_reader *reader,
                       struct error *error);
void journal_head_free(struct journal_head *head);
