#include "app/time/wakeup_latency.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Chosen: the shortest time slice that Linux allows (kernel/sched/syscalls.c: 0.1 ms to 100 ms). */
enum { SLICE_NS = 100000 };

/* struct sched_attr of Linux, which older headers lack. SCHED_OTHER needs 0 in all other
 * members. */
struct slice {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

enum { RESET_ON_FORK = 1 }; /* SCHED_FLAG_RESET_ON_FORK of linux/sched.h */

void wakeup_latency_shorten(bool is_inherited)
{
    // Another policy was set by the user or the parent process: keep it.
    if ((sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) != SCHED_OTHER)
        return;
    const struct slice slice = {.size = sizeof slice,
                                .flags = is_inherited ? 0 : RESET_ON_FORK,
                                .nice = getpriority(PRIO_PROCESS, 0),
                                .runtime_ns = SLICE_NS};
    // If the kernel refuses this, the run is only slower.
    syscall(SYS_sched_setattr, 0, &slice, 0);
    if (is_inherited)
        prctl(PR_SET_TIMERSLACK, 1000);
}

/* Chosen: the lowest priority, so that the kernel's own threads at such priorities run first. */
enum { REALTIME_PRIORITY = 1 };

bool wakeup_latency_realtime(struct error *error)
{
    const struct sched_param priority = {.sched_priority = REALTIME_PRIORITY};
    return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority) == 0 ||
           error_set(error,
                     "--realtime: %s; run as root, or allow it: `sudo setcap cap_sys_nice=ep` on "
                     "this program, or `ulimit -r %d` in a shell that may; or leave it out",
                     strerror(errno), REALTIME_PRIORITY);
}
