/* Many tests: which, and how they run. */
#include "app/test/test_batch.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/table.h"
#include "app/cli/terminal.h"
#include "app/io/folders.h"
#include "app/io/poller.h"
#include "app/test/junit.h"
#include "app/test/test_run.h"

/* ---- Which tests ---- */

enum {
    SEEDS_MAX = 100000, /* chosen: more than anybody would wait for */
    SHARDS_MAX = 10000,
};

static void *need(void *memory)
{
    if (memory)
        return memory;
    terminal_say("not enough memory");
    exit(EXIT_CODE_ENVIRONMENT);
}

bool test_units_is_folder(const char *word)
{
    struct stat found;
    return stat(word, &found) == 0 && S_ISDIR(found.st_mode);
}

/* ---- Numbers ---- */

/* A whole number without sign; what follows it in END. */
static bool read_number(const char *text, int64_t max, int64_t *number, const char **end)
{
    char *stop;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoll(text, &stop, 10);
    *end = stop;
    return errno == 0 && *number <= max;
}

static bool read_pair(const char *text, const char *between, int64_t max, int64_t pair[2])
{
    const char *end;
    if (!read_number(text, max, &pair[0], &end) || strncmp(end, between, strlen(between)) != 0)
        return false;
    return read_number(end + strlen(between), max, &pair[1], &end) && *end == '\0';
}

static bool read_seeds(const char *text, int64_t seeds[2], struct error *error)
{
    if (!*text)
        return true;
    if (!read_pair(text, "..", INT64_C(1) << 53, seeds) || seeds[1] < seeds[0] ||
        seeds[1] - seeds[0] >= SEEDS_MAX)
        return error_set(error,
                         "--seeds: '%s' is no range; allowed: A..B, whole numbers from 0 to 2^53, "
                         "A not above B, at most %d of them",
                         text, SEEDS_MAX);
    return true;
}

static bool read_shard(const char *text, int64_t shard[2], struct error *error)
{
    if (!*text)
        return true;
    if (!read_pair(text, "/", SHARDS_MAX, shard) || shard[0] < 1 || shard[0] > shard[1])
        return error_set(error,
                         "--shard: '%s' is no shard; allowed: I/N, the part number I of N, from "
                         "1/N to N/N, N at most %d",
                         text, SHARDS_MAX);
    return true;
}

/* ---- Scenes ---- */

struct scenes {
    char **paths;
    size_t count;
};

static void add_scene(struct scenes *scenes, const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    const char *slash = *folder && folder[strlen(folder) - 1] != '/' ? "/" : "";
    char *path = need(malloc(size));
    snprintf(path, size, "%s%s%s", folder, slash, name);
    scenes->paths = need(realloc(scenes->paths, (scenes->count + 1) * sizeof *scenes->paths));
    scenes->paths[scenes->count++] = path;
}

static int is_scene(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && dot != entry->d_name && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static bool add_folder(struct scenes *scenes, const char *folder, struct error *error)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_scene, versionsort);
    if (count < 0)
        return error_set(error, "%s: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        add_scene(scenes, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return count > 0 || error_set(error, "%s: there is no scene (*.yaml) in this folder", folder);
}

/* ---- Units ---- */

/* A unique name for a scene: that of its file, with a number if two folders have it. */
static void name_scene(const struct scenes *scenes, size_t index, char name[NAME_MAX])
{
    enum { BASE_MAX = 150 }; // chosen: leaves room for a seed
    bool is_shared = false;
    const char *slash = strrchr(scenes->paths[index], '/');
    const char *base = slash ? slash + 1 : scenes->paths[index];
    const char *dot = strrchr(base, '.');
    int size = dot && dot != base ? (int)(dot - base) : (int)strlen(base);
    for (size_t i = 0; i < index && !is_shared; i++) {
        const char *other = strrchr(scenes->paths[i], '/');
        other = other ? other + 1 : scenes->paths[i];
        is_shared = strncmp(other, base, (size_t)size) == 0 && !strchr(other + size + 1, '.');
    }
    size = size < BASE_MAX ? size : BASE_MAX;
    if (is_shared)
        snprintf(name, NAME_MAX, "%.*s-%zu", size, base, index + 1);
    else
        snprintf(name, NAME_MAX, "%.*s", size, base);
}

