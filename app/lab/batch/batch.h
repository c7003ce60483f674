/* Many tests as they run: what their files share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "app/files/folders.h"
#include "app/lab/batch/test_units.h"
#include "app/lab/results/report.h"
#include "app/links/poller.h"
#include "app/test/test_run.h"
#include "base/error.h"

struct batch_options {
    struct test_options test; /* of each test; first, as session.h asks */
    char results[PATH_MAX];
    struct report_options report;
    char seeds[48], shard[48]; /* as written */
    struct argument_texts vary;
    int64_t jobs; /* 0: not given */
    bool is_until_failure, is_minimized;
    bool is_brief;    /* the caller prints the results */
    int64_t until_ns; /* of the monotonic clock: no test begins later; 0: no limit */
    bool is_resumed;  /* RESULTS has those of an earlier run */
};

/* --junit, --results, --resume, --out, --shard, --jobs: the rows of a subcommand whose options, a
 * struct TAG, have a struct batch_options as AT ("" or "MEMBER."). JOBS: the default in words. */
#define BATCH_FLAG_ROWS(tag, at, jobs_default)                                                     \
    FLAG_TEXT("junit", "F.xml", tag, at test.junit, "", "Write the verdicts as JUnit XML"),        \
        FLAG_TEXT("results", "F.ndjson", tag, at results, "",                                      \
                  "Write one line of JSON per test as soon as it has ended"),                      \
        FLAG_SWITCH("resume", tag, at is_resumed,                                                  \
                    "Continue an interrupted run: run only the cases missing from the --results "  \
                    "file, and those with exit code 3"),                                           \
        FLAG_TEXT(                                                                                 \
            "out", "DIR", tag, at test.out, "",                                                    \
            "Write log, signals, journal and capture of every test to DIR. Files of an earlier "   \
            "test in DIR are deleted (default: a temporary folder, kept on failure only)"),        \
        FLAG_TEXT("shard", "I/N", tag, at shard, "",                                               \
                  "Run only part I of N of the tests; auto/N: the batch system sets I",            \
                  .otherwise = "the part that the batch system assigns, or all"),                  \
        FLAG_INTEGER("jobs", "N", tag, at jobs, "", 1, 1024, "1",                                  \
                     "Number of tests that run at the same time", /* chosen */                     \
                     .otherwise = jobs_default)

/* A process that runs some tests, one after the other. */
struct job {
    pid_t pid;          /* 0: none */
    int64_t stopped_ns; /* since when it has been stopped by SIGSTOP; 0: it is not */
    size_t index, end;  /* the tests */
    int pipe;           /* their lines of results; -1: it has ended */
    char *text;         /* that have come and are not written */
    size_t used, room;
};

struct batch {
    const struct test_units *units;
    const struct batch_options *options;
    struct out_folder out;
    struct poller poller;
    struct test_result *results; /* shared with the processes; IS_DONE: it was run */
    struct job *jobs;
    char **suites; /* files of JUnit elements */
    size_t next;   /* to be started */
    size_t running, ended, failed, shown;
    size_t known; /* of ENDED: by an earlier run */
    bool is_bare; /* worlds alone, many in one process */
    size_t jobs_most;
    size_t each; /* tests of a process */
    int64_t start_ns, kill_ns;
    char stream[PATH_MAX]; /* the file of results; "": none */
    int file;              /* of results; -1: none */
    bool is_ready;         /* all of the above is there */
    int code;              /* of what could not be opened */
    struct error broken;   /* why not all of it could be written; "": all was */
};

/* Whether the first test that fails is the last. */
bool batch_ends_at_failure(const struct batch *batch);

/* The path of NAME in the folder of a test; "": of the folder. */
void batch_path(const struct batch *batch, size_t index, const char *name, char path[PATH_MAX]);

/* Opens the file, if one is wanted, and with --resume takes what is in it. False, with the reason
 * in ERROR and the exit code in BATCH. */
bool batch_open_results(struct batch *batch, struct error *error);

/* Writes whole lines; what cannot be written is reported in BATCH. */
void batch_append(struct batch *batch, const char *line, size_t size);

/* Starts a process for the tests of a job. If that cannot be, they have ended so. */
void batch_start_job(struct batch *batch, struct job *job);

/* Takes what is in its pipe, and writes whole lines into the file of results. */
void batch_hear(struct batch *batch, struct job *job);

void batch_close_pipe(struct batch *batch, struct job *job);
