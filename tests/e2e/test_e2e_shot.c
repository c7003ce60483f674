/* Pictures by the real program: `ptybot shot`, and `ptybot run --frames`. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/kobuki_host.h"
#include "tests/support/stage.h"

static int run_words(struct stage *stage, const char *const words[])
{
    return program_run(&stage->ptybot, &stage->folder, "shot", words);
}
#define RUN(stage, ...) run_words(stage, (const char *const[]){PTYBOT_BINARY, __VA_ARGS__, NULL})

/* The size in the header of a PNG file (RFC 2083, 4.1.1). False: it is not a PNG file. */
static bool png_size(const struct stage *stage, const char *name, unsigned *width, unsigned *height)
{
    static const unsigned char start[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    char path[FOLDER_PATH_MAX];
    unsigned char head[24];
    FILE *file = fopen(folder_path(&stage->folder, name, path), "r");
    if (!file)
        return false;
    bool is_whole = fread(head, sizeof head, 1, file) == 1;
    fclose(file);
    uint32_t size[2];
    memcpy(size, head + 16, sizeof size);
    *width = ntohl(size[0]);
    *height = ntohl(size[1]);
    return is_whole && memcmp(head, start, sizeof start) == 0;
}

static void a_scene_becomes_a_png(void **state)
{
    struct stage *stage = *state;
    unsigned width = 0, height = 0;
    stage_write_kobuki(stage, "", "");
    assert_int_equal(RUN(stage, "shot", "kobuki.yaml", "-o", "a.png"), 0);
    assert_true(png_size(stage, "a.png", &width, &height));
    assert_int_equal(width, 1280);
    assert_int_equal(height, 800);
    assert_int_equal(RUN(stage, "shot", "kobuki", "-o", "b.png", "--size", "300x200", "--theme",
                         "dark", "--at", "1.5", "--do", "kobuki.lift for=9", "--around", "kobuki",
                         "--span", "0.5"),
                     0);
    assert_true(png_size(stage, "b.png", &width, &height));
    assert_int_equal(width, 300);
    assert_int_equal(height, 200);
}

static void a_scene_becomes_an_svg(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    assert_int_equal(RUN(stage, "shot", "kobuki.yaml", "-o", "a.svg"), 0);
    char *text = folder_read(&stage->folder, "a.svg");
    assert_non_null(strstr(text, "<svg "));
    assert_non_null(strstr(text, "</svg>"));
    assert_null(strstr(text, "<image")); /* shapes, not pixels */
    free(text);
}

static void check_refused(struct stage *stage, int code, const char *why, const char *const words[])
{
    assert_int_equal(run_words(stage, words), code);
    if (!program_has_warned(&stage->ptybot, why))
        fail_msg("it has not said '%s'", why);
}
#define REFUSED(stage, code, why, ...)                                                             \
    check_refused(stage, code, why, (const char *const[]){PTYBOT_BINARY, "shot", __VA_ARGS__, NULL})

static void mistakes_are_named(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    REFUSED(stage, 2, "give a file", "kobuki.yaml");
    REFUSED(stage, 2, "give one scene", "-o", "a.png");
    REFUSED(stage, 2, ".png, .svg or .html", "kobuki.yaml", "-o", "a.gif");
    REFUSED(stage, 2, "1280x800", "kobuki.yaml", "-o", "a.png", "--size", "big");
    REFUSED(stage, 2, "1280x800", "kobuki.yaml", "-o", "a.png", "--size", "9x9");
    REFUSED(stage, 2, "no such robot", "kobuki.yaml", "-o", "a.png", "--around", "nobody");
    REFUSED(stage, 2, "--do", "kobuki.yaml", "-o", "a.png", "--do", "kobuki.fly");
    // The same for the pictures of a run, before it starts.
    assert_int_equal(RUN(stage, "run", "kobuki.yaml", "--fast", "--for", "1", "--frames", "frames",
                         "--around", "nobody"),
                     2);
    assert_true(program_has_warned(&stage->ptybot, "--around nobody: the scene has no such robot"));
    assert_int_equal(RUN(stage, "run", "kobuki.yaml", "--fast", "--for", "1", "--frames", "frames",
                         "--size", "9x9"),
                     2);
    assert_true(program_has_warned(&stage->ptybot, "--size 9x9: give WIDTHxHEIGHT"));
    REFUSED(stage, 3, "No such file", "kobuki.yaml", "-o", "nowhere/a.png");
    char path[FOLDER_PATH_MAX];
    assert_false(path_exists(folder_path(&stage->folder, "a.png", path)));
}

/* The limit on the size of files also applies to shared memory; a painter cannot write any file
 * either. */
static void memory_that_cannot_be_had_is_reported(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    static const char *const lines[][2] = {
        {"ulimit -f 1; exec \"$0\" shot kobuki.yaml -o a.svg",
         "a.svg: not enough memory for the picture: "},
        {"ulimit -f 1; exec \"$0\" run kobuki.yaml --fast --for 0.1 --frames frames",
         "frames: not enough memory for pictures: "},
    };
    for (size_t i = 0; i < 2; i++) {
        const char *const words[] = {"/bin/sh", "-c", lines[i][0], PTYBOT_BINARY, NULL};
        assert_int_equal(program_run(&stage->ptybot, &stage->folder, "shot", words), 3);
        if (!program_has_warned(&stage->ptybot, lines[i][1]))
            fail_msg("it has not said '%s'", lines[i][1]);
    }
}

/* ---- Frames ---- */

static size_t frames_in(const struct stage *stage, const char *name)
{
    char path[FOLDER_PATH_MAX];
    DIR *folder = opendir(folder_path(&stage->folder, name, path));
    size_t count = 0;
    if (!folder)
        return 0;
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += strstr(entry->d_name, ".png") && !strstr(entry->d_name, ".part");
    closedir(folder);
    return count;
}

static void a_fast_run_leaves_every_frame(void **state)
{
    struct stage *stage = *state;
    unsigned width = 0, height = 0;
    stage_write_kobuki(stage, "", "");
    assert_int_equal(RUN(stage, "run", "kobuki.yaml", "--control", "c", "--fast", "--for", "2",
                         "--frames", "frames", "--fps", "10", "--size", "320x200"),
                     0);
    assert_int_equal(frames_in(stage, "frames"), 21); /* both ends included */
    assert_true(png_size(stage, "frames/frame-000020.png", &width, &height));
    assert_int_equal(width, 320);
    assert_false(program_has_warned(&stage->ptybot, "repeat"));
}

/* The first child of a process according to the kernel; 0: none. */
static pid_t child_of(pid_t parent)
{
    char path[64];
    int pid = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    if (fscanf(file, "%d", &pid) != 1)
        pid = 0;
    fclose(file);
    return pid;
}

/* The process that paints: its keeper is ptybot's only child. 0: none. */
static pid_t painter_of(pid_t ptybot)
{
    pid_t keeper = child_of(ptybot);
    return keeper > 0 ? child_of(keeper) : 0;
}

static void a_host_does_not_notice_that_the_painter_is_killed(void **state)
{
    struct stage *stage = *state;
    struct kobuki_host host;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--frames", "frames", "--fps", "20", "--size", "320x200");
    kobuki_host_open(&host, stage->port);
    WAIT_UNTIL(frames_in(stage, "frames") >= 3);
    pid_t painter = painter_of(stage->ptybot.pid);
    assert_true(painter > 0);
    assert_int_equal(kill(painter, SIGKILL), 0);
    kobuki_host_hear(&host, 50);
    kobuki_host_close(&host);
    /* The run continues to its end, and then reports the failure. */
    assert_int_equal(program_end(&stage->ptybot, SIGTERM), 3);
    assert_true(program_has_warned(&stage->ptybot, "not all pictures"));
}

/* Like Ctrl C at a terminal, which signals the whole process group. */
static void a_signal_to_its_group_ends_a_run_with_all_its_pictures(void **state)
{
    struct stage *stage = *state;
    const char *const words[] = {
        "/bin/sh", "-c",
        "exec setsid \"$0\" run kobuki.yaml --frames frames --fps 20 --size 320x200", PTYBOT_BINARY,
        NULL};
    stage_write_kobuki(stage, "", "");
    program_start(&stage->ptybot, &stage->folder, "run", words, 0);
    WAIT_UNTIL(frames_in(stage, "frames") >= 3);
    assert_int_equal(kill(-stage->ptybot.pid, SIGINT), 0);
    assert_int_equal(program_wait(&stage->ptybot), 0);
    assert_false(program_has_warned(&stage->ptybot, "not all pictures"));
}

static void pictures_keep_their_numbers_while_the_painter_is_slow(void **state)
{
    struct stage *stage = *state;
    unsigned width = 0, height = 0;
    char name[64];
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "1", "--frames", "frames", "--fps", "20", "--size",
                     "320x200");
    WAIT_UNTIL(frames_in(stage, "frames") >= 3);
    pid_t painter = painter_of(stage->ptybot.pid);
    assert_true(painter > 0);
    assert_int_equal(kill(painter, SIGSTOP), 0);
    double stopped_s = stage_get(stage, "world.time_s");
    WAIT_UNTIL(stage_get(stage, "world.time_s") > stopped_s + 1);
    assert_int_equal(kill(painter, SIGCONT), 0);
    double end_s = stage_get(stage, "world.time_s");
    assert_int_equal(program_end(&stage->ptybot, SIGTERM), 0);
    assert_true(program_has_warned(&stage->ptybot,
                                   "pictures repeat the previous picture: painting is "
                                   "slower than the run"));
    size_t count = frames_in(stage, "frames");
    assert_true(count >= (size_t)(end_s * 20));
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "frames/frame-%06zu.png", i);
        assert_true(png_size(stage, name, &width, &height));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(a_scene_becomes_a_png),
        STAGED(a_scene_becomes_an_svg),
        STAGED(mistakes_are_named),
        STAGED(memory_that_cannot_be_had_is_reported),
        STAGED(a_fast_run_leaves_every_frame),
        STAGED(pictures_keep_their_numbers_while_the_painter_is_slow),
        STAGED(a_host_does_not_notice_that_the_painter_is_killed),
        STAGED(a_signal_to_its_group_ends_a_run_with_all_its_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
