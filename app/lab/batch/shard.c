#include "app/lab/batch/shard.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/number.h"
#include "base/text.h"

/* The numbering of shards in a batch system: shard (INDEX - LEAST) / STEP of TOTAL, from 0 on. */
struct engine {
    const char *index, *total; /* environment variables; TOTAL NULL: not provided */
    const char *least, *step;  /* environment variables; NULL: FIRST and 1 */
    int64_t first;
};

static const struct engine engines[] = {
    /* slurm.schedmd.com/job_array.html */
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
     "SLURM_ARRAY_TASK_STEP", 0},
    /* bazel.build/reference/test-encyclopedia */
    {"TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", NULL, NULL, 0},
    /* kubernetes.io/docs/concepts/workloads/controllers/job: completion mode Indexed */
    {"JOB_COMPLETION_INDEX", NULL, NULL, NULL, 0},
    /* docs.gitlab.com/ee/ci/variables/predefined_variables.html */
    {"CI_NODE_INDEX", "CI_NODE_TOTAL", NULL, NULL, 1},
};

/* The number in an environment variable; OTHERWISE if it is not set. */
static bool read_variable(const char *name, int64_t otherwise, int64_t *number, struct error *error)
{
    const char *text = name ? getenv(name) : NULL;
    *number = otherwise;
    return !text || number_parse_integer(text, number) ||
           error_set(error, "%s='%s' is not a number; --shard I/N replaces it", name,
                     TEXT_QUOTE(text));
}

/* GIVEN_TOTAL 0: the batch system provides the total. */
static bool read_engine(const struct engine *engine, int64_t given_total, char text[SHARD_TEXT_MAX],
                        struct error *error)
{
    int64_t index, least, step, total;
    if (!read_variable(engine->index, 0, &index, error) ||
        !read_variable(engine->least, engine->first, &least, error) ||
        !read_variable(engine->step, 1, &step, error) ||
        !read_variable(engine->total, 0, &total, error))
        return false;
    total = given_total > 0 ? given_total : total;
    if (total == 0)
        return error_set(error,
                         "%s is set, but the number of shards is unknown: give --shard auto/N (or "
                         "--shard 1/1 for all tests here)",
                         engine->index);
    int64_t number = step > 0 ? (index - least) / step : -1;
    if (index < least || number < 0 || number >= total)
        return error_set(error, "%s=%" PRId64 " is none of %" PRId64 " parts; give --shard I/N",
                         engine->index, index, total);
    snprintf(text, SHARD_TEXT_MAX, "%" PRId64 "/%" PRId64, number + 1, total);
    return true;
}

/* bazel.build: a test that supports shards touches this file. */
static void touch_status(void)
{
    const char *path = getenv("TEST_SHARD_STATUS_FILE");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (file >= 0)
        close(file);
}

bool shard_find(const char *given, char text[SHARD_TEXT_MAX], const char **who, struct error *error)
{
    int64_t total = 0;
    bool is_auto = strncmp(given, "auto/", 5) == 0;
    *who = "";
    touch_status();
    snprintf(text, SHARD_TEXT_MAX, "%.*s", SHARD_TEXT_MAX - 1, given);
    if (*given && !is_auto)
        return true;
    if (is_auto && (!number_parse_integer(given + 5, &total) || total < 1))
        return error_set(error, "--shard: '%s' is not a shard; allowed: I/N or auto/N", given);
    for (size_t i = 0; i < COUNT(engines); i++)
        if (getenv(engines[i].index)) {
            *who = engines[i].index;
            return read_engine(&engines[i], total, text, error);
        }
    *text = '\0';
    return !is_auto || error_set(error, "--shard auto/N: the part is unknown: the environment has "
                                        "no SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX, "
                                        "TEST_SHARD_INDEX or CI_NODE_INDEX");
}
