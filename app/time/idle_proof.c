/* Proves that all threads of a driver wait.
 *
 * Reading each thread once is not enough: a thread that waits may be woken by a thread that is read
 * later. Therefore there are two passes, and no thread may have run between them. The kernel counts
 * how often each thread runs. The first pass skips threads that slept at the last proof: the second
 * pass shows whether they have run since. A thread that ran may have created threads. The list is
 * then read again too, unless the machine has created no thread since the list was read and no
 * thread of the list has ended.
 *
 * Deaf threads (pty/shim/clock_shm.h) are not read. Before a thread becomes deaf, it has finished
 * everything that others could notice. It blocks all signals, and sleeps again whatever wakes it in
 * the kernel. It can end only with its process. Each proof therefore reads another thread of the
 * process: the first thread or, if that has ended, a deaf thread. */
#include "app/time/idle_proof.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/cli/keeper.h"
#include "base/array.h"
#include "pty/shim/clock_shm.h"

/* The files in /proc that are read for each thread. */
enum about { ABOUT_SCHEDSTAT, ABOUT_SYSCALL, ABOUT_STAT, ABOUT_CHILDREN, ABOUTS };
static const char *const about_names[] = {"schedstat", "syscall", "stat", "children"};

/* The work of a thread so far. The number of time slices counts too: if a hypervisor takes time
 * away, a short time slice may count no nanosecond. */
struct work {
    uint64_t ran_ns, turns;
};

struct task {
    pid_t process, thread;
    struct idle_proof_name name; /* its numbers in its own PID namespace */
    int files[ABOUTS];           /* -1: could not be opened */
    struct work now;             /* at the beginning of this proof */
    struct work then;            /* at the last successful proof */
    bool is_known;               /* a successful proof has included it */
    bool has_run;                /* between the last two successful proofs */
    bool is_listed;              /* found when the list was last read */
    bool is_ended;               /* a zombie */
    bool is_asleep;              /* it was in state S and off its processor at the last check */
    bool is_keeper;              /* a keeper of ptybot, which wakes only when a process ends */
    unsigned heat;               /* greater than 0: it ran recently, and may run again */
    const char *foreign;         /* its call, if that ends after real time; otherwise NULL */
    uint64_t image, judged;      /* its program; the last one checked for the clock library */
    long call_now;               /* its system call at the beginning of this proof; -1: none */
    long call, woken_from;       /* the same at the last two successful proofs */
    bool is_gone;                /* the thread has ended, so its files are invalid */
    bool is_witness;             /* read although it is deaf */
    struct clock_slot *deaf;     /* slot of its last deaf wait; or NULL */
    uint64_t deaf_order;         /* order of the slot */
};

enum { HEAT = 8 };        /* chosen: enough for a few threads that run alternately */
enum { SPACES_MAX = 16 }; /* chosen: PID namespaces of a driver; further ones are not reported */

struct idle_proof {
    pid_t root;
    struct clock_shm *shm; /* or NULL */
    uint64_t own_space, spaces[SPACES_MAX];
    uint64_t own_image;
    size_t space_count;
    struct task *tasks;
    size_t count, room;
    size_t listed;  /* while the list is read: number of threads found so far */
    size_t ended;   /* number of threads that ended since the last successful proof */
    size_t ran;     /* number of threads that ran between the last two successful proofs */
    size_t first;   /* where the first pass begins: at a thread that ran last */
    int births;     /* file with the number of the newest thread of the machine; or -1 */
    long born;      /* that number when the list was last found unchanged; -1: unknown */
    bool has_ended; /* a thread has ended since then */
    bool is_listed, is_changed, is_foreign, is_starved;
    struct idle_proof_stats stats;
};

/* ---- Reading /proc ---- */

/* Reads a small file from its beginning. False: the thread is gone, or reading is not permitted. */
static bool read_text(int file, char *text, size_t size)
{
    ssize_t got = file >= 0 ? pread(file, text, size - 1, 0) : -1;
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* Reads the file NAME of a thread in /proc. */
static bool read_of(pid_t process, pid_t thread, const char *name, char *text, size_t size)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)process, (int)thread, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool is_read = read_text(file, text, size);
    if (file >= 0)
        close(file);
    return is_read;
}

static void task_close(struct task *task)
{
    for (int i = 0; i < ABOUTS; i++)
        if (task->files[i] >= 0)
            close(task->files[i]);
}

static uint64_t space_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? about.st_ino : 0;
}

/* Returns the last number after FIELD in the text of `status`, which belongs to the innermost
 * namespace. */
static pid_t innermost(const char *text, const char *field, pid_t otherwise)
{
    const char *at = strstr(text, field);
    const char *end = at ? strchr(at + 1, '\n') : NULL;
    while (end && end > at && isdigit((unsigned char)end[-1]))
        end--;
    return end ? (pid_t)atol(end) : otherwise;
}

