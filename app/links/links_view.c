#include "app/links/links_view.h"

#include <string.h>

#include "app/links/link.h"

size_t links_count(const struct links *links)
{
    return links->count;
}

bool links_view(const struct links *links, size_t index, struct links_view *view)
{
    if (index >= links->count)
        return false;
    const struct link *link = &links->items[index];
    const struct byte_link_stats *stats = byte_link_stats(link->byte_link);
    *view = (struct links_view){
        .name = link->notices.name,
        .channel = link->channel,
        .kind = &link_kinds[link->kind],
        .place = byte_link_name(link->byte_link),
        .is_plugged = byte_link_is_plugged(link->byte_link),
        .is_host = byte_link_host_present(link->byte_link),
        .baud = sim_channel_baud(links->run.sim, link->channel),
        .host_baud = byte_link_host_settings(link->byte_link).baud,
        .received = link->received,
        .written = link->written,
        .taken = stats->frames_written,
        .dropped = stats->frames_dropped,
        .hosts = stats->hosts_seen,
        .is_full = link->is_full,
        .reading = &link->reading,
        .serial = link->is_serial_checked ? &link->serial : NULL,
    };
    return true;
}

size_t links_find(const struct links *links, const char *name)
{
    for (size_t i = 0; i < links->count; i++)
        if (strcmp(links->items[i].notices.name, name) == 0)
            return i;
    return SIZE_MAX;
}
