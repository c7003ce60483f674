/* Reads and updates golden files. Does not decode the frames: the robot type's walk does that. */
#define _GNU_SOURCE
#include "tests/support/golden.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/describe.h"
#include "tests/places.h"

enum { GOLDEN_TEXT_MAX = 16384 };

static void *golden_grow(void *memory, size_t size)
{
    void *grown = realloc(memory, size ? size : 1);
    if (!grown) {
        perror("golden");
        exit(3);
    }
    return grown;
}

char **golden_paths(const struct robot_type *type)
{
    char pattern[512];
    glob_t found = {0};
    snprintf(pattern, sizeof pattern, "%s/tests/wire/%s/*.txt", PTYBOT_SOURCE_DIR, type->name);
    size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    char **paths = golden_grow(NULL, (count + 1) * sizeof *paths);
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(found.gl_pathv[i]) + 1;
        paths[i] = memcpy(golden_grow(NULL, size), found.gl_pathv[i], size);
    }
    paths[count] = NULL;
    globfree(&found);
    return paths;
}

void golden_paths_free(char **paths)
{
    for (size_t i = 0; paths[i]; i++)
        free(paths[i]);
    free(paths);
}

void golden_free(struct golden_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        free(file->frames[i].bytes);
        free(file->frames[i].expected);
    }
    free(file->frames);
    *file = (struct golden_file){0};
}

/* ---- Lines. Each function returns an error message about its line, or NULL. ---- */

static const char *golden_hex(struct golden_frame *frame, const char *text, int line)
{
    while (*text && *text != '#') {
        if (isspace((unsigned char)*text)) {
            text++;
            continue;
        }
        unsigned byte;
        int used = 0;
        if (sscanf(text, "%2x%n", &byte, &used) != 1 || used != 2 ||
            (text[2] && !isspace((unsigned char)text[2])))
            return "bytes are pairs of hexadecimal digits with a blank between them";
        frame->bytes = golden_grow(frame->bytes, frame->size + 1);
        frame->bytes[frame->size++] = (uint8_t)byte;
        text += 2;
    }
    frame->last_line = line;
    return NULL;
}

static const char *golden_start(const struct robot_type *type, struct golden_file *file,
                                const char *text, int line)
{
    char direction[16];
    char channel[32];
    char promised[32] = "";
    int used = 0;
    sscanf(text, "%15[a-z_] %31[a-z0-9_]:%n", direction, channel, &used);
    if (used == 0)
        sscanf(text, "%15[a-z_] %31[a-z0-9_] %31[a-z0-9_]:%n", direction, channel, promised, &used);
    if (used == 0)
        return "expected `to_robot CHANNEL: bytes` or `to_host CHANNEL [PACKET]: bytes`";
    struct golden_frame frame = {.first_line = line};
    for (size_t i = 0; promised[0] && type->packets[i]; i++)
        if (strcmp(type->packets[i]->name, promised) == 0)
            frame.promised = (uint16_t)(type->packets[i]->id + 1);
    if (promised[0] && frame.promised == 0)
        return "the robot has no such packet";
    if (strcmp(direction, "to_robot") == 0)
        frame.direction = WIRE_TO_ROBOT;
    else if (strcmp(direction, "to_host") == 0)
        frame.direction = WIRE_TO_HOST;
    else
        return "the direction is to_robot or to_host";
    while (frame.channel < type->channel_count &&
           strcmp(type->channels[frame.channel].name, channel) != 0)
        frame.channel++;
    if (frame.channel == type->channel_count)
        return "the robot has no such channel";
    frame.expected = golden_grow(NULL, 1);
    frame.expected[0] = '\0';
    file->frames = golden_grow(file->frames, (file->count + 1) * sizeof frame);
    file->frames[file->count++] = frame;
    return golden_hex(&file->frames[file->count - 1], text + used, line);
}

static void golden_expect(struct golden_frame *frame, const char *text)
{
    text += strspn(text, " ");
    size_t length = strlen(frame->expected);
    const char *between = length > 0 ? "; " : "";
    size_t size = length + strlen(between) + strlen(text) + 1;
    frame->expected = golden_grow(frame->expected, size);
    snprintf(frame->expected + length, size - length, "%s%s", between, text);
}

