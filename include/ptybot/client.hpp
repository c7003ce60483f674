/* ptybot from a test program in C++11: client.h with a destructor, and with errors as exceptions.
 *
 *     ptybot::run sim("kobuki", {"--lockstep"});
 *     driver my_driver(sim.port("kobuki"));
 *     sim.command("kobuki.press bumper=left");
 *     sim.step(20);
 *     EXPECT_TRUE(my_driver.bumper());
 */
#ifndef PTYBOT_CLIENT_HPP
#define PTYBOT_CLIENT_HPP

#include <ptybot/client.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ptybot {

/* Thrown by every function that fails, with ptybot's error message. */
class error : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/* A run that ends with this object. client.h describes the functions. Where a function there
 * returns false, the member function throws. */
class run
{
public:
    /* See ptybot_start. */
    explicit run(const std::string &scene, const std::vector<std::string> &options = {})
        : self(start(scene, options))
    {
    }

    /* See ptybot_attach with $PTYBOT_CONTROL: attaches to the run of `ptybot test`. */
    static run of_host() { return run(check_start(ptybot_attach(nullptr))); }

    run(run &&other) noexcept : self(other.self) { other.self = nullptr; }
    run &operator=(run &&other) noexcept
    {
        std::swap(self, other.self);
        return *this;
    }
    ~run() { ptybot_end(self); }

    std::string port(const std::string &channel) { return text(ptybot_port(self, channel.c_str())); }
    std::string control() const { return ptybot_control(self); }

    double get(const std::string &signal)
    {
        double value = ptybot_get(self, signal.c_str());
        check(!std::isnan(value));
        return value;
    }
    std::string get_word(const std::string &signal)
    {
        return text(ptybot_get_word(self, signal.c_str()));
    }

    void command(const std::string &words) { check(ptybot_do(self, words.c_str())); }
    void place(const std::string &robot, double x_m, double y_m, double heading_deg = 0)
    {
        check(ptybot_place(self, robot.c_str(), x_m, y_m, heading_deg));
    }
    void estimate(const struct ptybot_estimate &it) { check(ptybot_send_estimate(self, &it)); }
    void reset() { check(ptybot_reset(self)); }

    void pause(bool paused = true) { check(ptybot_pause(self, paused)); }
    void wait(const std::string &condition, double timeout_s)
    {
        check(ptybot_wait(self, condition.c_str(), timeout_s));
    }
    void step(unsigned ms) { check(ptybot_step(self, ms)); }
    void step_after(unsigned ms, const std::string &channel, std::uint64_t bytes)
    {
        check(ptybot_step_after(self, ms, channel.c_str(), bytes));
    }
    void step_until(unsigned ms, const std::string &condition)
    {
        check(ptybot_step_until(self, ms, condition.c_str()));
    }
    std::uint64_t sent(const std::string &channel) { return ptybot_sent(self, channel.c_str()); }

    /* For the other functions of client.h. This object keeps the ownership. */
    ::ptybot_run *get() { return self; }

private:
    explicit run(::ptybot_run *attached) : self(attached) {}

    static ::ptybot_run *check_start(::ptybot_run *started)
    {
        if (!started)
            throw error(ptybot_error(nullptr));
        return started;
    }
    static ::ptybot_run *start(const std::string &scene, const std::vector<std::string> &options)
    {
        std::vector<const char *> words{scene.c_str()};
        for (const std::string &option : options)
            words.push_back(option.c_str());
        words.push_back(nullptr);
        return check_start(ptybot_start_words(nullptr, words.data()));
    }
    void check(bool is_done) const
    {
        if (!is_done)
            throw error(ptybot_error(self));
    }
    std::string text(const char *found) const
    {
        check(found != nullptr);
        return found;
    }

    ::ptybot_run *self;
};

} // namespace ptybot

#endif
