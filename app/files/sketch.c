#include "app/files/sketch.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/files/file_bytes.h"
#include "base/array.h"
#include "sim/yaml/scene_print.h"

enum { FILE_MAX_BYTES = 1 << 20 };

/* ---- Source as the compiler sees it ---- */

/* The end of the comment, string or preprocessor line that begins at AT. Returns AT if none begins
 * there. */
static const char *end_of_blank(const char *at, bool is_line_start)
{
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (at[0] == '"' || at[0] == '\'') {
        const char *end = at + 1;
        while (*end && *end != *at && *end != '\n')
            end += end[0] == '\\' && end[1] ? 2 : 1;
        return *end == *at ? end + 1 : end;
    }
    if ((at[0] == '/' && at[1] == '/') || (at[0] == '#' && is_line_start)) {
        const char *end = at;
        while (*end && (*end != '\n' || end[-1] == '\\'))
            end++;
        return end;
    }
    return at;
}

/* A copy with blanks instead of comments, strings and preprocessor lines. The caller frees it. */
static char *without_blanks(const char *text)
{
    char *plain = strdup(text);
    bool is_line_start = true;
    for (size_t i = 0; plain && plain[i];) {
        size_t end = (size_t)(end_of_blank(text + i, is_line_start) - text);
        if (end == i) {
            is_line_start = text[i] == '\n' || (is_line_start && isblank((unsigned char)text[i]));
            end++;
        } else
            for (; i < end; i++)
                plain[i] = text[i] == '\n' ? '\n' : ' ';
        i = end;
    }
    return plain;
}

/* ---- Prototypes ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool begins_with(const char *at, size_t size, const char *word)
{
    size_t length = strlen(word);
    return size > length && strncmp(at, word, length) == 0 && !is_word(at[length]);
}

/* Whether the text before a brace is the head of a function with a name, a type, and no default
 * arguments. C++ allows default arguments only once, so a prototype must not repeat them. */
static bool is_head(const char *at, size_t size)
{
    static const char *const others[] = {"template", "typedef", "using", "namespace", "extern"};
    const char *open = memchr(at, '(', size);
    if (!open || at[size - 1] != ')' || memchr(at, '=', size))
        return false;
    for (size_t i = 0; i < COUNT(others); i++)
        if (begins_with(at, size, others[i]))
            return false;
    const char *name = open;
    while (name > at && isspace((unsigned char)name[-1]))
        name--;
    const char *end = name;
    while (name > at && is_word(name[-1]))
        name--;
    while (name > at && isspace((unsigned char)name[-1]))
        name--;
    return name > at && name < end && name[-1] != ':';
}

/* Repeats the position of AT for the compiler, calculated from the last `#line` before it. */
static void add_place(struct scene_text *out, const char *text, const char *at)
{
    static const char mark[] = "#line 1 ";
    const char *last = text, *line = text;
    for (const char *found = strstr(text, mark); found && found < at; found = strstr(last, mark))
        last = line = found + strlen(mark);
    int number = line == text ? 1 : 0;
    for (const char *c = line; c < at; c++)
        number += *c == '\n';
    size_t name = line == text ? 0 : strcspn(line, "\n");
    scene_text_add(out, "\n#line %d %.*s\n", number, (int)name, line);
}

char *sketch_prototypes(const char *text)
{
    struct scene_text heads = {0}, out = {0};
    char *plain = without_blanks(text);
    const char *first = NULL;
    int depth = 0;
    if (!plain)
        return NULL;
    for (char *at = plain, *start = plain; *at; at++) {
        depth += (*at == '{') - (*at == '}');
        if (depth == 1 && *at == '{') {
            char *end = at;
            while (start < end && isspace((unsigned char)*start))
                start++;
            while (end > start && isspace((unsigned char)end[-1]))
                end--;
            if (is_head(start, (size_t)(end - start))) {
                first = first ? first : text + (start - plain);
                scene_text_add(&heads, "%.*s;\n", (int)(end - start), start);
            }
        }
        if (depth == 0 && (*at == ';' || *at == '}'))
            start = at + 1;
    }
    first = first ? first : text + strlen(text);
    scene_text_add(&out, "%.*s\n%s", (int)(first - text), text, heads.bytes ? heads.bytes : "");
    add_place(&out, text, first);
    scene_text_add(&out, "%s", first);
    bool is_short = heads.is_short || out.is_short;
    free(plain);
    free(heads.bytes);
    if (!is_short)
        return out.bytes;
    free(out.bytes);
    return NULL;
}

