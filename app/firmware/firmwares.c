#include "app/firmware/firmwares.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/cli/keeper.h"
#include "app/cli/program.h"
#include "app/cli/terminal.h"
#include "app/firmware/firmware_json.h"
#include "app/links/poller.h"
#include "base/array.h"
#include "base/text.h"
#include "include/ptybot/firmware_page.h"
#include "protocols/process/process.h"
#include "pty/shared_memory.h"

/* ---- Timeout of an answer ---- */

/* Limits do not count wall-clock time or the load of the machine. They limit the CPU time and the
 * sleep of a process together with its descendants. The total sleep in all answers is limited too;
 * otherwise a run with a process that sleeps in each answer would hardly end. */

#define ANSWER_POLL_US 10000 /* interval of the checks */

/* All zero: no question was sent yet. */
struct answer_timeout {
    bool has_begun;
    double began_cpu_s; /* CPU time of the process at the first check of this answer */
    double cpu_s;
    int64_t polled_us;   /* time of the last check, by the clock of the wait */
    int64_t idle_us;     /* time between checks that found it asleep without interruption */
    int64_t all_idle_us; /* the same over all answers, less ANSWER_POLL_US for each */
};

static const double CPU_MAX_S = 5; /* chosen: a tick needs milliseconds, a start a second */
static const int64_t IDLE_MAX_US = 2000000;     /* chosen: a tick has nothing to wait for */
static const int64_t ALL_IDLE_MAX_US = 5000000; /* chosen: two such ticks and a slow start */
static const int64_t BETWEEN_MAX_US = 100000;   /* chosen: ptybot itself may have been stopped */
enum { DEPTH_MAX = 8 };                         /* of descendants; chosen */

struct found {
    unsigned long long ticks; /* CPU time in clock ticks */
    bool is_running;
};

/* Reads the file of its children: keeper_visit would read every process of the machine, and this
 * runs every ANSWER_POLL_US. */
static void add_process(pid_t process, int depth, struct found *found)
{
    char path[64];
    struct keeper_stat stat;
    if (!keeper_look(process, &stat))
        return;
    found->ticks += stat.user + stat.kernel;
    found->is_running |= stat.state == 'R' || stat.state == 'D';
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process, (int)process);
    FILE *children = depth < DEPTH_MAX ? fopen(path, "re") : NULL;
    pid_t child;
    while (children && fscanf(children, "%d", &child) == 1)
        add_process(child, depth + 1, found);
    if (children)
        fclose(children);
}

/* Starts the timeout of the next answer. */
static void answer_timeout_begin(struct answer_timeout *timeout)
{
    int64_t all_us = timeout->all_idle_us - ANSWER_POLL_US;
    *timeout = (struct answer_timeout){.all_idle_us = all_us > 0 ? all_us : 0};
}

/* Checks a process that has not answered for ANSWER_POLL_US, at NOW_US. False, with the reason in
 * ERROR: it computes or sleeps for too long. */
static bool answer_timeout_check(struct answer_timeout *timeout, pid_t process, int64_t now_us,
                                 struct error *error)
{
    struct found found = {0};
    add_process(process, 0, &found);
    double cpu_s = (double)found.ticks / (double)sysconf(_SC_CLK_TCK);
    if (!timeout->has_begun)
        timeout->began_cpu_s = timeout->cpu_s = cpu_s;
    bool is_idle = timeout->has_begun && !found.is_running && cpu_s == timeout->cpu_s;
    int64_t between_us = is_idle ? now_us - timeout->polled_us : 0;
    between_us = between_us < BETWEEN_MAX_US ? between_us : BETWEEN_MAX_US;
    timeout->has_begun = true;
    timeout->cpu_s = cpu_s;
    timeout->polled_us = now_us;
    timeout->idle_us = is_idle ? timeout->idle_us + between_us : 0;
    timeout->all_idle_us += between_us;
    if (cpu_s - timeout->began_cpu_s > CPU_MAX_S)
        return error_set(error, "computed for more than %g s without an answer", CPU_MAX_S);
    if (timeout->idle_us >= IDLE_MAX_US)
        return error_set(error, "slept for %g s without an answer", 1e-6 * (double)IDLE_MAX_US);
    return timeout->all_idle_us < ALL_IDLE_MAX_US ||
           error_set(error, "slept for %g s in its answers; allowed: at most %g ms per tick",
                     1e-6 * (double)ALL_IDLE_MAX_US, ANSWER_POLL_US * 1e-3);
}

