/* A journal: what came into a run and what came out of it, as lines of text that only grow. Here
 * are its lines, and its head, which holds all that is needed to begin the run again; inputs and
 * comparisons are written by the recorder and read by the playback. Reads and writes no file.
 *
 *     ptybot-journal 1
 *     CHECK WORD [STEP] [INDEX] [NUMBER] [HASH] [PAYLOAD]
 *
 * CHECK, eight hexadecimal digits, covers the line and all before it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "protocols/robot.h"
#include "sim/scene/scene.h"

#define JOURNAL_MAGIC "ptybot-journal " /* begins the first line, before the format */

enum {
    JOURNAL_FORMAT = 1,
    JOURNAL_PAYLOAD_MAX = 4096, /* bytes in one line, before they are escaped */
    JOURNAL_LINE_MAX = 4 * JOURNAL_PAYLOAD_MAX + 128, /* with its newline */
};

/* The head ends with START; inputs and values to compare with follow. */
enum journal_kind {
    JOURNAL_PROGRAM,  /* text: the version of the program */
    JOURNAL_BUILD,    /* text: identity of the sources */
    JOURNAL_COMPILER, /* text */
    JOURNAL_TYPE,     /* text: the scene is that of a robot type */
    JOURNAL_FILE,     /* text: path of a file that the scene was read from, the scene first */
    JOURNAL_TEXT,     /* text: a line of that file, without its newline */
    JOURNAL_DATA,     /* bytes of that file */
    JOURNAL_SET,      /* text: an option set from outside */
    JOURNAL_SEED,     /* number */
    JOURNAL_STORAGE,  /* robot, bytes: its memory at the start */
    JOURNAL_CHANNEL,  /* channel, text: its name; one that has a link */
    JOURNAL_START,    /* end of the head */

    JOURNAL_HOST,    /* inputs: step, channel, number; see sim/state/inputs.h */
    JOURNAL_LINES,   /* the same */
    JOURNAL_BAUD,    /* the same */
    JOURNAL_MODE,    /* the same */
    JOURNAL_BYTES,   /* step, channel, bytes */
    JOURNAL_COMMAND, /* step, text */
    JOURNAL_SAVED,   /* step, robot */
    JOURNAL_READS,   /* step, channel, number */
    JOURNAL_ANSWER, /* step that asked, robot, bytes; where it differs from the one before. Lines of
                     * one step and robot are one answer; no bytes: its process is gone */
    JOURNAL_DELAY,  /* step, thread of a slow host, microseconds: it continued so late. A replay has
                     * its bytes and does not need it */

    JOURNAL_OUT,   /* step, channel, number of bytes to its host so far, hash of them */
    JOURNAL_STATE, /* step, hash of the simulation */
    JOURNAL_END,   /* the same, at the orderly end of the run */
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

/* Begins a journal: puts the first line into LINE, with a newline and a NUL. Returns its size. */
size_t journal_begin(struct journal_writer *writer);

/* Puts the line of an entry into LINE in the same way. A payload has at most JOURNAL_PAYLOAD_MAX
 * bytes. */
size_t journal_write(struct journal_writer *writer, const struct journal_entry *entry);

/* ---- Reading ---- */

enum journal_next {
    JOURNAL_ENTRY,
    JOURNAL_DONE,    /* no more lines */
    JOURNAL_CUT,     /* only the beginning of a line is left, as after a crash */
    JOURNAL_DAMAGED, /* the error says where and how */
};

struct journal_reader {
    const char *bytes; /* owned by the caller; must outlive the reader */
    size_t size, at;
    uint64_t check;
    uint64_t line; /* number of the line that was read last, from 1 */
    uint8_t payload[JOURNAL_PAYLOAD_MAX];
};

/* False, with the reason, where the bytes are not a journal of this format. */
bool journal_open(struct journal_reader *reader, const char *bytes, size_t size,
                  struct error *error);

/* The next entry; its payload is valid until the next call. */
enum journal_next journal_read(struct journal_reader *reader, struct journal_entry *entry,
                               struct error *error);

/* ---- The head ---- */

enum { JOURNAL_NAME_MAX = 128 }; /* of a channel, a version, a type; with NUL */

struct journal_storage {
    size_t robot; /* in the order of the scene */
    struct robot_storage memory;
};

struct journal_channel {
    size_t channel;              /* of the simulation */
    char name[JOURNAL_NAME_MAX]; /* robot.channel */
};

struct journal_head {
    char program[JOURNAL_NAME_MAX];  /* version */
    char build[JOURNAL_NAME_MAX];    /* identity of the sources */
    char compiler[JOURNAL_NAME_MAX]; /* for people */
    char type[JOURNAL_NAME_MAX];     /* the robot type that is the whole scene, or "" */
    struct scene_source *sources;    /* of a scene from a file: its own first */
    char **sets;                     /* ROBOT.OPTION=VALUE */
    size_t set_count;
    uint64_t seed;
    struct journal_storage *storages; /* of robots whose memory was not fresh */
    size_t storage_count;
    struct journal_channel *channels; /* those with a link */
    size_t channel_count;
};

/* Where the lines go. */
typedef void journal_sink(void *context, const char *text, size_t size);

/* Begins a journal and writes its head. */
void journal_head_write(const struct journal_head *head, struct journal_writer *writer,
                        journal_sink *sink, void *context);

/* Reads the head of a journal that was opened, up to its first input. False: the error says why,
 * and HEAD is empty. The caller frees it. */
bool journal_head_read(struct journal_head *head, struct journal_reader *reader,
                       struct error *error);
void journal_head_free(struct journal_head *head);
