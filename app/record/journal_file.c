/* The journal of a run as a file: lines are collected in a buffer of fixed size. */
#include "app/record/journal_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/cli/terminal.h"
#include "app/files/file_bytes.h"
#include "sim/record/recorder.h"
#include "sim/state/inputs.h"

enum { BUFFER_MAX = 1 << 18 }; /* chosen: as much as many robots receive between two visits */

struct journal_file {
    char *path;
    int fd;
    int reason; /* errno of the first failed write; 0: no failure */
    struct sim *sim;
    struct recorder *recorder;
    size_t used;
    char buffer[BUFFER_MAX];
};

/* ---- Writing ---- */

/* Stops the journal after a failure: the run is more important and continues. */
static void give_up(struct journal_file *journal, int reason)
{
    journal->reason = reason;
    sim_listen(journal->sim, NULL, NULL);
    terminal_say("--journal %s: writing stopped after %.3f s: %s; the run continues", journal->path,
                 (double)sim_now_us(journal->sim) * 1e-6, strerror(reason));
}

void journal_file_visit(struct journal_file *journal)
{
    if (journal->reason == 0 &&
        file_bytes_write(journal->fd, journal->buffer, journal->used) < journal->used)
        give_up(journal, errno);
    journal->used = 0;
}

static void append(void *context, const char *text, size_t size)
{
    struct journal_file *journal = context;
    if (size > sizeof journal->buffer - journal->used)
        journal_file_visit(journal);
    memcpy(journal->buffer + journal->used, text, size);
    journal->used += size;
}

/* ---- The head ---- */

static bool copy_sets(struct journal_head *head, const struct argument_texts *sets)
{
    head->sets = calloc(sets->count + 1, sizeof *head->sets);
    for (size_t i = 0; head->sets && i < sets->count; i++) {
        head->sets[i] = strdup(sets->texts[i]);
        if (!head->sets[i])
            return false;
        head->set_count++;
    }
    return head->sets;
}

static bool copy_storages(struct journal_head *head, const struct robot_storage *loaded,
                          size_t robots)
{
    head->storages = calloc(robots + 1, sizeof *head->storages);
    for (size_t i = 0; head->storages && i < robots; i++)
        if (loaded[i].size > 0)
            head->storages[head->storage_count++] =
                (struct journal_storage){.robot = i, .memory = loaded[i]};
    return head->storages;
}

static bool name_channels(struct journal_head *head, const struct scene *scene,
                          const struct sim *sim)
{
    head->channels = calloc(sim_channel_count(sim) + 1, sizeof *head->channels);
    if (!head->channels)
        return false;
    for (size_t i = 0; i < scene->robot_count; i++)
        for (size_t j = 0; j < scene->robots[i].link_count; j++) {
            const struct scene_robot *robot = &scene->robots[i];
            struct journal_channel *channel = &head->channels[head->channel_count++];
            channel->channel = sim_channel_index(sim, i, robot->links[j].channel);
            snprintf(channel->name, sizeof channel->name, "%s.%s", robot->name,
                     robot->type->channels[robot->links[j].channel].name);
        }
    return true;
}

static bool make_head(struct journal_head *head, const struct scene *scene,
                      const struct argument_texts *sets, const struct storage *storage,
                      const struct sim *sim)
{
    *head = (struct journal_head){.seed = scene->seed, .sources = scene->sources};
    snprintf(head->program, sizeof head->program, "%s", program_version());
    snprintf(head->build, sizeof head->build, "%s", program_build());
    snprintf(head->compiler, sizeof head->compiler, "%s", program_compiler());
    if (!scene->sources)
        snprintf(head->type, sizeof head->type, "%s", scene->robots[0].type->name);
    return copy_sets(head, sets) &&
           copy_storages(head, storage_loaded(storage), scene->robot_count) &&
           name_channels(head, scene, sim);
}

/* ---- Opening and closing ---- */

static void destroy(struct journal_file *journal)
{
    recorder_close(journal->recorder);
    if (journal->fd >= 0)
        close(journal->fd);
    free(journal->path);
    free(journal);
}

struct journal_file *journal_file_open(const char *path, const struct scene *scene,
                                       const struct argument_texts *sets,
                                       const struct storage *storage, struct sim *sim,
                                       struct error *error)
{
    struct journal_head head;
    struct journal_file *journal = calloc(1, sizeof *journal);
    if (!journal || !(journal->path = strdup(path))) {
        free(journal);
        return error_null(error_set(error, "not enough memory for the journal"));
    }
    journal->sim = sim;
    if (!file_bytes_replace(path, "--journal", "journal", JOURNAL_MAGIC, &journal->fd, error)) {
        destroy(journal);
        return NULL;
    }
    if (make_head(&head, scene, sets, storage, sim))
        journal->recorder = recorder_open(&head, sim, append, journal);
    head.sources = NULL; // the scene's
    journal_head_free(&head);
    if (!journal->recorder)
        error_set(error, "not enough memory for the journal");
    else
        journal_file_visit(journal);
    // If the journal cannot start, the run does not start either.
    if (journal->recorder && journal->reason == 0)
        return journal;
    if (journal->reason)
        error_set(error, "--journal %s: %s", path, strerror(journal->reason));
    destroy(journal);
    return NULL;
}

void journal_file_step(struct journal_file *journal)
{
    if (journal->reason == 0)
        recorder_step(journal->recorder);
}

bool journal_file_close(struct journal_file *journal, struct error *error)
{
    if (!journal)
        return true;
    if (journal->reason == 0)
        recorder_end(journal->recorder);
    journal_file_visit(journal);
    // Some file systems report write errors only on close.
    if (close(journal->fd) != 0 && journal->reason == 0)
        journal->reason = errno;
    journal->fd = -1;
    bool is_whole = journal->reason == 0;
    if (!is_whole)
        error_set(
            error,
            "--journal %s: could not be written completely: %s; the written part can be replayed",
            journal->path, strerror(journal->reason));
    destroy(journal);
    return is_whole;
}
