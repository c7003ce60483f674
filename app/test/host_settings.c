/* The environment of a test's host. */
#include "app/test/host_settings.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 256 };

static bool add(char **settings, size_t *count, const char *name, const char *value)
{
    size_t size = strlen(name) + strlen(value) + 2;
    char *text = malloc(size);
    if (!text)
        return false;
    snprintf(text, size, "%s=%s", name, value);
    settings[(*count)++] = text;
    return true;
}

static void name_port(const char *robot, const char *channel, char name[NAME_SIZE])
{
    int wrote = snprintf(name, NAME_SIZE, "PTYBOT_PORT_%s%s%s", robot, channel ? "_" : "",
                         channel ? channel : "");
    for (int i = 0; i < wrote && i < NAME_SIZE; i++)
        name[i] = (char)toupper((unsigned char)name[i]);
}

/* Adds the ports: those of channels first, so that those of robots, which follow, win. */
static bool add_ports(char **settings, size_t *count, const struct sim *sim,
                      const struct links *links, bool is_of_robots)
{
    size_t last_robot = SIZE_MAX;
    for (size_t i = 0; i < links_count(links); i++) {
        struct links_view view;
        unsigned channel;
        char name[NAME_SIZE];
        links_view(links, i, &view);
        size_t robot = sim_channel_robot(sim, view.channel, &channel);
        bool is_first = robot != last_robot;
        last_robot = robot;
        if (strcmp(view.kind, "uart") == 0 || (is_of_robots && !is_first))
            continue;
        name_port(sim_robot_name(sim, robot),
                  is_of_robots ? NULL : sim_robot_type(sim, robot)->channels[channel].name, name);
        if (!add(settings, count, name, view.place))
            return false;
    }
    return true;
}

char **host_settings(const struct sim *sim, const struct links *links, const char *control)
{
    size_t count = 0;
    char **settings = calloc(2 * links_count(links) + 2, sizeof *settings);
    if (settings && add(settings, &count, "PTYBOT_CONTROL", control) &&
        add_ports(settings, &count, sim, links, false) &&
        add_ports(settings, &count, sim, links, true))
        return settings;
    host_settings_free(settings);
    return NULL;
}

void host_settings_free(char **settings)
{
    for (size_t i = 0; settings && settings[i]; i++)
        free(settings[i]);
    free(settings);
}