enum {
    LINE_MAX_BYTES = 1 << 16, /* of a line of JSON; chosen: four times the largest packed answer */
    END_POLLS = 100,          /* of 10 ms; chosen */
    LAST_MAX = 160,           /* of a quoted line; chosen */
    SHOW_US = 100000,         /* chosen: a reader notices no delay */
    PRINTED_MAX = 1 << 20,    /* bytes of one process; chosen: more than a person reads */
};

// The header of the page is public and cannot include internal headers.
static_assert(sizeof((struct ptybot_firmware_page *)NULL)->question == 4 + PROCESS_QUESTION_MAX &&
                  sizeof((struct ptybot_firmware_page *)NULL)->answer == 4 + PROCESS_ANSWER_MAX,
              "ptybot/firmware_page.h has other sizes than protocols/process/process_message.h");

struct firmware {
    char robot[SCENE_NAME_MAX + 1];
    const struct robot_program *program;
    struct robot_body body;
    struct firmware_names names;
    struct robot_actuators last; /* of the last answer in JSON */
    struct keeper keeper;        /* its child is 0: not started, or reaped */
    int socket;                  /* -1: closed */
    int printed;                 /* pipe from its stdout and stderr; -1: closed */
    int64_t show_us;             /* when to read that pipe next */
    size_t printed_size;         /* bytes printed so far */
    char last_line[LAST_MAX];    /* last line printed, cut if longer */
    size_t last_size;
    bool is_line_whole;
    struct answer_timeout timeout;
    bool is_binary;
    struct ptybot_firmware_page *page; /* NULL: the process does not use one */
    size_t used;                       /* received bytes that were not read */
    char came[LINE_MAX_BYTES];
};

struct firmwares {
    struct firmware **of_robot; /* NULL: the robot's firmware is not a process */
    size_t count;
    struct error failure;
};

/* The firmware as the body file names it. */
static const char *name_of(const struct firmware *self)
{
    return self->program->run ? self->program->run : self->program->avr;
}

/* ---- Starting ---- */

/* Finds the folder of the Python client, which contains the helper, next to the documentation. */
static void find_helper(char path[PATH_MAX])
{
    char docs[PATH_MAX - 32];
    program_find(PROGRAM_DOCS, docs, sizeof docs);
    snprintf(path, PATH_MAX, "%s/../clients/python", docs);
    const char *set = getenv("PYTHONPATH");
    size_t size = strlen(path);
    if (set && *set)
        snprintf(path + size, PATH_MAX - size, ":%s", set);
}

/* Finds the program that runs the firmware: a shell, or the program for AVR firmwares. Writes its
 * path into RUNNER and its arguments into WORDS. False, with the remedy in ERROR: it is not
 * installed. */
static bool find_runner(const struct robot_program *program, char runner[PATH_MAX],
                        const char *words[4], struct error *error)
{
    words[0] = program->run ? "sh" : "ptybot-avr";
    words[1] = program->run ? "-c" : program->avr;
    words[2] = program->run || program->has_auto_reset ? program->run : "--no-auto-reset";
    words[3] = NULL;
    if (program->run)
        snprintf(runner, PATH_MAX, "/bin/sh");
    else
        program_find(PROGRAM_AVR, runner, PATH_MAX);
    return *runner || error_set(error,
                                "%s is for an AVR, which this ptybot cannot run: install "
                                "the package ptybot-avr, or libsimavr-dev and build it again",
                                program->avr);
}

/* In the child: executes the firmware. Its output goes to a pipe, which ptybot prints with its own
 * messages. It ignores the keys that end the run, which would otherwise look like a crash of the
 * firmware. */
