/* An item of the list `robots` of a scene: type, pose, options and links. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "base/text.h"
#include "sim/parse/scene_keys.h"
#include "sim/parse/scene_parse.h"
#include "sim/scene/custom_robot.h"

/* ---- Links ---- */

static const char *const chunk_words[] = {"frame", "byte", "ftdi", NULL};
static const char *const baud_check_words[] = {"off", "warn", "strict", NULL};
static const char *const unread_words[] = {"drop", "wait", NULL};

static const struct option_row link_rows[] = {
    ROW_CHOICE("chunks", scene_link, chunks, chunk_words, "frame"),
    ROW_CHOICE("baud_check", scene_link, baud_check, baud_check_words, "warn"),
    ROW_CHOICE("unread", scene_link, unread, unread_words, "drop"),
};
#define LINK_PART(KIND, name, ...) {.key = #name, .kind = PART_OWN},
static const struct scene_part link_parts[] = {
    LINK_KINDS(LINK_PART, LINK_PART){.key = "channel", .kind = PART_OWN},
};
static const struct scene_spec link_spec = {SCENE_ROWS(link_rows), SCENE_PARTS(link_parts)};

/* Finds the key of a link that names its kind. */
static bool link_kind(struct scene_yaml *yaml, const struct scene_at *at, struct scene_link *link,
                      struct scene_at *address)
{
    *address = (struct scene_at){.parent = at};
    for (enum link_kind kind = 0; kind < LINK_KIND_COUNT; kind++) {
        const char *name = link_kinds[kind].name;
        if (!scene_yaml_has(yaml, at, name))
            continue;
        if (address->node != 0)
            return scene_yaml_fail(yaml, at, "has both %s and %s; allowed: one of " LINK_KIND_NAMES,
                                   address->key, name);
        *address = scene_yaml_child(yaml, at, name);
        link->kind = kind;
    }
    return address->node != 0 ||
           scene_yaml_fail(yaml, at, "has no transport; allowed: one of " LINK_KIND_NAMES);
}

static bool is_server(const struct channel_spec *channel)
{
    return channel->kind == CHANNEL_TCP_SERVER;
}

/* Whether the channel of a link allows its kind. If not, ERROR lists the allowed kinds. */
static bool scene_robot_link_fits(const struct scene_robot *robot, const struct scene_link *link,
                                  struct error *error)
{
    const struct channel_spec *channel = &robot->type->channels[link->channel];
    char address[LINK_ADDRESS_MAX], allowed[TEXT_ADVICE_SIZE] = "";
    if (link_kind_fits(link->kind, is_server(channel)))
        return true;
    for (enum link_kind kind = 0; kind < LINK_KIND_COUNT; kind++) {
        const struct link_kind_row *row = &link_kinds[kind];
        if (!link_kind_fits(kind, true))
            continue;
        link_address_default(kind, robot->name, channel->tcp_port, address);
        text_add(allowed, sizeof allowed, ", or ", "%s%s%s: \"%s\"",
                 row->syntax->host ? row->name : "", row->syntax->host ? ": auto, or " : "",
                 row->name, address);
    }
    return error_set(error, "channel %s of a %s is a TCP server; allowed: %s", channel->name,
                     robot->type->name, allowed);
}

static bool link_address(struct scene_yaml *yaml, const struct scene_at *at,
                         const struct scene_robot *robot, struct scene_link *link)
{
    struct scene_at child;
    const char *text;
    if (!link_kind(yaml, at, link, &child) ||
        !scene_yaml_text(yaml, &child, link_kinds[link->kind].syntax->allowed, &text))
        return false;
    const char *problem = link_address_set(link->kind, text, link->address);
    if (problem)
        return scene_yaml_fail(yaml, &child, "'%s' %s", TEXT_QUOTE(text), problem);
    link->place = scene_yaml_place(yaml, &child);
    struct error misfit;
    return scene_robot_link_fits(robot, link, &misfit) ||
           scene_yaml_fail(yaml, &child, "%s", misfit.text);
}

