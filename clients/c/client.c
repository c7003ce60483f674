/* The functions of include/ptybot/client.h: JSON requests and replies on the connection. */
#define _GNU_SOURCE
#include "include/ptybot/client.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "clients/c/connection.h"
#include "clients/c/process.h"
#include "include/ptybot/step_page.h"

enum {
    WORDS_MAX = 256,    /* chosen: more than any command line has */
    LOOK_NS = 50000,    /* chosen: longer than most steps */
    PENALTY_MAX = 1023, /* chosen: failed busy-waits then take less than a thousandth of the time */
};

#define UNEXPECTED "unexpected reply: "

/* A channel that has a port. */
struct port {
    char *name;  /* ROBOT.CHANNEL */
    char *place; /* what a driver opens */
    /* Total number of bytes that fences announced as written by the driver, and of bytes sent to
     * it. */
    uint64_t announced, written;
    uint64_t sent; /* bytes that the last step sent to the driver */
};

struct ptybot_run {
    struct ptybot_process process; /* without a pid: only attached */
    struct ptybot_connection connection;
    char *control;
    struct port *ports;
    size_t port_count;
    json_int_t id; /* ID of the last request */
    double timeout_s;
    struct ptybot_step_page *page; /* its links match PORTS; NULL: steps are messages */
    size_t page_size;
    bool is_page_known;
    unsigned penalty, skips;       /* steps without busy-wait: after a failure; left */
    json_t *reply;                 /* the last reply; NULL: none */
    char *result;                  /* last result of ptybot_call */
    struct ptybot_failure failure; /* failure of the last call */
};

static _Thread_local struct ptybot_failure start_failure;

/* ---- Requests ---- */

/* Sets the error message for a run that has ended. */
static bool fail_by_end(struct ptybot_run *self)
{
    struct ptybot_failure words = {0};
    if (self->process.pid > 0)
        ptybot_process_said(&self->process, &words);
    return ptybot_fail(&self->failure, "%.200s: the run has ended%s%.1500s", self->control,
                       words.text[0] ? "; it said: " : "", words.text);
}

static int64_t deadline_ms(const struct ptybot_run *self, double simulated_s)
{
    return ptybot_now_ms() + (int64_t)(1000 * (self->timeout_s + simulated_s));
}

static void close_page(struct ptybot_run *self)
{
    if (self->page)
        munmap(self->page, self->page_size);
    self->page = NULL;
    self->is_page_known = false;
}

/* Reconnects after a timeout: a disconnect cancels a step that has not started. */
static bool give_up_waiting(struct ptybot_run *self, const char *method, double waited_s)
{
    struct ptybot_failure ignored;
    close_page(self);
    ptybot_connection_close(&self->connection);
    ptybot_connection_open(&self->connection, self->control, &ignored);
    return ptybot_fail(&self->failure, "%s: no reply for %g s", method, waited_s);
}

/* Waits for the reply to the last request and stores it in self->reply. */
static bool take_reply(struct ptybot_run *self, const char *method, double simulated_s)
{
    int64_t end_ms = deadline_ms(self, simulated_s);
    for (;;) {
        char *line;
        enum ptybot_heard heard = ptybot_connection_line(&self->connection, end_ms, &line);
        if (heard == PTYBOT_HEARD_END)
            return fail_by_end(self);
        if (heard == PTYBOT_HEARD_NOTHING)
            return give_up_waiting(self, method, self->timeout_s + simulated_s);
        json_t *reply = json_loads(line, 0, NULL);
        if (!json_is_object(reply)) {
            json_decref(reply);
            return ptybot_fail(&self->failure, UNEXPECTED "%.80s", line);
        }
        if (json_integer_value(json_object_get(reply, "id")) == self->id) {
            self->reply = reply;
            return true;
        }
        json_decref(reply); /* a message of a watch that was started with ptybot_call */
    }
}

/* The reply of the run to a request with PARAMS, whose ownership it takes. NULL: the reason is in
 * self->failure. The result belongs to the run until the next call. SIMULATED_S: largest simulated
 * time that the call may take. */