/* A thread has other numbers in its own PID namespace. */
static void task_name(struct idle_proof *proof, struct task *task)
{
    char path[96], text[4096];
    task->name = (struct idle_proof_name){.process = task->process, .thread = task->thread};
    snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)task->process);
    task->name.space = space_of(path);
    if (task->name.space != 0 && task->name.space == proof->own_space)
        return;
    if (read_of(task->process, task->thread, "status", text, sizeof text)) {
        task->name.process = innermost(text, "\nNStgid:", task->process);
        task->name.thread = innermost(text, "\nNSpid:", task->thread);
    }
    if (!idle_proof_knows_space(proof, task->name.space) && proof->space_count < SPACES_MAX)
        proof->spaces[proof->space_count++] = task->name.space;
}

static void task_open(struct task *task)
{
    for (int i = 0; i < ABOUTS; i++) {
        char path[96];
        snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)task->process, (int)task->thread,
                 about_names[i]);
        task->files[i] = open(path, O_RDONLY | O_CLOEXEC);
    }
}

static bool task_work(const struct task *task, struct work *work)
{
    char text[128], *end;
    if (!read_text(task->files[ABOUT_SCHEDSTAT], text, sizeof text))
        return false;
    work->ran_ns = strtoull(text, &end, 10);
    strtoull(end, &end, 10); // what it waited for a processor
    work->turns = strtoull(end, NULL, 10);
    return true;
}

static bool is_same(struct work one, struct work other)
{
    return one.ran_ns == other.ran_ns && one.turns == other.turns;
}

/* Identifies the program of a process by the end of its code and the start of its stack: fields 27
 * and 28 of proc_pid_stat(5). A child has its parent's program until it executes another one. */
static uint64_t image_of(const char *stat)
{
    char *rest = NULL;
    const char *at = strrchr(stat, ')');
    for (int field = 2; at && field < 27; field++)
        at = strchr(at + 1, ' ');
    uint64_t code_end = at ? strtoull(at, &rest, 10) : 0;
    return at ? code_end * 31 + strtoull(rest, NULL, 10) : 0;
}

/* Returns the letter of the thread's state; 0: it is gone. A thread that is ending counts as D,
 * whatever it waits for: the kernel ends that wait. An example is the first process of a PID
 * namespace, which outlives the others. */
static char task_state(struct task *task)
{
    enum { PF_EXITING = 4 }; /* include/linux/sched.h; the ninth field of proc_pid_stat(5) */
    char text[512];
    const char *at =
        read_text(task->files[ABOUT_STAT], text, sizeof text) ? strrchr(text, ')') : NULL;
    char state = (char)(at && at[1] ? at[2] : '\0');
    for (int field = 2; at && field < 9; field++)
        at = strchr(at + 1, ' ');
    bool is_ending = state == 'S' && at && (strtoul(at, NULL, 10) & PF_EXITING) != 0;
    task->image = image_of(text);
    return (char)(is_ending ? 'D' : state);
}

/* ---- The list ---- */

/* Number of the newest thread. Threads in inner PID namespaces have a number in ptybot's namespace
 * too. */
static long last_born(const struct idle_proof *proof)
{
    char text[32];
    return read_text(proof->births, text, sizeof text) ? atol(text) : -1;
}

struct idle_proof *idle_proof_create(pid_t root, struct clock_shm *shm)
{
    struct idle_proof *proof = calloc(1, sizeof *proof);
    char text[512];
    bool is_read = read_of(getpid(), getpid(), "stat", text, sizeof text);
    if (proof)
        *proof = (struct idle_proof){.root = root,
                                     .shm = shm,
                                     .own_space = idle_proof_own_space(),
                                     .own_image = is_read ? image_of(text) : 0,
                                     .births =
                                         open("/proc/sys/kernel/ns_last_pid", O_RDONLY | O_CLOEXEC),
                                     .born = -1};
    return proof;
}

void idle_proof_destroy(struct idle_proof *proof)
{
    if (!proof)
        return;
    for (size_t i = 0; i < proof->count; i++)
        task_close(&proof->tasks[i]);
    if (proof->births >= 0)
        close(proof->births);
    free(proof->tasks);
    free(proof);
}

static struct task *find(const struct idle_proof *proof, pid_t process, pid_t thread)
{
    for (size_t i = 0; i < proof->count; i++)
        if (proof->tasks[i].thread == thread && proof->tasks[i].process == process)
            return &proof->tasks[i];
    return NULL;
}

