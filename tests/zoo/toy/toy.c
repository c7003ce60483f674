/* A toy driver of a Kobuki, with two bugs or without (TOY_BUG): the test of the runner needs both.
 */
#include "toy.h"

#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

int toy_open(const char *path)
{
    struct termios settings;
    int port = open(path, O_RDWR | O_NOCTTY);
    if (port < 0 || tcgetattr(port, &settings) != 0)
        return -1;
    cfmakeraw(&settings);
    cfsetspeed(&settings, B115200);
    return tcsetattr(port, TCSANOW, &settings) == 0 ? port : -1;
}

static int read_all(int port, unsigned char *bytes, int count)
{
    for (int got = 0; got < count;) {
        ssize_t n = read(port, bytes + got, (size_t)(count - got));
        if (n <= 0)
            return -1;
        got += (int)n;
    }
    return 0;
}

/* TOY_BUG: a packet with a wrong checksum ends the program; without it, the packet is skipped. */
static int read_packet(int port)
{
    unsigned char byte = 0, last, length, body[256], sum;
    do {
        last = byte;
        if (read_all(port, &byte, 1) != 0)
            return -1;
    } while (last != 0xaa || byte != 0x55);
    if (read_all(port, &length, 1) != 0 || read_all(port, body, length + 1) != 0)
        return -1;
    sum = length;
    for (int i = 0; i <= length; i++)
        sum ^= body[i];
#ifdef TOY_BUG
    if (sum != 0)
        abort();
#endif
    return 0;
}

int toy_step(int port, int speed_mm_s)
{
    unsigned char frame[] = {0xaa, 0x55, 6, 1, 4, 0, 0, 0, 0, 0};
    if (read_packet(port) != 0)
        return -1;
#ifdef TOY_BUG
    speed_mm_s /= 2;
#endif
    frame[5] = (unsigned char)speed_mm_s;
    frame[6] = (unsigned char)(speed_mm_s >> 8);
    for (int i = 2; i < 9; i++)
        frame[9] ^= frame[i];
    return write(port, frame, sizeof frame) == (ssize_t)sizeof frame ? 0 : -1;
}
