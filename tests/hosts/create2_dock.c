/* Docks a Create 2 at its Home Base, guided only by the infrared characters, and prints its
 * actions. Needs only the path of the serial port. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/hosts/create2_seek.h"

enum { START = 128, FULL = 132, PASSIVE = 1, FULL_MODE = 3, TIMEOUT_MS = 5000, FRAMES_MAX = 20000 };

int main(int argc, char **argv)
{
    static const uint8_t ids[] = {7, 17, 52, 53, 21, 34, 35, 23};
    struct create2_client client;
    struct create2_seek seek = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: create2_dock PORT\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    const char *problem = create2_open(&client, argv[1]);
    if (problem) {
        fprintf(stderr, "create2_dock: %s: %s\n", argv[1], problem);
        return 1;
    }
    create2_command(&client, START);
    create2_command(&client, FULL);
    create2_stream(&client, ids, sizeof ids);
    enum create2_seek_state told = SEEK_DONE;
    while (client.reading.charging_state != 2 && client.frames < FRAMES_MAX &&
           create2_wait(&client, TIMEOUT_MS)) {
        struct create2_speeds wheels = create2_seek_step(&seek, &client.reading);
        if (told != seek.state)
            printf("Now %s (it hears %u, %u, %u).\n", create2_seek_name(told = seek.state),
                   client.reading.ir_left, client.reading.ir_omni, client.reading.ir_right);
        /* It charges in passive mode, and drives on a dock only in full mode. */
        bool is_there = seek.state == SEEK_DONE;
        if (client.reading.mode != (is_there ? PASSIVE : FULL_MODE))
            create2_command(&client, is_there ? START : FULL);
        if (!is_there)
            create2_wheels(&client, wheels.left_mm_s, wheels.right_mm_s);
    }
    bool is_charging = client.reading.charging_state == 2;
    printf("%s after %llu frames, %llu of them damaged: %d mA.\n",
           is_charging ? "It charges" : "It does not charge", (unsigned long long)client.frames,
           (unsigned long long)client.bad_frames, client.reading.current_ma);
    create2_close(&client);
    return is_charging && client.bad_frames == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