static bool add(struct idle_proof *proof, pid_t process, pid_t thread)
{
    if (!array_reserve(&proof->tasks, &proof->room, proof->count + 1, sizeof *proof->tasks))
        return false;
    struct task *task = &proof->tasks[proof->count++];
    *task = (struct task){
        .process = process, .thread = thread, .is_listed = true, .call = -1, .call_now = -1};
    task_open(task);
    task_name(proof, task);
    proof->is_changed = true;
    return true;
}

static bool list_process(struct idle_proof *proof, pid_t process);
static bool list_keeper(struct idle_proof *proof, pid_t keeper);

/* Lists the children of one thread, whose file is FILE. */
static bool list_children(struct idle_proof *proof, int file, bool is_ours)
{
    char text[4096];
    bool is_whole = true;
    if (!read_text(file, text, sizeof text))
        return true;
    char *at = text, *end;
    for (long child = strtol(at, &end, 10); end != at && is_whole;
         at = end, child = strtol(at, &end, 10))
        // Children of ptybot in its own process group (painters, the window) belong to no driver.
        if (!is_ours)
            is_whole = list_process(proof, (pid_t)child);
        else if (child != proof->root && getpgid((pid_t)child) != getpgrp())
            is_whole = list_keeper(proof, (pid_t)child);
    return is_whole && strlen(text) < sizeof text - 1;
}

static bool list_thread(struct idle_proof *proof, pid_t process, pid_t thread)
{
    struct task *task = find(proof, process, thread);
    if (task && task->is_listed)
        return true;
    if (task)
        task->is_listed = true;
    else if (!add(proof, process, thread))
        return false;
    task = find(proof, process, thread);
    return list_children(proof, task->files[ABOUT_CHILDREN], false);
}

/* A process that is gone has no threads, which is not an error. */
static bool list_process(struct idle_proof *proof, pid_t process)
{
    char path[64];
    bool is_whole = true;
    const struct dirent *entry;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *threads = opendir(path);
    if (!threads)
        return errno == ENOENT || errno == ESRCH;
    while (is_whole && (entry = readdir(threads)))
        if (isdigit((unsigned char)entry->d_name[0]))
            is_whole = list_thread(proof, process, (pid_t)atol(entry->d_name));
    closedir(threads);
    return is_whole;
}

/* A keeper adopts processes that its process leaves behind. Its children are read again at the end,
 * since a process may become its child while the others are read. */
static bool list_keeper(struct idle_proof *proof, pid_t keeper)
{
    char name[32];
    bool is_whole = list_process(proof, keeper);
    struct task *task = find(proof, keeper, keeper);
    if (task && !task->is_known) {
        idle_proof_read_name(keeper, name);
        task->is_keeper = strcmp(name, KEEPER_NAME) == 0;
    }
    return is_whole && (!task || list_children(proof, task->files[ABOUT_CHILDREN], false));
}

/* The keepers of further drivers are children of ptybot. */
static bool list_own(struct idle_proof *proof)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)getpid(), (int)getpid());
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool is_whole = file >= 0 && list_children(proof, file, true);
    if (file >= 0)
        close(file);
    return is_whole;
}

/* Drops the threads that have ended, or those that were not found when the list was read. */
static void drop_unlisted(struct idle_proof *proof, bool is_of_gone)
{
    size_t kept = 0;
    for (size_t i = 0; i < proof->count; i++) {
        struct task *task = &proof->tasks[i];
        if (is_of_gone ? !task->is_gone : task->is_listed) {
            proof->tasks[kept++] = *task;
        } else {
            task_close(task);
            proof->is_changed = true;
            proof->ended++;
        }
    }
    proof->count = kept;
}

/* Reads the list again. False: it is incomplete. Sets is_changed if the list differs from the
 * previous one. */
static bool list(struct idle_proof *proof)
{
    for (size_t i = 0; i < proof->count; i++)
        proof->tasks[i].is_listed = false;
    drop_unlisted(proof, true);
    bool is_whole = list_keeper(proof, proof->root) && list_own(proof);
    drop_unlisted(proof, false);
    if (proof->count > proof->stats.threads_max)
        proof->stats.threads_max = proof->count;
    return is_whole;
}

/* ---- System calls that wait ---- */

struct call {
    long number;
    const char *name;
    int at;            /* index of the argument with the timeout; -1: none */
    bool is_number;    /* the timeout is a number of milliseconds; otherwise an address */
    bool is_operation; /* the second argument decides whether the call waits */
};

