/* Processes outside of a driver, found by its connections. Sockets and processes are real. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/time/external_peers.h"
#include "app/time/idle_proof.h"
#include "tests/support/allocations.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/machine.h"

enum { PROCESSES_MAX = 12 };

struct rig {
    struct folder folder;
    pid_t processes[PROCESSES_MAX];
    size_t count;
    struct external_peers peers;
};

static int setup(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    folder_make(&rig->folder);
    *state = rig;
    return 0;
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    for (size_t i = 0; i < rig->count; i++) {
        kill(rig->processes[i], SIGKILL);
        waitpid(rig->processes[i], NULL, 0);
    }
    folder_remove(&rig->folder);
    free(rig);
    return 0;
}

/* A process that keeps only FD (-1: none) of all descriptors until the test ends; the caller
 * closes its own. Its name is NAME. */
static pid_t keep(struct rig *rig, int fd, const char *name)
{
    int ready[2];
    char byte, long_path[FOLDER_PATH_MAX];
    folder_path(&rig->folder, "a_file_whose_path_is_longer_than_the_name_of_a_socket", long_path);
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0 && rig->count < PROCESSES_MAX);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, name);
        // In the table of descriptors, this file is before the sockets.
        dup2(open(long_path, O_RDONLY | O_CREAT, 0600), 0);
        for (int other = 3; other < 256; other++)
            if (other != fd && other != ready[1])
                close(other);
        close(ready[1]);
        for (;;)
            pause();
    }
    rig->processes[rig->count++] = child;
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 0);
    close(ready[0]);
    return child;
}

/* Opens a listening TCP socket of IPv4 or IPv6 at ADDRESS and PORT. With PORT 0, any free port,
 * which is then in PORT. */
static int listen_at(const char *address, int *port)
{
    bool is_six = strchr(address, ':');
    in_port_t at_port = htons((uint16_t)*port);
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = at_port};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = at_port};
    struct sockaddr *at = is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four;
    socklen_t size = is_six ? sizeof six : sizeof four;
    inet_pton(is_six ? AF_INET6 : AF_INET, address,
              is_six ? (void *)&six.sin6_addr : (void *)&four.sin_addr);
    int fd = socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, at, size) != 0 || listen(fd, 8) != 0) {
        close(fd);
        return -1;
    }
    getsockname(fd, at, &size);
    *port = ntohs(is_six ? six.sin6_port : four.sin_port);
    return fd;
}

static int listen_tcp(const char *address, int *port)
{
    *port = 0;
    return listen_at(address, port);
}

static int dial_tcp(const char *address, int port)
{
    bool is_six = strchr(address, ':');
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    inet_pton(is_six ? AF_INET6 : AF_INET, address,
              is_six ? (void *)&six.sin6_addr : (void *)&four.sin_addr);
    int fd = socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(is_six ? connect(fd, (struct sockaddr *)&six, sizeof six)
                            : connect(fd, (struct sockaddr *)&four, sizeof four),
                     0);
    return fd;
}

/* Starts a process that listens and a process that connects to it. Returns the latter. */
static pid_t connected(struct rig *rig, const char *bound, const char *dialled, int *port,
                       pid_t *server)
{
    int listener = listen_tcp(bound, port);
    if (listener < 0)
        return 0;
    int client = dial_tcp(dialled, *port);
    int accepted = accept(listener, NULL, NULL);
    close(listener);
    assert_true(accepted >= 0);
    *server = keep(rig, accepted, "server");
    pid_t host = keep(rig, client, "driver");
    close(accepted);
    close(client);
    return host;
}

static void look(struct rig *rig, pid_t one, pid_t two)
{
    external_peers_poll(&rig->peers, (const pid_t[]){one, two}, two ? 2 : 1);
}

static void a_server_outside_is_reported_once_with_its_address(void **state)
{
    static const char *const addresses[] = {"127.0.0.1", "::1"};
    for (size_t i = 0; i < 2; i++) {
        struct rig *rig = *state;
        int port;
        char wanted[64];
        pid_t server, host = connected(rig, addresses[i], addresses[i], &port, &server);
        if (host == 0)
            continue; // a machine without IPv6
        rig->peers.count = 0;
        look(rig, host, 0);
        look(rig, host, 0);
        assert_int_equal(rig->peers.count, 1);
        assert_int_equal(rig->peers.peers[0].process, host);
        assert_string_equal(rig->peers.peers[0].name, "driver");
        snprintf(wanted, sizeof wanted, i == 0 ? "%s:%d" : "[%s]:%d", addresses[i], port);
        assert_string_equal(rig->peers.peers[0].where, wanted);
        // Also if the server is after the processes of the driver.
        rig->peers.count = 0;
        external_peers_poll(&rig->peers, (const pid_t[]){host, server}, 1);
        assert_int_equal(rig->peers.count, 1);
    }
}

