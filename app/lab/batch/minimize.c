#include "app/lab/batch/minimize.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/files/folders.h"
#include "app/files/scene_file.h"
#include "app/links/poller.h"
#include "base/angle.h"
#include "base/number.h"
#include "sim/yaml/scene_edit.h"

enum {
    SETS_MAX = ARGUMENTS_REPEATS_MAX,
    HALVINGS = 6, /* chosen: down to 1/64 */
    DIGITS = 6,   /* chosen: digits of the tried values */
};

/* A difference between the case and its scene: a text for scene_set. */
struct change {
    char text[SCENE_LINE_MAX];
    bool is_left_out; /* of the sweep: not set; of the scene's timeline: removed */
    bool is_of_scene; /* TEXT is "skip=N" */
};

struct search {
    const struct test_unit *unit;
    const struct test_options *options;
    struct scene *scene; /* as in its file */
    struct change changes[SETS_MAX];
    size_t count, tries;
    struct test_result *result; /* shared with the trials */
    char failed[sizeof((struct test_result *)0)->failed];
    uint64_t seed;
};

/* ---- Trials ---- */

static size_t list_sets(const struct search *search, const char *sets[SETS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < search->count; i++)
        if (search->changes[i].is_of_scene == search->changes[i].is_left_out)
            sets[count++] = search->changes[i].text;
    return count;
}

/* Runs in the child process. */
static _Noreturn void become(const struct search *search)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    static struct test_options options; // too large for a stack to like
    const char *sets[SETS_MAX];
    struct out_folder out = {0};
    struct error error = {0};
    size_t count = list_sets(search, sets);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    options = *search->options;
    options.junit[0] = '\0';
    options.is_kept = false;
    options.run.has_seed = true;
    options.run.seed = (int64_t)search->seed;
    for (size_t i = 0; i < count && options.run.set.count < SETS_MAX; i++)
        options.run.set.texts[options.run.set.count++] = sets[i];
    const struct test_part part = {.name = search->unit->name,
                                   .results = -1,
                                   .is_bare = options.run.is_fast && !options.host.words &&
                                              options.host.shells.count == 0 &&
                                              search->unit->is_alone};
    if (!part.is_bare && !out_folder_open(&out, "", &error))
        exit(EXIT_CODE_ENVIRONMENT);
    snprintf(options.out, sizeof options.out, "%s", out.path);
    int code = test_run(search->unit->scene, &options, &part, search->result);
    if (!part.is_bare)
        out_folder_remove(out.path);
    exit(code);
}

/* Runs the case with the present changes. Returns whether it fails in the same way. */
static bool fails(struct search *search)
{
    int status;
    if (stop_is_wanted())
        return false;
    *search->result = (struct test_result){0};
    search->tries++;
    terminal_flush();
    pid_t pid = fork();
    if (pid == 0)
        become(search);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !search->result->is_done ||
        search->result->code != EXIT_CODE_FAILED)
        return false;
    if (!*search->failed)
        snprintf(search->failed, sizeof search->failed, "%s", search->result->failed);
    return strcmp(search->failed, search->result->failed) == 0;
}

/* ---- Fewer changes ---- */

/* Omits up to SIZE changes from FROM on, if the case still fails without them. */
static bool drop(struct search *search, size_t from, size_t size)
{
    bool was[SETS_MAX] = {0}, is_any = false;
    for (size_t i = from; i < from + size && i < search->count; i++) {
        was[i] = search->changes[i].is_left_out;
        is_any |= !was[i];
        search->changes[i].is_left_out = true;
    }
    if (is_any && fails(search))
        return true;
    for (size_t i = from; i < from + size && i < search->count; i++)
        search->changes[i].is_left_out = was[i];
    return false;
}

/* Tries to omit halves first (A. Zeller, R. Hildebrandt: "Simplifying and isolating
 * failure-inducing input", 2002). At the end, every remaining change is needed. */
static void drop_all(struct search *search)
{
    for (size_t size = search->count; size > 1; size /= 2)
        for (size_t i = 0; i < search->count; i += size)
            drop(search, i, size);
    for (bool is_any = true; is_any;) {
        is_any = false;
        for (size_t i = 0; i < search->count; i++)
            is_any |= drop(search, i, 1);
    }
}

/* ---- Smaller changes ---- */

static bool try_text(struct search *search, struct change *change, const char *text)
{
    const struct change before = *change;
    snprintf(change->text, sizeof change->text, "%s", text);
    if (strcmp(before.text, change->text) != 0 && fails(search))
        return true;
    *change = before;
    return false;
}

/* Repeatedly halves the rate in "do=kobuki.fault uart=drop rate=0.04". */
static void shrink_rate(struct search *search, struct change *change)
{
    for (int i = 0; i < HALVINGS; i++) {
        char text[SCENE_LINE_MAX], number[32];
        char *at = strstr(change->text, " rate=");
        size_t from = at ? (size_t)(at - change->text) + 6 : 0;
        size_t size = at ? strcspn(change->text + from, " ") : 0;
        double rate;
        snprintf(number, sizeof number, "%.*s", (int)size, change->text + from);
        if (!at || !number_parse(number, &rate))
            return;
        number_print(rate / 2, DIGITS, number, sizeof number);
        snprintf(text, sizeof text, "%.*s%s%s", (int)from, change->text, number,
                 change->text + from + size);
        if (!try_text(search, change, text))
            return;
    }
}