/* Calls that the kernel ends after some time, and calls of processes that wait for each other. */
static const struct call calls[] = {
    {SYS_clock_nanosleep, "clock_nanosleep", 2, false, false},
    {SYS_nanosleep, "nanosleep", 0, false, false},
#ifdef SYS_poll
    {SYS_poll, "poll", 2, true, false},
    {SYS_select, "select", 4, false, false},
    {SYS_epoll_wait, "epoll_wait", 3, true, false},
#endif
    {SYS_ppoll, "ppoll", 2, false, false},
    {SYS_pselect6, "pselect", 4, false, false},
    {SYS_epoll_pwait, "epoll_pwait", 3, true, false},
#ifdef SYS_epoll_pwait2
    {SYS_epoll_pwait2, "epoll_pwait2", 3, false, false},
#endif
    {SYS_futex, "futex", 3, false, true},
    {SYS_rt_sigtimedwait, "sigtimedwait", 2, false, false},
#ifdef SYS_semtimedop
    {SYS_semtimedop, "semtimedop", 3, false, false},
#endif
    {SYS_mq_timedreceive, "mq_timedreceive", 4, false, false},
    {SYS_mq_timedsend, "mq_timedsend", 4, false, false},
    {SYS_recvmmsg, "recvmmsg", 4, false, false},
    {SYS_flock, "flock", -1, false, false},
    {SYS_read, "read", -1, false, false},
    {SYS_splice, "splice", -1, false, false},
    {SYS_fcntl, "fcntl", -1, false, false},
    {SYS_rt_sigsuspend, "sigsuspend", -1, false, false},
    {SYS_msgrcv, "msgrcv", -1, false, false},
    {SYS_msgsnd, "msgsnd", -1, false, false},
#ifdef SYS_semop
    {SYS_semop, "semop", -1, false, false},
#endif
#ifdef SYS_pause
    {SYS_pause, "pause", -1, false, false},
#endif
};

/* Whether the timeout at an address in a process is zero. */
static bool is_zero(pid_t process, unsigned long long address)
{
    int64_t there[2] = {0}; // a struct timespec or timeval
    struct iovec to = {there, sizeof there};
    struct iovec from = {(void *)(uintptr_t)address, sizeof there};
    return process_vm_readv(process, &to, 1, &from, 1, 0) == (ssize_t)sizeof there &&
           there[0] == 0 && there[1] == 0;
}

/* Returns the call in TEXT (/proc/PID/syscall) if it ends after a timeout, else NULL. *IS_SHORT:
 * its timeout is zero; if it sleeps, it sleeps for a lock in the kernel. */
static const char *timed_call(pid_t process, const char *text, bool *is_short)
{
    unsigned long long arguments[6] = {0};
    char *end;
    long number = strtol(text, &end, 10);
    for (int i = 0; i < 6; i++)
        arguments[i] = strtoull(end, &end, 16);
    for (size_t i = 0; i < COUNT(calls); i++) {
        const struct call *call = &calls[i];
        unsigned operation = (unsigned)arguments[1] & (unsigned)FUTEX_CMD_MASK;
        if (call->number != number || call->at < 0)
            continue;
        unsigned long long timeout = arguments[call->at];
        if (call->is_operation && operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET)
            return NULL;
        *is_short = call->is_number ? (int)timeout == 0 : timeout != 0 && is_zero(process, timeout);
        return (call->is_number ? (int)timeout > 0 : timeout != 0) ? call->name : NULL;
    }
    return NULL;
}

/* Whether the thread waits until a child of vfork executes another program: its state is D, but it
 * is not busy. Other clone calls are in state D only for a moment and then continue. */
static bool is_in_vfork(const struct task *task, const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);
    unsigned long long flags = strtoull(end, NULL, 16); // or where they are
    if (number == SYS_clone3) {
        struct iovec here = {&flags, sizeof flags};
        struct iovec there = {(void *)(uintptr_t)flags, sizeof flags}; // first of struct clone_args
        if (process_vm_readv(task->process, &here, 1, &there, 1, 0) != (ssize_t)sizeof flags)
            return false;
    } else if (number != SYS_clone) {
#ifdef SYS_vfork
        return number == SYS_vfork;
#else
        return false;
#endif
    }
    return flags & CLONE_VFORK;
}

void idle_proof_read_name(pid_t process, char name[32])
{
    if (!read_of(process, process, "comm", name, 32))
        snprintf(name, 32, "?");
    name[strcspn(name, "\n")] = '\0';
}

static void note_foreign(struct idle_proof *proof, const struct task *task, const char *call)
{
    struct idle_proof_foreign *foreign = &proof->stats.foreign;
    proof->is_foreign = true;
    if (foreign->seen++ > 0)
        return;
    foreign->process = task->process;
    foreign->call = call;
    idle_proof_read_name(task->process, foreign->name);
}

/* ---- Deaf threads ---- */

static bool is_deaf(const struct task *task)
{
    return !task->is_witness && task->deaf && atomic_load(&task->deaf->is_deaf) != 0 &&
           task->deaf->order == task->deaf_order;
}

