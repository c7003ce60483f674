#include "viewer/panel/signal_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const struct snapshot_signal *signal_of(const struct snapshot *snapshot, uint32_t number)
{
    return (const struct snapshot_signal *)snapshot_at(snapshot, snapshot->signals) + number;
}

/* ---- Numbers ---- */

/* Chosen: as precise as matters for the behavior of a robot. */
static const struct precision {
    const char *unit;
    int decimals;
} precisions[] = {{"m", 3},     {"m/s", 3}, {"deg", 2},   {"deg/s", 2}, {"rad", 3},
                  {"rad/s", 3}, {"mm", 1},  {"V", 3},     {"A", 3},     {"s", 3},
                  {"ms", 1},    {"%", 1},   {"m/s^2", 3}, {"C", 1},     {"Hz", 1}};

void signal_number_text(double value, const char *unit, char *text, size_t size)
{
    int decimals = fabs(value) < 10 ? 3 : 2;
    for (size_t i = 0; i < sizeof precisions / sizeof *precisions; i++)
        if (strcmp(precisions[i].unit, unit) == 0)
            decimals = precisions[i].decimals;
    if (value == floor(value) && fabs(value) < 1e9)
        decimals = 0;
    double parts = pow(10, decimals); // + 0: no minus before a zero
    if (!isfinite(value))
        snprintf(text, size, "\xe2\x80\x93%s%s", *unit ? " " : "", unit); // a dash
    else
        snprintf(text, size, "%.*f%s%s", decimals, round(value * parts) / parts + 0.0,
                 *unit ? " " : "", unit);
}

/* ---- Flags and states, from the note of their field ---- */

/* One piece of a note: `near left 0x01` is a bit, `2 full charging` is the name of a value. */
static void add_piece(const char *piece, size_t length, bool has_decimal_bits, double value,
                      char *names, size_t size)
{
    char word[64], *end;
    snprintf(word, sizeof word, "%.*s", (int)length, piece);
    char *last = strrchr(word, ' ');
    if (!last)
        return;
    unsigned long bit = strtoul(last + 1, &end, 0);
    bool is_bit = *end == '\0' && bit > 0 && (bit & (bit - 1)) == 0;
    if (is_bit && (has_decimal_bits || strncmp(last + 1, "0x", 2) == 0)) {
        if ((unsigned long)value & bit)
            text_add(names, size, ", ", "%.*s", (int)(last - word), word);
        return;
    }
    double number = strtod(word, &end);
    if (end > word && *end == ' ' && number == value)
        text_add(names, size, ", ", "%s", end + 1);
}

/* The names in a note for a value; "" if there are none. */
static void find_names(const char *note, double value, char *names, size_t size)
{
    const char *colon = strstr(note, ": ");
    bool has_decimal_bits = strstr(note, " 1, ") && strstr(note, " 2");
    *names = '\0';
    for (const char *at = colon ? colon + 2 : note; *at;) {
        size_t length = strcspn(at, ",;");
        add_piece(at, length, has_decimal_bits, value, names, size);
        at += length;
        at += strspn(at, ",; ");
    }
}

/* ---- All of it ---- */

void signal_text(const struct snapshot *snapshot, uint32_t number, double value, char *text,
                 size_t size)
{
    const struct snapshot_signal *signal = signal_of(snapshot, number);
    const char *unit = snapshot_text(snapshot, signal->unit);
    const char *name = snapshot_text(snapshot, signal->name);
    const char *word = signal->words ? snapshot_text(snapshot, signal->words) : "";
    char names[128] = "", turned[64];
    double turns = round(value / 360);
    for (double i = 0; i < value && *word; i++)
        word += strlen(word) + 1;
    if (value >= 0 && *word) {
        snprintf(text, size, "%s", word);
    } else if (strstr(name, "heading_deg") && isfinite(value) && turns != 0) {
        signal_number_text(value - 360 * turns, unit, turned, sizeof turned);
        snprintf(text, size, "%s %+.0f turn%s", turned, turns, fabs(turns) == 1 ? "" : "s");
    } else {
        signal_number_text(value, unit, text, size);
        if (!*unit && value >= 0 && value == floor(value) && value < 65536)
            find_names(snapshot_text(snapshot, signal->note), value, names, sizeof names);
        if (*names && strlen(text) + strlen(names) + 2 < size)
            strcat(strcat(text, " "), names);
    }
}
