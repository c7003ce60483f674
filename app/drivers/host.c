/* The driver commands of a run: their environment and their processes. */
#include "app/drivers/host.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/cli/terminal.h"
#include "app/drivers/long_log.h"
#include "base/text.h"

/* ---- The environment of a driver ---- */

enum { NAME_SIZE = 256 };

static bool add(char **settings, size_t *count, const char *name, const char *value)
{
    size_t size = strlen(name) + strlen(value) + 2;
    char *text = malloc(size);
    if (!text)
        return false;
    snprintf(text, size, "%s=%s", name, value);
    settings[(*count)++] = text;
    return true;
}

static void name_port(const char *robot, const char *channel, char name[NAME_SIZE])
{
    int wrote = snprintf(name, NAME_SIZE, "PTYBOT_PORT_%s%s%s", robot, channel ? "_" : "",
                         channel ? channel : "");
    for (int i = 0; i < wrote && i < NAME_SIZE; i++)
        name[i] = (char)toupper((unsigned char)name[i]);
}

/* Adds the ports: the names of channels first, since later names win and those of robots take
 * precedence. */
static bool add_ports(char **settings, size_t *count, const struct sim *sim,
                      const struct links *links, bool is_of_robots)
{
    size_t last_robot = SIZE_MAX;
    struct links_view view;
    for (size_t i = 0; links_view(links, i, &view); i++) {
        unsigned channel;
        char name[NAME_SIZE];
        size_t robot = sim_channel_robot(sim, view.channel, &channel);
        bool is_first = robot != last_robot;
        last_robot = robot;
        if ((view.kind->traits & LINK_CABLE) || (is_of_robots && !is_first))
            continue;
        name_port(sim_robot_name(sim, robot),
                  is_of_robots ? NULL : sim_robot_type(sim, robot)->channels[channel].name, name);
        if (!add(settings, count, name, view.place))
            return false;
    }
    return true;
}

char **host_settings(const struct sim *sim, const struct links *links, const char *control)
{
    size_t count = 0;
    char **settings = calloc(2 * links_count(links) + 2, sizeof *settings);
    if (settings && add(settings, &count, "PTYBOT_CONTROL", control) &&
        add_ports(settings, &count, sim, links, false) &&
        add_ports(settings, &count, sim, links, true))
        return settings;
    host_settings_free(settings);
    return NULL;
}

void host_settings_free(char **settings)
{
    for (size_t i = 0; settings && settings[i]; i++)
        free(settings[i]);
    free(settings);
}

/* ---- The words of a command ---- */

static const char port_start[] = "PTYBOT_PORT_";
enum { PORT_START = sizeof port_start - 1 };

/* The port with a name of SIZE bytes, or NULL. */
static const char *find_port(char *const *settings, const char *name, size_t size)
{
    char wanted[NAME_SIZE];
    snprintf(wanted, sizeof wanted, "%s%.*s=", port_start, (int)(size < 128 ? size : 128), name);
    for (char *at = wanted + PORT_START; *at; at++)
        *at = (char)(*at == '.' ? '_' : toupper((unsigned char)*at));
    for (size_t i = 0; settings[i]; i++)
        if (strncmp(settings[i], wanted, strlen(wanted)) == 0)
            return settings[i] + strlen(wanted);
    return NULL;
}

/* Length of a name in braces at TEXT, without the braces; 0: no such name. */
static size_t measure_braces(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";
    size_t size = *text == '{' ? strspn(text + 1, letters) : 0;
    return size > 0 && text[1 + size] == '}' ? size : 0;
}

/* Checks a word that consists only of a name in braces. False: it may be a misspelled port. */
static bool check_word(const char *word, char *const *settings, struct error *error)
{
    size_t size = measure_braces(word);
    const char *near = NULL;
    int least = TEXT_DISTANCE_FAR;
    size_t shortest = 0;
    char names[64][NAME_SIZE] = {""}, name[NAME_SIZE];
    if (size == 0 || word[size + 2] != '\0' || find_port(settings, word + 1, size))
        return true;
    snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : sizeof name - 1),
             word + 1);
    for (size_t i = 0, count = 0; settings[i] && count < 64; i++) {
        const char *from = settings[i] + PORT_START;
        if (strncmp(settings[i], port_start, PORT_START) != 0)
            continue;
        snprintf(names[count], NAME_SIZE, "%.*s", (int)strcspn(from, "="), from);
        for (char *at = names[count]; *at; at++)
            *at = (char)tolower((unsigned char)*at);
        shortest = strlen(names[count]) < strlen(names[shortest]) ? count : shortest;
        text_nearer(name, names[count++], &near, &least);
    }
    if (!near && *names[shortest])
        terminal_say("the driver receives '%s' literally: no robot or channel has this name; did "
                     "you mean '{%s}'?",
                     word, names[shortest]);
    return !near || error_set(error, "%s: there is no such port; did you mean '{%s}'?", word, near);
}