static void fill_unit(struct test_unit *unit, const char *scene, const char *stem, bool has_seed,
                      int64_t seed)
{
    char name[NAME_MAX + 32];
    *unit = (struct test_unit){.has_seed = has_seed, .seed = seed};
    if (has_seed)
        snprintf(name, sizeof name, "%s-seed-%" PRId64, stem, seed);
    else
        snprintf(name, sizeof name, "%s", stem);
    unit->scene = need(strdup(scene));
    unit->name = need(strdup(name));
}

static void fill(struct test_units *units, const struct scenes *scenes, bool has_seeds,
                 const int64_t range[2])
{
    size_t each = (size_t)(range[1] - range[0] + 1);
    units->all = units->count = scenes->count * each;
    units->units = need(calloc(units->count + 1, sizeof *units->units));
    for (size_t i = 0; i < scenes->count; i++) {
        char stem[NAME_MAX];
        name_scene(scenes, i, stem);
        for (size_t j = 0; j < each; j++)
            fill_unit(&units->units[i * each + j], scenes->paths[i], stem, has_seeds,
                      range[0] + (int64_t)j);
    }
}

/* Every N-th, so that neighbouring long scenes go to different shards. */
static void keep_shard(struct test_units *units, const int64_t shard[2])
{
    size_t kept = 0;
    for (size_t i = 0; i < units->count; i++) {
        if (i % (size_t)shard[1] + 1 == (size_t)shard[0]) {
            units->units[kept++] = units->units[i];
            continue;
        }
        free(units->units[i].scene);
        free(units->units[i].name);
    }
    units->count = kept;
}

bool test_units_list(struct test_units *units, const char *const *words, size_t count,
                     const char *seeds, const char *shard, struct error *error)
{
    struct scenes scenes = {0};
    int64_t range[2] = {0, 0}, part[2] = {1, 1};
    *units = (struct test_units){0};
    bool is_right = read_seeds(seeds, range, error) && read_shard(shard, part, error);
    for (size_t i = 0; is_right && i < count; i++)
        if (test_units_is_folder(words[i]))
            is_right = add_folder(&scenes, words[i], error);
        else
            add_scene(&scenes, "", words[i]);
    if (is_right) {
        fill(units, &scenes, *seeds, range);
        keep_shard(units, part);
    }
    for (size_t i = 0; i < scenes.count; i++)
        free(scenes.paths[i]);
    free(scenes.paths);
    return is_right;
}

void test_units_free(struct test_units *units)
{
    for (size_t i = 0; i < units->count; i++) {
        free(units->units[i].scene);
        free(units->units[i].name);
    }
    free(units->units);
    *units = (struct test_units){0};
}

/* ---- Running them ---- */

enum {
    ROWS_ALL = 50,   /* chosen: of more tests, the table shows only the failures */
    LOOK_MS = 20,    /* chosen: how soon the end of a test is noticed */
    GRACE_MS = 6000, /* chosen: three times what a test gives its host */
};

struct batch {
    const struct test_units *units;
    const struct test_options *options;
    struct out_folder out;
    struct poller poller;
    struct test_result *results; /* shared with the processes */
    pid_t *pids;                 /* 0: not running */
    char **suites;               /* files of JUnit elements */
    size_t started, ended, failed;
    int64_t start_ns, kill_ns;
};

/* ---- One test in its process ---- */

