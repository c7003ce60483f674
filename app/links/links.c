#include "app/links/links.h"

#include <stdlib.h>

#include "app/cli/terminal.h"
#include "app/links/link.h"
#include "pty/terminal/host_watch.h"

enum { READINGS = 4 };              /* chosen: largest number of readings per visit */
#define READINGS_US INT64_C(100000) /* chosen: as often as visits do in real time */

/* While all links have hosts, the watches only report that a host writes. Its bytes, which arrive a
 * moment later, wake the loop anyway. */
static void watch_hosts(struct links *links)
{
    bool is_wanted = links->run.awaited > 0;
    if (!links->run.watches || is_wanted == links->is_watching)
        return;
    links->is_watching = is_wanted;
    int fd = host_watches_fd(links->run.watches);
    if (is_wanted)
        poller_set(links->run.poller, fd, EPOLLIN, POLLER_LINK, links->room);
    else
        poller_drop(links->run.poller, fd);
}

/* Ptys share one descriptor: serving one pty may find events of another. */
static void serve_news(struct links *links, int64_t now_ns)
{
    for (size_t i = 0; i < links->count; i++)
        if (byte_link_has_news(links->items[i].byte_link))
            link_hear(&links->items[i], now_ns);
    watch_hosts(links);
}

void links_ready(struct links *links, size_t index, uint32_t events, int64_t now_ns)
{
    if (index == links->room)
        host_watches_take(links->run.watches);
    else if (events == EPOLLIN)
        link_hear(&links->items[index], now_ns);
    else
        link_serve(&links->items[index], false, now_ns);
    serve_news(links, now_ns);
}

void links_visit(struct links *links, int64_t now_ns)
{
    // A tenth each time, so that many links do not cause one long pause.
    size_t some = (links->count + 9) / 10;
    for (size_t i = 0; i < some; i++) {
        links->next_visit = (links->next_visit + 1) % links->count;
        link_serve(&links->items[links->next_visit], false, now_ns);
        // This costs more than the rest. With very many links, each visit notes only some of them.
        if (i < READINGS)
            link_note_reading(&links->items[links->next_visit]);
    }
    serve_news(links, now_ns);
}

void links_visit_all(struct links *links, int64_t now_ns)
{
    for (size_t i = 0; i < links->count; i++)
        link_serve(&links->items[i], false, now_ns);
    watch_hosts(links);
}

void links_look(struct links *links, size_t index, bool has_bytes, int64_t now_ns)
{
    link_serve(&links->items[index], has_bytes, now_ns);
    watch_hosts(links);
}

void links_after_step(struct links *links, int64_t now_ns)
{
    for (size_t i = 0; i < links->count; i++)
        link_after_step(&links->items[i], now_ns);
    watch_hosts(links);
}

uint64_t links_traffic(const struct links *links)
{
    return links->run.traffic;
}

void links_deliver(struct links *links, const pid_t *hosts, size_t count)
{
    for (size_t i = 0; i < links->count; i++) {
        struct link *link = &links->items[i];
        if (link->is_undelivered)
            byte_link_deliver(link->byte_link, hosts, count);
        link->is_undelivered = false;
    }
}

void links_note_readings(struct links *links)
{
    int64_t now_us = sim_now_us(links->run.sim);
    if (now_us < links->readings_us)
        return;
    links->readings_us = now_us + READINGS_US;
    for (size_t i = 0; i < links->count; i++)
        link_note_reading(&links->items[i]);
}

/* ---- Opening and closing ---- */

static bool open_all(struct links *links, const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->robot_count; i++) {
        const struct scene_robot *robot = &scene->robots[i];
        for (size_t j = 0; j < robot->link_count; j++) {
            struct link *link = &links->items[links->count];
            *link = (struct link){.run = &links->run, .index = links->count};
            if (!link_open(link, robot, i, &robot->links[j], error))
                return false;
            links->count++;
        }
    }
    return true;
}

struct links *links_open(const struct scene *scene, struct sim *sim, struct live *live,
                         struct poller *poller, const char *ports, int *code, struct error *error)
{
    size_t channels = sim_channel_count(sim);
    struct links *links = calloc(1, sizeof *links + channels * sizeof *links->items);
    *code = EXIT_CODE_ENVIRONMENT;
    if (!links)
        return error_null(error_set(error, "not enough memory for %zu links", channels));
    links->run = (struct link_run){.sim = sim, .live = live, .poller = poller, .ports = ports};
    links->room = channels;
    // One inotify instance for all ptys. If the system has none left, the links report it when they
    // open.
    links->run.watches = host_watches_create();
    bool is_open = open_all(links, scene, error);
    watch_hosts(links);
    if (is_open)
        return links;
    *code = error->is_environment ? EXIT_CODE_ENVIRONMENT : EXIT_CODE_USAGE;
    links_close(links);
    return NULL;
}

void links_close(struct links *links)
{
    if (!links)
        return;
    for (size_t i = 0; i < links->count; i++)
        link_close(&links->items[i]);
    host_watches_drop(links->run.watches);
    free(links);
}
