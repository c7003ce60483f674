/* What the build knows of this program. */
#include "sim/app/program.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *program_version(void)
{
    return PTYBOT_VERSION;
}

/* A place relative to the binary's folder, so that an installation can be moved. */
static void beside(const char *place, char *text, size_t size)
{
    char binary[PATH_MAX], joined[2 * PATH_MAX];
    text[0] = '\0';
    ssize_t length = readlink("/proc/self/exe", binary, sizeof binary - 1);
    if (length <= 0)
        return;
    binary[length] = '\0';
    char *slash = strrchr(binary, '/');
    if (!slash)
        return;
    *slash = '\0';
    int wrote = snprintf(joined, sizeof joined, "%s/%s", binary, place);
    if (wrote > 0 && (size_t)wrote < size)
        memcpy(text, joined, (size_t)wrote + 1);
}

void program_scene_folder(size_t index, char *text, size_t size)
{
    assert(index < PROGRAM_SCENE_FOLDERS);
    text[0] = '\0';
    if (index == 0) {
        snprintf(text, size, "%s", PTYBOT_SCENES_SOURCE);
        return;
    }
    beside(PTYBOT_SCENES_INSTALLED, text, size);
}

void program_shim(char *text, size_t size)
{
    beside(PTYBOT_SHIM_INSTALLED, text, size);
    if (!*text || access(text, R_OK) != 0)
        snprintf(text, size, "%s", PTYBOT_SHIM_BUILT);
    char real[PATH_MAX];
    snprintf(text, size, "%s", realpath(text, real) ? real : "");
}
