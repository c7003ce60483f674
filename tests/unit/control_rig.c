/* A run behind the control socket, and its clients. */
#include "tests/unit/control_rig.h"
#include "sim/parse/scene_parse.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

int set_up_link(void **state, void (*change)(struct scene_link *link))
{
    struct fixture *f = calloc(1, sizeof *f);
    struct error error = {0};
    int code;
    strcpy(f->folder, "/tmp/ptybot-test-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->socket_path, sizeof f->socket_path, "%s/control.sock", f->folder);
    snprintf(f->pty_path, sizeof f->pty_path, "%s/kobuki", f->folder);
    f->scene = scene_of_type("kobuki", &error);
    assert_non_null(f->scene);
    strcpy(f->scene->robots[0].links[0].address, f->pty_path);
    if (change)
        change(&f->scene->robots[0].links[0]);
    assert_true(live_open(&f->live, f->scene, &error));
    const struct run_rows rows = live_rows(&f->live);
    f->sim = sim_create(f->scene, NULL, &rows, &error);
    assert_non_null(f->sim);
    assert_true(poller_open(&f->poller, &error));
    f->links = links_open(f->scene, f->sim, &f->live, &f->poller, NULL, &code, &error);
    if (!f->links)
        fail_msg("%s", error.text);
    const struct methods_scope scope = {.sim = f->sim, .pace = &f->live.pace, .links = f->links};
    f->control = control_open(f->socket_path, &scope, &f->poller, &code, &error);
    assert_non_null(f->control);
    pacer_init(&f->pacer, PACER_REAL_TIME);
    f->live.pace.is_paused = true;
    *state = f;
    return 0;
}

int set_up(void **state)
{
    return set_up_link(state, NULL);
}

int tear_down(void **state)
{
    struct fixture *f = *state;
    control_close(f->control);
    links_close(f->links);
    poller_close(&f->poller);
    sim_destroy(f->sim);
    live_close(&f->live);
    scene_destroy(f->scene);
    // Nothing must be left in it.
    assert_int_equal(rmdir(f->folder), 0);
    free(f);
    return 0;
}

void turn(struct fixture *f)
{
    struct poller_ready ready[POLLER_READY_MAX];
    int64_t now_ns = poller_now_ns();
    size_t count = poller_wait(&f->poller, now_ns + 1000000, ready);
    for (size_t i = 0; i < count; i++) {
        if (ready[i].owner == POLLER_LISTENER)
            control_listener_ready(f->control, ready[i].index);
        if (ready[i].owner == POLLER_CLIENT)
            control_client_ready(f->control, ready[i].index, ready[i].events);
        if (ready[i].owner == POLLER_LINK)
            links_ready(f->links, ready[i].index, ready[i].events, now_ns);
    }
    control_advance(f->control);
    struct pace *pace = &f->live.pace;
    while (pace->is_paused && pace->steps_wanted > 0) {
        sim_step(f->sim);
        pacer_stepped(&f->pacer, pace);
        control_after_step(f->control);
        links_after_step(f->links, now_ns);
    }
    control_advance(f->control);
}

int dial(struct fixture *f)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    strcpy(address.sun_path, f->socket_path);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

bool put(struct fixture *f, int fd, const char *bytes, size_t size)
{
    for (size_t sent = 0; sent < size;) {
        ssize_t some = send(fd, bytes + sent, size - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (some < 0 && errno != EAGAIN)
            return false;
        sent += some > 0 ? (size_t)some : 0;
        if (some < 0)
            turn(f);
    }
    return true;
}

void say(struct fixture *f, int fd, const char *line)
{
    assert_true(put(f, fd, line, strlen(line)));
    assert_true(put(f, fd, "\n", 1));
}

json_t *hear(struct fixture *f, int fd)
{
    size_t size = 0, cap = 1 << 16;
    char *line = malloc(cap);
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    for (;;) {
        ssize_t some = recv(fd, line + size, 1, MSG_DONTWAIT);
        if (some == 0 || (some < 0 && errno != EAGAIN)) {
            free(line);
            return NULL;
        }
        if (some < 0) {
            assert_true(poller_now_ns() < end_ns);
            turn(f);
            continue;
        }
        if (line[size++] == '\n')
            break;
        if (size == cap)
            line = realloc(line, cap *= 2);
    }
    json_t *reply = json_loadb(line, size, 0, NULL);
    free(line);
    assert_non_null(reply);
    assert_string_equal(json_string_value(json_object_get(reply, "jsonrpc")), "2.0");
    return reply;
}

json_t *ask(struct fixture *f, int fd, const char *line)
{
    say(f, fd, line);
    return hear(f, fd);
}

int code_of(json_t *reply)
{
    json_t *error = json_object_get(reply, "error");
    assert_true(json_is_string(json_object_get(error, "message")));
    assert_null(json_object_get(reply, "result"));
    int code = (int)json_integer_value(json_object_get(error, "code"));
    json_decref(reply);
    return code;
}

double time_of(json_t *reply)
{
    json_t *time_s = json_object_get(json_object_get(reply, "result"), "time_s");
    assert_true(json_is_number(time_s));
    double value = json_number_value(time_s);
    json_decref(reply);
    return value;
}

double signal_of(struct fixture *f, int fd, const char *line)
{
    json_t *reply = ask(f, fd, line);
    json_t *list = json_object_get(json_object_get(reply, "result"), "signals");
    assert_int_equal(json_array_size(list), 1);
    double value = json_number_value(json_object_get(json_array_get(list, 0), "value"));
    json_decref(reply);
    return value;
}
