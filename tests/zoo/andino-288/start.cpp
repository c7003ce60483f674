// Opens the port of an Arduino that DTR resets, and reads the encoders. Each request has an answer.
#include <cstdio>
#include <iostream>
#include <sstream>

#include "andino_base/motor_driver.h"

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    std::ostringstream errors; // the driver prints a line for each timeout
    std::streambuf *usual = std::cerr.rdbuf(errors.rdbuf());
    andino_base::MotorDriver board;
    board.Setup(argv[1], 57600, 500);
    for (int i = 0; i < 5; i++) {
        auto counts = board.ReadEncoderValues();
        std::printf("encoders: %d %d\n", counts[0], counts[1]);
    }
    std::cerr.rdbuf(usual);
    std::printf("%s", errors.str().c_str());
    return errors.str().empty() ? 0 : 1;
}
