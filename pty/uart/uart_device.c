/* Real serial devices. */
#include "pty/uart/uart_device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libserialport.h>
#include <linux/serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/serial_settings.h"
#include "pty/terminal/pty_path.h"
#include "pty/terminal/tty_mode.h"

static bool fail_right(const char *path, const char *real, struct error *error)
{
    struct stat about;
    const struct group *group = stat(real, &about) == 0 ? getgrgid(about.st_gid) : NULL;

    if (group == NULL || (about.st_mode & 060) != 060 || group->gr_gid == 0)
        return error_environment(
            error,
            "%s: no permission for this device: sudo chmod a+rw %s, until it is "
            "plugged in again",
            path, real);
    return error_environment(
        error,
        "%s: only the group %s has permission for this device: sudo usermod -aG %s "
        "$USER, then log in again",
        path, group->gr_name, group->gr_name);
}

/* Sets the error: why the device cannot be opened (REASON: an errno), and the remedy. */
static bool fail(const char *path, const char *real, int reason, struct error *error)
{
    switch (reason) {
    case ENOENT:
    case ENOTDIR:
    case ENXIO:
    case ENODEV:
        return error_environment(error,
                                 "%s: there is no such device: plug it in; `ptybot list ports` "
                                 "lists the connected devices",
                                 path);
    case EACCES:
    case EPERM:
        return fail_right(path, real, error);
    case EBUSY:
    case EWOULDBLOCK:
        return error_environment(error,
                                 "%s is in use by another program: stop that program "
                                 "(fuser -v %s names it)",
                                 path, real);
    case ENOTTY:
    case EINVAL:
        return error_environment(
            error,
            "%s is not a serial device: `ptybot list ports` lists serial "
            "devices; a pty of another ptybot is a serial device after `ptybot shim`",
            path);
    default:
        return error_environment(error, "%s: cannot use the device: %s", path, strerror(reason));
    }
}

bool uart_device_set_baud(struct uart_device *device, const char *path, uint32_t baud,
                          struct error *error)
{
    tcdrain(device->fd);
    if (sp_set_baudrate(device->port, (int)baud) != SP_OK)
        return error_environment(error, "%s: the device cannot do %u baud", path, (unsigned)baud);
    /* Drivers round to a rate that their clock supports. With an error of more than 3 %, bytes are
     * corrupted. */
    uint32_t got = tty_mode_baud(device->fd);
    if (got < baud - baud / 33 || got > baud + baud / 33)
        return error_environment(error, "%s: the device cannot do %u baud, only %u", path,
                                 (unsigned)baud, (unsigned)got);
    return true;
}

bool uart_device_set_framing(struct uart_device *device, const char *path, uint32_t framing,
                             struct error *error)
{
    static const enum sp_parity parities[] = {[SERIAL_PARITY_NONE] = SP_PARITY_NONE,
                                              [SERIAL_PARITY_ODD] = SP_PARITY_ODD,
                                              [SERIAL_PARITY_EVEN] = SP_PARITY_EVEN,
                                              [SERIAL_PARITY_MARK] = SP_PARITY_MARK,
                                              [SERIAL_PARITY_SPACE] = SP_PARITY_SPACE};
    struct sp_port *port = device->port;

    tcdrain(device->fd);
    return (sp_set_bits(port, (int)serial_mode_data_bits(framing)) == SP_OK &&
            sp_set_parity(port, parities[serial_mode_parity(framing)]) == SP_OK &&
            sp_set_stopbits(port, (int)serial_mode_stop_bits(framing)) == SP_OK) ||
           error_environment(error, "%s: the device cannot do this parity, data and stop bits",
                             path);
}

static bool configure(struct uart_device *device, const char *path, uint32_t baud,
                      struct error *error)
{
    struct termios mode;
    struct sp_port *port = device->port;

    if (sp_set_bits(port, 8) != SP_OK || sp_set_parity(port, SP_PARITY_NONE) != SP_OK ||
        sp_set_stopbits(port, 1) != SP_OK || sp_set_flowcontrol(port, SP_FLOWCONTROL_NONE) != SP_OK)
        return fail(path, path, errno, error);

    /* In libserialport's mode, an empty read returns the same as the loss of the device. */
    if (tcgetattr(device->fd, &mode) != 0)
        return fail(path, path, errno, error);
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    if (tcsetattr(device->fd, TCSANOW, &mode) != 0)
        return fail(path, path, errno, error);
    tcflush(device->fd, TCIOFLUSH);
    return uart_device_set_baud(device, path, baud, error);
}

/* Programs with libserialport 0.1.2 or later lock a device by flock, older programs by TIOCEXCL.
 * libserialport sets the mode of a device when it opens it, even if another program uses it.
 * Therefore this first tries the lock and releases it again for libserialport. Returns 0 or an
 * errno. */