static json_t *ask(struct ptybot_run *self, const char *method, json_t *params, double simulated_s)
{
    self->failure.text[0] = '\0';
    json_decref(self->reply);
    self->reply = NULL;
    json_t *request = json_pack("{s:s, s:I, s:s, s:o}", "jsonrpc", "2.0", "id", ++self->id,
                                "method", method, "params", params);
    char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
    json_decref(request);
    if (!text) {
        ptybot_fail(&self->failure, "%s: the request is not UTF-8", method);
        return NULL;
    }
    size_t size = strlen(text);
    text[size] = '\n'; /* replaces the final NUL */
    bool is_sent = ptybot_connection_send(&self->connection, text, size + 1);
    free(text);
    if (!is_sent) {
        fail_by_end(self);
        return NULL;
    }
    if (!take_reply(self, method, simulated_s))
        return NULL;
    json_t *result = json_object_get(self->reply, "result");
    const char *reason =
        json_string_value(json_object_get(json_object_get(self->reply, "error"), "message"));
    if (!result && reason)
        ptybot_fail(&self->failure, "%s", reason);
    else if (!result)
        ptybot_fail(&self->failure, UNEXPECTED "%s without result and error", method);
    return result;
}

const char *ptybot_call(struct ptybot_run *self, const char *method, const char *params)
{
    if (!self)
        return NULL;
    json_error_t problem;
    json_t *object = json_loads(params ? params : "{}", 0, &problem);
    if (!object) {
        ptybot_fail(&self->failure, "%s: params: %s", method, problem.text);
        return NULL;
    }
    json_t *result = ask(self, method, object, 0);
    free(self->result);
    self->result = result ? json_dumps(result, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    return self->result;
}

/* ---- A run ---- */

/* Takes the ownership of PLACE. */
static bool add_port(struct ptybot_run *self, const char *robot, const char *channel, char *place)
{
    struct port *more = realloc(self->ports, (self->port_count + 1) * sizeof *more);
    char *name = NULL;
    if (more)
        self->ports = more;
    if (!more || !place ||
        asprintf(&name, "%s%s%s", robot, channel ? "." : "", channel ? channel : "") < 0) {
        free(place);
        return ptybot_fail(&self->failure, "not enough memory");
    }
    self->ports[self->port_count++] = (struct port){.name = name, .place = place};
    return true;
}

/* Adds one channel of the line that a run prints when it is ready. */
static bool add_channel(struct ptybot_run *self, const char *robot, const json_t *channel)
{
    const char *path = json_string_value(json_object_get(channel, "path"));
    const char *address = json_string_value(json_object_get(channel, "address"));
    char *place = NULL;
    if (!path && !address)
        return true; /* no link */
    if (!robot)
        return ptybot_fail(&self->failure, UNEXPECTED "a robot without a name");
    if (path)
        place = strdup(path);
    else if (asprintf(&place, strchr(address, ':') ? "[%s]:%d" : "%s:%d", address,
                      (int)json_integer_value(json_object_get(channel, "port"))) < 0)
        place = NULL;
    return add_port(self, robot, json_string_value(json_object_get(channel, "name")), place);
}

/* Reads the line that a run prints when it is ready. */
static bool read_ready(struct ptybot_run *self, const char *line)
{
    json_t *ready = json_loads(line, 0, NULL);
    const char *control = json_string_value(json_object_get(ready, "control"));
    bool is_read =
        control || ptybot_fail(&self->failure, "a run that names no control socket: %s", line);
    size_t i, c;
    json_t *robot, *channel;
    json_array_foreach(json_object_get(ready, "robots"), i, robot)
    {
        const char *name = json_string_value(json_object_get(robot, "name"));
        json_array_foreach(json_object_get(robot, "channels"), c, channel)
        {
            is_read = is_read && add_channel(self, name, channel);
        }
    }
    self->control = control ? strdup(control) : NULL;
    json_decref(ready);
    return is_read && self->control;
}

static struct ptybot_run *create(void)
{
    struct ptybot_run *self = calloc(1, sizeof *self);
    if (!self) {
        ptybot_fail(&start_failure, "not enough memory");
        return NULL;
    }
    self->process = (struct ptybot_process){.output = {.socket = -1}, .input = -1, .said = -1};
    self->connection.socket = -1;
    self->timeout_s = 30;
    start_failure.text[0] = '\0';
    return self;
}

/* Ends a run that could not be started, and keeps the reason. */
static struct ptybot_run *give_up(struct ptybot_run *self)
{
    start_failure = self->failure;
    ptybot_end(self);
    return NULL;
}

struct ptybot_run *ptybot_start_words(const char *program, const char *const words[])
{
    const char *named = getenv("PTYBOT");
    const char *all[WORDS_MAX] = {program ? program : named && *named ? named : "ptybot", "run"};
    size_t count = 2;
    for (; *words && count + 3 < WORDS_MAX; words++)
        all[count++] = *words;
    all[count++] = "--private";
    all[count++] = "--json";
    char *line;
    struct ptybot_run *self = create();
    if (!self)
        return NULL;
    if (*words) {
        ptybot_fail(&self->failure, "too many arguments for one run; allowed: %d", WORDS_MAX - 5);
        return give_up(self);
    }
    if (ptybot_process_start(&self->process, all, &self->failure) &&
        ptybot_process_line(&self->process, deadline_ms(self, 0), &line, &self->failure) &&
        read_ready(self, line) &&
        ptybot_connection_open(&self->connection, self->control, &self->failure))
        return self;
    return give_up(self);
}

struct ptybot_run *ptybot_start(const char *scene, ...)
{
    const char *words[WORDS_MAX] = {scene};
    va_list arguments;
    va_start(arguments, scene);
    for (size_t i = 1; i + 1 < WORDS_MAX && words[i - 1]; i++)
        words[i] = va_arg(arguments, const char *);
    va_end(arguments);
    return ptybot_start_words(NULL, words);
}

/* The port of a link in the list of links. Adds the port if it is unknown, as after an attach.
 * NULL: out of memory. */
static struct port *take_port(struct ptybot_run *self, const json_t *link)
{
    const char *name = json_string_value(json_object_get(link, "name"));
    const char *named_place = json_string_value(json_object_get(link, "place"));
    if (!name || !named_place) {
        ptybot_fail(&self->failure, UNEXPECTED "a link without a name or a place");
        return NULL;
    }
    for (size_t i = 0; i < self->port_count; i++)
        if (strcmp(self->ports[i].name, name) == 0)
            return &self->ports[i];
    char *place = strdup(named_place);
    return add_port(self, name, NULL, place) ? &self->ports[self->port_count - 1] : NULL;
}

/* Reads the ports of a run that is already running, and the bytes received and sent so far. */
static bool read_links(struct ptybot_run *self)
{
    size_t i;
    json_t *link, *links = ask(self, "list", json_pack("{s:s}", "what", "links"), 0);
    json_array_foreach(links, i, link)
    {
        struct port *port = take_port(self, link);
        if (!port)
            return false;
        port->announced = (uint64_t)json_integer_value(json_object_get(link, "received"));
        port->written = (uint64_t)json_integer_value(json_object_get(link, "written"));
    }
    return links != NULL;
}

struct ptybot_run *ptybot_attach(const char *control)
{
    struct ptybot_run *self = create();
    if (!self)
        return NULL;
    control = control ? control : getenv("PTYBOT_CONTROL");
    if (!control)
        ptybot_fail(&self->failure, "PTYBOT_CONTROL is not set; `ptybot test` sets it");
    self->control = control ? strdup(control) : NULL;
    if (!self->control || !ptybot_connection_open(&self->connection, self->control, &self->failure))
        return give_up(self);
    return read_links(self) ? self : give_up(self);
}

int ptybot_end(struct ptybot_run *self)
{
    if (!self)
        return 0;
    close_page(self);
    ptybot_connection_close(&self->connection);
    int code = ptybot_process_end(&self->process);
    for (size_t i = 0; i < self->port_count; i++) {
        free(self->ports[i].name);
        free(self->ports[i].place);
    }
    free(self->ports);
    free(self->control);
    free(self->result);
    json_decref(self->reply);
    free(self);
    return code;
}

const char *ptybot_error(const struct ptybot_run *self)
{
    return self ? self->failure.text : start_failure.text;
}

void ptybot_set_timeout(struct ptybot_run *self, double seconds)
{
    if (self)
        self->timeout_s = seconds;
}

void ptybot_set_patience(struct ptybot_run *self, double seconds)
{
    ptybot_set_timeout(self, seconds);
}

/* ---- Addresses ---- */

/* Finds a channel by its full name, or the first channel of a robot. NULL: the error lists the
 * existing names. */
static struct port *find_port(struct ptybot_run *self, const char *channel)
{
    size_t size = strlen(channel);
    char names[512] = "";
    self->failure.text[0] = '\0';
    for (size_t i = 0; i < self->port_count; i++) {
        const char *name = self->ports[i].name;
        if (strncmp(name, channel, size) == 0 && (name[size] == '\0' || name[size] == '.'))
            return &self->ports[i];
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
    }
    ptybot_fail(&self->failure, "there is no port '%s'; %s", channel,
                names[0] ? "allowed: " : "the run has no ports");
    if (names[0])
        strncat(self->failure.text, names,
                sizeof self->failure.text - strlen(self->failure.text) - 1);
    return NULL;
}

const char *ptybot_port(struct ptybot_run *self, const char *channel)
{
    const struct port *port = self ? find_port(self, channel) : NULL;
    return port ? port->place : NULL;
}

const char *ptybot_control(const struct ptybot_run *self)
{
    return self ? self->control : NULL;
}

int ptybot_pid(const struct ptybot_run *self)
{
    return self ? (int)self->process.pid : 0;
}

/* ---- Signals and commands ---- */

/* The run's reply about one signal. NULL: there is no such signal. */
static const json_t *ask_signal(struct ptybot_run *self, const char *signal)
{
    json_t *result = self ? ask(self, "get", json_pack("{s:[s]}", "signals", signal), 0) : NULL;
    const json_t *found = json_array_get(json_object_get(result, "signals"), 0);
    if (result && !found)
        ptybot_fail(&self->failure, UNEXPECTED "get without a signal");
    return found;
}

double ptybot_get(struct ptybot_run *self, const char *signal)
{
    const json_t *found = ask_signal(self, signal);
    const json_t *value = json_object_get(found, "value");
    if (json_is_number(value))
        return json_number_value(value);
    if (found)
        ptybot_fail(&self->failure, "%s has no finite value now", signal);
    return NAN;
}

const char *ptybot_get_word(struct ptybot_run *self, const char *signal)
{
    const json_t *found = ask_signal(self, signal);
    const char *word = json_string_value(json_object_get(found, "text"));
    if (found && !word)
        ptybot_fail(&self->failure, "%s has no text value; its value is a number", signal);
    return word;
}

bool ptybot_do(struct ptybot_run *self, const char *command)
{
    return self && ask(self, "do", json_pack("{s:s}", "command", command), 0);
}

/* Writes a number for a command, with a decimal point in any locale. */
static void write_number(char out[32], double value)
{
    double millionths = round(fabs(value) * 1e6);
    snprintf(out, 32, "%s%.0f.%06.0f", value < 0 ? "-" : "", floor(millionths / 1e6),
             fmod(millionths, 1e6));
}

bool ptybot_place(struct ptybot_run *self, const char *robot, double x_m, double y_m,
                  double heading_deg)
{
    char x[32], y[32], heading[32], command[256];
    if (self && !(fabs(x_m) < 1e9 && fabs(y_m) < 1e9 && fabs(heading_deg) < 1e9))
        return ptybot_fail(&self->failure, "%s.place: a place must be finite", robot);
    write_number(x, x_m);
    write_number(y, y_m);
    write_number(heading, heading_deg);
    snprintf(command, sizeof command, "%s.place x=%s y=%s heading=%s", robot, x, y, heading);
    return ptybot_do(self, command);
}

bool ptybot_send_estimate(struct ptybot_run *self, const struct ptybot_estimate *estimate)
{
    const struct {
        const char *key;
        double value;
    } rows[] = {{"x_m", estimate->x_m},
                {"y_m", estimate->y_m},
                {"heading_deg", estimate->heading_deg},
                {"speed_m_s", estimate->speed_m_s},
                {"turn_deg_s", estimate->turn_deg_s}};
    char number[32], command[256] = "world.estimate";
    for (size_t i = 0, used = strlen(command); i < sizeof rows / sizeof *rows; i++) {
        if (!(fabs(rows[i].value) < 1e9))
            continue;
        write_number(number, rows[i].value);
        used +=
            (size_t)snprintf(command + used, sizeof command - used, " %s=%s", rows[i].key, number);
    }
    return ptybot_do(self, command);
}

bool ptybot_reset(struct ptybot_run *self)
{
    return ptybot_do(self, "world.reset");
}

/* ---- Time ---- */

bool ptybot_pause(struct ptybot_run *self, bool paused)
{
    return self && ask(self, "pause", json_pack("{s:b}", "paused", paused), 0) &&
           (!paused || read_links(self));
}

/* Whether the condition of a reply was true; if not, the error contains the values found. */
static bool check_holds(struct ptybot_run *self, const json_t *result, const char *condition)
{
    if (!result || json_is_true(json_object_get(result, "holds")))
        return result != NULL;
    const char *found = json_string_value(json_object_get(result, "found"));
    return ptybot_fail(&self->failure, "%s: did not become true: %s", condition,
                       found ? found : "?");
}

bool ptybot_wait(struct ptybot_run *self, const char *condition, double timeout_s)
{
    if (!self)
        return false;
    json_t *params = json_pack("{s:s, s:f}", "until", condition, "timeout_s", timeout_s);
    return check_holds(self, ask(self, "wait", params, timeout_s), condition);
}

/* Maps the page that a run in lockstep shares. */
static void open_page(struct ptybot_run *self)
{
    const char *wanted = getenv("PTYBOT_STEP_PAGE");
    self->is_page_known = true;
    if (wanted && strcmp(wanted, "off") == 0)
        return;
    const json_t *result = ask(self, "version", json_pack("{s:b}", "step_page", true), 0);
    const json_t *about = json_object_get(result, "step_page");
    const char *path = json_string_value(json_object_get(about, "path"));
    json_int_t key = 0, size = json_integer_value(json_object_get(about, "size"));
    size_t least = sizeof *self->page + self->port_count * sizeof *self->page->links;
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *page = MAP_FAILED;
    /* In another container the path may be a different file. */
    if (file >= 0 && size == (json_int_t)least && pread(file, &key, sizeof key, 0) == sizeof key &&
        key == json_integer_value(json_object_get(about, "key")))
        page = mmap(NULL, least, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    self->page_size = least;
    self->page = page == MAP_FAILED ? NULL : page;
}

/* Busy-waits briefly, since waking a sleeping processor takes longer than a step. If this fails
 * repeatedly, as on a single processor, it is done less often. */
static void look_for_end(struct ptybot_run *self, uint32_t number)
{
    if (self->skips > 0) {
        self->skips--;
        return;
    }
    bool is_over = false;
    int64_t from_ns = ptybot_now_ns(), spent_ns = 0;
    while (!is_over && spent_ns < LOOK_NS) {
        is_over = __atomic_load_n(&self->page->answered, __ATOMIC_SEQ_CST) == number;
        spent_ns = ptybot_now_ns() - from_ns;
    }
    bool is_soon = is_over && spent_ns < LOOK_NS;
    self->penalty = is_soon ? self->penalty * 3 / 4 : self->penalty * 2 + 1;
    if (self->penalty > PENALTY_MAX)
        self->penalty = PENALTY_MAX;
    self->skips = is_soon ? 0 : self->penalty;
}

/* Waits for the end of step NUMBER. */
static bool await_page(struct ptybot_run *self, uint32_t number, double simulated_s)
{
    const struct timespec look = {.tv_nsec = 100000000}; /* chosen: to notice a dead run */
    int64_t end_ms = deadline_ms(self, simulated_s);
    look_for_end(self, number);
    while (__atomic_load_n(&self->page->answered, __ATOMIC_SEQ_CST) != number) {
        struct pollfd peer = {.fd = self->connection.socket};
        if (syscall(SYS_futex, &self->page->answered, FUTEX_WAIT, number - 1, &look, NULL, 0) ==
                0 ||
            errno != ETIMEDOUT)
            continue;
        bool is_ended = poll(&peer, 1, 0) != 0;
        // A run that ends first writes the reason to the page, and then closes the connection.
        if (is_ended && __atomic_load_n(&self->page->answered, __ATOMIC_SEQ_CST) != number)
            return fail_by_end(self);
        if (!is_ended && ptybot_now_ms() >= end_ms)
            return give_up_waiting(self, "step", self->timeout_s + simulated_s);
    }
    return !self->page->code || ptybot_fail(&self->failure, "%s", self->page->text);
}

static void count_written(struct port *port, uint64_t written)
{
    port->sent = written - port->written;
    port->written = written;
}

/* Steps by the page. If AFTER is not NULL, the step waits for the WANTED bytes of that port. */
static bool step_by_page(struct ptybot_run *self, unsigned ms, const struct port *after,
                         uint64_t wanted)
{
    struct ptybot_step_page *page = self->page;
    struct ptybot_step_link *link = after ? &page->links[after - self->ports] : NULL;
    uint32_t number = page->answered + 1;
    self->failure.text[0] = '\0';
    json_decref(self->reply);
    self->reply = NULL;
    page->ms = ms;
    for (size_t i = 0; i < self->port_count; i++)
        page->links[i].wanted = link == &page->links[i] ? wanted : 0;
    __atomic_store_n(&page->asked, number, __ATOMIC_SEQ_CST);
    /* If the run still waits for bytes, their arrival wakes it; otherwise an empty line does. */
    bool is_awake = __atomic_load_n(&page->is_awake, __ATOMIC_SEQ_CST) ||
                    (link && __atomic_load_n(&link->received, __ATOMIC_SEQ_CST) < wanted);
    if (!is_awake && !ptybot_connection_send(&self->connection, "\n", 1))
        return fail_by_end(self);
    if (!await_page(self, number, ms / 1e3))
        return false;
    for (size_t i = 0; i < self->port_count; i++)
        count_written(&self->ports[i], page->links[i].written);
    return true;
}

/* Steps by a message, and counts the bytes sent to the drivers. Takes the ownership of PARAMS. */
static const json_t *step(struct ptybot_run *self, unsigned ms, json_t *params)
{
    json_object_set_new(params, "ms", json_integer(ms));
    const json_t *result = ask(self, "step", params, ms / 1e3);
    for (size_t i = 0; result && i < self->port_count; i++) {
        const json_t *written = json_object_get(result, "written");
        count_written(&self->ports[i],
                      (uint64_t)json_integer_value(json_object_get(written, self->ports[i].name)));
    }
    return result;
}

/* Steps after the WANTED bytes of port AFTER; NULL: does not wait for bytes. */
static bool step_after(struct ptybot_run *self, unsigned ms, const struct port *after,
                       uint64_t wanted)
{
    if (!self->is_page_known)
        open_page(self);
    if (self->page && ms <= 86400000) /* a day: for longer steps the message returns the error */
        return step_by_page(self, ms, after, wanted);
    json_t *received = after ? json_pack("{s:I}", after->name, (json_int_t)wanted) : NULL;
    return step(self, ms, json_pack("{s:o*}", "received", received));
}

bool ptybot_step(struct ptybot_run *self, unsigned ms)
{
    return self && step_after(self, ms, NULL, 0);
}

bool ptybot_step_after(struct ptybot_run *self, unsigned ms, const char *channel, uint64_t bytes)
{
    struct port *port = self ? find_port(self, channel) : NULL;
    if (!port)
        return false;
    uint64_t wanted = port->announced + bytes;
    if (step_after(self, ms, port, wanted)) {
        port->announced = wanted;
        return true;
    }
    size_t size = strlen(self->failure.text);
    if (!self->reply && !self->page)
        snprintf(self->failure.text + size, sizeof self->failure.text - size,
                 "; the step waits for %llu bytes in total from the driver of %s",
                 (unsigned long long)wanted, port->name);
    return false;
}

bool ptybot_step_until(struct ptybot_run *self, unsigned ms, const char *condition)
{
    return self &&
           check_holds(self, step(self, ms, json_pack("{s:s}", "until", condition)), condition);
}

uint64_t ptybot_sent(struct ptybot_run *self, const char *channel)
{
    const struct port *port = self ? find_port(self, channel) : NULL;
    return port ? port->sent : 0;
}
