/* A Kobuki on a raw TCP port: drivers that connect, disappear and are rejected; ports that cannot
 * be opened. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/kobuki_host.h"
#include "tests/support/stage.h"

static void write_scene(const struct stage *self, const char *address)
{
    folder_write(&self->folder, "tcp.yaml",
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 10, y: 10}, links: [{tcp: "
                 "\"%s\"}]}]\n",
                 address);
}

/* Runs the scene and returns the port in the table. */
static unsigned run(struct stage *stage, const char *address)
{
    write_scene(stage, address);
    stage_start(stage, "tcp.yaml", (const char *const[]){"--speed", "2", NULL});
    WAIT_UNTIL(program_has_said(&stage->ptybot, "\ncontrol "));
    char *said = program_out(&stage->ptybot);
    const char *place = strstr(said, "127.0.0.1:");
    assert_non_null(place);
    unsigned port = (unsigned)strtoul(place + strlen("127.0.0.1:"), NULL, 10);
    free(said);
    assert_int_not_equal(port, 0);
    return port;
}

static int try_connect(unsigned port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int host = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(host >= 0);
    assert_int_equal(connect(host, (struct sockaddr *)&to, sizeof to), 0);
    return host;
}

static void a_host_drives_over_a_port_that_was_free(void **state)
{
    struct stage *stage = *state;
    struct kobuki_host host;
    kobuki_host_use(&host, try_connect(run(stage, "auto")));
    kobuki_host_drive_on(&host);
    kobuki_host_check(&host, 0);
    assert_true(stage_get(stage, "kobuki.uart.host") == 1);
    kobuki_host_close(&host);
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.host") == 0);
    stage_end(stage);
}

static void a_python_host_with_pyserial_reads_a_socket_url(void **state)
{
    struct stage *stage = *state;
    struct program python;
    static const char script[] = PTYBOT_SOURCE_DIR "/tests/hosts/kobuki_pyserial.py";
    const char *const probe[] = {"/usr/bin/python3", "-c", "import serial", NULL};
    if (program_run(&python, &stage->folder, "probe", probe) != 0) {
        print_message("SKIPPED: python3-serial is not installed\n");
        skip();
    }
    char url[64];
    snprintf(url, sizeof url, "socket://127.0.0.1:%u", run(stage, "auto"));
    const char *const words[] = {probe[0], script, url, "50", NULL};
    assert_int_equal(program_run(&python, &stage->folder, "python", words), 0);
    assert_true(program_has_said(&python, "50 packets"));
}

static void a_second_host_is_turned_away_and_it_is_reported(void **state)
{
    struct stage *stage = *state;
    unsigned port = run(stage, "auto");
    struct kobuki_host first;
    char byte;
    kobuki_host_use(&first, try_connect(port));
    kobuki_host_hear(&first, 5);
    int second = try_connect(port);
    assert_true(recv(second, &byte, 1, 0) < 0);
    close(second);
    kobuki_host_hear(&first, 20);
    kobuki_host_check(&first, 0);
    WAIT_UNTIL(program_has_warned(&stage->ptybot, "was rejected"));
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.refused_hosts") == 1);
    kobuki_host_close(&first);

    WAIT_UNTIL(stage_get(stage, "kobuki.uart.host") == 0);
    kobuki_host_use(&first, try_connect(port));
    kobuki_host_hear(&first, 5);
    kobuki_host_check(&first, 0);
    kobuki_host_close(&first);
}