static const char *golden_line(const struct robot_type *type, struct golden_file *file,
                               const char *text, int line)
{
    const char *start = text + strspn(text, " \t");
    if (*start == '\0' || *start == '#')
        return NULL;
    if (start == text)
        return golden_start(type, file, text, line);
    if (file->count == 0)
        return "an indented line belongs to a frame, and there is none yet";
    struct golden_frame *frame = &file->frames[file->count - 1];
    if (*start == '=') {
        golden_expect(frame, start + 1);
        return NULL;
    }
    return golden_hex(frame, start, line);
}

bool golden_load(const struct robot_type *type, const char *path, struct golden_file *file,
                 struct error *error)
{
    *file = (struct golden_file){0};
    snprintf(file->path, sizeof file->path, "%s", path);
    FILE *stream = fopen(path, "r");
    if (!stream)
        return error_set(error, "%s: %s", path, strerror(errno));
    char *text = NULL;
    size_t size = 0;
    const char *wrong = NULL;
    int line = 0;
    while (!wrong && getline(&text, &size, stream) >= 0) {
        text[strcspn(text, "\r\n")] = '\0';
        wrong = golden_line(type, file, text, ++line);
    }
    free(text);
    fclose(stream);
    if (wrong) {
        error_set(error, "%s:%d: %s", path, line, wrong);
        golden_free(file);
        return false;
    }
    return true;
}

/* ---- Updating ---- */

static void golden_write_expected(FILE *out, const struct robot_type *type,
                                  const struct golden_frame *frame)
{
    static char text[GOLDEN_TEXT_MAX];
    describe_frame(type, frame->channel, frame->direction, frame->promised, frame->bytes,
                   frame->size, text, sizeof text);
    for (char *part = text; part;) {
        char *end = strstr(part, "; ");
        fprintf(out, "  = %.*s\n", end ? (int)(end - part) : (int)strlen(part), part);
        part = end ? end + 2 : NULL;
    }
}

bool golden_update(const struct robot_type *type, const struct golden_file *file,
                   struct error *error)
{
    char fresh[sizeof file->path + 8];
    snprintf(fresh, sizeof fresh, "%s.new", file->path);
    FILE *in = fopen(file->path, "r");
    FILE *out = fopen(fresh, "w");
    bool done = in && out;
    char *text = NULL;
    size_t size = 0;
    size_t next = 0;
    for (int line = 1; done && getline(&text, &size, in) >= 0; line++) {
        bool is_indented = text[0] == ' ' || text[0] == '\t';
        if (!is_indented || text[strspn(text, " \t")] != '=')
            fputs(text, out);
        if (next < file->count && file->frames[next].last_line == line)
            golden_write_expected(out, type, &file->frames[next++]);
    }
    free(text);
    if (in)
        fclose(in);
    done = out && fclose(out) == 0 && done;
    if (!done || rename(fresh, file->path) != 0)
        return error_set(error, "%s: cannot be written again: %s", file->path, strerror(errno));
    return true;
}

/* ---- All frames of a channel ---- */

uint8_t *golden_stream(const struct robot_type *type, unsigned channel,
                       enum wire_direction direction, size_t *size, size_t *frames)
{
    uint8_t *bytes = NULL;
    size_t count = 0;
    *size = 0;
    char **paths = golden_paths(type);
    for (size_t p = 0; paths[p]; p++) {
        struct golden_file file;
        struct error error;
        if (!golden_load(type, paths[p], &file, &error)) {
            fprintf(stderr, "%s\n", error.text);
            exit(3);
        }
        for (size_t i = 0; i < file.count; i++) {
            const struct golden_frame *frame = &file.frames[i];
            if (frame->channel == channel && frame->direction == direction && frame->size > 0) {
                bytes = golden_grow(bytes, *size + frame->size);
                memcpy(bytes + *size, frame->bytes, frame->size);
                *size += frame->size;
                count++;
            }
        }
        golden_free(&file);
    }
    golden_paths_free(paths);
    if (frames)
        *frames = count;
    return bytes;
}
