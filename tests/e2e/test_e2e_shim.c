/* Programs on libserialport, jSSC, pyserial and termios at a Kobuki's pty, with the serial shim. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/host_libraries.h"
#include "tests/support/stage.h"

static const char env[] = "/usr/bin/env";
static const char preload[] = "LD_PRELOAD=" PTYBOT_SHIM;
static const char serialport_host[] = PTYBOT_HOSTS_DIR "/kobuki_serialport";
static const char square_host[] = PTYBOT_HOSTS_DIR "/kobuki_square";

/* Like stage_setup, with the port below /dev: libserialport accepts no name elsewhere. */
static int setup(void **state)
{
    stage_setup(state);
    struct stage *stage = *state;
    snprintf(stage->port, sizeof stage->port, "/dev/shm/ptybot-test-%ld", (long)getpid());
    return 0;
}

static struct stage *run(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "2");
    return stage;
}

static int serialport(const struct stage *stage, const char *port)
{
    struct program host;
    return program_run(&host, &stage->folder, "host",
                       (const char *const[]){env, preload, serialport_host, port, "50", NULL});
}

static void libserialport_takes_the_port_by_path_by_link_and_by_number(void **state)
{
    struct stage *stage = run(state);
    char link_path[sizeof stage->port + 8], node[64];
    assert_int_equal(serialport(stage, stage->port), 0);

    snprintf(link_path, sizeof link_path, "%s-link", stage->port);
    unlink(link_path);
    assert_int_equal(symlink(stage->port, link_path), 0);
    int code = serialport(stage, link_path);
    unlink(link_path);
    assert_int_equal(code, 0);

    ssize_t size = readlink(stage->port, node, sizeof node - 1);
    assert_true(size > 0);
    node[size] = '\0';
    assert_int_equal(serialport(stage, node), 0);
    assert_true(stage_get(stage, "kobuki.basic.left_encoder") > 0);
    stage_end(stage);
}

static void libserialport_refuses_the_port_without_the_shim(void **state)
{
    struct stage *stage = run(state);
    struct program host;
    assert_int_not_equal(
        program_run(&host, &stage->folder, "host",
                    (const char *const[]){serialport_host, stage->port, "5", NULL}),
        0);
}

static void a_command_sets_what_libserialport_sees(void **state)
{
    struct stage *stage = run(state);
    struct program host;
    assert_true(stage_get(stage, "kobuki.uart.cts") == 1);
    stage_do(stage, "kobuki.modem what=uart cts=off dcd=off ri=on");
    assert_true(stage_get(stage, "kobuki.uart.cts") == 0);
    const char *const words[] = {env, preload, serialport_host, stage->port, "5", NULL};
    /* The command takes effect within a step. */
    WAIT_UNTIL(program_run(&host, &stage->folder, "host", words) == 0 &&
               program_has_said(&host, "lines dsr ri\n"));
    assert_int_equal(STAGE_CTL(stage, "kobuki.modem", "what=uart"), 2);
    assert_int_equal(STAGE_CTL(stage, "kobuki.modem", "what=bluetooth", "cts=on"), 2);
}

/* ---- Drivers of this project ---- */

static void hosts_on_termios_work_with_the_shim_as_without(void **state)
{
    struct stage *stage = run(state);
    struct program host;
    static const char listen_host[] = PTYBOT_HOSTS_DIR "/kobuki_listen";
    assert_int_equal(program_run(&host, &stage->folder, "listen",
                                 (const char *const[]){env, preload, listen_host, stage->port,
                                                       "100", "200", "0", NULL}),
                     0);
    assert_int_equal(program_run(&host, &stage->folder, "claim",
                                 (const char *const[]){env, preload, listen_host, stage->port, "20",
                                                       "exclusive", NULL}),
                     0);
    assert_int_equal(
        program_run(&host, &stage->folder, "bare",
                    (const char *const[]){listen_host, stage->port, "100", "200", "0", NULL}),
        0);
    assert_int_equal(program_run(&host, &stage->folder, "stty",
                                 (const char *const[]){env, preload, "stty", "-F", stage->port,
                                                       "raw", "115200", "-echo", NULL}),
                     0);
}

static void the_square_is_driven_with_the_shim(void **state)
{
    struct stage *stage = *state;
    struct program host;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "4");
    assert_int_equal(
        program_run(&host, &stage->folder, "square",
                    (const char *const[]){env, preload, square_host, stage->port, NULL}),
        0);
}

/* ---- Others ---- */

#define PYTHON "/usr/bin/python3"

static void need_pyserial(struct stage *stage)
{
    struct program python;
    const char *const probe[] = {PYTHON, "-c", "import serial", NULL};
    if (program_run(&python, &stage->folder, "probe", probe) != 0) {
        print_message("SKIPPED: python3-serial is not installed\n");
        skip();
    }
}

static void pyserial_has_modem_lines_and_claims_the_port(void **state)
{
    struct stage *stage = *state;
    struct program python;
    static const char script[] = PTYBOT_SOURCE_DIR "/tests/hosts/modem_pyserial.py";
    need_pyserial(stage);
    run(state);
    program_start(&python, &stage->folder, "python",
                  (const char *const[]){env, preload, PYTHON, script, stage->port, NULL}, 0);
    WAIT_UNTIL(program_has_said(&python, "ready") || !program_is_running(&python));
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.dtr") == 0 || !program_is_running(&python));
    assert_true(stage_get(stage, "kobuki.uart.rts") == 1);
    stage_do(stage, "kobuki.modem what=uart cts=off");
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.dtr") == 1 || !program_is_running(&python));
    stage_do(stage, "kobuki.modem what=uart ri=on");
    assert_int_equal(program_wait(&python), 0);
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.dtr") == 0); /* no program holds it */
    stage_end(stage);
}