/* ---- Files ---- */

static bool ends_with(const char *name, const char *end)
{
    size_t size = strlen(name), least = strlen(end);
    return size > least && strcmp(name + size - least, end) == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Lists the names of the files of some kinds, sorted. */
static size_t list(const char *folder, const char *const *kinds,
                   char names[SKETCH_FILES_MAX][SKETCH_NAME_MAX])
{
    size_t count = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry;
         directory && count < SKETCH_FILES_MAX && (entry = readdir(directory));)
        for (size_t i = 0; kinds[i]; i++)
            if (entry->d_name[0] != '.' && ends_with(entry->d_name, kinds[i]))
                snprintf(names[count++], SKETCH_NAME_MAX, "%s", entry->d_name);
    if (directory)
        closedir(directory);
    qsort(names, count, SKETCH_NAME_MAX, by_name);
    return count;
}

/* Moves the file with the name of the folder to the front. */
static void put_main_first(const char *folder, char names[SKETCH_FILES_MAX][SKETCH_NAME_MAX],
                           size_t count)
{
    char real[PATH_MAX], wanted[SKETCH_NAME_MAX], main_file[SKETCH_NAME_MAX];
    const char *slash = realpath(folder, real) ? strrchr(real, '/') : NULL;
    snprintf(wanted, sizeof wanted, "%.200s.ino", slash ? slash + 1 : folder);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(names[i], wanted) != 0)
            continue;
        memcpy(main_file, names[i], sizeof main_file);
        memmove(names[1], names[0], i * sizeof names[0]);
        memcpy(names[0], main_file, sizeof main_file);
    }
}

/* A path as a C string literal. */
static void quote(const char *path, char out[2 * PATH_MAX])
{
    size_t size = 0;
    for (; *path; path++) {
        if (*path == '"' || *path == '\\')
            out[size++] = '\\';
        if (*path == '\n')
            out[size++] = '?';
        else
            out[size++] = *path;
    }
    out[size] = '\0';
}

static bool join(const char *folder, struct scene_text *text, const char *name, struct error *error)
{
    char path[PATH_MAX], quoted[2 * PATH_MAX];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    quote(path, quoted);
    char *bytes = file_bytes_read(path, FILE_MAX_BYTES, &size, error);
    if (!bytes)
        return error_prefix(error, "%s: ", path);
    scene_text_add(text, "#line 1 \"%s\"\n%.*s\n", quoted, (int)size, bytes);
    free(bytes);
    return true;
}

char *sketch_read(const char *folder, struct error *error)
{
    static const char *const parts[] = {".ino", ".pde", NULL}, *const others[] = {".cpp", ".c",
                                                                                  NULL};
    static char names[SKETCH_FILES_MAX][SKETCH_NAME_MAX];
    struct scene_text text = {0};
    size_t count = list(folder, parts, names);
    static char other_names[SKETCH_FILES_MAX][SKETCH_NAME_MAX];
    if (count == 0 && list(folder, others, other_names) == 0)
        return error_null(error_set(error, "%s: not a folder with .ino, .cpp or .c files", folder));
    put_main_first(folder, names, count);
    scene_text_add(&text, "#include <Arduino.h>\n");
    bool is_good = true;
    for (size_t i = 0; is_good && i < count; i++)
        is_good = join(folder, &text, names[i], error);
    char *sketch = is_good && !text.is_short ? sketch_prototypes(text.bytes) : NULL;
    free(text.bytes);
    if (is_good && !sketch)
        error_set(error, "%s: out of memory", folder);
    return sketch;
}
