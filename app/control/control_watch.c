/* What one client of the control socket watches. */
#include "app/control/control_watch.h"

#include <stdlib.h>

#include "app/control/rpc.h"

void control_watch_set(struct control_watch *watch, size_t *wanted, size_t count, int64_t every_us,
                       int64_t now_us)
{
    control_watch_drop(watch);
    *watch = (struct control_watch){
        .wanted = wanted,
        .count = count,
        .every_us = every_us,
        .next_us = now_us + every_us,
    };
}

void control_watch_drop(struct control_watch *watch)
{
    free(watch->wanted);
    *watch = (struct control_watch){0};
}

bool control_watch_is_due(struct control_watch *watch, int64_t now_us)
{
    if (!watch->wanted || now_us < watch->next_us)
        return false;
    watch->next_us += watch->every_us;
    return true;
}

char *control_watch_line(const struct control_watch *watch, const struct sim *sim)
{
    json_t *values = json_object();
    for (size_t i = 0; i < watch->count; i++)
        json_object_set_new(values, sim_signal_info(sim, watch->wanted[i])->name,
                            rpc_number(sim_signal_value(sim, watch->wanted[i])));
    return rpc_notification(
        "watch", json_pack("{s:o, s:I, s:o}", "time_s", rpc_number((double)sim_now_us(sim) * 1e-6),
                           "dropped", (json_int_t)watch->dropped, "values", values));
}
