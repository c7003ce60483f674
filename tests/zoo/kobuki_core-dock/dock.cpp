// Docks a Kobuki with kobuki_dock_drive. Reads packets and sends speeds itself: only the class
// DockDrive is under test.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>
#include <vector>

#include "kobuki_dock_drive/dock_drive.hpp"

namespace
{

struct Sensors {
    std::vector<unsigned char> dock{0, 0, 0};
    unsigned char bumper = 0, charger = 0;
    double heading_rad = 0;
};

int open_port(const char *path)
{
    int port = open(path, O_RDWR | O_NOCTTY);
    termios settings{};
    if (port < 0 || tcgetattr(port, &settings) != 0)
        return -1;
    cfmakeraw(&settings);
    cfsetspeed(&settings, B115200);
    return tcsetattr(port, TCSANOW, &settings) == 0 ? port : -1;
}

bool read_all(int port, unsigned char *bytes, int count)
{
    for (int got = 0; got < count;) {
        ssize_t n = read(port, bytes + got, count - got);
        if (n <= 0)
            return false;
        got += static_cast<int>(n);
    }
    return true;
}

// The next packet with a right checksum; its parts are rows of id, length and data (Kobuki's
// protocol).
bool read_packet(int port, Sensors &sensors)
{
    unsigned char byte = 0, length = 0, body[256], sum = 0;
    for (unsigned char last = 0; !(last == 0xaa && byte == 0x55);) {
        last = byte;
        if (!read_all(port, &byte, 1))
            return false;
    }
    if (!read_all(port, &length, 1) || !read_all(port, body, length + 1))
        return false;
    sum = length;
    for (int i = 0; i <= length; i++)
        sum ^= body[i];
    for (int at = 0; sum == 0 && at + 1 < length; at += 2 + body[at + 1]) {
        const unsigned char *data = body + at + 2;
        if (body[at] == 1) {
            sensors.bumper = data[2];
            sensors.charger = data[12];
        } else if (body[at] == 3) {
            sensors.dock.assign(data, data + 3); // right, middle, left
        } else if (body[at] == 4) {
            sensors.heading_rad = static_cast<int16_t>(data[0] | data[1] << 8) / 100.0 * M_PI / 180;
        }
    }
    return true;
}

void send_speed(int port, double speed_m_s, double turn_rad_s)
{
    int radius_mm = 0, speed_mm_s = static_cast<int>(std::lround(1000 * speed_m_s));
    if (std::fabs(turn_rad_s) > 1e-3) { // in place, or along an arc
        radius_mm = speed_mm_s == 0 ? 1 : static_cast<int>(std::lround(speed_mm_s / turn_rad_s));
        if (speed_mm_s == 0)
            speed_mm_s = static_cast<int>(std::lround(1000 * turn_rad_s * 0.23 / 2));
    }
    unsigned char frame[] = {0xaa,
                             0x55,
                             6,
                             1,
                             4,
                             static_cast<unsigned char>(speed_mm_s),
                             static_cast<unsigned char>(speed_mm_s >> 8),
                             static_cast<unsigned char>(radius_mm),
                             static_cast<unsigned char>(radius_mm >> 8),
                             0};
    for (int i = 2; i < 9; i++)
        frame[9] ^= frame[i];
    if (write(port, frame, sizeof frame) < 0)
        std::perror("write");
}

} // namespace

int main(int argc, char **argv)
{
    int port = argc < 2 ? -1 : open_port(argv[1]);
    if (port < 0)
        return 2;
    kobuki::DockDrive drive;
    drive.enable();
    Sensors sensors;
    while (read_packet(port, sensors)) {
        ecl::LegacyPose2D<double> pose;
        pose.heading(sensors.heading_rad);
        drive.update(sensors.dock, sensors.bumper, sensors.charger, pose);
        send_speed(port, drive.getVX(), drive.getWZ());
        if (!drive.canRun())
            return 0;
    }
    return 1;
}