static void a_host_that_vanishes_without_a_word_makes_room_for_the_next(void **state)
{
    struct stage *stage = *state;
    unsigned port = run(stage, "auto");
    struct kobuki_host host;
    kobuki_host_use(&host, try_connect(port));
    kobuki_host_hear(&host, 5);
    /* The kernel now drops all its packets without acknowledging them, as if its machine were
     * gone. */
    struct sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
    struct sock_fprog program = {.len = 1, .filter = &drop};
    int refused = setsockopt(host.port, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
    if (refused != 0 && errno == EPERM) {
        print_message("SKIPPED: this machine lets only root filter sockets\n");
        skip();
    }
    assert_int_equal(refused, 0);
    WAIT_UNTIL(program_has_warned(&stage->ptybot, "disconnected without closing the connection"));
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.host") == 0);

    struct kobuki_host next;
    kobuki_host_use(&next, try_connect(port));
    kobuki_host_hear(&next, 50);
    kobuki_host_check(&next, 0);
    kobuki_host_close(&next);
    kobuki_host_close(&host);
}

static void a_pulled_cable_ends_the_connection_and_comes_back_at_the_same_port(void **state)
{
    struct stage *stage = *state;
    unsigned port = run(stage, "auto");
    struct kobuki_host host;
    char bytes[4096];
    kobuki_host_use(&host, try_connect(port));
    kobuki_host_hear(&host, 5);
    stage_do(stage, "kobuki.unplug what=uart");
    while (recv(host.port, bytes, sizeof bytes, 0) > 0)
        ;
    kobuki_host_close(&host);
    stage_do(stage, "kobuki.plug what=uart");
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.plugged") == 1);
    WAIT_UNTIL(program_has_warned(&stage->ptybot, "plugged in again"));
    kobuki_host_use(&host, try_connect(port));
    kobuki_host_hear(&host, 5);
    kobuki_host_check(&host, 0);
    kobuki_host_close(&host);
}

static void a_taken_port_ends_with_3_and_the_remedy(void **state)
{
    struct stage *stage = *state;
    char address[32];
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    int taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(taken, (struct sockaddr *)&here, sizeof here), 0);
    assert_int_equal(listen(taken, 1), 0);
    assert_int_equal(getsockname(taken, (struct sockaddr *)&here, &size), 0);
    snprintf(address, sizeof address, "127.0.0.1:%u", ntohs(here.sin_port));
    write_scene(stage, address);
    stage_start(stage, "tcp.yaml", (const char *const[]){NULL});
    assert_int_equal(program_wait(&stage->ptybot), 3);
    assert_true(program_has_warned(&stage->ptybot, address));
    assert_true(program_has_warned(&stage->ptybot, "choose another port or auto"));
    close(taken);
}

static void a_port_without_the_right_ends_with_3_and_the_remedies(void **state)
{
    struct stage *stage = *state;
    const uid_t nobody = 65534;
    if (geteuid() == 0) {
        stage->user = nobody;
        assert_int_equal(chown(stage->folder.path, nobody, nobody), 0);
    }
    FILE *file = fopen("/proc/sys/net/ipv4/ip_unprivileged_port_start", "r");
    unsigned first = 0;
    if (file) {
        assert_int_equal(fscanf(file, "%u", &first), 1);
        fclose(file);
    }
    if (first <= 1) {
        print_message("SKIPPED: here every user may use every port\n");
        skip();
    }
    write_scene(stage, "127.0.0.1:1");
    stage_start(stage, "tcp.yaml", (const char *const[]){NULL});
    assert_int_equal(program_wait(&stage->ptybot), 3);
    assert_true(program_has_warned(&stage->ptybot, "net.ipv4.ip_unprivileged_port_start=1"));
    assert_true(program_has_warned(&stage->ptybot, "setcap cap_net_bind_service"));
}

static void an_address_that_others_reach_is_warned_of(void **state)
{
    struct stage *stage = *state;
    write_scene(stage, "0.0.0.0:45871");
    stage_start(stage, "tcp.yaml", (const char *const[]){"--for", "0.1", NULL});
    int code = program_wait(&stage->ptybot);
    if (code == 3) {
        print_message("SKIPPED: port 45871 is taken here\n");
        skip();
    }
    assert_int_equal(code, 0);
    assert_true(program_has_warned(&stage->ptybot, "not a loopback address"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(a_host_drives_over_a_port_that_was_free),
        STAGED(a_python_host_with_pyserial_reads_a_socket_url),
        STAGED(a_second_host_is_turned_away_and_it_is_reported),
        STAGED(a_host_that_vanishes_without_a_word_makes_room_for_the_next),
        STAGED(a_pulled_cable_ends_the_connection_and_comes_back_at_the_same_port),
        STAGED(a_taken_port_ends_with_3_and_the_remedy),
        STAGED(a_port_without_the_right_ends_with_3_and_the_remedies),
        STAGED(an_address_that_others_reach_is_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
