/* Parity and character size, which a pseudo-terminal forgets. They are kept in its shared memory
 * for the host and for ptybot. */
#include <errno.h>
#include <stddef.h>
#include <termios.h>

#include "pty/shim/serial_shm.h"

void serial_settings_note(int fd, uint32_t cflag)
{
    struct modem_shm *shm = serial_shm_of(fd);

    if (shm == NULL)
        return;
    atomic_store(&shm->framing, cflag & MODEM_SHM_FRAMING);
    atomic_fetch_add(&shm->settings, 1);
    serial_shm_unmap(shm);
}

uint32_t serial_settings_show(int fd, uint32_t cflag)
{
    struct modem_shm *shm = serial_shm_of(fd);

    if (shm == NULL)
        return cflag;
    cflag = (cflag & ~(uint32_t)MODEM_SHM_FRAMING) | atomic_load(&shm->framing);
    serial_shm_unmap(shm);
    return cflag;
}

/* These functions of the C library make system calls directly, so they must be replaced too. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
SHIM_EXPORT int tcsetattr(int fd, int action, const struct termios *mode)
{
    SHIM_NEXT(tcsetattr);
    int result = next(fd, action, mode);
    int reason = errno;
    struct modem_shm *shm = result != 0 && reason == EINVAL ? serial_shm_of(fd) : NULL;

    /* The C library compares the result with the request, and fails because a pty forgets these
     * bits. */
    if (shm != NULL) {
        struct termios plain = *mode;
        plain.c_cflag = (plain.c_cflag & ~(tcflag_t)(CSIZE | PARENB)) | CS8;
        serial_shm_unmap(shm);
        result = next(fd, action, &plain);
    } else {
        errno = reason;
    }
    if (result == 0)
        serial_settings_note(fd, mode->c_cflag);
    return result;
}

SHIM_EXPORT int tcgetattr(int fd, struct termios *mode)
{
    SHIM_NEXT(tcgetattr);
    int result = next(fd, mode);

    if (result == 0)
        mode->c_cflag = serial_settings_show(fd, mode->c_cflag);
    return result;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
