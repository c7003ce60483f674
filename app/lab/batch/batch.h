/* Runs many tests: declarations that the files of app/lab/batch share. */
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
    struct test_options test; /* for each test; first member, as session.h requires */
    char results[PATH_MAX];
    struct report_options report;
    char seeds[48], shard[48]; /* as given by the user */
    struct argument_texts vary;
    int64_t jobs; /* 0: not given */
    bool is_until_failure, is_minimized;
    bool is_brief;    /* the caller prints the results */
    int64_t until_ns; /* monotonic time after which no test begins; 0: no limit */
    bool is_resumed;  /* RESULTS contains results of an earlier run */
};

/* The rows of --junit, --results, --resume, --out, --shard and --jobs for a subcommand. Its options
 * are a struct TAG; AT is the path to a struct batch_options in it ("" or "MEMBER."). JOBS_DEFAULT:
 * the default of --jobs in words. */
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
    pid_t pid;          /* 0: no process */
    int64_t stopped_ns; /* monotonic time of its SIGSTOP; 0: not stopped */
    size_t index, end;  /* first test and end of its tests */
    int pipe;           /* for lines of results; -1: closed */
    char *text;         /* received bytes that have not been written */
    size_t used, room;
};

struct batch {
    const struct test_units *units;
    const struct batch_options *options;
    struct out_folder out;
    struct poller poller;
    struct test_result *results; /* shared with the processes; IS_DONE: the test was run */
    struct job *jobs;
    char **suites; /* paths of files with JUnit elements */
    size_t next;   /* next test to start */
    size_t running, ended, failed, shown;
    size_t known; /* those of ENDED that an earlier run has done */
    bool is_bare; /* simulations without links and files, many in one process */
    size_t jobs_most;
    size_t each; /* tests per process */
    int64_t start_ns, kill_ns;
    char stream[PATH_MAX]; /* results file; "": none */
    int file;              /* its descriptor; -1: none */
    bool is_ready;         /* all of the above is allocated */
    int code;              /* exit code if it could not be opened */
    struct error broken;   /* reason why results could not be written; "": no problem */
};

/* Whether the batch ends at the first failed test. */
bool batch_ends_at_failure(const struct batch *batch);

/* Writes the path of the file NAME in the folder of a test; "": the path of the folder. */
void batch_path(const struct batch *batch, size_t index, const char *name, char path[PATH_MAX]);

/* Opens the results file, if one is needed. With --resume, takes over its results. False, with the
 * reason in ERROR and the exit code in BATCH. */
bool batch_open_results(struct batch *batch, struct error *error);

/* Writes complete lines. BATCH->broken gets the reason if that fails. */
void batch_append(struct batch *batch, const char *line, size_t size);

/* Starts a process for the tests of a job. If that fails, the tests count as ended with an
 * error. */
void batch_start_job(struct batch *batch, struct job *job);

/* Reads from the pipe of a job, and writes complete lines to the results file. */
void batch_hear(struct batch *batch, struct job *job);

void batch_close_pipe(struct batch *batch, struct job *job);
