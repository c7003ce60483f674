#include "viewer/model/fault_menu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { WORD_MAX = 16 };

/* Chosen: useful ranges within those of sim/commands/fault_commands.c, the initial value, and the
 * exponent that gives small numbers a finer scale. */
static const struct fault_key keys[FAULT_MENU_KEYS] = {
    {"rate", "", 0, 1, 3, "0.05", "always", ""},
    {"for", "s", 0, 60, 2, "5", "until healed", ""}, // words: off note-start
    {"direction", "", 0, 0, 0, "both", "both", "both to_host to_robot"},
    {"unit", "", 0, 0, 0, "byte", "byte", "byte frame"},
    {"ms", "ms", 0, 1000, 2, "50", "default", ""},
    {"bytes", "", 1, 1000, 2, "64", "16", ""},
    {"baud", "bit/s", 0, 0, 0, "9600", "", "9600 57600 115200 230400"},
    {"grip", "", 0.01, 1, 1, "0.1", "0.1", ""},
    {"deg_s", "\xc2\xb0/s", -30, 30, 1, "5", "", ""},
    {"v", "V", 0, 30, 1, "0", "3 % charge", ""},
    {"factor", "\xc3\x97", 1, 1000, 3, "10", "", ""},
    {"count", "", 0, 100, 2, "1", "all", ""},
};

void fault_menu_clear(struct fault_menu *menu)
{
    *menu = (struct fault_menu){.part = UINT32_MAX, .kind = UINT32_MAX};
}

/* Reads the next word of "rate= [for=] [direction=]": its key, and whether it is required. */
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

/* The position of an argument's value, or of its initial value, on its slider or among its
 * words. */
static double part_of(const struct fault_key *key, const char *value)
{
    double number = strtod(*value ? value : key->first, NULL);
    double part = key->high > key->low ? (number - key->low) / (key->high - key->low) : 0;
    return pow(fmax(0, fmin(1, part)), key->power > 0 ? 1 / key->power : 1);
}

size_t fault_menu_arguments(const struct fault_menu *menu, const struct snapshot *snapshot,
                            uint32_t kind, struct fault_argument list[FAULT_MENU_KEYS])
{
    const struct snapshot_fault_kind *kinds = snapshot_at(snapshot, snapshot->fault_kinds);
    const char *text = snapshot_text(snapshot, kinds[kind].arguments);
    size_t count = 0;
    uint32_t number;
    bool is_needed;
    while (count < FAULT_MENU_KEYS && next_key(&text, &number, &is_needed)) {
        const struct fault_key *key = &keys[number];
        const char *value = menu->value[number];
        if (is_needed && !*value)
            value = key->first;
        list[count++] = (struct fault_argument){key, number, value, strtod(key->first, NULL) > 0,
                                                part_of(key, value)};
    }
    return count;
}

void fault_menu_set(struct fault_menu *menu, uint32_t key, const char *text)
{
    if (key < FAULT_MENU_KEYS)
        snprintf(menu->value[key], sizeof menu->value[key], "%s", text);
}

void fault_menu_slide(struct fault_menu *menu, uint32_t number, uint32_t step)
{
    char text[FAULT_MENU_VALUE_MAX];
    if (number >= FAULT_MENU_KEYS)
        return;
    const struct fault_key *key = &keys[number];
    const char *word = key->words;
    for (uint32_t i = 0; *word && i < step; i++)
        word += strcspn(word, " ") + (word[strcspn(word, " ")] == ' ');
    double part = pow((double)step / FAULT_MENU_STEPS, key->power);
    double value = key->low + fmin(part, 1) * (key->high - key->low);
    if (*key->words)
        snprintf(text, sizeof text, "%.*s", (int)strcspn(word, " "), word);
    else if (strcmp(key->name, "bytes") == 0 || strcmp(key->name, "count") == 0 ||
             fabs(value) >= 100)
        snprintf(text, sizeof text, "%.0f", value);
    else
        snprintf(text, sizeof text, "%.2g", value);
    fault_menu_set(menu, number, text);
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
    snprintf(command, size, "%s.fault %s=%s", robot->name, part,
             snapshot_text(snapshot, kinds[menu->kind].name));
    size_t count = fault_menu_arguments(menu, snapshot, menu->kind, list);
    for (size_t i = 0; i < count; i++)
        if (*list[i].value)
            text_add(command, size, " ", "%s=%s", list[i].key->name, list[i].value);
    snprintf(inverse, size, "%s.fault %s=none", robot->name, part);
    return true;
}
