/* Finds processes outside a driver that it talks to. */
#include "app/time/external_peers.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/time/idle_proof.h"
#include "base/array.h"

/* Chosen. The first of ptybot's own sockets are those that it may have inherited. */
enum { OWN_MAX = 64 };

/* One end of a TCP connection; an IPv4 address is stored as an IPv4-mapped IPv6 address. */
struct end {
    struct in6_addr address;
    in_port_t port;
};

/* A TCP socket. */
struct tcp {
    pid_t process;
    bool is_listening;
    bool is_ending;         /* one of the two ends has closed the connection */
    struct end here, there; /* THERE only if connected */
};

struct search {
    struct external_peers *peers;
    const pid_t *hosts;
    size_t host_count;
    struct tcp *all;
    size_t count, room;
    char own[OWN_MAX][24]; /* sockets of ptybot; its parent may have passed one to ptybot and to the
                              driver */
    size_t own_count;
};

/* ---- The list of peers ---- */

static void note(struct external_peers *peers, pid_t process, const char *where)
{
    for (size_t i = 0; i < peers->count; i++)
        if (peers->peers[i].process == process && strcmp(peers->peers[i].where, where) == 0)
            return;
    if (peers->count == EXTERNAL_PEERS_MAX)
        return;
    struct external_peer *peer = &peers->peers[peers->count++];
    peer->process = process;
    idle_proof_read_name(process, peer->name);
    snprintf(peer->where, sizeof peer->where, "%s", where);
}

/* ---- Unix sockets ---- */

static bool is_inside(const struct search *search, pid_t process)
{
    for (size_t i = 0; i < search->host_count; i++)
        if (search->hosts[i] == process)
            return true;
    return process == getpid();
}

/* SO_PEERCRED names the process that connected, listened or made the pair. If that process has
 * ended, its children may have inherited the socket. They belong to the driver if it did. */
static void add_unix(struct search *search, pid_t process, int copy, const struct sockaddr_un *peer,
                     socklen_t size)
{
    struct ucred other;
    socklen_t other_size = sizeof other;
    char name[32], where[128];
    if (getsockopt(copy, SOL_SOCKET, SO_PEERCRED, &other, &other_size) != 0 ||
        is_inside(search, other.pid) ||
        (other.pid > 0 && kill(other.pid, 0) != 0 && errno == ESRCH))
        return;
    int length = (int)(size - offsetof(struct sockaddr_un, sun_path));
    bool is_named = length > 0;
    bool is_abstract = is_named && peer->sun_path[0] == '\0';
    if (other.pid > 0)
        idle_proof_read_name(other.pid, name);
    else
        snprintf(name, sizeof name, "other namespace of processes");
    snprintf(where, sizeof where, "%s%.*s (%s, process %d)",
             is_abstract ? "@"
             : is_named  ? ""
                         : "a socket",
             is_named ? length - is_abstract : 0, peer->sun_path + is_abstract, name,
             (int)other.pid);
    note(search->peers, process, where);
}

/* ---- TCP ---- */

static struct end end_of(const struct sockaddr_storage *from)
{
    struct end end = {0};
    if (from->ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)from;
        return (struct end){.address = six->sin6_addr, .port = six->sin6_port};
    }
    const struct sockaddr_in *four = (const struct sockaddr_in *)from;
    if (four->sin_addr.s_addr != INADDR_ANY) {
        end.address.s6_addr[10] = end.address.s6_addr[11] = 0xff;
        memcpy(&end.address.s6_addr[12], &four->sin_addr, 4);
    }
    end.port = four->sin_port;
    return end;
}

static bool is_same(const struct end *one, const struct end *other)
{
    return one->port == other->port && memcmp(&one->address, &other->address, 16) == 0;
}

static void add_tcp(struct search *search, const struct tcp *tcp)
{
    if (array_reserve(&search->all, &search->room, search->count + 1, sizeof *search->all))
        search->all[search->count++] = *tcp;
}

/* Whether this search has found the other end of a connection, or a listening socket where the
 * connection waits to be accepted. */
static bool has_other_end(const struct search *search, const struct tcp *tcp)
{
    for (size_t i = 0; i < search->count; i++) {
        const struct tcp *other = &search->all[i];
        bool is_any = IN6_IS_ADDR_UNSPECIFIED(&other->here.address);
        if (other->is_listening
                ? other->here.port == tcp->there.port &&
                      (is_any || is_same(&other->here, &tcp->there))
                : is_same(&other->here, &tcp->there) && is_same(&other->there, &tcp->here))
            return true;
    }
    return false;
}

