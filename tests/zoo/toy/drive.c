/* Drives at 200 mm/s for 12 s. */
#include "toy.h"

int main(int argc, char **argv)
{
    int port = argc < 2 ? -1 : toy_open(argv[1]);
    if (port < 0)
        return 2;
    for (int packet = 0; packet < 600; packet++)
        if (toy_step(port, 200) != 0)
            return 1;
    return 0;
}
