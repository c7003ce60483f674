#include "sim/state/watchers.h"

#include "sim/state/state.h"

void sim_watch(struct sim *sim, struct sim_watcher *watcher)
{
    watcher->next = sim->watchers;
    sim->watchers = watcher;
}

void sim_unwatch(struct sim *sim, struct sim_watcher *watcher)
{
    struct sim_watcher **at = &sim->watchers;
    while (*at && *at != watcher)
        at = &(*at)->next;
    if (*at)
        *at = watcher->next;
}
