// Reads the encoders of a driving robot ten times a second. The counts of a robot that drives
// forward do not fall.
#include <cstdio>
#include <unistd.h>

#include "diffdrive_arduino/arduino_comms.hpp"

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    ArduinoComms board;
    board.connect(argv[1], 57600, 1000);
    board.set_motor_values(20, 20);
    for (int round = 0, last = 0, left = 0, right = 0; round < 80; round++, last = left) {
        board.read_encoder_values(left, right);
        if (left < last) {
            std::printf("left encoder: %d after %d\n", left, last);
            return 1;
        }
        if (round % 10 == 0)
            board.set_motor_values(20, 20);
        usleep(100000);
    }
    return 0;
}
