// Runs the ROS node epuck_driver_cpp without ROS. With a distance as the second argument, it
// compares the range of the time-of-flight sensor with it. Otherwise it drives a circle, and prints
// the odometry.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <ros/ros.h>
#include <sys/socket.h>

static uint16_t port = 1000;
static double wall_m;
static int ranges;

namespace ros
{

template <> void observe(const std::string &topic, const sensor_msgs::Range &message)
{
    if (topic != "dist_sens" || wall_m <= 0 || ++ranges < 20)
        return;
    std::printf("range %.3f m, wall at %.3f m\n", message.range, wall_m);
    std::fflush(stdout);
    _exit(std::fabs(message.range - wall_m) < 0.2 * wall_m ? 0 : 1);
}

template <> void observe(const std::string &, const nav_msgs::Odometry &message)
{
    const Pose &pose = message.pose.pose;
    std::printf("ptybot estimate x_m=%.4f y_m=%.4f heading_deg=%.3f\n", pose.position.x,
                pose.position.y,
                2 * std::atan2(pose.orientation.z, pose.orientation.w) * 180 / M_PI);
    std::fflush(stdout);
}

} // namespace ros

#define main          driver_main
#define htons(number) (htons)(port)
#include DRIVER
#undef main
#undef htons

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    std::string place = argv[1];
    size_t colon = place.find(':');
    if (colon != std::string::npos)
        port = static_cast<uint16_t>(std::stoi(place.substr(colon + 1)));
    wall_m = argc > 2 ? std::stod(argv[2]) : 0;
    ros::parameters["epuck2_address"] = place.substr(0, colon);
    ros::spin = [] {
        geometry_msgs::Twist speed;
        speed.linear.x = wall_m > 0 ? 0 : 6;
        speed.angular.z = wall_m > 0 ? 0 : 1;
        handlerVelocity(&speed);
    };
    return driver_main(argc, argv);
}
