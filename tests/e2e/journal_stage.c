#include "tests/e2e/journal_stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/hosts/kobuki_client.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/serial_port.h"

/* Chosen: a host on a busy machine reads many packets before it writes. */
enum { COMMANDS_LEAST = 60 };

int journal_setup(void **state)
{
    stage_setup(state);
    stage_write_kobuki(*state, ", baud_check: strict", "");
    return 0;
}

int journal_replay(const struct stage *stage, const char *const arguments[])
{
    struct program replay;
    const char *words[16] = {PTYBOT_BINARY, "replay"};
    for (size_t i = 0; arguments[i]; i++)
        words[i + 2] = arguments[i];
    return program_run(&replay, &stage->folder, "replay", words);
}

void journal_said(const struct stage *stage, const char *name, const char *text)
{
    char *said = folder_read(&stage->folder, name);
    if (!strstr(said, text))
        fail_msg("'%s' is not in: %s", text, said);
    free(said);
}

void journal_drive(int port, struct heard *heard, size_t bytes)
{
    heard->size = 0;
    for (unsigned i = 0; heard->size < bytes || i < COMMANDS_LEAST; i++) {
        uint8_t command[KOBUKI_COMMAND_MAX];
        assert_true(heard->size < HEARD_MAX - 4096);
        int got = serial_port_read(port, heard->bytes + heard->size, 4096, TEST_TIMEOUT_MS);
        assert_true(got > 0);
        heard->size += (size_t)got;
        size_t size = kobuki_base_control(command, (int16_t)(i % 700), (int16_t)(i % 3));
        assert_true(serial_port_write(port, i % 11 ? command : (const uint8_t *)"\xaa\x55\x03?",
                                      i % 11 ? size : 4));
    }
}

void journal_make(struct stage *stage)
{
    static struct heard heard;
    STAGE_RUN_KOBUKI(stage, "--journal", "j", "--speed", "5");
    int port = serial_port_await(stage->port);
    serial_port_set(port, B115200);
    journal_drive(port, &heard, 6000);
    stage_end(stage);
    close(port);
}
