// Asks an Arduino with ros_arduino_bridge for its encoders, ten times a second, and reads each
// answer as a line. Ends with an error if the library reports one.
#include <cstdio>
#include <exception>
#include <unistd.h>

#include "serial/serial.h"

static void poll(const char *path)
{
    serial::Serial port(path, 57600, serial::Timeout::simpleTimeout(500));
    for (;;) {
        port.write("e\r");
        std::string line = port.readline(100, "\r\n");
        if (line.size() < 5)
            std::printf("no answer: '%s'\n", line.c_str());
        usleep(100000);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    try {
        poll(argv[1]);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    return 1;
}