/* Whether the thread has become deaf since the last check. It may not be asleep yet. */
static bool becomes_deaf(const struct idle_proof *proof, struct task *task)
{
    const struct idle_proof_name *name = &task->name;
    uint32_t used = proof->shm ? atomic_load(&proof->shm->slots_used) : 0;
    for (uint32_t i = 0; used > CLOCK_SHM_CROWD && i < used && i < CLOCK_SHM_SLOTS; i++) {
        struct clock_slot *slot = &proof->shm->slots[i];
        task->deaf_order = slot->order;
        task->deaf = slot;
        if (slot->thread == name->thread && slot->process == name->process && slot->space != 0 &&
            slot->space == name->space && is_deaf(task)) {
            task->is_asleep = false;
            task->foreign = NULL;
            return task_work(task, &task->now);
        }
    }
    task->deaf = NULL;
    return false;
}

bool idle_proof_rouse(struct clock_slot *slot)
{
    bool was_deaf = atomic_exchange(&slot->is_deaf, 0) != 0;
    if (was_deaf)
        syscall(SYS_futex, &slot->is_deaf, FUTEX_WAKE, 1, NULL, NULL, 0);
    return was_deaf;
}

/* Whether a signal is pending for the process that no other thread takes, if all threads wait
 * (proc_pid_status(5)). */
static bool is_wanted(pid_t process)
{
    char text[4096];
    read_of(process, process, "status", text, sizeof text);
    const char *pending = strstr(text, "\nShdPnd:\t");
    return pending && strtoull(pending + 9, NULL, 16) != 0;
}

/* Whether a thread of the process was read and has not ended, which shows that the process has not
 * ended. */
static bool has_witness(const struct idle_proof *proof, pid_t process)
{
    for (size_t i = 0; i < proof->count; i++) {
        const struct task *task = &proof->tasks[i];
        if (task->process == process && !task->is_ended && !is_deaf(task))
            return true;
    }
    return false;
}

/* Wakes deaf threads: one if a signal is pending for its process, and all if the process may have
 * ended. Returns whether a thread may run now. */
static bool rouse(const struct idle_proof *proof)
{
    pid_t process = 0;
    bool is_roused = false;
    for (size_t i = 0; i < proof->count; i++) {
        struct task *task = &proof->tasks[i];
        if (task->process == process || !is_deaf(task))
            continue;
        process = task->process;
        bool is_alive = has_witness(proof, process), is_enough = is_alive && !is_wanted(process);
        for (size_t j = i; j < proof->count && !is_enough; j++) {
            const struct task *other = &proof->tasks[j];
            if (other->process != process || !is_deaf(other))
                continue;
            is_roused |= idle_proof_rouse(other->deaf);
            is_enough = is_alive;
        }
        task->is_witness |= !is_alive;
    }
    return is_roused;
}

/* ---- The proof ---- */

/* Whether the thread slept at the last proof, has not run since, and so probably still sleeps. The
 * second pass verifies it. */
static bool sleeps_on(struct idle_proof *proof, const struct task *task)
{
    bool is_likely = task->is_known && task->is_asleep && is_same(task->now, task->then);
    if (is_likely && task->foreign)
        note_foreign(proof, task, task->foreign);
    return is_likely;
}

/* The first pass for one thread. Reading `syscall` blocks until a thread that is about to sleep is
 * off its processor. */
static enum idle_proof_state check_first(struct idle_proof *proof, struct task *task, bool *has_run)
{
    char text[256];
    struct work again;
    bool was_ended = task->is_ended;
    // The second pass shows whether it still sleeps.
    char state = (char)(task->is_asleep ? 'S' : task_state(task));
    task->is_ended = state == 'Z' || state == 'X' || state == '\0';
    if (task->is_ended) {
        // The thread may have done something before it ended.
        if (!task_work(task, &task->now))
            task->now = task->then;
        task->is_gone = state == '\0';
        proof->has_ended |= !was_ended || task->is_gone;
        *has_run |= !task->is_known || task->is_gone || !is_same(task->now, task->then);
        return IDLE_PROOF_IDLE;
    }
    // Only the second pass reads a thread that has not run for long.
    if (task->is_known && task->is_asleep && task->heat == 0) {
        task->now = task->then;
    } else if (!task_work(task, &task->now)) {
        task->is_asleep = false;
        return IDLE_PROOF_BUSY;
    }
    if (sleeps_on(proof, task))
        return IDLE_PROOF_IDLE;
    *has_run |= !task->is_known || !is_same(task->now, task->then);
    if (state == 'T' || state == 't')
        return IDLE_PROOF_STOPPED;
    bool is_read = read_text(task->files[ABOUT_SYSCALL], text, sizeof text);
    task->is_asleep &= is_read;
    if (!is_read && task->files[ABOUT_SYSCALL] >= 0 && errno != EPERM && errno != EACCES)
        return IDLE_PROOF_BUSY; // it is just ending
    if (!is_read) {
        // The process forbids inspection: rely on its state and its number of time slices.
        proof->stats.has_unseen = true;
        return state == 'S' || state == 'I' ? IDLE_PROOF_IDLE : IDLE_PROOF_BUSY;
    }
    proof->is_starved = text[0] == 'r' && task->is_known && is_same(task->now, task->then);
    if (text[0] == 'r' || (state == 'D' && !is_in_vfork(task, text)))
        return IDLE_PROOF_BUSY;
    bool is_short = false;
    task->call_now = strtol(text, NULL, 10);
    const char *call = timed_call(task->process, text, &is_short);
    // If the thread has run meanwhile, the timeout that was read is not that of this call.
    if (is_short || (call && !(task_work(task, &again) && is_same(again, task->now))))
        return IDLE_PROOF_BUSY;
    if (call)
        note_foreign(proof, task, call);
    task->foreign = call;
    task->is_asleep = state == 'S';
    return IDLE_PROOF_IDLE;
}

