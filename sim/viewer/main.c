/* ptybot-viewer: started by ptybot, not by people. The first word says what it is to be. */
#include <stdio.h>
#include <string.h>

#include "sim/viewer/pictures.h"

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "pictures") == 0)
        return pictures_run(argc - 2, argv + 2);
    fputs("ptybot-viewer is a part of ptybot; see `ptybot help shot`\n", stderr);
    return 2;
}