static void note_tcp(const struct search *search)
{
    for (size_t i = 0; i < search->count; i++) {
        const struct tcp *tcp = &search->all[i];
        char address[INET6_ADDRSTRLEN], where[INET6_ADDRSTRLEN + 16];
        if (tcp->process == 0 || tcp->is_listening || tcp->is_ending || has_other_end(search, tcp))
            continue;
        bool is_four = IN6_IS_ADDR_V4MAPPED(&tcp->there.address);
        const uint8_t *bytes = tcp->there.address.s6_addr;
        inet_ntop(is_four ? AF_INET : AF_INET6, bytes + (is_four ? 12 : 0), address,
                  sizeof address);
        snprintf(where, sizeof where, is_four ? "%s:%u" : "[%s]:%u", address,
                 (unsigned)ntohs(tcp->there.port));
        note(search->peers, tcp->process, where);
    }
}

/* Whether one end has closed the connection. The owner of the other end is then unknown. */
static bool is_ending(int copy)
{
    struct tcp_info info;
    socklen_t size = sizeof info;
    return getsockopt(copy, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
           info.tcpi_state != TCP_ESTABLISHED && info.tcpi_state != TCP_SYN_SENT;
}

/* ---- All sockets ---- */

static void inspect(struct search *search, pid_t process, int copy)
{
    struct sockaddr_storage here = {0}, there = {0};
    socklen_t here_size = sizeof here, there_size = sizeof there;
    int type = 0, is_listening = 0;
    socklen_t size = sizeof type;
    if (getsockopt(copy, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
        (type != SOCK_STREAM && type != SOCK_SEQPACKET) ||
        getsockname(copy, (struct sockaddr *)&here, &here_size) != 0)
        return;
    size = sizeof is_listening;
    getsockopt(copy, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size);
    if (!is_listening && getpeername(copy, (struct sockaddr *)&there, &there_size) != 0)
        return;
    if (here.ss_family == AF_UNIX && process > 0 && !is_listening)
        add_unix(search, process, copy, (const struct sockaddr_un *)&there, there_size);
    else if (here.ss_family == AF_INET || here.ss_family == AF_INET6)
        add_tcp(search, &(struct tcp){.process = process,
                                      .is_listening = is_listening,
                                      .is_ending = !is_listening && is_ending(copy),
                                      .here = end_of(&here),
                                      .there = end_of(&there)});
}

/* Whether the socket belongs to ptybot. With PROCESS 0, adds it to the list of those. */
static bool is_own(struct search *search, pid_t process, const char *target)
{
    for (size_t i = 0; process > 0 && i < search->own_count; i++)
        if (strcmp(search->own[i], target) == 0)
            return true;
    if (process == 0 && search->own_count < OWN_MAX)
        snprintf(search->own[search->own_count++], sizeof *search->own, "%.23s", target);
    return false;
}

/* Duplicates each socket of a process, inspects it and closes the duplicate. PROCESS 0: ptybot
 * itself. */
static void search_process(struct search *search, pid_t process)
{
    char path[64], target[32];
    struct stat about;
    const struct dirent *entry;
    int handle = process > 0 ? (int)syscall(SYS_pidfd_open, process, 0) : -1;
    snprintf(path, sizeof path, "/proc/%d/fd", process > 0 ? (int)process : (int)getpid());
    DIR *folder = opendir(path);
    while (folder && (entry = readdir(folder))) {
        // First a check that costs little: ptybot has four open files for each thread.
        if (process == 0 && (fstat(atoi(entry->d_name), &about) != 0 || !S_ISSOCK(about.st_mode)))
            continue;
        ssize_t size = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        target[size > 0 ? size : 0] = '\0';
        if (strncmp(target, "socket:", 7) != 0 || is_own(search, process, target))
            continue;
        int fd = atoi(entry->d_name);
        int copy = process > 0 ? (int)syscall(SYS_pidfd_getfd, handle, fd, 0) : fd;
        if (copy >= 0)
            inspect(search, process, copy);
        if (copy >= 0 && process > 0)
            close(copy);
    }
    if (folder)
        closedir(folder);
    if (handle >= 0)
        close(handle);
}

void external_peers_poll(struct external_peers *peers, const pid_t *hosts, size_t count)
{
    struct search search = {.peers = peers, .hosts = hosts, .host_count = count};
    search_process(&search, 0);
    for (size_t i = 0; i < count; i++)
        search_process(&search, hosts[i]);
    note_tcp(&search);
    free(search.all);
}
