/* The head of a journal: all that is needed to begin the run again. */
#ifndef PTYBOT_SIM_RECORD_JOURNAL_HEAD_H
#define PTYBOT_SIM_RECORD_JOURNAL_HEAD_H

#include "protocols/robot.h"
#include "sim/record/journal.h"
#include "sim/scene/scene_source.h"

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

#endif
