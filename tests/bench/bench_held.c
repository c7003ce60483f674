/* What held time costs a driver, for the benchmark: `ptybot test` runs this program as its host in
 * real time and in held time by turns. Prints how many calls it does in a second of a processor
 * of those that a driver does most (clock, poll, read and write of a port), how many sleeps of a
 * simulated millisecond in a second, and how often two threads wake each other by semaphores. In
 * real time the last is a bare wake by futex, there and back: the measure for the others. And how
 * many times as fast as real time a driver goes that wakes 500 times in a second, or polls. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum {
    TURNS = 5,     /* the best of them counts */
    BLOCKS = 20,   /* with a sleep between: looks at the clock cost time only without one */
    ROUNDS = 1000, /* of a block */
    CALLS = 4,     /* of a round */
    SLEEPS = 1000,
    HANDOFFS = 1000, /* there and back */
    POLLS_S = 1,
    WAKES = 500, /* in a second: as kobuki_core does */
};

static void fail(const char *what)
{
    fprintf(stderr, "bench_held: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* Past the clock that is held. */
static double now_s(clockid_t clock)
{
    struct timespec now;
    syscall(SYS_clock_gettime, clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- As a host ---- */

/* The seconds of a processor that the calls of a driver take. */
static double round_s(int robot, int host)
{
    char bytes[16] = {0};
    struct timespec now;
    struct pollfd port = {.fd = host, .events = POLLIN};
    if (write(robot, bytes, sizeof bytes) != sizeof bytes || poll(&port, 1, -1) != 1)
        fail("the robot's end");
    double start_s = now_s(CLOCK_THREAD_CPUTIME_ID);
    clock_gettime(CLOCK_MONOTONIC, &now);
    poll(&port, 1, 20);
    ssize_t size = read(host, bytes, sizeof bytes);
    ssize_t sent = write(host, bytes, sizeof bytes);
    double took_s = now_s(CLOCK_THREAD_CPUTIME_ID) - start_s;
    if (size <= 0 || sent != sizeof bytes || read(robot, bytes, sizeof bytes) <= 0)
        fail("the host's end");
    tcflush(host, TCIOFLUSH);
    return took_s;
}

/* Simulated seconds in a second while nothing but reading an empty port happens. */
static double polls_speed(int host)
{
    char byte;
    struct timespec from, now;
    double start_s = now_s(CLOCK_MONOTONIC), passed_s;
    fcntl(host, F_SETFL, O_NONBLOCK);
    clock_gettime(CLOCK_MONOTONIC, &from);
    do {
        if (read(host, &byte, 1) > 0)
            fail("a port without bytes");
        clock_gettime(CLOCK_MONOTONIC, &now);
        passed_s = (double)(now.tv_sec - from.tv_sec) + (double)(now.tv_nsec - from.tv_nsec) * 1e-9;
    } while (passed_s < POLLS_S);
    return passed_s / (now_s(CLOCK_MONOTONIC) - start_s);
}

static sem_t there, back;

static void *answer(void *unused)
{
    (void)unused;
    for (int i = 0; i < HANDOFFS; i++) {
        sem_wait(&there);
        sem_post(&back);
    }
    return NULL;
}

static double handoffs_per_s(void)
{
    pthread_t thread;
    sem_init(&there, 0, 0);
    sem_init(&back, 0, 0);
    if (pthread_create(&thread, NULL, answer, NULL) != 0)
        fail("pthread_create");
    double start_s = now_s(CLOCK_MONOTONIC);
    for (int i = 0; i < HANDOFFS; i++) {
        sem_post(&there);
        sem_wait(&back);
    }
    double took_s = now_s(CLOCK_MONOTONIC) - start_s;
    pthread_join(thread, NULL);
    return HANDOFFS / took_s;
}

static int be_host(const char *result)
{
    int robot, host;
    struct termios mode;
    double calls_s = 0;
    if (openpty(&robot, &host, NULL, NULL, NULL) != 0 || tcgetattr(host, &mode) != 0)
        fail("openpty");
    cfmakeraw(&mode);
    tcsetattr(host, TCSANOW, &mode);
    for (int block = 0; block < BLOCKS; block++) {
        for (int i = 0; i < ROUNDS; i++)
            calls_s += round_s(robot, host);
        usleep(1000);
    }
    double start_s = now_s(CLOCK_MONOTONIC);
    for (int i = 0; i < SLEEPS; i++)
        usleep(1000);
    double sleeps_s = now_s(CLOCK_MONOTONIC) - start_s;
    FILE *file = fopen(result, "w");
    if (!file)
        fail(result);
    fprintf(file, "%.9g %.9g %.9g %.9g\n", CALLS * ROUNDS * BLOCKS / calls_s, SLEEPS / sleeps_s,
            handoffs_per_s(), polls_speed(host));
    return fclose(file);
}

/* ---- As the benchmark ---- */

static void run(const char *ptybot, const char *warp, const char *scene, const char *result)
{
    char self[256] = "";
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        fail("/proc/self/exe");
    pid_t child = fork();
    if (child == 0) {
        freopen("/dev/null", "w", stdout);
        freopen("/dev/null", "w", stderr); // that a busy machine is late
        execl(ptybot, ptybot, "test", scene, "--start", "now", "--warp", warp, "--", self, "--host",
              result, (char *)NULL);
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        fail("ptybot test");
}

static double at_best(double best, double one)
{
    return one > best ? one : best;
}

int main(int count, char **words)
{
    static const char *const warps[] = {"off", "max"};
    double calls[2] = {0}, sleeps[2] = {0}, handoffs[2] = {0}, polls[2] = {0};
    char folder[] = "/tmp/bench-held-XXXXXX", scene[64], result[64];
    if (count == 3 && strcmp(words[1], "--host") == 0)
        return be_host(words[2]);
    if (count != 2 || !mkdtemp(folder)) {
        fprintf(stderr, "usage: bench_held PTYBOT\n");
        return 2;
    }
    snprintf(scene, sizeof scene, "%s/s.yaml", folder);
    snprintf(result, sizeof result, "%s/result", folder);
    FILE *file = fopen(scene, "w");
    if (!file)
        fail(scene);
    fprintf(file, "world: {size: {x: 10, y: 10}}\n"
                  "robots: [{name: kobuki, type: kobuki, pose: {x: 5, y: 5}}]\n"
                  "expect: [{that: world.time_s >= 0, at_end: true}]\n");
    fclose(file);
    for (int turn = 0; turn < 2 * TURNS; turn++) {
        double one[4];
        run(words[1], warps[turn % 2], scene, result);
        file = fopen(result, "r");
        if (!file || fscanf(file, "%lf %lf %lf %lf", &one[0], &one[1], &one[2], &one[3]) != 4)
            fail(result);
        fclose(file);
        calls[turn % 2] = at_best(calls[turn % 2], one[0]);
        sleeps[turn % 2] = at_best(sleeps[turn % 2], one[1]);
        handoffs[turn % 2] = at_best(handoffs[turn % 2], one[2]);
        polls[turn % 2] = at_best(polls[turn % 2], one[3]);
    }
    remove(result);
    remove(scene);
    rmdir(folder);
    printf("held_calls_per_s\t%.0f\nreal_calls_per_s\t%.0f\nheld_calls_ratio\t%.3f\n"
           "held_sleeps_per_s\t%.0f\nheld_handoffs_per_s\t%.0f\nbare_handoffs_per_s\t%.0f\n"
           "held_sleeps_ratio\t%.3f\nheld_handoffs_ratio\t%.3f\nheld_500_wakes_speed\t%.1f\n"
           "held_polls_speed\t%.1f\n",
           calls[1], calls[0], calls[1] / calls[0], sleeps[1], handoffs[1], handoffs[0],
           sleeps[1] / handoffs[0], handoffs[1] / handoffs[0], sleeps[1] / WAKES, polls[1]);
    return 0;
}
