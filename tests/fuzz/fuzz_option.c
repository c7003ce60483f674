/* Fuzz body of option_set: byte 0 chooses the row, the rest is the text. An accepted value is
 * inside its range. A rejected value changes nothing except the error. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct settings {
    double bounded, free;
    int64_t port, count;
    bool flag;
    double angle;
    uint32_t color;
    uint16_t small, small_guard;
    int32_t choice;
    char text[16];
    uint8_t guard; /* after the text: never written */
};

static const char *const words[] = {"1.0.0", "1.2.0", "accept", "ignore", NULL};

#define MEMBER(name) .key = #name, .offset = offsetof(struct settings, name)

static const struct option_row rows[] = {
    {MEMBER(bounded), .type = OPTION_NUMBER, .unit = "V", .min = 9.6, .max = 16.8},
    {MEMBER(free), .type = OPTION_NUMBER, .unit = "deg", .scale = 0.017453292519943295},
    {MEMBER(port), .type = OPTION_INTEGER, .unit = "", .min = 1, .max = 65535},
    {MEMBER(count), .type = OPTION_INTEGER, .unit = "ticks"},
    {MEMBER(flag), .type = OPTION_BOOL},
    {MEMBER(choice), .type = OPTION_CHOICE, .choices = words},
    {MEMBER(angle), .type = OPTION_ANGLE, .unit = "deg", .scale = 0.017453292519943295},
    {MEMBER(color), .type = OPTION_COLOR},
    {MEMBER(small), .type = OPTION_INTEGER, .size = 2, .unit = "", .max = 4096},
    {MEMBER(text), .type = OPTION_TEXT, .size = sizeof((struct settings *)0)->text},
};

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "option_set: %s\n", what);
        abort();
    }
}

static void check_taken(const struct settings *settings)
{
    require(settings->bounded == 0 || (settings->bounded >= 9.6 && settings->bounded <= 16.8),
            "a number out of its range");
    require(isfinite(settings->free), "a number that is none");
    require(settings->port >= 0 && settings->port <= 65535, "an integer out of its range");
    require(llabs(settings->count) <= 9007199254740992, "an integer that no double holds");
    require(settings->choice >= 0 && settings->choice < 4, "a choice that is none");
    require(memchr(settings->text, '\0', sizeof settings->text) != NULL, "a text without end");
    require(isfinite(settings->angle), "an angle that is none");
    require(settings->small <= 4096 && settings->small_guard == 0, "a small one too large");
    require(settings->guard == 0, "a byte behind the text");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    const struct option_row *row = &rows[data[0] % (sizeof rows / sizeof rows[0])];
    char *text = malloc(size);
    require(text != NULL, "no memory");
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';

    struct settings settings = {0};
    const struct settings untouched = {0};
    struct error error = {0};
    if (option_set(row, text, &settings, &error)) {
        check_taken(&settings);
    } else {
        require(memcmp(&settings, &untouched, sizeof settings) == 0, "a trace of a refused text");
        require(strncmp(error.text, row->key, strlen(row->key)) == 0, "an error without its key");
        require(strpbrk(error.text, "\n\r\t\x1b") == NULL, "an error that spoils the line");
    }
    option_nearest(rows, sizeof rows / sizeof rows[0], text);
    free(text);
    return 0;
}
