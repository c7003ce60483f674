// Drives a circle with kobuki_core as a node does: the odometry at each packet, ten speeds a second. Prints the driver's pose and
// speed. Stops the robot on SIGINT and SIGTERM.
#include <cmath>
#include <csignal>
#include <cstdio>
#include <unistd.h>

#include <ecl/linear_algebra.hpp>
#include <ecl/sigslots.hpp>

#include "kobuki_core/kobuki.hpp"

namespace
{

volatile std::sig_atomic_t is_over = 0;

void stop(int)
{
    is_over = 1;
}

class Circle
{
  public:
    explicit Circle(const char *port) : slot_(&Circle::odometry, *this)
    {
        kobuki::Parameters parameters;
        parameters.sigslots_namespace = "/circle";
        parameters.device_port = port;
        slot_.connect("/circle/stream_data");
        robot_.init(parameters);
        robot_.enable();
    }

    ~Circle()
    {
        robot_.setBaseControl(0, 0);
        usleep(200000);
        robot_.disable();
    }

    void drive() { robot_.setBaseControl(0.2, 0.5); }

  private:
    void odometry()
    {
        ecl::linear_algebra::Vector3d step, rates;
        robot_.updateOdometry(step, rates);
        x_m_ += step[0] * std::cos(heading_rad_) - step[1] * std::sin(heading_rad_);
        y_m_ += step[0] * std::sin(heading_rad_) + step[1] * std::cos(heading_rad_);
        heading_rad_ += step[2];
        std::printf("ptybot estimate x_m=%.4f y_m=%.4f heading_deg=%.3f speed_m_s=%.4f turn_deg_s=%.3f\n", x_m_, y_m_,
                    heading_rad_ * 180 / M_PI, rates[0], rates[2] * 180 / M_PI);
        std::fflush(stdout);
    }

    double x_m_ = 0, y_m_ = 0, heading_rad_ = 0;
    kobuki::Kobuki robot_;
    ecl::Slot<> slot_;
};

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    std::signal(SIGINT, stop);
    std::signal(SIGTERM, stop);
    try {
        Circle circle(argv[1]);
        while (!is_over) {
            circle.drive();
            usleep(100000);
        }
    } catch (const ecl::StandardException &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