/* A copy of WORD with the ports inserted; NULL: no memory. */
static char *fill_word(const char *word, char *const *settings)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    while (out && *word) {
        size_t name = measure_braces(word);
        const char *port = name > 0 ? find_port(settings, word + 1, name) : NULL;
        if (port)
            fputs(port, out);
        else
            fputc(*word, out);
        word += port ? name + 2 : 1;
    }
    bool is_whole = out && !ferror(out);
    is_whole = out && fclose(out) == 0 && is_whole;
    if (is_whole)
        return text;
    free(text);
    return NULL;
}

char **host_words(const char *const *words, char *const *settings, struct error *error)
{
    size_t count = 0;
    while (words[count])
        count++;
    char **filled = calloc(count + 1, sizeof *filled);
    bool is_right = filled || error_set(error, "not enough memory");
    for (size_t i = 0; is_right && i < count; i++)
        is_right =
            check_word(words[i], settings, error) &&
            ((filled[i] = fill_word(words[i], settings)) || error_set(error, "not enough memory"));
    if (is_right)
        return filled;
    host_settings_free(filled);
    return NULL;
}

/* Whether WORD is an option such as -c or -lc, after which a shell expects its script. */
static bool is_script_option(const char *word)
{
    size_t size = strlen(word);
    return size > 1 && word[0] == '-' && word[size - 1] == 'c' &&
           strspn(word + 1, "abcdefghijklmnopqrstuvwxyz") == size - 1;
}

const char *host_unread_port(const char *const *words)
{
    for (size_t i = 0; words[i]; i++) {
        bool is_port = strstr(words[i], "$PTYBOT_PORT_") || strstr(words[i], "${PTYBOT_PORT_");
        // A word with blanks is a script for a shell.
        if (is_port && !strpbrk(words[i], " \t\n;") && (i == 0 || !is_script_option(words[i - 1])))
            return words[i];
    }
    return NULL;
}

/* ---- Starting ---- */

/* Preloads LIBRARY before the libraries that LD_PRELOAD already names. */
static void preload(const char *library)
{
    char all[3 * PATH_MAX];
    const char *others = getenv("LD_PRELOAD");
    // The dynamic linker treats these characters as separators. A missing library was reported
    // before.
    if (!*library || strpbrk(library, " :\t\n"))
        return;
    int wrote = snprintf(all, sizeof all, "%s%s%s", library, others && *others ? ":" : "",
                         others ? others : "");
    if (wrote < (int)sizeof all)
        setenv("LD_PRELOAD", all, 1);
}

/* The driver must not see the ports of an outer test that runs this ptybot. */
static void forget_ports(void)
{
    for (size_t i = 0; environ && environ[i];) {
        const char *equals = strchr(environ[i], '=');
        size_t size = equals ? (size_t)(equals - environ[i]) : 0;
        char name[256];
        if (strncmp(environ[i], port_start, PORT_START) == 0 && size > 0 && size < sizeof name) {
            snprintf(name, sizeof name, "%.*s", (int)size, environ[i]);
            unsetenv(name); // the next one moves here
        } else {
            i++;
        }
    }
}

static void set_environment(const struct host_command *command)
{
    forget_ports();
    for (size_t i = 0; command->settings[i]; i++)
        putenv((char *)command->settings[i]);
    char shim[PATH_MAX];
    program_find(PROGRAM_SHIM, shim, sizeof shim);
    preload(shim);
    if (!command->warp)
        return;
    warp_set_environment(command->warp);
    preload(command->warp->library);
}