static void two_processes_of_the_driver_may_talk(void **state)
{
    struct rig *rig = *state;
    int port;
    pid_t server, host = connected(rig, "127.0.0.1", "127.0.0.1", &port, &server);
    look(rig, host, server);
    assert_int_equal(rig->peers.count, 0);
}

static void a_connection_that_waits_to_be_accepted_is_that_of_its_listener(void **state)
{
    static const char *const bound[] = {"127.0.0.1", "0.0.0.0", "::"};
    struct rig *rig = *state;
    for (size_t i = 0; i < 3; i++) {
        int port, listener = listen_tcp(bound[i], &port);
        if (listener < 0)
            continue;
        int client = dial_tcp("127.0.0.1", port);
        pid_t server = keep(rig, listener, "server"), host = keep(rig, client, "driver");
        close(listener);
        close(client);
        look(rig, host, server);
        assert_int_equal(rig->peers.count, 0);
        // A listener of another process is reported.
        look(rig, host, 0);
        assert_int_equal(rig->peers.count, 1);
        rig->peers.count = 0;
    }
}

static void a_listener_at_another_port_or_address_is_no_other_end(void **state)
{
    struct rig *rig = *state;
    int port, other_port, listener = listen_tcp("127.0.0.1", &port);
    int other = listen_tcp("0.0.0.0", &other_port), far = listen_at("127.0.0.2", &port);
    assert_true(far >= 0);
    int client = dial_tcp("127.0.0.1", port);
    pid_t host = keep(rig, client, "driver"), one = keep(rig, other, "other");
    pid_t two = keep(rig, far, "other");
    keep(rig, listener, "server");
    close(listener);
    close(client);
    close(other);
    close(far);
    external_peers_poll(&rig->peers, (const pid_t[]){host, one, two}, 3);
    assert_int_equal(rig->peers.count, 1);
    assert_int_equal(rig->peers.peers[0].process, host);
}

static void a_connection_of_ptybot_is_none_outside(void **state)
{
    struct rig *rig = *state;
    int port, listener = listen_tcp("127.0.0.1", &port), client = dial_tcp("127.0.0.1", port);
    int accepted = accept(listener, NULL, NULL);
    pid_t host = keep(rig, client, "driver");
    close(client);
    look(rig, host, 0);
    assert_int_equal(rig->peers.count, 0);
    // Also if the socket is the standard input.
    int input = dup(0);
    dup2(accepted, 0);
    close(accepted);
    close(listener);
    look(rig, host, 0);
    dup2(input, 0);
    close(input);
    assert_int_equal(rig->peers.count, 0);
}

static void each_process_with_a_connection_is_reported(void **state)
{
    struct rig *rig = *state;
    int port, listener = listen_tcp("127.0.0.1", &port), client = dial_tcp("127.0.0.1", port);
    pid_t one = keep(rig, client, "driver"), two = keep(rig, client, "driver");
    keep(rig, listener, "server");
    close(client);
    close(listener);
    look(rig, one, two);
    assert_int_equal(rig->peers.count, 2);
    assert_int_equal(rig->peers.peers[0].process, one);
    assert_int_equal(rig->peers.peers[1].process, two);
}

/* It has several for each client. */
static void ptybot_may_have_many_sockets(void **state)
{
    enum { MANY = 100 };
    struct rig *rig = *state;
    int many[MANY], port, other_port, listener = listen_tcp("127.0.0.1", &port);
    int client = dial_tcp("127.0.0.1", port);
    pid_t host = keep(rig, client, "driver");
    pid_t server, outside = connected(rig, "127.0.0.1", "127.0.0.1", &other_port, &server);
    close(client);
    for (int i = 0; i < MANY; i++)
        many[i] = socket(AF_UNIX, SOCK_STREAM, 0);
    look(rig, host, outside);
    for (int i = 0; i < MANY; i++)
        close(many[i]);
    close(listener);
    assert_int_equal(rig->peers.count, 1);
    assert_int_equal(rig->peers.peers[0].process, outside);
}

static void a_look_leaves_memory_and_descriptors_as_they_were(void **state)
{
    struct rig *rig = *state;
    int port, listener = listen_tcp("127.0.0.1", &port), client = dial_tcp("127.0.0.1", port);
    pid_t host = keep(rig, client, "driver");
    unsigned descriptors = descriptor_count();
    size_t held = allocations_held;
    look(rig, host, 0);
    assert_int_equal(descriptor_count(), descriptors);
    assert_int_equal(allocations_held, held);
    int input = dup(0);
    close(0);
    look(rig, host, 0);
    dup2(input, 0);
    close(input);
    assert_int_equal(descriptor_count(), descriptors);
    close(client);
    close(listener);
}

