/* Scenes of e-puck2s for end-to-end tests, on loopback addresses that only this test uses. The port
 * is 1000 if that is allowed, since every driver uses it; otherwise another port. */
#pragma once

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/epuck2_host.h"
#include "tests/support/stage.h"

/* 127.A.B.NUMBER: A and B depend on this process, so that parallel tests do not interfere. */
static inline const char *epuck2_address(int number, char text[32])
{
    unsigned pid = (unsigned)getpid();
    snprintf(text, 32, "127.%u.%u.%d", 1 + pid / 250 % 250, 1 + pid % 250, number);
    return text;
}

static inline unsigned epuck2_port(void)
{
    char text[32];
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(1000)};
    inet_pton(AF_INET, epuck2_address(250, text), &at.sin_addr);
    int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unsigned port = bind(probe, (struct sockaddr *)&at, sizeof at) == 0 ? 1000 : 21000;
    close(probe);
    return port;
}

/* COUNT robots e1, e2 ... in the middle of a room, apart from each other. LINK and OPTIONS are
 * added to those of the first. */
static inline void epuck2_scene(const struct stage *stage, int count, const char *link,
                                const char *options)
{
    char robots[4096] = "";
    size_t used = 0;
    for (int i = 1; i <= count; i++) {
        char address[32];
        used += (size_t)snprintf(robots + used, sizeof robots - used,
                                 "  - {name: e%d, type: epuck2, pose: {x: 5, y: %d, heading: 0}, "
                                 "links: [{tcp: \"%s:%u\"%s}], options: {%s}}\n",
                                 i, i, epuck2_address(i, address), epuck2_port(),
                                 i == 1 ? link : "", i == 1 ? options : "");
    }
    folder_write(&stage->folder, "epuck2.yaml", "world: {size: {x: 10, y: 10}}\nrobots:\n%s",
                 robots);
}

/* Writes the scene, starts it and waits until it is ready. */
static inline void epuck2_run(struct stage *stage, int count, const char *link, const char *options)
{
    epuck2_scene(stage, count, link, options);
    stage_start(stage, "epuck2.yaml", (const char *const[]){NULL});
    WAIT_UNTIL(program_has_said(&stage->ptybot, "\ncontrol ") ||
               !program_is_running(&stage->ptybot));
    assert_true(program_is_running(&stage->ptybot));
}

/* Connects to robot NUMBER. */
static inline void epuck2_connect(struct epuck2_host *host, int number)
{
    char address[32];
    epuck2_host_open(host, epuck2_address(number, address), epuck2_port());
}
