/* Control ptybot from a test program in C99 or C++: start a run, send commands to its robots,
 * advance its time, read its signals. Each run has its own ports and ends with the program, so
 * tests can run in parallel.
 *
 *     struct ptybot_run *sim = ptybot_start("kobuki", "--lockstep", NULL);
 *     int port = open(ptybot_port(sim, "kobuki"), O_RDWR | O_NOCTTY);   // as the driver would
 *     ptybot_do(sim, "kobuki.press bumper=left");
 *     if (!ptybot_step(sim, 20))
 *         puts(ptybot_error(sim));
 *     ptybot_end(sim);
 *
 * Each function reports a failure by its return value, and ptybot_error returns the reason. If the
 * run is NULL, every function fails, so a test can check only its last call. Times are simulated:
 * in whole milliseconds (ms) or in seconds (s). Texts are UTF-8; the run owns the texts that
 * functions return. Only one thread at a time may use a run; different runs are independent. */
#ifndef PTYBOT_CLIENT_H
#define PTYBOT_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

/* Increases with each addition. A compiled program works with every library that has the same
 * number in its name (libptybot_client.so.1). */
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

struct ptybot_run; /* a run, and the result of its last call */

/* ---- A run ---- */

/* Starts `ptybot run SCENE --private ...` and waits until its ports exist. SCENE is a robot type,
 * the name of an installed scene, or a file. Further arguments are options of `ptybot run`; the
 * last one is NULL. The program is $PTYBOT, or `ptybot` in PATH. Returns NULL if the program is
 * missing or reports an error; ptybot_error(NULL) has its message. The caller ends the run with
 * ptybot_end. */
PTYBOT_API struct ptybot_run *ptybot_start(const char *scene, ...) PTYBOT_ENDED_BY_NULL;

/* The same with the scene and the options in a list that ends with NULL. PROGRAM: a path, or a name
 * in PATH; NULL: as above. */
PTYBOT_API struct ptybot_run *ptybot_start_words(const char *program, const char *const words[]);

/* Connects to a run that another process started. CONTROL: path of its control socket; NULL:
 * $PTYBOT_CONTROL, which `ptybot test` sets for the driver. Returns NULL if no run listens there.
 */
PTYBOT_API struct ptybot_run *ptybot_attach(const char *control);

/* Ends the run and frees it; an attached run continues. NULL is allowed. Returns the exit code of
 * the program (0: success), or -1 if it had to be killed. */
PTYBOT_API int ptybot_end(struct ptybot_run *self);

/* Message of the last failed call on this run, "" if the last call succeeded. NULL: message of the
 * last start or attach in this thread. Valid until the next call. */
PTYBOT_API const char *ptybot_error(const struct ptybot_run *self);

/* Sets how long a call waits for an answer, in seconds of wall-clock time (default: 30, chosen).
 * The simulated time that the call requests is added. */
PTYBOT_API void ptybot_set_timeout(struct ptybot_run *self, double seconds);
/* Old name of ptybot_set_timeout, until the next release. */
PTYBOT_API void ptybot_set_patience(struct ptybot_run *self, double seconds);

/* ---- Addresses ---- */

/* Returns what a driver opens: the path of a serial port, or `address:port` of a TCP server.
 * CHANNEL: a robot (its first link) or `ROBOT.CHANNEL`. NULL: no such link. */
PTYBOT_API const char *ptybot_port(struct ptybot_run *self, const char *channel);

/* Path of the control socket, to pass on to child processes. */
PTYBOT_API const char *ptybot_control(const struct ptybot_run *self);

/* Process ID of the run; 0 if it was attached. */
PTYBOT_API int ptybot_pid(const struct ptybot_run *self);

/* ---- Signals and commands ---- */

/* Value of a signal, in the unit that `ptybot list signals` shows. NaN, which makes every
 * comparison false: there is no such signal, or it has no finite value now. */
PTYBOT_API double ptybot_get(struct ptybot_run *self, const char *signal);

/* Word for the present value of a signal, such as "green". NULL: its value has no word. */
PTYBOT_API const char *ptybot_get_word(struct ptybot_run *self, const char *signal);

/* Executes a command, `TARGET.COMMAND key=value ...`; `ptybot list commands` lists them. False: the
 * command was refused. The reaction of the robot's firmware is visible after the next steps. */
PTYBOT_API bool ptybot_do(struct ptybot_run *self, const char *command);

/* Moves a robot to a pose, at rest: meters, and degrees counter-clockwise from the x axis. */
PTYBOT_API bool ptybot_place(struct ptybot_run *self, const char *robot, double x_m, double y_m,
                             double heading_deg);

/* The driver's estimate of the first robot's pose and speed, in its own coordinates; NAN: unknown.
 */
struct ptybot_estimate {
    double x_m, y_m, heading_deg, speed_m_s, turn_deg_s;
};

/* Reports the driver's estimate. `ptybot stress` compares it with the truth, and expectations can
 * read the signals world.estimate_x_m and so on. */
PTYBOT_API bool ptybot_send_estimate(struct ptybot_run *self,
                                     const struct ptybot_estimate *estimate);

/* Puts all robots and objects back to their state at the start; time continues. */
PTYBOT_API bool ptybot_reset(struct ptybot_run *self);

/* ---- Time ---- */

/* Pauses the simulated time, or continues it. Fences count bytes from the pause on. */
PTYBOT_API bool ptybot_pause(struct ptybot_run *self, bool paused);

/* Waits until a condition is true, such as "kobuki.x_m > 1 and kobuki.charging == 1", at most
 * TIMEOUT_S of simulated time. False: it did not become true (ptybot_error has the values), or it
 * is not a valid condition. */
PTYBOT_API bool ptybot_wait(struct ptybot_run *self, const char *condition, double timeout_s);

/* Advances the simulated time by MS, and waits for the end of the step. For runs in lockstep
 * (`--lockstep`) and paused runs. */
PTYBOT_API bool ptybot_step(struct ptybot_run *self, unsigned ms);

/* The same with a fence: the step begins after BYTES bytes of the driver have arrived at CHANNEL
 * since the last step with a fence for it (or since the start, attach or pause). So they are part
 * of the step on a busy machine too. A step without a fence contains the bytes that have arrived by
 * chance; they count for the next fence. */
PTYBOT_API bool ptybot_step_after(struct ptybot_run *self, unsigned ms, const char *channel,
                                  uint64_t bytes);

/* The same until a condition is true. False: it was not true within MS. */
PTYBOT_API bool ptybot_step_until(struct ptybot_run *self, unsigned ms, const char *condition);

/* Number of bytes that the last step sent to the driver at CHANNEL: the driver can read them
 * without waiting. */
PTYBOT_API uint64_t ptybot_sent(struct ptybot_run *self, const char *channel);

/* ---- Other methods ---- */

/* Calls a method of the control socket. PARAMS and the result are JSON; PARAMS may be NULL. Returns
 * NULL on an error. The result is valid until the next call. */
PTYBOT_API const char *ptybot_call(struct ptybot_run *self, const char *method, const char *params);

#ifdef __cplusplus
}
#endif

#endif
