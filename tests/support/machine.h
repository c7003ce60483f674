/* Replaces functions of the C library in a test program and its libraries, so that a test can make
 * calls fail, change answers and stop the clock. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* TCGETS2 and TCSETS2 contain its size; <asm/termbits.h> conflicts with <termios.h>. */
struct termios2 {
    uint32_t flags[4];
    uint8_t line, characters[19];
    uint32_t in_baud, out_baud;
};

enum machine_call {
    CALL_NONE,
    CALL_ACCEPT,
    CALL_ADD_WATCH, /* inotify_add_watch */
    CALL_CHMOD,     /* fchmod */
    CALL_FALLOCATE, /* posix_fallocate */
    CALL_FCNTL,
    CALL_FLOCK,
    CALL_IOCTL,
    CALL_LINK,
    CALL_LISTEN,
    CALL_NAME, /* getsockname */
    CALL_OPEN,
    CALL_PUNCH, /* fallocate */
    CALL_PTY,   /* posix_openpt */
    CALL_READ,  /* also recv */
    CALL_WATCH, /* inotify_init1 */
    CALL_RENAME,
    CALL_SOCKET,
    CALL_SYMLINK,
    CALL_SYSCALL, /* syscall; REQUEST is its number */
    CALL_TERMIOS, /* tcgetattr, tcsetattr */
    CALL_UNLINK,
    CALL_UNLOCK, /* unlockpt */
    CALL_WRITE,  /* also send */
};

struct refusal {
    enum machine_call call;
    unsigned long request; /* of ioctl and syscall; 0: any */
    unsigned after;        /* number of calls that succeed first */
    unsigned count;        /* number of calls that fail then; 0: one */
    int reason;            /* errno; 0: a read or write transfers one byte */
};

/* Replaces the refusal in force. */
void machine_refuse(struct refusal wanted);

/* Ends the refusal. Returns the number of calls that failed. */
unsigned machine_obey(void);

/* Called after each successful ioctl and getsockopt, with the request or option and its argument.
 * NULL: no change. */
extern void (*machine_answer)(unsigned long request, void *argument);

/* Called after each pread, with the path of the file, SIZE bytes of room and the result. It may
 * change the bytes, or do what happens before the next call. Returns how many bytes there are;
 * negative: failure, with errno. NULL: no change. */
extern ssize_t (*machine_text)(const char *path, char *bytes, size_t size, ssize_t got);

/* Value of CLOCK_MONOTONIC; 0: the real time. */
extern int64_t machine_time_ms;

/* Number of open descriptors, and of those without FD_CLOEXEC. */
unsigned descriptor_count(void);
unsigned inherited_count(void);