/* The second pass: whether the thread still waits and has not run. A thread that was woken for
 * another processor and has not run yet is in state R here, although `syscall` may show it as
 * asleep. */
static bool has_stayed(struct idle_proof *proof, struct task *task)
{
    struct work work;
    char text[256];
    if (is_deaf(task))
        return true;
    char state = task_state(task);
    proof->is_starved = state == 'R' && is_same(task->now, task->then);
    if (task->is_asleep)
        return state == 'S' && task_work(task, &work) && is_same(work, task->now);
    if (state == 'Z' || state == 'X' || state == '\0')
        return true;
    if (state == 'D' &&
        (!read_text(task->files[ABOUT_SYSCALL], text, sizeof text) || !is_in_vfork(task, text)))
        return false;
    bool is_waiting = state == 'S' || state == 'I' || state == 'D' || state == 'T' || state == 't';
    return is_waiting && task_work(task, &work) && is_same(work, task->now);
}

/* HAS_ENDED: a thread has ended, which wakes the keeper of its process. */
static bool have_stayed(struct idle_proof *proof, bool has_ended)
{
    for (size_t i = 0; i < proof->count; i++) {
        struct task *task = &proof->tasks[(proof->first + i) % proof->count];
        bool is_sure = task->is_keeper && task->is_asleep && !has_ended;
        if (is_sure || has_stayed(proof, task))
            continue;
        task->is_asleep &= proof->is_starved;
        task->heat = HEAT;
        return false;
    }
    return true;
}

static enum idle_proof_state check_twice(struct idle_proof *proof, bool *has_run)
{
    enum idle_proof_state found = IDLE_PROOF_IDLE;
    for (size_t i = 0; i < proof->count; i++) {
        struct task *task = &proof->tasks[(proof->first + i) % proof->count];
        if (is_deaf(task) || becomes_deaf(proof, task)) {
            *has_run |= !is_same(task->now, task->then);
            continue;
        }
        enum idle_proof_state one = check_first(proof, task, has_run);
        if (one == IDLE_PROOF_BUSY)
            return IDLE_PROOF_BUSY;
        if (one == IDLE_PROOF_STOPPED)
            found = IDLE_PROOF_STOPPED;
    }
    return have_stayed(proof, proof->has_ended) ? found : IDLE_PROOF_BUSY;
}

static bool is_for_child(long call)
{
    return call == SYS_wait4 || call == SYS_waitid;
}

/* Notes a program that has not loaded the clock library. A program with the library catches
 * CLOCK_SHM_SIGNAL but, unlike Go, not the next signal. Not checked: a process that waits for a
 * child, since it follows the child; and a process that still runs ptybot's program, such as a
 * keeper, or a command before exec. */
static void judge_program(struct idle_proof *proof, struct task *task)
{
    char text[4096];
    if (task->thread != task->process || task->is_ended || is_for_child(task->call_now) ||
        task->image == proof->own_image || task->image == task->judged ||
        !read_of(task->process, task->process, "status", text, sizeof text))
        return;
    const char *caught = strstr(text, "\nSigCgt:\t");
    uint64_t set = caught ? strtoull(caught + 9, NULL, 16) : 0;
    task->judged = task->image;
    if ((set >> (CLOCK_SHM_SIGNAL - 1) & 3) == 1 || proof->stats.clockless != 0)
        return;
    proof->stats.clockless = task->process;
    idle_proof_read_name(task->process, proof->stats.clockless_name);
}

