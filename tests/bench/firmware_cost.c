/* Cost of a tick through a firmware in a process, compared with a bare echo over a socket pair. The
 * fastest batch of each counts, since other programs use the machine too. One figure per line:
 * name, value, unit, ratio, reference of the ratio.
 *
 *     firmware_cost [STEPS] */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/files/scene_file.h"
#include "app/firmware/firmwares.h"
#include "sim/sim.h"
#include "tests/places.h"

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

enum { BATCH = 100 };

/* The shortest time of BATCH operations so far. */
struct batches {
    double start_s, least_s;
    int count;
};

static void count_one(struct batches *batches)
{
    if (batches->count % BATCH == 0) {
        double here_s = now_s(), took_s = here_s - batches->start_s;
        if (batches->count > 0 && (batches->least_s == 0 || took_s < batches->least_s))
            batches->least_s = took_s;
        batches->start_s = here_s;
    }
    batches->count++;
}

static double least_us(const struct batches *batches)
{
    return batches->least_s / BATCH * 1e6;
}

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "firmware_cost: %s\n", what);
    exit(EXIT_FAILURE);
}

/* Round trips of a question of 300 bytes and an answer of 100, microseconds each. */
static double echo_us(int steps)
{
    int ends[2];
    char question[300] = {0}, answer[100] = {0};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        fail("socketpair");
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        while (recv(ends[1], question, sizeof question, MSG_WAITALL) > 0)
            send(ends[1], answer, sizeof answer, MSG_NOSIGNAL);
        _exit(0);
    }
    close(ends[1]);
    struct batches batches = {0};
    for (int i = 0; i <= steps; count_one(&batches), i++)
        if (send(ends[0], question, sizeof question, MSG_NOSIGNAL) < 0 ||
            recv(ends[0], answer, sizeof answer, MSG_WAITALL) < 0)
            fail("echo");
    close(ends[0]);
    waitpid(child, NULL, 0);
    return least_us(&batches);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        fail(path);
}

/* The robot of own.yaml in each of COUNT places. Microseconds per step. */
static double steps_us(const char *folder, int count, int steps)
{
    char scene_text[4096], path[PATH_MAX];
    struct error error = {0};
    int used = snprintf(scene_text, sizeof scene_text, "world: {size: {x: 20, y: 4}}\nrobots:\n");
    for (int i = 0; i < count; i++)
        used += snprintf(scene_text + used, sizeof scene_text - (size_t)used,
                         "- {name: r%d, type: ./own.yaml, pose: {x: %d, y: 2}}\n", i, 1 + i);
    write_file(folder, "scene.yaml", scene_text);
    snprintf(path, sizeof path, "%s/scene.yaml", folder);
    struct scene *scene = scene_file_find(path, true, &error);
    struct firmwares *firmwares = scene ? firmwares_open(scene, &error) : NULL;
    const struct run_rows rows = {.ask = firmwares_ask, .ask_context = firmwares};
    struct sim *sim = firmwares ? sim_create(scene, NULL, &rows, &error) : NULL;
    if (!sim)
        fail(error.text);
    sim_step(sim);
    struct batches batches = {0};
    for (int i = 0; i <= steps; count_one(&batches), i++)
        sim_step(sim);
    if (firmwares_failure(firmwares))
        fail("a firmware is gone");
    sim_destroy(sim);
    firmwares_close(firmwares);
    scene_destroy(scene);
    return least_us(&batches);
}

/* A robot of RUN in each of COUNT places; it ticks every millisecond. Microseconds per step. */
static double step_us(const char *folder, const char *run, int count, int steps)
{
    char body[2048];
    snprintf(body, sizeof body,
             "firmware: %s\nbody: {shape: disc, radius: 0.1, height: 0.1, mass: 1}\n"
             "drive: {speed_max: 0.5, grip: 0.8}\n"
             "wheels: [{y: 0.08, radius: 0.03}, {y: -0.08, radius: 0.03}]\n"
             "sensors: [{name: eye, kind: range, x: 0.1, z: 0.05, range: 2, rays: 1}]\n"
             "channels: [{name: uart, baud: 115200}]\nsignals: [{name: turns}, {name: level}]\n",
             run);
    write_file(folder, "own.yaml", body);
    return steps_us(folder, count, steps);
}

/* Writes the sketch of scenes/own to FOLDER, as the binary that ptybot-avr runs. False: it cannot
 * be built on this machine. */
static bool make_sketch(const char *folder)
{
    char line[4 * PATH_MAX];
    snprintf(line, sizeof line,
             "P='%s' S='%s'; cd '%s' && cp -r $S/scenes/own/bridge . && cp "
             "$S/scenes/own/bridge_arduino.yaml own.yaml && sed -i 's/avr: [^,]*,/avr: b.elf,/' "
             "own.yaml && "
             "$P arduino bridge own.yaml -o b.elf >/dev/null 2>&1",
             PTYBOT_BINARY, PTYBOT_SOURCE_DIR, folder);
    return system(line) == 0;
}

static void print(const char *name, double value, const char *unit, double ratio, const char *to)
{
    printf("%s\t%.4g\t%s\t%.3f\t%s\n", name, value, unit, ratio, to);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 5000;
    char folder[] = "/tmp/ptybot-bench-XXXXXX", code[1024];
    if (!mkdtemp(folder))
        fail(folder);
    static const char *const formats[] = {"binary", "json"};
    for (int i = 0; i < 2; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s_form.py", formats[i]);
        snprintf(code, sizeof code,
                 "from ptybot.firmware import Firmware\nclass Robot(Firmware):\n"
                 "    format = '%s'\n    def tick(self):\n        self.motor = [0.3, 0.3]\n"
                 "        self.signal('turns', 1)\nRobot().run()\n",
                 formats[i]);
        write_file(folder, name, code);
    }
    static const char in_c[] = "{run: \"exec " PTYBOT_HOSTS_DIR "/echo_firmware\"}";
    double echo = echo_us(steps);
    print("firmware.echo", echo, "us", 1, "itself");
    double c = step_us(folder, in_c, 1, steps);
    print("firmware.c_binary", c, "us a step", c / echo, "a bare echo");
    double binary = step_us(folder, "{run: \"exec python3 binary_form.py\"}", 1, steps);
    print("firmware.python_binary", binary, "us a step", binary / echo, "a bare echo");
    double json = step_us(folder, "{run: \"exec python3 json_form.py\"}", 1, steps);
    print("firmware.python_json", json, "us a step", json / binary, "Python, binary");
    double ten = step_us(folder, in_c, 10, steps);
    print("firmware.ten_c_binary", ten, "us a step", 1000 / ten, "real time (1 kHz each)");
    if (make_sketch(folder)) {
        double sketch = steps_us(folder, 1, steps);
        print("firmware.sketch_avr", sketch, "us a step", 1000 / sketch, "real time");
    } else
        fprintf(stderr, "firmware_cost: no sketch for an AVR\n");
    snprintf(code, sizeof code, "rm -r '%s'", folder);
    return system(code) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