/* A simplified flashing tool: opens the port, then pulses DTR. */
static void dtr_resets_a_board_with_auto_reset(void **state)
{
    struct stage *stage = *state;
    struct program python;
    char line[512];
    need_pyserial(stage);
    folder_write(&stage->folder, "board.yaml",
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots: [{name: board, type: diff_board, pose: {x: 10, y: 10},\n"
                 "          links: [{pty: %s}], options: {auto_reset: yes}}]\n",
                 stage->port);
    stage_run(stage, "board.yaml", (const char *const[]){NULL});
    assert_true(stage_get(stage, "board.boots") == 1);
    snprintf(line, sizeof line,
             "import serial; p = serial.Serial('%s', 115200); p.dtr = False; p.dtr = True",
             stage->port);
    const char *const words[] = {env, preload, PYTHON, "-c", line, NULL};
    assert_int_equal(program_run(&python, &stage->folder, "python", words), 0);
    WAIT_UNTIL(stage_get(stage, "board.boots") == 3); /* power-on, opening, pulse */
    stage_end(stage);
}

static void rts_wakes_a_create(void **state)
{
    struct stage *stage = *state;
    struct program python;
    static const char script[] = PTYBOT_SOURCE_DIR "/tests/hosts/create2_wake.py";
    need_pyserial(stage);
    folder_write(
        &stage->folder, "create.yaml",
        "world: {size: {x: 20, y: 20}}\n"
        "robots: [{name: create, type: create2, pose: {x: 10, y: 10}, links: [{pty: %s}]}]\n",
        stage->port);
    stage_run(stage, "create.yaml", (const char *const[]){"--speed", "4", NULL});
    int code = program_run(&python, &stage->folder, "python",
                           (const char *const[]){env, preload, PYTHON, script, stage->port, NULL});
    if (code != 0)
        fail_msg("%s", program_err(&python));
    stage_end(stage);
}

enum { JSSC_WORDS = 12 };

static void jssc_words(const struct stage *stage, const char *shim, const char *last,
                       const char *words[JSSC_WORDS])
{
    static const char script[] = PTYBOT_SOURCE_DIR "/tests/hosts/modem_jssc.bsh";
    const char *const all[JSSC_WORDS] = {
        env, shim, "java", "-cp", JSSC_CLASSES, "bsh.Interpreter", script, stage->port, last, NULL};
    memcpy(words, all, sizeof all);
}

static void jssc_has_modem_lines_and_finds_its_own_claim_gone(void **state)
{
    struct stage *stage = *state;
    struct program java;
    const char *words[JSSC_WORDS];
    need_jssc(stage);
    run(state);
    jssc_words(stage, preload, NULL, words);
    program_start(&java, &stage->folder, "java", words, 0);
    WAIT_UNTIL(program_has_said(&java, "ready") || !program_is_running(&java));
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.dtr") == 0 || !program_is_running(&java));
    stage_do(stage, "kobuki.modem what=uart cts=off");
    assert_int_equal(program_wait(&java), 0);
    assert_true(program_has_said(&java, "done"));
    stage_end(stage);
}

static void jssc_reads_without_the_shim_as_ever(void **state)
{
    struct stage *stage = *state;
    struct program java;
    const char *words[JSSC_WORDS];
    need_jssc(stage);
    run(state);
    jssc_words(stage, "BARE=1", "bare", words);
    assert_int_equal(program_run(&java, &stage->folder, "java", words), 0);
    assert_true(program_has_said(&java, "done"));
}

/* ---- The choice of the line ---- */

static void the_line_that_is_printed_preloads_the_shim(void **state)
{
    struct stage *stage = run(state);
    struct program shell;
    char line[512];
    snprintf(line, sizeof line, "eval \"$(%s shim)\" && exec %s %s 5", PTYBOT_BINARY,
             serialport_host, stage->port);
    assert_int_equal(program_run(&shell, &stage->folder, "shell",
                                 (const char *const[]){"/bin/sh", "-c", line, NULL}),
                     0);
}

#define AT_DEV(test) cmocka_unit_test_setup_teardown(test, setup, stage_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_DEV(libserialport_takes_the_port_by_path_by_link_and_by_number),
        AT_DEV(libserialport_refuses_the_port_without_the_shim),
        AT_DEV(a_command_sets_what_libserialport_sees),
        AT_DEV(hosts_on_termios_work_with_the_shim_as_without),
        AT_DEV(the_square_is_driven_with_the_shim),
        AT_DEV(pyserial_has_modem_lines_and_claims_the_port),
        AT_DEV(dtr_resets_a_board_with_auto_reset),
        AT_DEV(rts_wakes_a_create),
        AT_DEV(jssc_has_modem_lines_and_finds_its_own_claim_gone),
        AT_DEV(jssc_reads_without_the_shim_as_ever),
        AT_DEV(the_line_that_is_printed_preloads_the_shim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
