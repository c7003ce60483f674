/* What the build knows of this program. */
#include "sim/app/program.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *program_version(void)
{
    return PTYBOT_VERSION;
}

void program_scene_folder(size_t index, char *text, size_t size)
{
    assert(index < PROGRAM_SCENE_FOLDERS);
    text[0] = '\0';
    if (index == 0) {
        snprintf(text, size, "%s", PTYBOT_SCENES_SOURCE);
        return;
    }
    // Beside the binary, so that an installation can be moved.
    char binary[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", binary, sizeof binary - 1);
    if (length <= 0)
        return;
    binary[length] = '\0';
    char *slash = strrchr(binary, '/');
    if (!slash)
        return;
    *slash = '\0';
    int wrote = snprintf(text, size, "%s/%s", binary, PTYBOT_SCENES_INSTALLED);
    if (wrote < 0 || (size_t)wrote >= size)
        text[0] = '\0';
}