/* Finds the channel that the link names, or the first one. A channel can have only one link. */
static bool link_channel(struct scene_yaml *yaml, const struct scene_at *at,
                         const struct scene_robot *robot, struct scene_link *link)
{
    const struct robot_type *type = robot->type;
    const struct scene_at child = scene_yaml_child(yaml, at, "channel");
    link->channel = 0;
    if (child.node != 0) {
        const char *words[ROBOT_CHANNELS_MAX + 1] = {NULL};
        const char *text;
        for (size_t i = 0; i < type->channel_count; i++)
            words[i] = type->channels[i].name;
        if (!scene_yaml_text(yaml, &child, "a channel of the robot", &text))
            return false;
        while (words[link->channel] && strcmp(words[link->channel], text) != 0)
            link->channel++;
        if (!words[link->channel]) {
            return scene_yaml_fail(yaml, &child, "'%s' is not a channel of a %s; %s",
                                   TEXT_QUOTE(text), type->name, TEXT_ADVICE(words, text));
        }
    }
    for (size_t i = 0; i < robot->link_count; i++) {
        if (robot->links[i].channel == link->channel)
            return scene_yaml_fail(
                yaml, at,
                "channel %s has a link already, links[%zu]; allowed: one link per channel",
                type->channels[link->channel].name, i);
    }
    return true;
}

static bool robot_links(struct scene_yaml *yaml, const struct scene_at *at,
                        struct scene_robot *robot)
{
    const struct scene_at list = scene_yaml_child(yaml, at, "links");
    size_t count;
    if (list.node == 0) {
        scene_robot_default_link(robot);
        return true;
    }
    if (!scene_yaml_list(yaml, &list, "a list such as [{pty: kobuki}]", &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct scene_at child = scene_yaml_item(yaml, &list, i);
        struct scene_link link = {0};
        if (!scene_yaml_fill(yaml, &child, &link_spec, &link) ||
            !link_channel(yaml, &child, robot, &link) || !link_address(yaml, &child, robot, &link))
            return false;
        assert(robot->link_count < ROBOT_CHANNELS_MAX); /* no channel comes twice */
        robot->links[robot->link_count++] = link;
    }
    return true;
}

void scene_robot_default_link(struct scene_robot *robot)
{
    const struct channel_spec *channel = &robot->type->channels[0];
    struct scene_link *link = &robot->links[0];
    *link = (struct scene_link){.is_default = true, .place = robot->name_place};
    option_defaults(link_rows, COUNT(link_rows), link);
    link->kind = link_kind_default(is_server(channel));
    link_address_default(link->kind, robot->name, channel->tcp_port, link->address);
    robot->link_count = 1;
}

/* ---- A link from outside: ROBOT[.CHANNEL]=[TRANSPORT:]ADDRESS ---- */

/* The index of the channel with that name; "": the channel of the only link, or the first one. */
static bool find_channel(const struct scene_robot *robot, const char *name, unsigned *channel,
                         struct error *error)
{
    const struct robot_type *type = robot->type;
    const char *words[ROBOT_CHANNELS_MAX + 1] = {NULL};
    bool is_found = !*name;
    *channel = robot->link_count == 1 ? robot->links[0].channel : 0;
    for (unsigned i = 0; i < type->channel_count; i++) {
        words[i] = type->channels[i].name;
        if (strcmp(words[i], name) != 0)
            continue;
        *channel = i;
        is_found = true;
    }
    if (is_found)
        return true;
    return error_set(error, "%s: '%s' is not a channel of a %s; %s", robot->name, TEXT_QUOTE(name),
                     type->name, TEXT_ADVICE(words, name));
}

/* The link of a channel, or an unused entry for a new one. */
static struct scene_link *link_of(struct scene_robot *robot, unsigned channel)
{
    for (size_t i = 0; i < robot->link_count; i++)
        if (robot->links[i].channel == channel)
            return &robot->links[i];
    assert(robot->link_count < ROBOT_CHANNELS_MAX); /* no channel comes twice */
    struct scene_link *link = &robot->links[robot->link_count];
    *link = (struct scene_link){.channel = channel, .place = robot->name_place};
    option_defaults(link_rows, COUNT(link_rows), link);
    return link;
}

/* Whether the word before the colon of TEXT is a misspelled transport, which ERROR reports. */
static bool fail_transport(const char *robot, const char *text, struct error *error)
{
    const char *names[LINK_KIND_COUNT + 1] = {NULL};
    char word[TEXT_QUOTE_SIZE];
    for (enum link_kind kind = 0; kind < LINK_KIND_COUNT; kind++)
        names[kind] = link_kinds[kind].name;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, ":"), text);
    const char *near = strchr(text, ':') ? text_nearest(names, word) : NULL;
    return near && !error_set(error, "%s: '%s' is not a transport%s", robot, TEXT_QUOTE(word),
                              TEXT_MEANT(near, "allowed: " LINK_KIND_NAMES));
}

