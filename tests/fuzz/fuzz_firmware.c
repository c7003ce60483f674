/* Messages from a process that is a firmware: its hello and its answers, in both forms. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/firmware/firmware_json.h"
#include "protocols/process/process.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct channel_spec channels[] = {{.name = "uart", .baud = 9600, .frame_max = 64},
                                               {.name = "aux", .baud = 9600, .frame_max = 8}};

static void check(const struct firmware_names *names, const uint8_t *packed, size_t size)
{
    struct process_answer answer;
    uint8_t again[PROCESS_ANSWER_MAX];
    struct error error = {0};
    if (!process_answer_read(&names->shape, packed, size, &answer, &error)) {
        assert(error.text[0]);
        return;
    }
    assert(process_answer_write(&names->shape, &answer, again) == size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct robot_type type = process_type;
    struct robot_body body = {
        .wheel_count = 2,
        .sensor_count = 3,
        .sensors = {{.kind = SENSOR_CAMERA, .name = "eye", .width = 640, .height = 480},
                    {.kind = SENSOR_SCANNER, .name = "lidar"},
                    {.kind = SENSOR_RANGE, .name = "sonar"}}};
    type.channels = channels;
    type.channel_count = 2;
    type.command_count = 0;
    struct firmware_names names = {&type, &body, process_shape_of(&type, &body), true};
    struct robot_actuators last = {0};
    struct error error = {0};
    uint8_t packed[PROCESS_ANSWER_MAX];
    bool is_binary;
    if (size == 0)
        return 0;
    if (bytes[0] % 3 == 0)
        firmware_json_hello_read(&names, (const char *)bytes + 1, size - 1, &is_binary, &error);
    if (bytes[0] % 3 == 1)
        check(&names, bytes + 1, size - 1);
    size_t wrote = bytes[0] % 3 == 2 ? firmware_json_answer(&names, (const char *)bytes + 1,
                                                            size - 1, &last, packed, &error)
                                     : 0;
    if (wrote > 0)
        check(&names, packed, wrote);
    return 0;
}
