/* Shared objects by dlopen. */
#include "app/files/robot_object_file.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/files/file_bytes.h"
#include "base/hash.h"
#include "protocols/robot_object.h"

enum { OBJECT_BYTES_MAX = 1 << 28 }; /* chosen */

bool robot_object_split(const char *word, char *path, size_t size, const char **name)
{
    const char *at = strstr(word, ".so:");
    if (!at || (size_t)(at + 3 - word) >= size)
        return false;
    snprintf(path, size, "%.*s", (int)(at + 3 - word), word);
    *name = at + 4;
    return true;
}

bool robot_object_mark(const char *path, char *line, size_t size, struct error *error)
{
    size_t count;
    char *bytes = file_bytes_read(path, OBJECT_BYTES_MAX, &count, error);
    if (!bytes)
        return false;
    snprintf(line, size, ROBOT_OBJECT_MARK "%zu bytes, hash %016" PRIx64 "\n", count,
             hash_bytes(HASH_START, bytes, count));
    free(bytes);
    return true;
}

static void unload(void *handle)
{
    dlclose(handle);
}

/* Creates a type from the robot_object NAME in HANDLE. The type owns HANDLE. */
static struct custom_robot *make(void *handle, const char *name, struct error *error)
{
    const struct robot_object *object = dlsym(handle, name);
    if (!object) {
        return error_null(error_set(
            error,
            "the object has no robot '%s': its source must end with ROBOT_OBJECT(%s, &its_type)",
            name, name));
    }
    if (!robot_object_check(object, error))
        return error_null(error_prefix(error, "%s: ", name));
    struct custom_robot *own = calloc(1, sizeof *own);
    if (!own)
        return error_null(error_set(error, "out of memory"));
    own->type = *object->type;
    own->object = handle;
    own->close = unload;
    snprintf(own->name, sizeof own->name, "%s", object->type->name);
    return own;
}

struct custom_robot *robot_object_load(const char *path, const char *name, struct error *error)
{
    char place[PATH_MAX + 2];
    // Without a slash, the loader would search the system's folders.
    snprintf(place, sizeof place, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *handle = dlopen(place, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return error_null(error_set(error, "%s", dlerror()));
    struct custom_robot *own = make(handle, name, error);
    if (own)
        snprintf(own->file, sizeof own->file, "%s", path);
    else
        dlclose(handle);
    return own;
}
