/* Cost of recordings, as CPU time of user and system. Ten Kobukis whose packets are read run with
 * and without a recording, in thousands of short alternating turns, so that other load on the
 * machine affects both equally. The difference is compared with a run in real time on ptys that
 * `cat` reads. Also compares `ptybot decode` of recordings of each kind of robot with `cat`. Prints
 * lines like bench.c; the names begin with capture. or decode. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/files/scene_file.h"
#include "app/record/capture_file.h"
#include "sim/sim.h"
#include "tests/places.h"

enum {
    ROBOTS = 10,
    TURNS = 3000,
    TURN_MS = 50,  /* of simulated time: short compared with other load on the machine */
    FLUSH_MS = 10, /* as the loop of a run does it (app/run/loop.c) */
    RUNS = 3,
    RUN_S = 10,
    ROUNDS = 5,
    DECODE_MB = 20,
};

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

/* Starts a program and discards its standard output. */
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

/* Starts a host that only reads, as soon as the port exists. */
static pid_t start_host(const char *folder, int number)
{
    char port[256];
    snprintf(port, sizeof port, "%s/k%d", folder, number);
    while (access(port, F_OK) != 0)
        usleep(10000);
    return start((const char *const[]){"cat", port, NULL});
}

/* CPU seconds of one second of a run in real time. CAPTURE: NULL: without a recording. */
static double run(const char *folder, const char *scene, const char *capture)
{
    struct rusage used;
    pid_t hosts[ROBOTS];
    int status = 0;
    char for_s[16];
    snprintf(for_s, sizeof for_s, "%d", RUN_S);
    pid_t run = start((const char *const[]){PTYBOT_BINARY, "run", scene, "--for", for_s,
                                            capture ? "--capture" : NULL, capture, NULL});
    for (int i = 0; i < ROBOTS; i++)
        hosts[i] = start_host(folder, i);
    if (wait4(run, &status, 0, &used) != run || status != 0)
        fail("the run has failed");
    for (int i = 0; i < ROBOTS; i++) {
        kill(hosts[i], SIGKILL);
        waitpid(hosts[i], NULL, 0);
    }
    return seconds(&used) / RUN_S;
}