/* Uses one descriptor at a time, since the limit may be low. */
static bool set_streams(const struct host_command *command)
{
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (in < 0 || dup2(in, STDIN_FILENO) < 0)
        return false;
    close(in);
    if (!command->log)
        return !command->is_on_stderr || dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    int out = open(command->log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    return out >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0;
}

/* In the child: executes the command, or ends. */
static _Noreturn void become(const struct host_command *command, const struct keeper *keeper)
{
    setpgid(0, 0);
    if (set_streams(command) && (!command->folder || chdir(command->folder) == 0)) {
        signal(SIGPIPE, SIG_DFL);
        signal(SIGXFSZ, SIG_DFL);
        if (command->descriptors.rlim_cur > 0)
            setrlimit(RLIMIT_NOFILE, &command->descriptors);
        set_environment(command);
        execvp(command->words[0], (char *const *)command->words);
    }
    keeper_fail(keeper);
}

bool host_start(struct host *host, const struct host_command *command, int64_t now_ns,
                struct error *error)
{
    *host = (struct host){.start_ns = now_ns, .log = command->log};
    host->pid = keeper_fork(&host->keeper, true);
    if (host->pid == 0)
        become(command, &host->keeper);
    return host->pid > 0 || error_set(error, "%s: %s", command->words[0], strerror(errno));
}

#define LOG_POLL_NS INT64_C(10000000) /* chosen */

/* ---- Watching and ending ---- */

/* Processes that commands have left behind. */
struct left {
    const struct hosts *hosts;
    int number; /* the signal to send, except to members of a command's group; 0: none */
    size_t count;
};

static void visit_one(pid_t pid, pid_t group, void *context)
{
    struct left *left = context;
    bool is_in_group = false;
    for (size_t i = 0; i < left->hosts->count; i++) {
        if (pid == left->hosts->items[i].pid)
            return;
        is_in_group |= group == left->hosts->items[i].pid;
    }
    left->count++;
    if (left->number > 0 && !is_in_group)
        kill(pid, left->number);
}

static size_t visit_left(const struct hosts *hosts, int number)
{
    struct left left = {.hosts = hosts, .number = number};
    for (size_t i = 0; i < hosts->count; i++)
        if (hosts->items[i].keeper.pid > 0)
            keeper_visit(hosts->items[i].keeper.pid, visit_one, &left);
    return left.count;
}

static void poll_one(struct host *host, bool is_log_due, int64_t now_ns)
{
    int status;
    // Processes that the command has left behind may still print.
    if (is_log_due && host->log)
        (host->is_ended ? long_log_cut : long_log_thin)(host->log, &host->log_left_out);
    if (host->is_ended || !keeper_poll(&host->keeper, false, &status))
        return;
    if (host->log)
        long_log_cut(host->log, &host->log_left_out);
    host->is_ended = true;
    host->status = status;
    host->end_ns = now_ns;
}

void hosts_poll(struct hosts *hosts, int64_t now_ns)
{
    for (size_t i = 0; i < hosts->count; i++) {
        struct host *host = &hosts->items[i];
        bool is_log_due = now_ns >= host->log_poll_ns;
        if (is_log_due)
            host->log_poll_ns = now_ns + LOG_POLL_NS;
        poll_one(host, is_log_due, now_ns);
    }
}

bool hosts_have_ended(const struct hosts *hosts)
{
    size_t ended = 0;
    for (size_t i = 0; i < hosts->count; i++) {
        const struct host *host = &hosts->items[i];
        bool is_good = WIFEXITED(host->status) && WEXITSTATUS(host->status) == 0;
        if (host->is_ended && !is_good && !host_obeyed(hosts, host))
            return true;
        ended += i < hosts->awaited && host->is_ended;
    }
    return hosts->count > 0 && ended == hosts->awaited;
}

bool hosts_left_any(const struct hosts *hosts)
{
    return visit_left(hosts, 0) > 0;
}

bool hosts_are_gone(struct hosts *hosts)
{
    bool are_gone = true;
    for (size_t i = 0; i < hosts->count; i++)
        are_gone &= hosts->items[i].is_ended && keeper_is_gone(&hosts->items[i].keeper);
    return are_gone;
}

void hosts_signal(const struct hosts *hosts, int number)
{
    // A group exists as long as one member lives, even if the command itself was reaped.
    for (size_t i = 0; i < hosts->count; i++)
        if (hosts->items[i].keeper.pid > 0)
            kill(-hosts->items[i].pid, number);
    visit_left(hosts, number);
}

void hosts_interrupt(struct hosts *hosts, int number)
{
    hosts->sent |= UINT64_C(1) << number;
    for (size_t i = 0; i < hosts->count; i++)
        if (!hosts->items[i].is_ended)
            kill(-hosts->items[i].pid, number);
}

bool host_obeyed(const struct hosts *hosts, const struct host *host)
{
    // POSIX, Shell Command Language, 2.8.2: more than 128; it is 128 + N in all known shells.
    int number =
        WIFSIGNALED(host->status) ? WTERMSIG(host->status) : WEXITSTATUS(host->status) - 128;
    return host->is_ended && number > 0 && number < 64 && hosts->sent >> number & 1;
}

void hosts_kill(struct hosts *hosts)
{
    for (size_t i = 0; i < hosts->count; i++)
        keeper_end(&hosts->items[i].keeper);
}