static _Noreturn void become(const char *folder, const char *runner, const char *const *words,
                             int socket, int page, int printed, const char *helper)
{
    char number[16], page_number[16];
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int kept = fcntl(socket, F_DUPFD, STDERR_FILENO + 1); // without close-on-exec
    snprintf(number, sizeof number, "%d", kept);
    snprintf(page_number, sizeof page_number, "%d", fcntl(page, F_DUPFD, STDERR_FILENO + 1));
    setenv("PTYBOT_FIRMWARE_FD", number, 1);
    setenv("PTYBOT_FIRMWARE_PAGE", page_number, 1);
    setenv("PYTHONPATH", helper, 1);
    if (kept >= 0 && dup2(printed, STDOUT_FILENO) >= 0 && dup2(printed, STDERR_FILENO) >= 0 &&
        chdir(folder) == 0)
        execv(runner, (char *const *)words);
    fprintf(stderr, "%s: %s\n", folder, strerror(errno));
    _exit(127);
}

static bool start(struct firmware *self, struct error *error)
{
    int ends[2], printed[2];
    char helper[PATH_MAX], runner[PATH_MAX];
    const char *words[4];
    if (!find_runner(self->program, runner, words, error))
        return false;
    if (pipe2(printed, O_CLOEXEC) != 0)
        return error_set(error, "pipe: %s", strerror(errno));
    self->printed = printed[0];
    fcntl(self->printed, F_SETFL, O_NONBLOCK);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        close(printed[1]);
        return error_set(error, "socketpair: %s", strerror(errno));
    }
    int page = memfd_create("ptybot-firmware", MFD_CLOEXEC);
    self->page = shared_memory_map(page, sizeof *self->page);
    find_helper(helper);
    fflush(NULL);
    pid_t pid = keeper_fork(&self->keeper, false);
    if (pid == 0)
        become(self->program->folder, runner, words, ends[1], page, printed[1], helper);
    close(ends[1]);
    close(page);
    close(printed[1]);
    self->socket = ends[0];
    return pid > 0 || error_set(error, "fork: %s", strerror(errno));
}

/* ---- Output ---- */

/* Keeps the last line, since it explains most about why the process ended: in Python the exception.
 * A line may arrive in parts. */
static void note_line(struct firmware *self, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        self->last_size = bytes[i] != '\n' && self->is_line_whole ? 0 : self->last_size;
        self->is_line_whole = bytes[i] == '\n';
        if (!self->is_line_whole && self->last_size < LAST_MAX - 1)
            self->last_line[self->last_size++] = bytes[i];
    }
    self->last_line[self->last_size] = '\0';
}

/* Prints the output since the last call, up to PRINTED_MAX in total. */
static void show_printed(struct firmware *self)
{
    char bytes[4096];
    ssize_t got;
    if (self->printed < 0)
        return;
    while ((got = read(self->printed, bytes, sizeof bytes)) > 0) {
        size_t left = self->printed_size < PRINTED_MAX ? PRINTED_MAX - self->printed_size : 0;
        self->printed_size += (size_t)got;
        note_line(self, bytes, (size_t)got);
        if (left > 0)
            fwrite(bytes, 1, (size_t)got < left ? (size_t)got : left, stderr);
        if (left > 0 && self->printed_size >= PRINTED_MAX)
            terminal_say("%s: its firmware printed %d bytes; ptybot omits the rest", self->robot,
                         PRINTED_MAX);
    }
    if (got == 0 || errno != EAGAIN) {
        close(self->printed);
        self->printed = -1;
    }
}

/* Wakes a process that waits for a question in the page. */
static bool post(struct firmware *self)
{
    answer_timeout_begin(&self->timeout);
    __atomic_add_fetch(&self->page->asked, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&self->page->waits, __ATOMIC_SEQ_CST)) // it may not sleep yet
        syscall(SYS_futex, &self->page->asked, FUTEX_WAKE, 1, NULL, NULL, 0);
    return true;
}

/* ---- Ending ---- */

