/* ptybot from a test program in C99 or C++: start a run of one's own, command its robots, let its
 * time go on, look at its signals. Each run has its own ports and ends with the program, so that
 * tests run side by side.
 *
 *     struct ptybot_run *sim = ptybot_start("kobuki", "--lockstep", NULL);
 *     int port = open(ptybot_port(sim, "kobuki"), O_RDWR | O_NOCTTY);   // as the driver would
 *     ptybot_do(sim, "kobuki.press bumper=left");
 *     if (!ptybot_step(sim, 20))
 *         puts(ptybot_error(sim));
 *     ptybot_end(sim);
 *
 * Whatever fails says so by what it returns, and ptybot_error has the reason. A run that is NULL
 * fails everything, so a test may look at the last thing that it asks for alone. Times: whole
 * milliseconds or seconds of the simulation. Texts are UTF-8; those that functions return belong to
 * the run. A run is for one thread at a time; several runs are independent of each other. */
#ifndef PTYBOT_CLIENT_H
#define PTYBOT_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

/* Grows with each addition. What a program was built with goes on working as long as the number in
 * the name of the shared library (libptybot_client.so.0) stays. */
#define PTYBOT_CLIENT_API 1

#undef PTYBOT_API
#if defined __GNUC__
#define PTYBOT_API           __attribute__((visibility("default")))
#define PTYBOT_ENDED_BY_NULL __attribute__((sentinel))
#else
#define PTYBOT_API
#define PTYBOT_ENDED_BY_NULL
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct ptybot_run; /* a run, and what its last call said */

/* ---- A run ---- */

/* Starts `ptybot run SCENE --private ...` and waits until its ports are there. SCENE: a robot type,
 * a scene of the collection or a file; behind it further words of the command line, each an
 * argument of its own, and NULL. The program is $PTYBOT, else `ptybot` in PATH. Returns NULL when
 * there is no such program, or with its own words when it refuses. The caller ends it with
 * ptybot_end. */
PTYBOT_API struct ptybot_run *ptybot_start(const char *scene, ...) PTYBOT_ENDED_BY_NULL;

/* The same with all words in a list that ends with NULL, the scene first, and with PROGRAM, a path
 * or a name in PATH; NULL: as above. */
PTYBOT_API struct ptybot_run *ptybot_start_words(const char *program, const char *const words[]);

/* A run that somebody else started, by the path of its control socket; NULL: $PTYBOT_CONTROL, which
 * `ptybot test` gives the host command. NULL: nobody listens there. */
PTYBOT_API struct ptybot_run *ptybot_attach(const char *control);

/* Ends the run (one that was only attached goes on) and frees it; NULL is fine. Returns the exit
 * code of the program, 0 after a good end, or -1 when it had to be killed. */
PTYBOT_API int ptybot_end(struct ptybot_run *self);

/* Why the last call on this run failed, in the program's words; "" after one that worked. NULL: why
 * the last start or attach in this thread failed. Valid until the next call. */
PTYBOT_API const char *ptybot_error(const struct ptybot_run *self);

/* How long each call waits for an answer, in seconds of the wall clock (30 at first, chosen), the
 * time that it lets pass in the simulation coming on top. */
PTYBOT_API void ptybot_set_timeout(struct ptybot_run *self, double seconds);
/* Old name of ptybot_set_timeout, until the next release. */
PTYBOT_API void ptybot_set_patience(struct ptybot_run *self, double seconds);

/* ---- Where it is ---- */

/* What a driver opens: the path of a serial port, or `address:port` of a TCP server. CHANNEL: a
 * robot (its first link) or `ROBOT.CHANNEL`. NULL: there is none. */
PTYBOT_API const char *ptybot_port(struct ptybot_run *self, const char *channel);

/* The control socket, for programs that this one starts. */
PTYBOT_API const char *ptybot_control(const struct ptybot_run *self);

/* Its process; 0 for one that was attached. */
PTYBOT_API int ptybot_pid(const struct ptybot_run *self);

/* ---- Looking and doing ---- */

/* The value of a signal, in the unit that `ptybot list signals` says. NaN, which compares false
 * with everything: there is no such signal, or it has no finite value now. */
PTYBOT_API double ptybot_get(struct ptybot_run *self, const char *signal);

/* The value of a signal that stands for a word, as that word. NULL: it stands for none. */
PTYBOT_API const char *ptybot_get_word(struct ptybot_run *self, const char *signal);

/* Gives a command, `TARGET.COMMAND key=value ...`; `ptybot list commands` has them. False: refused.
 * What the robot's firmware makes of it shows after the next steps. */
PTYBOT_API bool ptybot_do(struct ptybot_run *self, const char *command);

/* Puts a robot elsewhere, at rest: metres, and degrees from the x axis counter-clockwise. */
PTYBOT_API bool ptybot_place(struct ptybot_run *self, const char *robot, double x_m, double y_m,
                             double heading_deg);

/* What a driver believes of the first robot, in its own coordinates; NAN: not known. */
struct ptybot_estimate {
    double x_m, y_m, heading_deg, speed_m_s, turn_deg_s;
};

/* Says what the driver believes: `ptybot stress` compares it, and the signals world.estimate_x_m
 * and so on show it to expectations. */
PTYBOT_API bool ptybot_send_estimate(struct ptybot_run *self,
                                     const struct ptybot_estimate *estimate);

/* All robots and things as at the start; time goes on. */
PTYBOT_API bool ptybot_reset(struct ptybot_run *self);

/* ---- Time ---- */

/* Lets time stand, from where on fences count, or go on. */
PTYBOT_API bool ptybot_pause(struct ptybot_run *self, bool paused);

/* Waits until a condition holds, such as "kobuki.x_m > 1 and kobuki.charging == 1", at most
 * TIMEOUT_S of simulated time. False: it did not come true, with the values found as the error, or
 * it is none. */
PTYBOT_API bool ptybot_wait(struct ptybot_run *self, const char *condition, double timeout_s);

/* In lockstep (`--lockstep`) or while paused: lets time go on by MS and waits for the end of that.
 */
PTYBOT_API bool ptybot_step(struct ptybot_run *self, unsigned ms);

/* The same behind a fence: the step begins when the BYTES have come that the host has written to
 * CHANNEL since the last step with a fence for it (or since the start, attach or pause), so that
 * they are part of it however busy the machine is. A step without a fence takes along what happens
 * to have come; its bytes count for the next fence. */
PTYBOT_API bool ptybot_step_after(struct ptybot_run *self, unsigned ms, const char *channel,
                                  uint64_t bytes);

/* The same until a condition holds. False: not within MS. */
PTYBOT_API bool ptybot_step_until(struct ptybot_run *self, unsigned ms, const char *condition);

/* How many bytes the last step sent to the host of CHANNEL: that many can be read without a wait.
 */
PTYBOT_API uint64_t ptybot_sent(struct ptybot_run *self, const char *channel);

/* ---- All else ---- */

/* Any method of the control socket, PARAMS and the result in JSON; NULL params: none. NULL: an
 * error. The result is valid until the next call. */
PTYBOT_API const char *ptybot_call(struct ptybot_run *self, const char *method, const char *params);

#ifdef __cplusplus
}
#endif

#endif