static void a_socket_that_we_have_too_is_not_looked_at(void **state)
{
    struct rig *rig = *state;
    int first = open("/dev/null", O_RDWR); // a lower number than those of the other sockets
    int port, listener = listen_tcp("127.0.0.1", &port), client = dial_tcp("127.0.0.1", port);
    pid_t host = keep(rig, client, "driver");
    int accepted = accept(listener, NULL, NULL);
    assert_int_equal(dup2(client, first), first);
    close(client);
    client = first;
    keep(rig, accepted, "server");
    close(accepted);
    close(listener);
    look(rig, host, 0); // inherited by us and by the driver from our parent
    assert_int_equal(rig->peers.count, 0);
    close(client);
    look(rig, host, 0);
    assert_int_equal(rig->peers.count, 1);
}

static void a_connection_that_one_end_has_closed_is_not_reported(void **state)
{
    struct rig *rig = *state;
    int port, listener = listen_tcp("127.0.0.1", &port), client = dial_tcp("127.0.0.1", port);
    int accepted = accept(listener, NULL, NULL);
    close(listener);
    close(accepted);
    pid_t host = keep(rig, client, "driver");
    close(client);
    look(rig, host, 0);
    assert_int_equal(rig->peers.count, 0);
}

/* Starts a process that listens at PATH (abstract if its first byte is 0), and a process that
 * connects. */
static pid_t connected_unix(struct rig *rig, const char *path, size_t size, int type)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, path, size);
    socklen_t all = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t server = fork();
    if (server == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "server");
        int listener = socket(AF_UNIX, type, 0);
        if (bind(listener, (struct sockaddr *)&address, all) != 0 || listen(listener, 1) != 0 ||
            write(ready[1], "r", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    rig->processes[rig->count++] = server;
    char byte;
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    int client = socket(AF_UNIX, type, 0);
    assert_int_equal(connect(client, (struct sockaddr *)&address, all), 0);
    pid_t host = keep(rig, client, "driver");
    close(client);
    return host;
}

static void a_unix_socket_is_reported_with_its_name_and_process(void **state)
{
    struct rig *rig = *state;
    char path[FOLDER_PATH_MAX], abstract[40] = "", wanted[FOLDER_PATH_MAX + 64];
    folder_path(&rig->folder, "bus", path);
    snprintf(abstract + 1, sizeof abstract - 1, "ptybot-%d", (int)getpid());
    pid_t host = connected_unix(rig, path, strlen(path) + 1, SOCK_STREAM);
    pid_t server = rig->processes[rig->count - 2];
    look(rig, host, 0);
    assert_int_equal(rig->peers.count, 1);
    snprintf(wanted, sizeof wanted, "%s (server, process %d)", path, (int)server);
    assert_string_equal(rig->peers.peers[0].where, wanted);

    host = connected_unix(rig, abstract, strlen(abstract + 1) + 1, SOCK_SEQPACKET);
    server = rig->processes[rig->count - 2];
    look(rig, host, 0);
    assert_int_equal(rig->peers.count, 2);
    snprintf(wanted, sizeof wanted, "@%s (server, process %d)", abstract + 1, (int)server);
    assert_string_equal(rig->peers.peers[1].where, wanted);
    // Not if the server belongs to the driver.
    rig->peers.count = 0;
    look(rig, host, server);
    assert_int_equal(rig->peers.count, 0);
    // The server is after the processes of the driver, and errors of earlier calls have no effect.
    errno = ESRCH;
    external_peers_poll(&rig->peers, (const pid_t[]){host, server}, 1);
    assert_int_equal(rig->peers.count, 1);
}

/* Replaces the process at the other end. */
static pid_t other_end;

static void change_other_end(unsigned long option, void *argument)
{
    if (option == SO_PEERCRED)
        ((struct ucred *)argument)->pid = other_end;
}

static void a_process_that_has_no_number_here_is_reported_without_its_name(void **state)
{
    struct rig *rig = *state;
    char path[FOLDER_PATH_MAX], name[32], wanted[FOLDER_PATH_MAX + 64];
    folder_path(&rig->folder, "bus", path);
    pid_t host = connected_unix(rig, path, strlen(path) + 1, SOCK_STREAM);
    machine_answer = change_other_end;
    other_end = 0;
    look(rig, host, 0);
    other_end = 1; // runs on every machine
    look(rig, host, 0);
    machine_answer = NULL;
    assert_int_equal(rig->peers.count, 2);
    snprintf(wanted, sizeof wanted, "%s (other namespace of processes, process 0)", path);
    assert_string_equal(rig->peers.peers[0].where, wanted);
    idle_proof_read_name(1, name);
    snprintf(wanted, sizeof wanted, "%s (%s, process 1)", path, name);
    assert_string_equal(rig->peers.peers[1].where, wanted);
}

/* The process may have belonged to the driver. */
static void a_process_at_the_other_end_that_has_ended_is_not_reported(void **state)
{
    struct rig *rig = *state;
    char path[FOLDER_PATH_MAX];
    folder_path(&rig->folder, "bus", path);
    pid_t host = connected_unix(rig, path, strlen(path) + 1, SOCK_STREAM);
    other_end = fork();
    assert_true(other_end >= 0);
    if (other_end == 0)
        _exit(0);
    assert_int_equal(waitpid(other_end, NULL, 0), other_end);
    machine_answer = change_other_end;
    look(rig, host, 0);
    machine_answer = NULL;
    assert_int_equal(rig->peers.count, 0);
}

static void a_pair_of_sockets_belongs_to_who_made_it(void **state)
{
    struct rig *rig = *state;
    int pair[2];
    char wanted[64];
    // Created by a process outside of the driver that continues to run. The driver is its child.
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t maker = fork();
    if (maker == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "maker");
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
            _exit(1);
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            // Not earlier: if its creator ended first, this process would remain.
            pid_t self = getpid();
            if (write(told[1], &self, sizeof self) != (ssize_t)sizeof self)
                _exit(1);
        }
        for (;;)
            pause();
    }
    rig->processes[rig->count++] = maker;
    pid_t host;
    assert_int_equal(read(told[0], &host, sizeof host), (int)sizeof host);
    close(told[0]);
    close(told[1]);
    look(rig, host, 0);
    assert_int_equal(rig->peers.count, 1);
    snprintf(wanted, sizeof wanted, "a socket (maker, process %d)", (int)maker);
    assert_string_equal(rig->peers.peers[0].where, wanted);
    rig->peers.count = 0;
    look(rig, host, maker);
    assert_int_equal(rig->peers.count, 0);
    // A connection that this process made and left to the driver.
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    host = keep(rig, pair[0], "driver");
    close(pair[0]);
    close(pair[1]);
    look(rig, host, 0);
    assert_int_equal(rig->peers.count, 0);
}