/* Waits until the process has ended. False: it still runs. */
static bool reap(struct firmware *self, int polls, int *status)
{
    *status = 0;
    for (int i = 0; self->keeper.child > 0 && i < polls; i++) {
        show_printed(self);
        if (keeper_poll(&self->keeper, false, status))
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return self->keeper.child == 0;
}

static void drop_page(struct firmware *self)
{
    shared_memory_unmap(self->page, sizeof *self->page);
    self->page = NULL;
}

/* Tells the process to end. */
static void hang_up(struct firmware *self)
{
    if (self->socket >= 0)
        shutdown(self->socket, SHUT_RDWR);
    if (!self->page)
        return;
    memset(self->page->question, 0, 4);
    post(self);
}

static void end(struct firmware *self)
{
    int status;
    hang_up(self);
    if (self->socket >= 0)
        close(self->socket);
    self->socket = -1;
    drop_page(self);
    reap(self, END_POLLS, &status);
    keeper_end(&self->keeper);
    show_printed(self);
    if (self->printed >= 0)
        close(self->printed);
    self->printed = -1;
}

/* Explains why the process has closed its end of the socket. */
static bool explain_end(struct firmware *self, struct error *error)
{
    int status;
    bool has_ended = reap(self, END_POLLS, &status);
    show_printed(self);
    if (!has_ended)
        return error_set(error, "closed its socket");
    if (WIFSIGNALED(status))
        return error_set(error, "was ended by signal %d (%s)", WTERMSIG(status),
                         strsignal(WTERMSIG(status)));
    text_guard(self->last_line);
    return error_set(error, "exited with %d%s%s", WEXITSTATUS(status),
                     *self->last_line ? "; its last line: " : "", self->last_line);
}

/* ---- Bytes ---- */

static int64_t now_us(void)
{
    return poller_now_ns() / 1000;
}

static bool is_gone(int reason)
{
    return reason == EPIPE || reason == ECONNRESET;
}

/* Waits up to MOST_US for EVENTS at the socket. Meanwhile prints the process's output, and checks
 * the timeout. */
static bool wait_for(struct firmware *self, short events, int64_t most_us, struct error *error)
{
    int64_t until_us = now_us() + most_us, left_us = most_us;
    do {
        struct pollfd fds[] = {{.fd = self->socket, .events = events},
                               {.fd = self->printed, .events = POLLIN}};
        poll(fds, COUNT(fds), (int)(left_us + 999) / 1000);
        if (fds[1].revents)
            show_printed(self);
        if (fds[0].revents)
            return true;
    } while ((left_us = until_us - now_us()) > 0);
    return answer_timeout_check(&self->timeout, self->keeper.child, now_us(), error);
}

static bool send_all(struct firmware *self, const void *bytes, size_t size, struct error *error)
{
    answer_timeout_begin(&self->timeout);
    for (size_t done = 0; done < size;) {
        ssize_t sent = send(self->socket, (const char *)bytes + done, size - done,
                            MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0)
            done += (size_t)sent;
        else if (is_gone(errno))
            return explain_end(self, error);
        else if (errno != EAGAIN && errno != EINTR)
            return error_set(error, "%s", strerror(errno));
        else if (!wait_for(self, POLLOUT, ANSWER_POLL_US, error))
            return false;
    }
    return true;
}

/* Receives bytes that arrive within MOST_US. False: the process has ended, or takes too long. */
static bool receive(struct firmware *self, int64_t most_us, struct error *error)
{
    if (!wait_for(self, POLLIN, most_us, error))
        return false;
    ssize_t got =
        recv(self->socket, self->came + self->used, sizeof self->came - self->used, MSG_DONTWAIT);
    self->used += got > 0 ? (size_t)got : 0;
    if (got == 0 || (got < 0 && is_gone(errno)))
        return explain_end(self, error);
    return got > 0 || errno == EAGAIN || errno == EINTR || error_set(error, "%s", strerror(errno));
}

static size_t packed_size(const uint8_t *head)
{
    return head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
}

/* The same for an answer in the page. */
static bool receive_shared(struct firmware *self, struct error *error)
{
    static const struct timespec most = {.tv_nsec = ANSWER_POLL_US * 1000L};
    struct ptybot_firmware_page *page = self->page;
    for (uint32_t seen; (seen = __atomic_load_n(&page->answered, __ATOMIC_SEQ_CST)) != page->asked;)
        if (syscall(SYS_futex, &page->answered, FUTEX_WAIT, seen, &most, NULL, 0) != 0 &&
            errno == ETIMEDOUT && !receive(self, 0, error))
            return false;
    size_t size = packed_size(page->answer);
    self->used = 4 + (size < PROCESS_ANSWER_MAX ? size : PROCESS_ANSWER_MAX);
    memcpy(self->came, page->answer, self->used);
    if (now_us() < self->show_us)
        return true;
    show_printed(self);
    self->show_us = now_us() + SHOW_US;
    return true;
}

/* Whether exactly one message of SIZE bytes was received: each question has one answer. */
static bool take_whole(struct firmware *self, size_t size, struct error *error)
{
    if (self->used > size)
        return error_set(error, "sent %zu bytes after its answer", self->used - size);
    self->used = 0;
    return true;
}

/* Receives a line; SIZE does not count its newline. */
static bool receive_line(struct firmware *self, size_t *size, struct error *error)
{
    for (size_t seen = 0;;) {
        const char *newline = memchr(self->came + seen, '\n', self->used - seen);
        if (newline) {
            *size = (size_t)(newline - self->came);
            return take_whole(self, *size + 1, error);
        }
        seen = self->used;
        if (self->used == sizeof self->came)
            return error_set(error, "sent a line of more than %zu bytes", sizeof self->came);
        if (!receive(self, ANSWER_POLL_US, error))
            return false;
    }
}

/* Receives a packed answer: four bytes with its size, then the message. */
static bool receive_packed(struct firmware *self, size_t *size, struct error *error)
{
    for (;;) {
        *size = self->used < 4 ? 0 : packed_size((const uint8_t *)self->came);
        if (self->used >= 4 && (*size == 0 || *size > PROCESS_ANSWER_MAX))
            return error_set(error, "announced an answer of %zu bytes; allowed: 1 .. %d", *size,
                             PROCESS_ANSWER_MAX);
        if (self->used >= 4 && self->used - 4 >= *size)
            return take_whole(self, 4 + *size, error);
        if (!(self->page ? receive_shared(self, error) : receive(self, ANSWER_POLL_US, error)))
            return false;
    }
}

/* ---- Questions ---- */

static const char no_memory[] = "could not be asked: not enough memory";

/* Sends the images and scans that follow a question. */
static bool send_sights(struct firmware *self, const struct robot_question *question, size_t size,
                        struct error *error)
{
    uint8_t *bytes = malloc(size);
    if (!bytes)
        return error_set(error, "%s", no_memory);
    process_sights_write(question->sights, question->sight_count, bytes);
    bool is_sent = send_all(self, bytes, size, error);
    free(bytes);
    return is_sent;
}

static size_t ask_packed(struct firmware *self, const struct robot_question *question,
                         uint8_t *answer, struct error *error)
{
    struct process_answer read;
    size_t size = question->size;
    size_t more = process_sights_write(question->sights, question->sight_count, NULL);
    uint8_t bytes[4 + PROCESS_QUESTION_MAX], *message = self->page ? self->page->question : bytes;
    for (int i = 0; i < 4; i++)
        message[i] = (uint8_t)((size + more) >> 8 * i);
    memcpy(message + 4, question->bytes, size);
    if (self->program->avr) // of one thread
        keeper_take_turns(&self->keeper);
    if (!(self->page ? post(self) : send_all(self, message, size + 4, error)) ||
        (more > 0 && !send_sights(self, question, more, error)) ||
        !receive_packed(self, &size, error))
        return 0;
    memcpy(answer, self->came + 4, size);
    return process_answer_read(&self->names.shape, answer, size, &read, error) ? size : 0;
}

static bool send_line(struct firmware *self, char *line, struct error *error)
{
    bool is_sent = line
                       ? send_all(self, line, strlen(line), error) && send_all(self, "\n", 1, error)
                       : error_set(error, "%s", no_memory);
    free(line);
    return is_sent;
}

static size_t ask_json(struct firmware *self, const struct robot_question *question,
                       uint8_t *answer, struct error *error)
{
    struct process_question asked = {0};
    size_t size = question->size;
    bool is_whole = process_question_read(&self->names.shape, question->bytes, size, &asked);
    assert(is_whole);
    (void)is_whole;
    char *line =
        firmware_json_question(&self->names, &asked, question->sights, question->sight_count);
    if (!send_line(self, line, error) || !receive_line(self, &size, error))
        return 0;
    return firmware_json_answer(&self->names, self->came, size, &self->last, answer, error);
}

size_t firmwares_ask(void *context, size_t robot, const struct robot_question *question,
                     uint8_t *answer, size_t room)
{
    struct firmwares *self = context;
    struct firmware *firmware = self->of_robot[robot];
    struct error error = {0};
    assert(room >= PROCESS_ANSWER_MAX && question->size <= PROCESS_QUESTION_MAX);
    (void)room;
    if (!firmware || firmware->socket < 0)
        return 0;
    size_t got = 0;
    char early;
    if (!firmware->page && recv(firmware->socket, &early, 1, MSG_DONTWAIT | MSG_PEEK) > 0)
        error_set(&error, "sent more than one answer to the previous question");
    else
        got = (firmware->is_binary ? ask_packed : ask_json)(firmware, question, answer, &error);
    if (got > 0)
        return got;
    error_prefix(&error, "%s: its firmware, `%s`, at %.3f s: ", firmware->robot, name_of(firmware),
                 (double)process_question_time(question->bytes) * 1e-6);
    terminal_say("%s; the robot has no power from then on", error.text);
    if (!*self->failure.text)
        self->failure = error;
    if (firmware->keeper.child > 0)
        kill(firmware->keeper.child, SIGKILL);
    end(firmware);
    return 0;
}

const char *firmwares_failure(const struct firmwares *firmwares)
{
    return firmwares && *firmwares->failure.text ? firmwares->failure.text : NULL;
}

/* ---- All of them ---- */

static bool greet(struct firmware *self, struct error *error)
{
    size_t size = 0;
    bool is_good =
        send_line(self, firmware_json_hello(&self->names, self->robot), error) &&
        receive_line(self, &size, error) &&
        firmware_json_hello_read(&self->names, self->came, size, &self->is_binary, error);
    if (is_good && self->page && !(self->is_binary && self->page->is_used))
        drop_page(self);
    return is_good;
}

static struct firmware *make(const struct scene_robot *robot)
{
    struct firmware *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    snprintf(self->robot, sizeof self->robot, "%s", robot->name);
    self->program = robot->type->program;
    robot_type_body(robot->type, robot->options, &self->body);
    self->names = (struct firmware_names){robot->type, &self->body,
                                          process_shape_of(robot->type, &self->body), false};
    self->socket = self->printed = -1;
    return self;
}

bool firmwares_check(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->robot_count; i++) {
        const struct robot_program *program = scene->robots[i].type->program;
        char path[PATH_MAX];
        if (!program || !program->avr)
            continue;
        snprintf(path, sizeof path, "%s/%s", program->folder, program->avr);
        if (access(*program->avr == '/' ? program->avr : path, R_OK) != 0)
            return error_set(error,
                             "%s: its firmware %s: %s; make it of a sketch with `ptybot arduino`",
                             scene->robots[i].name, program->avr, strerror(errno));
    }
    return true;
}