bool scene_link_set(struct scene *scene, const char *assignment, struct error *error)
{
    char name[2 * TEXT_QUOTE_SIZE];
    const char *equals = strchr(assignment, '=');
    if (!equals)
        return error_set(error, "'%s' is not a link; allowed: ROBOT[.CHANNEL]=[TRANSPORT:]ADDRESS",
                         TEXT_QUOTE(assignment));
    snprintf(name, sizeof name, "%.*s", (int)(equals - assignment), assignment);
    char *dot = strchr(name, '.');
    if (dot)
        *dot++ = '\0';
    struct scene_robot *robot = scene_find_robot(scene, name, error);
    unsigned channel;
    if (!robot || !find_channel(robot, dot ? dot : "", &channel, error))
        return false;
    struct scene_link *old = link_of(robot, channel), link = *old;
    const char *address;
    link.kind = link_kind_split(equals + 1, &address);
    link.is_default = false;
    const char *problem = link_address_set(link.kind, address, link.address);
    if (problem && address == equals + 1 && fail_transport(name, address, error))
        return false;
    if (problem)
        return error_set(error, "%s: '%s' %s", name, TEXT_QUOTE(address), problem);
    if (!scene_robot_link_fits(robot, &link, error))
        return error_prefix(error, "%s: ", name);
    robot->link_count += old == &robot->links[robot->link_count];
    *old = link;
    return true;
}

/* ---- Mounts ---- */

static const char *const power_words[] = {"carrier", "own", NULL};

/* chosen: no robot here that carries another one is larger */
#define REACH_M 2.0

static const struct option_row mount_rows[] = {
    ROW_TEXT("on", scene_mount, on, NULL),
    ROW_NUMBER("x", scene_mount, pose.x_m, "m", -REACH_M, REACH_M, "0"),
    ROW_NUMBER("y", scene_mount, pose.y_m, "m", -REACH_M, REACH_M, "0"),
    ROW_NUMBER("z", scene_mount, z_m, "m", 0, REACH_M, "0"),
    ROW_SCALED("heading", scene_mount, pose.heading_rad, "degrees", ANGLE_RAD_DEG, -360, 360, "0"),
    ROW_CHOICE("power", scene_mount, power, power_words, "carrier"),
};
const struct scene_spec scene_mount_spec = {SCENE_ROWS(mount_rows)};

/* ---- Type and options ---- */

static bool robot_type(struct scene_yaml *yaml, const struct scene_at *at,
                       struct scene_robot *robot)
{
    char advice[TEXT_ADVICE_SIZE];
    const char *text;
    const struct scene *scene = scene_yaml_root(yaml);
    const struct scene_at child = scene_yaml_child(yaml, at, "type");
    if (child.node == 0) {
        scene_robot_type("", scene, advice, sizeof advice);
        return scene_yaml_fail(yaml, &child, "missing; %s", advice);
    }
    if (!scene_yaml_text(yaml, &child, "the name of a robot type", &text))
        return false;
    robot->type = scene_robot_type(text, scene, advice, sizeof advice);
    return robot->type ||
           scene_yaml_fail(yaml, &child, "no robot type '%s'; %s", TEXT_QUOTE(text), advice);
}

