// The part of ROS 1 that epuck_driver_cpp uses, without a master: parameters come from main,
// messages go to publish().
#pragma once

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace ros
{

inline volatile std::sig_atomic_t running = 1;
inline std::map<std::string, std::string> parameters;
inline void (*spin)();

struct Duration {
    double seconds;
    double toSec() const { return seconds; }
};

struct Time {
    double seconds = 0;
    static Time now()
    {
        return {std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
                    .count()};
    }
    Duration operator-(const Time &other) const { return {seconds - other.seconds}; }
};

inline void init(int, char **, const char *)
{
    for (int number : {SIGINT, SIGTERM})
        std::signal(
            number, [](int) { running = 0; });
}

inline bool ok()
{
    return running != 0;
}
inline void spinOnce()
{
    spin();
}

template <typename T> void observe(const std::string &, const T &) {}

struct Publisher {
    std::string topic;
    template <typename T> void publish(const T &message) const { observe(topic, message); }
};

struct Subscriber {
};

struct NodeHandle {
    explicit NodeHandle(const char * = "") {}
    template <typename T> bool getParam(const char *, T &) const { return false; }
    template <typename T> void param(const char *name, T &value, const T &other) const
    {
        value = other;
        if constexpr (std::is_same_v<T, std::string>)
            if (parameters.count(name))
                value = parameters[name];
    }
    template <typename T> Publisher advertise(const std::string &topic, int) const
    {
        return {topic};
    }
    template <typename F> Subscriber subscribe(const char *, int, F) const { return {}; }
};

} // namespace ros

struct Header {
    ros::Time stamp;
    std::string frame_id;
};

struct Xyzw {
    double x = 0, y = 0, z = 0, w = 0;
    Xyzw() = default;
    Xyzw(double x, double y, double z, double w = 0) : x(x), y(y), z(z), w(w) {}
};

struct Pose {
    Xyzw position, orientation;
};

namespace geometry_msgs
{

using Quaternion = Xyzw;
using Point = Xyzw;

struct Twist {
    using ConstPtr = const Twist *;
    Xyzw linear, angular;
};

struct TransformStamped {
    Header header;
    std::string child_frame_id;
    struct {
        Xyzw translation, rotation;
    } transform;
};

} // namespace geometry_msgs

namespace std_msgs
{

struct UInt8MultiArray {
    using ConstPtr = const UInt8MultiArray *;
    std::vector<uint8_t> data;
};

} // namespace std_msgs

namespace sensor_msgs
{

struct Range {
    enum { ULTRASOUND, INFRARED };
    Header header;
    int radiation_type;
    float field_of_view, min_range, max_range, range;
};

struct LaserScan {
    Header header;
    float angle_min, angle_max, angle_increment, time_increment, scan_time, range_min, range_max;
    std::vector<float> ranges, intensities;
};

struct Imu {
    Header header;
    Xyzw orientation, angular_velocity, linear_acceleration;
    double orientation_covariance[9], angular_velocity_covariance[9],
        linear_acceleration_covariance[9];
};

struct MagneticField {
    Header header;
    Xyzw magnetic_field;
    double magnetic_field_covariance[9];
};

struct BatteryState {
    Header header;
    float voltage, percentage;
    bool present;
};

struct Image {
};

namespace image_encodings
{
inline const char *const RGB8 = "rgb8";
}

} // namespace sensor_msgs

namespace nav_msgs
{

struct Odometry {
    Header header;
    std::string child_frame_id;
    struct {
        Pose pose;
        double covariance[36];
    } pose;
    struct {
        geometry_msgs::Twist twist;
    } twist;
};

} // namespace nav_msgs

namespace visualization_msgs
{

struct Marker {
    enum { ARROW, TEXT_VIEW_FACING };
    Header header;
    int type;
    Pose pose;
    Xyzw scale;
    struct {
        float r, g, b, a;
    } color;
    std::string text;
    std::vector<geometry_msgs::Point> points;
};

} // namespace visualization_msgs

namespace tf
{

using Vector3 = Xyzw;

struct Quaternion : Xyzw {
    void setRPY(double, double, double) {}
};

struct Transform {
    void setOrigin(const Vector3 &) {}
    void setRotation(const Quaternion &) {}
};

struct StampedTransform {
    StampedTransform(const Transform &, ros::Time, const std::string &, const std::string &) {}
};

struct TransformBroadcaster {
    template <typename T> void sendTransform(const T &) {}
};

inline Xyzw createQuaternionMsgFromYaw(double yaw)
{
    return {0, 0, std::sin(yaw / 2), std::cos(yaw / 2)};
}
inline Xyzw createQuaternionMsgFromRollPitchYaw(double, double, double yaw)
{
    return createQuaternionMsgFromYaw(yaw);
}

} // namespace tf

enum { CV_8UC3 };

namespace cv
{

struct Mat {
    std::vector<uint8_t> bytes;
    uint8_t *data = nullptr;
    Mat() = default;
    Mat(int rows, int columns, int) : bytes(static_cast<size_t>(rows) * columns * 3)
    {
        data = bytes.data();
    }
};

} // namespace cv

namespace cv_bridge
{

struct CvImage {
    Header header;
    std::string encoding;
    cv::Mat image;
    sensor_msgs::Image toImageMsg() const { return {}; }
};

} // namespace cv_bridge
