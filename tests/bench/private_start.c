/* Time that a private run takes to become ready, and to end, compared with starting `true`: for the
 * benchmark. The two alternate, so that other load affects both, and their medians are compared. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 200 };

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void fail(const char *what)
{
    fprintf(stderr, "private_start: %s: %s\n", what, strerror(errno));
    exit(1);
}

static pid_t start(char *const words[], const posix_spawn_file_actions_t *actions)
{
    pid_t pid;
    errno = posix_spawnp(&pid, words[0], actions, NULL, words, environ);
    if (errno != 0)
        fail(words[0]);
    return pid;
}

static void await_end(pid_t pid)
{
    int status;
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail("a program has not ended well");
}

static double true_ms(void)
{
    char name[] = "true";
    double from_ms = now_ms();
    await_end(start((char *const[]){name, NULL}, NULL));
    return now_ms() - from_ms;
}

static void run(char *program, double *ready_ms, double *end_ms)
{
    char verb[] = "run", scene[] = "kobuki", private[] = "--private", json[] = "--json", byte;
    int in[2], out[2];
    posix_spawn_file_actions_t actions;
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
        fail("a pipe");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    double from_ms = now_ms();
    pid_t pid = start((char *const[]){program, verb, scene, private, json, NULL}, &actions);
    close(in[0]);
    close(out[1]);
    do
        if (read(out[0], &byte, 1) != 1)
            fail("no line of JSON");
    while (byte != '\n');
    *ready_ms = now_ms() - from_ms;
    from_ms = now_ms();
    close(in[1]);
    await_end(pid);
    *end_ms = now_ms() - from_ms;
    close(out[0]);
    posix_spawn_file_actions_destroy(&actions);
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, by_size);
    return values[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    static double bare[ROUNDS], ready[ROUNDS], end[ROUNDS];
    if (argc != 2) {
        fputs("usage: private_start PTYBOT\n", stderr);
        return 2;
    }
    for (int i = 0; i < ROUNDS; i++) {
        bare[i] = true_ms();
        run(argv[1], &ready[i], &end[i]);
    }
    double unit_ms = median(bare);
    printf("private_true_ms\t%.2f\nprivate_ready_ms\t%.2f\nprivate_end_ms\t%.2f\n", unit_ms,
           median(ready), median(end));
    printf("private_ready_per_true\t%.2f\nprivate_end_per_true\t%.2f\n", median(ready) / unit_ms,
           median(end) / unit_ms);
    return 0;
}
