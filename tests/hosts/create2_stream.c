/* Reads the stream of a Create 2 as libcreate does: 30 packets, frames of exactly 72 bytes between
 * length and checksum. Meanwhile it drives, and turns away from obstacles that it touches or
 * sees. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/hosts/create2_client.h"

enum { START = 128, SAFE = 131, TIMEOUT_MS = 5000, LENGTH = 72 };

int main(int argc, char **argv)
{
    static const uint8_t ids[] = {7,  8,  9,  10, 11, 12, 13, 14, 15, 17, 18, 21, 22, 23, 24,
                                  25, 26, 35, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 58};
    struct create2_client client;
    if (argc < 2) {
        fprintf(stderr, "usage: create2_stream PORT [FRAMES]\n");
        return 2;
    }
    unsigned long wanted = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    const char *problem = create2_open(&client, argv[1]);
    if (problem) {
        fprintf(stderr, "create2_stream: %s: %s\n", argv[1], problem);
        return 1;
    }
    create2_command(&client, START);
    create2_stream(&client, ids, sizeof ids);
    create2_command(&client, SAFE);
    unsigned away = 0, walls = 0, touches = 0, odd = 0;
    while (client.frames < wanted && create2_wait(&client, TIMEOUT_MS)) {
        const struct create2_reading *reading = &client.reading;
        odd += client.frame[1] != LENGTH;
        walls += reading->is_virtual_wall && away == 0;
        touches += reading->bumps != 0 && away == 0;
        if (reading->bumps || reading->is_virtual_wall || reading->cliffs)
            away = 110;
        else if (away > 0)
            away--;
        if (reading->mode == 1) /* safe mode has ended without a command */
            create2_command(&client, SAFE);
        if (away > 70)
            create2_wheels(&client, -150, -150);
        else
            create2_wheels(&client, away > 0 ? -100 : 250, away > 0 ? 100 : 250);
    }
    printf("%llu frames, %llu damaged, %u of another length; %u touches, %u virtual walls.\n",
           (unsigned long long)client.frames, (unsigned long long)client.bad_frames, odd, touches,
           walls);
    bool is_good = client.frames >= wanted && client.bad_frames == 0 && odd == 0;
    create2_close(&client);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