/* In the child: its output goes to console.txt in its folder. */
static _Noreturn void become(struct batch *batch, size_t index, pid_t parent)
{
    const struct test_unit *unit = &batch->units->units[index];
    struct out_folder out;
    struct error error = {0};
    char path[PATH_MAX];
    static struct test_options options; // too large for a stack to like
    options = *batch->options;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    snprintf(path, sizeof path, "%s", batch->suites[index]);
    *strrchr(path, '/') = '\0';
    if (getppid() != parent || !out_folder_open(&out, path, &error) ||
        !out_folder_clear(&out, &error))
        _exit(terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", error.text));
    int console = open(out_folder_file(&out, "console.txt", path),
                       O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (console < 0 || dup2(console, STDOUT_FILENO) < 0 || dup2(console, STDERR_FILENO) < 0)
        _exit(terminal_fail(EXIT_CODE_ENVIRONMENT, "%s: %s", path, strerror(errno)));
    snprintf(options.out, sizeof options.out, "%s", out.path);
    options.junit[0] = '\0';
    if (unit->has_seed) {
        options.run.has_seed = true;
        options.run.seed = unit->seed;
    }
    int code =
        test_run(unit->scene, unit->name, &options, batch->suites[index], &batch->results[index]);
    terminal_flush();
    exit(code);
}

static void start(struct batch *batch)
{
    size_t index = batch->started++;
    pid_t parent = getpid();
    terminal_flush(); // else the child would print it again
    pid_t pid = fork();
    if (pid == 0)
        become(batch, index, parent);
    batch->pids[index] = pid;
    if (pid > 0)
        return;
    batch->results[index].code = EXIT_CODE_ENVIRONMENT;
    batch->pids[index] = 0;
    batch->ended++;
    batch->failed++;
    terminal_say("%s: cannot be started: %s", batch->units->units[index].name, strerror(errno));
}

/* ---- What has come of it ---- */

static void unit_path(const struct batch *batch, size_t index, const char *name,
                      char path[PATH_MAX])
{
    char within[PATH_MAX];
    snprintf(within, sizeof within, "%s%s%s", batch->units->units[index].name, *name ? "/" : "",
             name);
    out_folder_file(&batch->out, within, path);
}

static void show_console(const struct batch *batch, size_t index)
{
    char path[PATH_MAX], line[4096];
    unit_path(batch, index, "console.txt", path);
    FILE *console = fopen(path, "re");
    terminal_status("");
    printf("---- %s\n", batch->units->units[index].name);
    while (console && fgets(line, sizeof line, console))
        fputs(line, stdout);
    if (console)
        fclose(console);
    fputc('\n', stdout);
    terminal_flush();
}

/* Writes the element of a test whose process died without one. */
static void write_missing(const struct batch *batch, size_t index)
{
    struct judgement judgement = {.seed = (uint64_t)batch->units->units[index].seed};
    const struct test_result *result = &batch->results[index];
    snprintf(judgement.name, sizeof judgement.name, "%s", batch->units->units[index].name);
    snprintf(judgement.file, sizeof judgement.file, "%s", batch->units->units[index].scene);
    judgement_add(&judgement, &(struct judgement_case){.verdict = JUDGEMENT_ERROR,
                                                       .what = "the test",
                                                       .when = "to its end",
                                                       .found = result->reason,
                                                       .kind = "not_run"});
    FILE *file = fopen(batch->suites[index], "we");
    if (file) {
        junit_write_suite(&judgement, file);
        fclose(file);
    }
    judgement_free(&judgement);
}

static void take(struct batch *batch, size_t index, int status)
{
    struct test_result *result = &batch->results[index];
    char path[PATH_MAX];
    batch->pids[index] = 0;
    batch->ended++;
    if (!result->is_done) {
        *result = (struct test_result){.code = EXIT_CODE_ENVIRONMENT, .cases = 1, .errors = 1};
        snprintf(result->reason, sizeof result->reason, "its process ended by %s %d",
                 WIFSIGNALED(status) ? "signal" : "exit code",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        write_missing(batch, index);
    }
    if (result->code != EXIT_CODE_OK) {
        batch->failed++;
        show_console(batch, index);
        return;
    }
    unit_path(batch, index, "console.txt", path);
    unlink(path);
}

static void look(struct batch *batch)
{
    for (size_t i = 0; i < batch->started; i++) {
        int status;
        if (batch->pids[i] > 0 && waitpid(batch->pids[i], &status, WNOHANG) == batch->pids[i])
            take(batch, i, status);
    }
}

static void tell_all(const struct batch *batch, int number)
{
    for (size_t i = 0; i < batch->started; i++)
        if (batch->pids[i] > 0)
            kill(batch->pids[i], number);
}

static void show_progress(const struct batch *batch)
{
    enum { WIDTH = 30 };
    char text[160], bar[WIDTH + 1];
    size_t count = batch->units->count, filled = WIDTH * batch->ended / count;
    if (!terminal_has_status())
        return;
    for (size_t i = 0; i < WIDTH; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[WIDTH] = '\0';
    snprintf(text, sizeof text, "[%s] %zu/%zu, %zu running, %zu failed, %.0f s", bar, batch->ended,
             count, batch->started - batch->ended, batch->failed,
             (double)(poller_now_ns() - batch->start_ns) * 1e-9);
    terminal_status(text);
}

static bool may_start(const struct batch *batch)
{
    return batch->started < batch->units->count && !stop_is_wanted() &&
           !(batch->options->is_fail_fast && batch->failed > 0);
}

static void run_all(struct batch *batch)
{
    struct poller_ready ready[POLLER_READY_MAX];
    size_t jobs = (size_t)batch->options->jobs;
    while (batch->ended < batch->started || may_start(batch)) {
        while (may_start(batch) && batch->started - batch->ended < jobs)
            start(batch);
        show_progress(batch);
        poller_wait(&batch->poller, poller_now_ns() + LOOK_MS * INT64_C(1000000), ready);
        if (stop_is_wanted() && batch->kill_ns == 0) {
            batch->kill_ns = poller_now_ns() + GRACE_MS * INT64_C(1000000);
            tell_all(batch, stop_number());
        } else if (stop_is_wanted() && (poller_now_ns() > batch->kill_ns || stop_is_urgent())) {
            // Each still has to end its own host, so that only a kill ends it at once.
            tell_all(batch, poller_now_ns() > batch->kill_ns ? SIGKILL : SIGTERM);
        }
        look(batch);
    }
    terminal_status("");
}

/* ---- At the end ---- */

static void add_row(struct table *table, const struct batch *batch, size_t index)
{
    static const char *const verdicts[] = {"passed", "FAILED", "ERROR", "ERROR"};
    const struct test_result *result = &batch->results[index];
    char cases[32], simulated[32], wall[32];
    bool is_run = index < batch->started;
    snprintf(cases, sizeof cases, "%zu/%zu",
             result->cases - result->failures - result->errors - result->skipped, result->cases);
    snprintf(simulated, sizeof simulated, "%.1f s", result->simulated_s);
    snprintf(wall, sizeof wall, "%.1f s", result->wall_s);
    table_row(table,
              (const char *const[]){is_run ? verdicts[result->code & 3] : "not run",
                                    batch->units->units[index].name, is_run ? cases : "",
                                    is_run ? simulated : "", is_run ? wall : "", result->reason});
}

static void print_table(const struct batch *batch)
{
    struct table table;
    const struct test_units *units = batch->units;
    bool is_good = batch->ended == units->count && batch->failed == 0;
    size_t unstarted = units->count - batch->started;
    table_init(&table, (const char *const[]){"verdict", "test", ">cases", ">simulated", ">took",
                                             "reason", NULL});
    for (size_t i = 0; i < units->count; i++)
        if (units->count <= ROWS_ALL || batch->results[i].code != EXIT_CODE_OK)
            add_row(&table, batch, i);
    table_print(&table, 2, stdout);
    printf("\n%s: %zu of %zu tests in %.1f s", is_good ? "passed" : "FAILED",
           is_good ? units->count : batch->failed, units->count,
           (double)(poller_now_ns() - batch->start_ns) * 1e-9);
    if (unstarted > 0)
        printf(", %zu not run", unstarted);
    if (units->all > units->count)
        printf(" (%zu are in other shards)", units->all - units->count);
    fputc('\n', stdout);
}

static int worst(const struct batch *batch)
{
    int code = stop_is_wanted() ? EXIT_CODE_ENVIRONMENT : EXIT_CODE_OK;
    for (size_t i = 0; i < batch->started; i++)
        if (batch->results[i].code > code)
            code = batch->results[i].code;
    return code;
}

static bool write_junit(const struct batch *batch, struct error *error)
{
    struct junit_totals totals = {.wall_s = (double)(poller_now_ns() - batch->start_ns) * 1e-9};
    for (size_t i = 0; i < batch->started; i++) {
        totals.cases += batch->results[i].cases;
        totals.failures += batch->results[i].failures;
        totals.errors += batch->results[i].errors;
    }
    return junit_write(batch->options->junit, &totals, (const char *const *)batch->suites,
                       batch->started, error);
}

/* Removes the JUnit elements, and from a temporary folder all tests that passed. */
static void clean(struct batch *batch)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < batch->started; i++) {
        assert(batch->suites[i]);
        unlink(batch->suites[i]);
        if (batch->out.is_own && !batch->options->is_kept &&
            batch->results[i].code == EXIT_CODE_OK) {
            unit_path(batch, i, "", path);
            out_folder_remove(path);
        }
    }
    if (batch->out.is_own && rmdir(batch->out.path) != 0)
        printf("kept: %s\n", batch->out.path);
}

/* ---- All of it ---- */

static bool open_batch(struct batch *batch, struct error *error)
{
    size_t count = batch->units->count;
    char path[PATH_MAX];
    if (!out_folder_open(&batch->out, batch->options->out, error) ||
        !out_folder_clear(&batch->out, error) || !poller_open(&batch->poller, error) ||
        !stop_catch(&batch->poller, error))
        return false;
    stop_stay();
    batch->results = mmap(NULL, count * sizeof *batch->results, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    batch->pids = calloc(count, sizeof *batch->pids);
    batch->suites = calloc(count, sizeof *batch->suites);
    bool is_there = batch->results != MAP_FAILED && batch->pids && batch->suites;
    for (size_t i = 0; is_there && i < count; i++) {
        unit_path(batch, i, "suite.xml", path);
        is_there = (batch->suites[i] = strdup(path)) != NULL;
    }
    return is_there || error_set(error, "not enough memory for %zu tests", count);
}

static void close_batch(struct batch *batch)
{
    for (size_t i = 0; batch->suites && i < batch->units->count; i++)
        free(batch->suites[i]);
    free(batch->suites);
    free(batch->pids);
    if (batch->results && batch->results != MAP_FAILED)
        munmap(batch->results, batch->units->count * sizeof *batch->results);
    stop_release();
    poller_close(&batch->poller);
}

int test_batch(const struct test_units *units, const struct test_options *options)
{
    struct batch batch = {.units = units,
                          .options = options,
                          .poller = {.epoll = -1, .timer = -1},
                          .start_ns = poller_now_ns()};
    struct error error = {0};
    int code = EXIT_CODE_ENVIRONMENT;
    bool is_open = open_batch(&batch, &error), is_written = is_open;
    if (is_open) {
        run_all(&batch);
        print_table(&batch);
        code = worst(&batch);
        is_written = !*options->junit || write_junit(&batch, &error);
        clean(&batch);
    }
    close_batch(&batch);
    terminal_flush();
    return is_written ? code : terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", error.text);
}