/* Repeatedly moves the pose halfway to the pose in the scene. */
static void shrink_pose(struct search *search, struct change *change,
                        const struct scene_robot *robot)
{
    const char *pose = strchr(change->text, '=') + 1;
    for (int i = 0; i < HALVINGS; i++) {
        char text[SCENE_LINE_MAX];
        double x, y, heading, home = robot->pose.heading_rad / ANGLE_RAD_DEG;
        if (sscanf(pose, "%lf,%lf,%lf", &x, &y, &heading) != 3)
            return;
        snprintf(text, sizeof text, "%.*s%.4f,%.4f,%.2f", (int)(pose - change->text), change->text,
                 (x + robot->pose.x_m) / 2, (y + robot->pose.y_m) / 2, (heading + home) / 2);
        if (!try_text(search, change, text))
            return;
    }
}

static void shrink_option(struct search *search, struct change *change,
                          const struct scene_robot *robot)
{
    const char *key = strchr(change->text, '.') + 1, *value = strchr(change->text, '=') + 1;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(value - 1 - key), key);
    const struct option_row *row =
        option_find(robot->type->options, robot->type->option_count, name);
    double home, number;
    if (!row || row->type != OPTION_NUMBER)
        return;
    memcpy(&home, robot->options + row->offset, sizeof home);
    home /= row->scale != 0 ? row->scale : 1;
    for (int i = 0; i < HALVINGS && number_parse(value, &number); i++) {
        char text[SCENE_LINE_MAX], nearer[32];
        number_print((number + home) / 2, DIGITS, nearer, sizeof nearer);
        snprintf(text, sizeof text, "%.*s%s", (int)(value - change->text), change->text, nearer);
        if (!try_text(search, change, text))
            return;
    }
}

static void shrink(struct search *search, struct change *change)
{
    char name[SCENE_NAME_MAX + 1];
    if (change->is_left_out || change->is_of_scene)
        return;
    if (strncmp(change->text, "do=", 3) == 0) {
        shrink_rate(search, change);
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(change->text, "."), change->text);
    const struct scene_robot *robot = scene_find_robot(search->scene, name, NULL);
    if (robot && strncmp(change->text + strlen(name), ".pose=", 6) == 0)
        shrink_pose(search, change, robot);
    else if (robot)
        shrink_option(search, change, robot);
}

/* ---- The whole search ---- */

/* Lists the changes of the case, and the faults in the timeline of its scene. */
static void list_changes(struct search *search)
{
    const struct sweep_case *varied = &search->unit->varied;
    for (size_t i = 0; i < varied->set_count && search->count < SETS_MAX; i++)
        snprintf(search->changes[search->count++].text, SCENE_LINE_MAX, "%s", varied->sets[i]);
    for (size_t i = 0; i < search->scene->action_count && search->count < SETS_MAX; i++) {
        struct change *change = &search->changes[search->count];
        if (!strstr(search->scene->actions[i].command, ".fault "))
            continue;
        change->is_of_scene = true;
        snprintf(change->text, sizeof change->text, "skip=%zu", i);
        search->count++;
    }
    search->seed = varied->has_seed                ? (uint64_t)varied->seed
                   : search->options->run.has_seed ? (uint64_t)search->options->run.seed
                   : varied->seed != 0             ? (uint64_t)varied->seed
                                                   : search->scene->seed;
}

static void search_all(struct search *search)
{
    uint64_t seed = search->seed;
    drop_all(search);
    for (size_t i = 0; i < search->count; i++)
        shrink(search, &search->changes[i]);
    search->seed = search->scene->seed;
    if (seed != search->seed && !fails(search))
        search->seed = seed;
}

static int print(const struct search *search)
{
    const char *sets[SETS_MAX];
    struct error error = {0};
    const struct scene_source *source = search->scene->sources;
    size_t count = list_sets(search, sets);
    char *text =
        source ? scene_edit(source->bytes, source->size, sets, count, search->seed, &error) : NULL;
    printf("\n# %s, simplified in %zu runs: still %s\n", search->unit->name, search->tries,
           search->failed);
    if (text)
        fputs(text, stdout);
    else
        printf("# ptybot test %s --seed %llu", search->unit->scene,
               (unsigned long long)search->seed);
    for (size_t i = 0; !text && i < count; i++)
        printf(" --set '%s'", sets[i]);
    if (!text)
        putchar('\n');
    free(text);
    terminal_flush();
    return EXIT_CODE_FAILED;
}

int minimize(const struct test_unit *unit, const struct test_options *options)
{
    static struct search search; // too large for a stack to like
    struct error error = {0};
    search = (struct search){.unit = unit, .options = options};
    search.scene = scene_file_find(unit->scene, true, &error);
    if (!search.scene)
        return terminal_fail(EXIT_CODE_USAGE, "%s", error.text);
    search.result = mmap(NULL, sizeof *search.result, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int code = EXIT_CODE_ENVIRONMENT;
    list_changes(&search);
    if (search.result == MAP_FAILED) {
        terminal_fail(code, "--minimize: not enough memory");
    } else if (!fails(&search)) {
        terminal_fail(code, "--minimize: %s does not fail when repeated", unit->name);
    } else {
        search_all(&search);
        code = print(&search);
    }
    if (search.result != MAP_FAILED)
        munmap(search.result, sizeof *search.result);
    scene_destroy(search.scene);
    return code;
}
