#include "viewer/model/fault_menu.h"

#include <stdio.h>
#include <string.h>

enum { CHOICES_MAX = 6, WORD_MAX = 16 };

/* Chosen: values that differ in what a driver meets. The first is the one to begin with; an
 * argument that may be left out has "", as ptybot has it, before them. */
static const struct key {
    const char *name, *unit;
    const char *values[CHOICES_MAX];
} keys[FAULT_MENU_KEYS] = {
    {"rate", "", {"0.05", "0.01", "0.001", "1", "0.2"}},
    {"for", "s", {"5", "30", "1", "0.2"}},
    {"direction", "", {"to_host", "to_robot"}},
    {"unit", "", {"frame"}},
    {"ms", "ms", {"5", "50", "200", "1000"}},
    {"bytes", "", {"64", "256"}},
    {"baud", "bit/s", {"9600", "57600", "115200", "230400"}},
    {"grip", "", {"0.01", "0.3", "0.6"}},
    {"deg_s", "\xc2\xb0/s", {"1", "5", "20", "-5"}},
    {"v", "V", {"0"}},
    {"factor", "\xc3\x97", {"10", "100", "1000"}},
};

void fault_menu_clear(struct fault_menu *menu)
{
    *menu = (struct fault_menu){.part = UINT32_MAX, .kind = UINT32_MAX};
}

/* The words of "rate= [for=] [direction=]": the next one as a key, and whether it must be given. */
static bool next_key(const char **text, uint32_t *key, bool *is_needed)
{
    char word[WORD_MAX];
    int used = 0;
    while (sscanf(*text, " %15s%n", word, &used) == 1) {
        *text += used;
        *is_needed = word[0] != '[';
        const char *name = word + !*is_needed;
        size_t length = strcspn(name, "=");
        for (*key = 0; *key < FAULT_MENU_KEYS; ++*key)
            if (strncmp(keys[*key].name, name, length) == 0 && !keys[*key].name[length])
                return true;
    }
    return false;
}

static size_t count_of(const struct key *key)
{
    size_t count = 0;
    while (count < CHOICES_MAX && key->values[count])
        count++;
    return count;
}

static const char *value_of(const struct key *key, uint8_t choice, bool is_needed)
{
    size_t number = choice % (count_of(key) + !is_needed);
    return is_needed ? key->values[number] : number == 0 ? "" : key->values[number - 1];
}

size_t fault_menu_arguments(const struct fault_menu *menu, const struct snapshot *snapshot,
                            uint32_t kind, struct fault_argument list[FAULT_MENU_KEYS])
{
    const struct snapshot_fault_kind *kinds = snapshot_at(snapshot, snapshot->fault_kinds);
    const char *text = snapshot_text(snapshot, kinds[kind].arguments);
    size_t count = 0;
    uint32_t key;
    bool is_needed;
    while (count < FAULT_MENU_KEYS && next_key(&text, &key, &is_needed)) {
        const char *value = *menu->typed[key] ? menu->typed[key]
                                              : value_of(&keys[key], menu->choice[key], is_needed);
        size_t used = 0;
        struct fault_argument *argument = &list[count++];
        *argument = (struct fault_argument){.key = key, .name = keys[key].name, .value = value};
        if (*value)
            snprintf(argument->shown, sizeof argument->shown, "%s%s%s", value,
                     *keys[key].unit ? " " : "", keys[key].unit);
        else
            snprintf(argument->shown, sizeof argument->shown, "%s",
                     strcmp(keys[key].name, "for") == 0 ? "until healed" : "as usual");
        for (size_t i = 0; i < count_of(&keys[key]); i++)
            used += (size_t)snprintf(argument->choices + used, sizeof argument->choices - used,
                                     "%s%s", i > 0 ? " " : "", keys[key].values[i]);
    }
    return count;
}

void fault_menu_next(struct fault_menu *menu, uint32_t key)
{
    if (key >= FAULT_MENU_KEYS)
        return;
    menu->choice[key]++;
    *menu->typed[key] = '\0';
}

void fault_menu_type(struct fault_menu *menu, uint32_t key, const char *text)
{
    if (key < FAULT_MENU_KEYS)
        snprintf(menu->typed[key], sizeof menu->typed[key], "%s", text);
}

bool fault_menu_command(const struct fault_menu *menu, const struct snapshot *snapshot,
                        const struct snapshot_robot *robot, char *command, char *inverse,
                        size_t size)
{
    const struct snapshot_fault_kind *kinds = snapshot_at(snapshot, snapshot->fault_kinds);
    const struct snapshot_fault_part *parts = snapshot_at(snapshot, robot->parts);
    struct fault_argument list[FAULT_MENU_KEYS];
    if (menu->part >= robot->parts.count || menu->kind >= snapshot->fault_kinds.count)
        return false;
    const char *part = snapshot_text(snapshot, parts[menu->part].name);
    size_t used = (size_t)snprintf(command, size, "%s.fault %s=%s", robot->name, part,
                                   snapshot_text(snapshot, kinds[menu->kind].name));
    size_t count = fault_menu_arguments(menu, snapshot, menu->kind, list);
    for (size_t i = 0; i < count && used < size; i++)
        if (*list[i].value)
            used += (size_t)snprintf(command + used, size - used, " %s=%s", list[i].name,
                                     list[i].value);
    snprintf(inverse, size, "%s.fault %s=none", robot->name, part);
    return true;
}