static void note_idle(struct idle_proof *proof)
{
    proof->ran = proof->ended;
    proof->ended = 0;
    for (size_t i = 0; i < proof->count; i++) {
        struct task *task = &proof->tasks[i];
        task->has_run = !task->is_known || !is_same(task->now, task->then);
        proof->ran += task->has_run;
        if (task->has_run)
            proof->first = i;
        task->heat = task->has_run ? HEAT : task->heat - (task->heat > 0);
        task->woken_from = task->call;
        task->call = task->call_now;
        task->then = task->now;
        task->is_known = true;
        if (task->has_run)
            judge_program(proof, task);
    }
}

enum idle_proof_state idle_proof_try(struct idle_proof *proof, bool *has_run)
{
    proof->is_foreign = proof->is_starved = false;
    *has_run = false;
    if (!proof->is_listed)
        proof->is_listed = list(proof);
    proof->is_changed = false;
    enum idle_proof_state state = proof->is_listed ? check_twice(proof, has_run) : IDLE_PROOF_BUSY;
    if (state == IDLE_PROOF_BUSY || rouse(proof))
        return IDLE_PROOF_BUSY;
    // The list is the same if no thread was created or has ended. The kernel assigns the number of
    // a thread before it shows the thread, so the number counts only if all threads wait while the
    // list is read.
    long born = *has_run ? last_born(proof) : -1;
    if (proof->has_ended || (*has_run && (born < 0 || born != proof->born))) {
        proof->is_listed = list(proof);
        *has_run = true;
        // A process shows that it has ended before it wakes its parent, but both happen under the
        // lock that reading the list takes. A thread that waited for it therefore runs by now.
        if (proof->is_changed || !proof->is_listed || !have_stayed(proof, true))
            return IDLE_PROOF_BUSY;
        proof->born = born;
        proof->has_ended = false;
    }
    if (state == IDLE_PROOF_STOPPED)
        return state;
    note_idle(proof);
    return IDLE_PROOF_IDLE;
}

void idle_proof_renew(struct idle_proof *proof)
{
    proof->is_listed = list(proof);
}

/* ---- Results ---- */

bool idle_proof_is_foreign(const struct idle_proof *proof)
{
    return proof->is_foreign;
}

bool idle_proof_is_starved(const struct idle_proof *proof)
{
    return proof->is_starved;
}

size_t idle_proof_ran(const struct idle_proof *proof)
{
    return proof->ran;
}

bool idle_proof_has_run(const struct idle_proof *proof, pid_t process, pid_t thread)
{
    const struct task *task = find(proof, process, thread);
    return task && task->has_run;
}

void idle_proof_excuse(struct idle_proof *proof, pid_t process, pid_t thread)
{
    struct task *task = find(proof, process, thread);
    if (task)
        task->has_run = false;
}

/* Whether another process may have ended the call, so that only the kernel decides the order. */
static bool is_unordered(long number)
{
    bool is_timed = false;
    for (size_t i = 0; i < COUNT(calls); i++)
        is_timed |= calls[i].number == number && calls[i].at >= 0;
    return !is_timed || number == SYS_rt_sigtimedwait;
}

static void name_call(long number, char out[32])
{
    snprintf(out, 32, "system call %ld", number);
    for (size_t i = 0; i < COUNT(calls); i++)
        if (calls[i].number == number)
            snprintf(out, 32, "%s", calls[i].name);
}

/* Finds another thread that has run: one of the process of LATE that is listed before it, or one of
 * another process if both were woken from a call. IS_SURE: in the second case, LATE was woken from
 * a call that has no fixed order. NULL: none. */
static const struct task *find_other(const struct idle_proof *proof, const struct task *late,
                                     bool is_sure)
{
    bool is_late = !late->is_keeper && late->woken_from >= 0 && !is_for_child(late->woken_from) &&
                   (!is_sure || is_unordered(late->woken_from));
    for (size_t i = 0; late->has_run && !late->is_ended && i < proof->count; i++) {
        const struct task *task = &proof->tasks[i];
        bool is_near = task->process == late->process;
        bool is_new = task->woken_from < 0 || is_for_child(task->woken_from) || task->is_keeper;
        if (task != late && task->has_run && !task->is_ended &&
            (is_near ? task < late : !is_new && is_late))
            return task;
    }
    return NULL;
}

bool idle_proof_find_race(const struct idle_proof *proof, struct idle_proof_race *race)
{
    for (size_t i = 0; i < 2 * proof->count; i++) {
        const struct task *late = &proof->tasks[i % proof->count];
        const struct task *other = find_other(proof, late, i < proof->count);
        char name[32];
        if (!other)
            continue;
        *race = (struct idle_proof_race){.process = late->process,
                                         .threads = {other->thread, late->thread}};
        idle_proof_read_name(late->process, race->name);
        if (other->process != late->process) {
            idle_proof_read_name(other->process, name);
            snprintf(strchr(race->name, '\0'), sizeof race->name / 2, " and %s", name);
        }
        name_call(late->woken_from, race->call);
        return true;
    }
    return false;
}