/* The fastest of some rounds: other load on the machine can only slow a round down. */
static double best(double best_s, double took_s)
{
    return best_s == 0 || took_s < best_s ? took_s : best_s;
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, by_size);
    return (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

static double own_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static struct sim *open_sim(const char *path, struct scene **scene)
{
    struct error error = {0};
    *scene = scene_file_find(path, false, &error);
    struct sim *sim = *scene ? sim_create(*scene, NULL, NULL, &error) : NULL;
    if (!sim)
        fail(error.text);
    for (size_t i = 0; i < sim_channel_count(sim); i++)
        sim_host_present(sim, i, true);
    return sim;
}

/* CPU seconds of TURN_MS. */
static double turn(struct sim *sim, struct capture_file *capture)
{
    const uint8_t *bytes;
    size_t size;
    double start = own_s();
    for (int ms = 1; ms <= TURN_MS; ms++) {
        sim_step(sim);
        for (size_t i = 0; i < sim_channel_count(sim); i++)
            while (sim_output(sim, i, &bytes, &size))
                continue;
        if (capture)
            capture_file_step(capture);
        if (capture && ms % FLUSH_MS == 0)
            capture_file_visit(capture);
    }
    return own_s() - start;
}

/* CPU seconds that a recording adds to a second of simulated time: FROM and TO bound it with 99 %.
 */
static double recording_s(const char *path, const char *capture_path, double *from, double *to)
{
    static double more[TURNS];
    struct scene *scenes[2];
    struct error error = {0};
    struct sim *bare = open_sim(path, &scenes[0]), *recorded = open_sim(path, &scenes[1]);
    struct capture_file *capture = capture_file_open(capture_path, recorded, &error);
    if (!capture)
        fail(error.text);
    for (int i = 0; i < TURNS; i++) {
        double without = i % 2 ? turn(bare, NULL) : 0;
        double with = turn(recorded, capture);
        if (i % 2 == 0)
            without = turn(bare, NULL);
        more[i] = (with - without) * 1000 / TURN_MS;
    }
    double middle = median(more, TURNS);
    // The numbers of the order that enclose the median: 2.58 standard deviations of a binomial.
    int reach = (int)(2.58 * sqrt(TURNS) / 2) + 1;
    *from = more[TURNS / 2 - reach];
    *to = more[TURNS / 2 + reach];
    capture_file_close(capture, &error);
    sim_destroy(bare);
    sim_destroy(recorded);
    scene_destroy(scenes[0]);
    scene_destroy(scenes[1]);
    return middle;
}

static void bench_cost(const char *folder, const char *path)
{
    char scene[256];
    double runs[RUNS], from, to;
    snprintf(scene, sizeof scene, "%s/scene.yaml", folder);
    write_scene(folder, scene);
    double more = recording_s(scene, path, &from, &to);
    for (int i = 0; i < RUNS; i++)
        runs[i] = run(folder, scene, NULL);
    unlink(scene);
    double whole = median(runs, RUNS);
    printf("capture.kobuki.n%d\t%.3g\t%% more CPU\t%.4f\ttime without\n", ROBOTS,
           100 * more / whole, 1 + more / whole);
    printf("capture.kobuki.n%d.from\t%.3g\t%% more CPU\n", ROBOTS, 100 * from / whole);
    printf("capture.kobuki.n%d.to\t%.3g\t%% more CPU\n", ROBOTS, 100 * to / whole);
    printf("capture.kobuki.n%d.run\t%.3g\t%% of a CPU\n", ROBOTS, 100 * whole);
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

/* Repeats the blocks of a recording into a file of DECODE_MB. The timestamps restart with each
 * repetition, which only the summary shows. */
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

/* Measures the decoding of a recording of the robot NAME. */
static void bench_decode(const char *path, const char *name)
{
    static const struct {
        const char *how, *command;
    } rows[] = {
        {"words", PTYBOT_BINARY " decode '%s' >/dev/null"},
        {"json", PTYBOT_BINARY " decode --json '%s' >/dev/null"},
        {"summary", PTYBOT_BINARY " decode --summary '%s' >/dev/null"},
    };
    char grown[300];
    snprintf(grown, sizeof grown, "%s.grown", path);
    double megabytes = grow(path, grown), bare = time_command("cat '%s' | cat >/dev/null", grown);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double took = time_command(rows[i].command, grown);
        printf("decode.%s.%s\t%.4g\tMB per CPU second\t%.3f\ttime of cat\n", name, rows[i].how,
               megabytes / took, took / bare);
    }
    unlink(grown);
}

/* Robots with short frames, long frames, many parts, pictures: each with the host of its scene's
 * test. */
static void bench_robots(const char *folder)
{
    static const struct {
        const char *name, *scene, *host;
    } rows[] = {
        {"kobuki", "kobuki_square", "exec kobuki_square $PTYBOT_PORT_KOBUKI"},
        {"cobot", "cobot_mecanum", "exec cobot_drive $PTYBOT_PORT_COBOT 0 200 0 4"},
        {"create2", "create2_room", "exec create2_stream $PTYBOT_PORT_CREATE 2000"},
        {"diff_board", "diff_board_hera", "exec diff_board_poll $PTYBOT_PORT_PIBOT --seconds 4"},
        {"epuck2", "epuck2_room", "exec epuck2_wall $PTYBOT_PORT_EPUCK2 400"},
        {"pictures", "epuck2_box", "exec epuck2_box $PTYBOT_PORT_EPUCK2 1000"},
        {"ld06", "diff_board_lidar",
         "stty raw -echo 230400 <$PTYBOT_PORT_LIDAR; exec timeout 8 cat $PTYBOT_PORT_LIDAR"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char command[1024], path[256];
        snprintf(command, sizeof command,
                 "PATH='" PTYBOT_HOSTS_DIR "':$PATH " PTYBOT_BINARY " test '" PTYBOT_SOURCE_DIR
                 "/scenes/%s.yaml' --start now --warp max --for 60 --out '%s/%s' -- "
                 "/bin/sh -c '%s' >'%s/said' 2>&1",
                 rows[i].scene, folder, rows[i].name, rows[i].host, folder);
        snprintf(path, sizeof path, "%s/%s/run.pcapng", folder, rows[i].name);
        if (system(command) < 0 || access(path, R_OK) != 0)
            fail(command);
        bench_decode(path, rows[i].name);
    }
}

/* WHAT: only capture or only decode; without an argument: both. */
int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    char folder[] = "/tmp/ptybot-bench-XXXXXX", path[64], rid[128];
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!mkdtemp(folder))
        fail("no place for a recording");
    snprintf(path, sizeof path, "%s/c.pcapng", folder);
    if (strncmp(what, "decode", 6) != 0)
        bench_cost(folder, path);
    if (strncmp(what, "capture", 7) != 0)
        bench_robots(folder);
    snprintf(rid, sizeof rid, "rm -r '%s'", folder);
    return system(rid) == 0 ? 0 : 1;
}