static int open_locked(struct uart_device *device, const char *real)
{
    int probe = open(real, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    bool is_free = probe >= 0 && flock(probe, LOCK_EX | LOCK_NB) == 0 && flock(probe, LOCK_UN) == 0;
    bool is_open = is_free && sp_open(device->port, SP_MODE_READ_WRITE) == SP_OK &&
                   sp_get_port_handle(device->port, &device->fd) == SP_OK;
    bool is_ours = is_open && fcntl(device->fd, F_SETFD, FD_CLOEXEC) == 0 &&
                   flock(device->fd, LOCK_EX | LOCK_NB) == 0 && ioctl(device->fd, TIOCEXCL) == 0;
    int reason = is_ours ? 0 : errno != 0 ? errno : EIO;
    if (probe >= 0)
        close(probe);
    return reason;
}

bool uart_device_open(struct uart_device *device, const char *path, uint32_t baud,
                      struct error *error)
{
    char real[PTY_PATH_MAX];
    char *found = realpath(path, NULL);
    enum sp_return result;

    *device = (struct uart_device){.fd = -1};
    if (found == NULL || strlen(found) >= sizeof real) {
        int reason = found == NULL ? errno : ENAMETOOLONG;
        free(found);
        return fail(path, path, reason, error);
    }
    /* udev's names are symlinks, which libserialport does not follow. */
    memcpy(real, found, strlen(found) + 1);
    free(found);
    result = sp_get_port_by_name(real, &device->port);
    if (result != SP_OK)
        return fail(path, real, result == SP_ERR_ARG ? ENOTTY : errno, error);
    int reason = open_locked(device, real);
    if (reason != 0)
        fail(path, real, reason, error);
    else if (configure(device, path, baud, error))
        return true;
    uart_device_close(device);
    return false;
}

void uart_device_close(struct uart_device *device)
{
    if (device->fd >= 0)
        ioctl(device->fd, TIOCNXCL);
    sp_close(device->port); // also after a failure: libserialport leaves it open then
    sp_free_port(device->port);
    *device = (struct uart_device){.fd = -1};
}

unsigned uart_device_lines(const struct uart_device *device)
{
    unsigned lines = 0;

    return ioctl(device->fd, TIOCMGET, &lines) == 0 ? lines : 0;
}

void uart_device_set_lines(struct uart_device *device, bool dtr, bool rts)
{
    unsigned on = (dtr ? (unsigned)TIOCM_DTR : 0U) | (rts ? (unsigned)TIOCM_RTS : 0U);
    unsigned off = (TIOCM_DTR | TIOCM_RTS) & ~on;

    ioctl(device->fd, TIOCMBIS, &on);
    ioctl(device->fd, TIOCMBIC, &off);
}

struct uart_counts uart_device_counts(const struct uart_device *device)
{
    struct serial_icounter_struct counts;

    if (ioctl(device->fd, TIOCGICOUNT, &counts) != 0)
        return (struct uart_counts){0};
    return (struct uart_counts){
        .is_known = true,
        .line_changes = (unsigned)counts.cts + (unsigned)counts.dsr + (unsigned)counts.dcd +
                        (unsigned)counts.rng,
        .bad_frames = (unsigned)counts.frame,
    };
}

/* ---- The serial devices of this machine, as libserialport lists them ---- */

static const char *text_or(const char *text, const char *otherwise)
{
    return text != NULL ? text : otherwise;
}

static void show(const struct sp_port *port, void (*visit)(void *, const struct uart_port *),
                 void *user)
{
    static const char *const buses[] = {
        [SP_TRANSPORT_NATIVE] = "built in",
        [SP_TRANSPORT_USB] = "usb",
        [SP_TRANSPORT_BLUETOOTH] = "bluetooth",
    };
    const char *path = sp_get_port_name(port);

    visit(user, &(struct uart_port){
                    .path = path,
                    .description = text_or(sp_get_port_description(port), path),
                    .bus = buses[sp_get_port_transport(port)],
                    .serial = text_or(sp_get_port_usb_serial(port), ""),
                    .is_allowed = access(path, R_OK | W_OK) == 0,
                });
}

/* libserialport 0.1.2 lists no devices if one device has no file in /dev, as in a container. */
static bool show_those_with_files(void (*visit)(void *user, const struct uart_port *port),
                                  void *user)
{
    const struct dirent *entry;
    DIR *devices = opendir("/sys/class/tty");
    while (devices && (entry = readdir(devices))) {
        char path[PTY_PATH_MAX];
        struct sp_port *port;
        snprintf(path, sizeof path, "/sys/class/tty/%s/device", entry->d_name);
        bool is_device = access(path, F_OK) == 0;
        snprintf(path, sizeof path, "/dev/%s", entry->d_name);
        if (!is_device || access(path, F_OK) != 0 || sp_get_port_by_name(path, &port) != SP_OK)
            continue;
        show(port, visit, user);
        sp_free_port(port);
    }
    if (devices)
        closedir(devices);
    return devices != NULL;
}

bool uart_ports_list(void (*visit)(void *user, const struct uart_port *port), void *user,
                     struct error *error)
{
    struct sp_port **ports;

    if (sp_list_ports(&ports) != SP_OK)
        return show_those_with_files(visit, user) ||
               error_environment(
                   error, "cannot list the serial devices: check that /sys/class/tty exists");
    for (size_t i = 0; ports[i] != NULL; i++)
        show(ports[i], visit, user);
    sp_free_port_list(ports);
    return true;
}
