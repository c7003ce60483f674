/* What the build knows of this program. */
#include "sim/app/program.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *program_version(void)
{
    return PTYBOT_VERSION;
}

/* Beside the binary, so that an installation can be moved. */
static bool installed_folder(char *text, size_t size)
{
    char binary[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", binary, sizeof binary - 1);
    if (length <= 0)
        return false;
    binary[length] = '\0';
    char *slash = strrchr(binary, '/');
    if (!slash)
        return false;
    *slash = '\0';
    int wrote = snprintf(text, size, "%s/%s", binary, PTYBOT_SCENES_INSTALLED);
    return wrote > 0 && (size_t)wrote < size && access(text, R_OK | X_OK) == 0;
}

void program_scene_folder(char *text, size_t size)
{
    int wrote = 0;
    if (!installed_folder(text, size))
        wrote = snprintf(text, size, "%s", PTYBOT_SCENES_SOURCE);
    if (wrote < 0 || (size_t)wrote >= size)
        text[0] = '\0';
}