int64_t idle_proof_busy_ns(const struct idle_proof *proof)
{
    int64_t most_ns = 0;
    for (size_t i = 0; i < proof->count; i++) {
        const struct task *task = &proof->tasks[i];
        struct work work;
        if (is_deaf(task) || !task_work(task, &work))
            continue;
        int64_t since_ns = (int64_t)(work.ran_ns - task->then.ran_ns);
        most_ns = since_ns > most_ns ? since_ns : most_ns;
    }
    return most_ns;
}

bool idle_proof_find(const struct idle_proof *proof, const struct idle_proof_name *name,
                     pid_t *process, pid_t *thread)
{
    for (size_t i = 0; i < proof->count; i++) {
        const struct idle_proof_name *other = &proof->tasks[i].name;
        bool is_there = name->space == 0 || other->space == 0 || name->space == other->space;
        if (is_there && other->process == name->process &&
            (name->thread == 0 || other->thread == name->thread)) {
            *process = proof->tasks[i].process;
            *thread = proof->tasks[i].thread;
            return true;
        }
    }
    return false;
}

bool idle_proof_knows_space(const struct idle_proof *proof, uint64_t space)
{
    for (size_t i = 0; i < proof->space_count; i++)
        if (proof->spaces[i] == space)
            return true;
    return space == 0 || space == proof->own_space;
}

uint64_t idle_proof_own_space(void)
{
    return space_of("/proc/self/ns/pid");
}

pid_t idle_proof_process(const struct idle_proof *proof, size_t index)
{
    for (size_t i = 0; i < proof->count; i++) {
        bool is_leader = proof->tasks[i].thread == proof->tasks[i].process;
        if (is_leader && index-- == 0)
            return proof->tasks[i].process;
    }
    return 0;
}

const struct idle_proof_stats *idle_proof_stats(const struct idle_proof *proof)
{
    return &proof->stats;
}

/* ---- The test of this machine ---- */

/* Chosen: with pauses of 1 ms, far more than a busy machine needs. */
enum { TRIES = 2000 };

/* The child of the test: runs until *IS_TO_WAIT is set, then waits. */
static _Noreturn void behave(const _Atomic int *is_to_wait, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it was killed before that */
        _exit(0);
    while (!atomic_load(is_to_wait))
        ;
    for (;;)
        pause();
}

static bool test_child(pid_t child, _Atomic int *is_to_wait, struct error *error)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    struct idle_proof *proof = idle_proof_create(child, NULL);
    bool has_run, is_quiet = false;
    for (int i = 0; proof && i < 20 && !is_quiet; i++)
        is_quiet = idle_proof_try(proof, &has_run) != IDLE_PROOF_BUSY;
    bool is_wrong = is_quiet;
    atomic_store(is_to_wait, 1);
    for (int i = 0; proof && proof->count > 0 && !is_wrong && !is_quiet && i < TRIES; i++) {
        is_quiet = idle_proof_try(proof, &has_run) == IDLE_PROOF_IDLE;
        if (!is_quiet)
            nanosleep(&pause, NULL);
    }
    bool has_unseen = !proof || proof->stats.has_unseen;
    bool is_alone = proof && proof->count == 1;
    idle_proof_destroy(proof);
    if (is_wrong || !is_quiet || has_unseen)
        return error_set(error, "%s",
                         is_wrong     ? "a process that ran looked as if it waited"
                         : !is_alone  ? "/proc does not list the threads of a child"
                         : has_unseen ? "/proc does not say what a child waits for"
                                      : "/proc does not show that a child waits");
    // Any of its descriptors will do.
    int process = (int)syscall(SYS_pidfd_open, child, 0);
    int copy = process >= 0 ? (int)syscall(SYS_pidfd_getfd, process, 0, 0) : -1;
    int reason = errno;
    if (copy >= 0)
        close(copy);
    if (process >= 0)
        close(process);
    return (copy >= 0 || reason == EBADF) ||
           error_set(error, "pidfd_getfd of a child: %s", strerror(reason));
}

bool idle_proof_test(struct error *error)
{
    _Atomic int *is_to_wait =
        mmap(NULL, sizeof *is_to_wait, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t parent = getpid();
    if (is_to_wait == MAP_FAILED)
        return error_set(error, "%s", strerror(errno));
    pid_t child = fork();
    if (child == 0)
        behave(is_to_wait, parent);
    bool is_fine = child > 0 ? test_child(child, is_to_wait, error)
                             : error_set(error, "fork: %s", strerror(errno));
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    munmap((void *)is_to_wait, sizeof *is_to_wait);
    return is_fine;
}