static bool robot_options(struct scene_yaml *yaml, const struct scene_at *at,
                          struct scene_robot *robot)
{
    const struct robot_type *type = robot->type;
    const struct scene_spec spec = {.rows = type->options, .row_count = type->option_count};
    const struct scene_at child = scene_yaml_child(yaml, at, "options");
    assert(type->options_size <= sizeof robot->options);
    if (child.node != 0)
        return scene_yaml_fill(yaml, &child, &spec, robot->options);
    option_defaults(type->options, type->option_count, robot->options);
    for (size_t i = 0; i < type->option_count; i++) {
        if (!type->options[i].fallback)
            return scene_yaml_fail(yaml, &child, "missing; a %s needs %s", type->name,
                                   type->options[i].key);
    }
    return true;
}

/* ---- Storage ---- */

static bool robot_storage(struct scene_yaml *yaml, const struct scene_at *at,
                          struct scene_robot *robot)
{
    const struct scene_at child = scene_yaml_child(yaml, at, "storage");
    if (child.node == 0)
        return true;
    robot->storage_place = scene_yaml_place(yaml, &child);
    if (robot->type->storage_offset == SIZE_MAX)
        return scene_yaml_fail(yaml, &child, "a %s has no persistent memory; leave the key out",
                               robot->type->name);
    if (robot->storage[0] == '\0')
        return scene_yaml_fail(yaml, &child, "is empty; allowed: the path of a file");
    return true;
}

/* ---- The robot ---- */

static bool robot_name(struct scene_yaml *yaml, const struct scene_at *at,
                       struct scene_robot *robot)
{
    const struct scene_at child = scene_yaml_child(yaml, at, "name");
    robot->name_place = scene_yaml_place(yaml, &child);
    const char *name = robot->name;
    if (!scene_name_check(yaml, at, name, "a robot", " (label takes any text)"))
        return false;
    if (strcmp(name, "world") == 0)
        return scene_yaml_fail(
            yaml, &child,
            "'world' is reserved for the commands and signals of the world; choose another name");
    if (robot->label[0] == '\0')
        snprintf(robot->label, sizeof robot->label, "%s", name);
    return true;
}

static bool robot_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_robot *robot = out;
    const struct scene_at pose = scene_yaml_child(yaml, at, "pose");
    const struct scene_at mount = scene_yaml_child(yaml, at, "mount");
    robot->pose_place = scene_yaml_place(yaml, mount.node != 0 ? &mount : &pose);
    if (pose.node != 0 && mount.node != 0)
        return scene_yaml_fail(
            yaml, &mount, "the robot has both a mount and a pose; allowed: one of pose, mount");
    if (pose.node == 0 && mount.node == 0)
        return scene_yaml_fail(yaml, &pose, "missing; allowed: a mapping of x, y, heading");
    return robot_name(yaml, at, robot) && robot_type(yaml, at, robot) &&
           robot_storage(yaml, at, robot) && robot_options(yaml, at, robot) &&
           robot_links(yaml, at, robot);
}

static const char *const power_on_words[] = {
    [SCENE_POWER_ON_BEFORE] = "before", [SCENE_POWER_ON_AT_OPEN] = "at_open", NULL};
static const struct option_row robot_rows[] = {
    ROW_TEXT("name", scene_robot, name, NULL),
    ROW_TEXT("label", scene_robot, label, ""),
    ROW_TEXT("storage", scene_robot, storage, ""),
    ROW_CHOICE("power_on", scene_robot, power_on, power_on_words, "before"),
};
static const struct scene_part robot_parts[] = {
    {.key = "type", .kind = PART_OWN},
    SCENE_MAPPING("pose", scene_pose_spec, scene_robot, pose, false),
    SCENE_MAPPING("mount", scene_mount_spec, scene_robot, mount, false),
    {.key = "links", .kind = PART_OWN},
    {.key = "options", .kind = PART_OWN},
};
const struct scene_spec scene_robot_spec = {SCENE_ROWS(robot_rows), SCENE_PARTS(robot_parts),
                                            .finish = robot_finish};
