/* What recordings cost: a run of ten Kobukis on ptys that `cat` reads, with and without --capture,
 * by turns; and `ptybot decode` of such a recording beside `cat`. Lines as those of bench.c, begun
 * by capture. or decode. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROBOTS = 10, ROUNDS = 3, DECODE_MB = 50 };

#define SPEED "5"
#define RUN_S "40"

static double seconds(const struct rusage *used)
{
    return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
           (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) * 1e-6;
}

static double children_s(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return seconds(&used);
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_capture: %s\n", what);
    exit(1);
}

/* Starts a program; OUT of it is thrown away. */
static pid_t start(const char *const argv[])
{
    pid_t child = fork();
    if (child != 0)
        return child;
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

static void write_scene(const char *folder, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        fail(path);
    fprintf(file, "world: {size: {x: 10, y: 10}}\nrobots:\n");
    for (int i = 0; i < ROBOTS; i++)
        fprintf(file,
                "  - {name: k%d, type: kobuki, pose: {x: %g, y: 5}, links: [{pty: %s/k%d}]}\n", i,
                0.5 + i * 0.95, folder, i);
    fclose(file);
}

/* A host that only reads, as soon as the port is there. */
static pid_t start_host(const char *folder, int number)
{
    char port[256];
    snprintf(port, sizeof port, "%s/k%d", folder, number);
    while (access(port, F_OK) != 0)
        usleep(10000);
    return start((const char *const[]){"cat", port, NULL});
}

/* CPU seconds of one run. CAPTURE: NULL: without a recording. */
static double run(const char *folder, const char *scene, const char *capture)
{
    struct rusage used;
    pid_t hosts[ROBOTS];
    int status = 0;
    pid_t run = start((const char *const[]){PTYBOT_BINARY, "run", scene, "--speed", SPEED, "--for",
                                            RUN_S, capture ? "--capture" : NULL, capture, NULL});
    for (int i = 0; i < ROBOTS; i++)
        hosts[i] = start_host(folder, i);
    if (wait4(run, &status, 0, &used) != run || status != 0)
        fail("the run has failed");
    for (int i = 0; i < ROBOTS; i++) {
        kill(hosts[i], SIGKILL);
        waitpid(hosts[i], NULL, 0);
    }
    return seconds(&used);
}

/* The fastest of some rounds: others on the machine make only slower. */
static double best(double best_s, double took_s)
{
    return best_s == 0 || took_s < best_s ? took_s : best_s;
}

static void bench_cost(const char *folder, const char *path)
{
    double bare = 0, with = 0;
    char scene[256];
    snprintf(scene, sizeof scene, "%s/scene.yaml", folder);
    write_scene(folder, scene);
    for (int i = 0; i < ROUNDS; i++) {
        bare = best(bare, run(folder, scene, NULL));
        with = best(with, run(folder, scene, path));
    }
    unlink(scene);
    printf("capture.kobuki.n%d\t%.4g\t%% more CPU\t%.3f\ttime without\n", ROBOTS,
           100 * (with / bare - 1), with / bare);
}

static double time_command(const char *format, const char *path)
{
    char command[4096];
    double took = 0;
    snprintf(command, sizeof command, format, path);
    for (int i = 0; i < ROUNDS; i++) {
        double start = children_s();
        if (system(command) != 0)
            fail(command);
        took = best(took, children_s() - start);
    }
    return took;
}

/* The blocks of a recording over and over, which makes a file of DECODE_MB. The times begin again,
 * which only the summary shows. */
static double grow(const char *path, const char *grown)
{
    char command[4096];
    struct stat found;
    snprintf(command, sizeof command,
             "size=$(stat -c %%s '%s'); i=0; while [ $i -lt $((%d000000 / size)) ]; do cat '%s'; "
             "i=$((i + 1)); done >'%s'",
             path, DECODE_MB, path, grown);
    if (system(command) != 0 || stat(grown, &found) != 0)
        fail("the recording could not be made larger");
    return (double)found.st_size * 1e-6;
}

static void bench_decode(const char *path)
{
    static const struct {
        const char *name, *command;
    } rows[] = {
        {"decode.words", PTYBOT_BINARY " decode '%s' >/dev/null"},
        {"decode.json", PTYBOT_BINARY " decode --json '%s' >/dev/null"},
        {"decode.summary", PTYBOT_BINARY " decode --summary '%s' >/dev/null"},
    };
    char grown[256];
    snprintf(grown, sizeof grown, "%s.grown", path);
    double megabytes = grow(path, grown), bare = time_command("cat '%s' | cat >/dev/null", grown);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double took = time_command(rows[i].command, grown);
        printf("%s\t%.4g\tMB per CPU second\t%.3f\ttime of cat\n", rows[i].name, megabytes / took,
               took / bare);
    }
    unlink(grown);
}

int main(void)
{
    char folder[] = "/tmp/ptybot-bench-XXXXXX", path[64];
    if (!mkdtemp(folder))
        fail("no place for a recording");
    snprintf(path, sizeof path, "%s/c.pcapng", folder);
    bench_cost(folder, path);
    bench_decode(path);
    unlink(path);
    rmdir(folder);
    return 0;
}