static void sockets_without_connections_are_not_reported(void **state)
{
    struct rig *rig = *state;
    int datagrams = socket(AF_INET, SOCK_DGRAM, 0), fresh = socket(AF_INET, SOCK_STREAM, 0);
    int local = socket(AF_UNIX, SOCK_STREAM, 0);
    const struct sockaddr_in far = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(connect(datagrams, (const struct sockaddr *)&far, sizeof far), 0);
    pid_t one = keep(rig, datagrams, "driver"), two = keep(rig, fresh, "driver");
    pid_t three = keep(rig, local, "driver");
    close(datagrams);
    close(fresh);
    close(local);
    look(rig, three, 0);
    look(rig, one, two);
    look(rig, keep(rig, -1, "driver"), 0);
    assert_int_equal(rig->peers.count, 0);
}

static void no_more_are_listed_than_there_is_room_for(void **state)
{
    struct rig *rig = *state;
    rig->peers.count = EXTERNAL_PEERS_MAX;
    int port;
    pid_t server, host = connected(rig, "127.0.0.1", "127.0.0.1", &port, &server);
    look(rig, host, 0);
    assert_int_equal(rig->peers.count, EXTERNAL_PEERS_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_server_outside_is_reported_once_with_its_address),
        TEST(two_processes_of_the_driver_may_talk),
        TEST(a_connection_that_waits_to_be_accepted_is_that_of_its_listener),
        TEST(a_listener_at_another_port_or_address_is_no_other_end),
        TEST(a_connection_of_ptybot_is_none_outside),
        TEST(each_process_with_a_connection_is_reported),
        TEST(ptybot_may_have_many_sockets),
        TEST(a_look_leaves_memory_and_descriptors_as_they_were),
        TEST(a_socket_that_we_have_too_is_not_looked_at),
        TEST(a_connection_that_one_end_has_closed_is_not_reported),
        TEST(a_unix_socket_is_reported_with_its_name_and_process),
        TEST(a_process_that_has_no_number_here_is_reported_without_its_name),
        TEST(a_process_at_the_other_end_that_has_ended_is_not_reported),
        TEST(a_pair_of_sockets_belongs_to_who_made_it),
        TEST(sockets_without_connections_are_not_reported),
        TEST(no_more_are_listed_than_there_is_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