struct firmwares *firmwares_open(const struct scene *scene, struct error *error)
{
    if (!firmwares_check(scene, error))
        return NULL;
    struct firmwares *self = calloc(1, sizeof *self);
    if (self)
        self->of_robot = calloc(scene->robot_count + 1, sizeof(struct firmware *));
    bool is_good = self && self->of_robot;
    for (size_t i = 0; is_good && i < scene->robot_count; i++) {
        const struct robot_program *program = scene->robots[i].type->program;
        self->count++;
        if (!program)
            continue;
        self->of_robot[i] = make(&scene->robots[i]);
        is_good = self->of_robot[i] && (start(self->of_robot[i], error) ||
                                        error_prefix(error, "%s: ", scene->robots[i].name));
    }
    // All firmwares start at once; then ptybot exchanges hellos with each.
    for (size_t i = 0; is_good && i < scene->robot_count; i++)
        is_good = !self->of_robot[i] || greet(self->of_robot[i], error) ||
                  error_prefix(error, "%s: its firmware, `%s`: ", scene->robots[i].name,
                               name_of(self->of_robot[i]));
    if (is_good)
        return self;
    if (!*error->text)
        error_set(error, "not enough memory for firmwares");
    firmwares_close(self);
    return NULL;
}

void firmwares_close(struct firmwares *firmwares)
{
    if (!firmwares)
        return;
    for (size_t i = 0; i < firmwares->count; i++)
        if (firmwares->of_robot[i])
            hang_up(firmwares->of_robot[i]);
    for (size_t i = 0; i < firmwares->count; i++) {
        if (firmwares->of_robot[i])
            end(firmwares->of_robot[i]);
        free(firmwares->of_robot[i]);
    }
    free(firmwares->of_robot);
    free(firmwares);
}
