/* The built-in robots as custom robots: the machine of each, printed as a body file and read again.
 * Also a custom robot whose firmware is a process. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/registry.h"
#include "sim/body/body_file.h"

/* Prints and reads the machine of TYPE under OPTIONS; custom_robot_free frees it. Its file is named
 * like the type. */
static inline struct custom_robot *own_of(const struct robot_type *type, const void *options)
{
    struct error error = {0};
    char file[64];
    snprintf(file, sizeof file, "%s.yaml", type->name);
    char *text = custom_robot_print(type, options, &error);
    if (!text) {
        fail_msg("%s: %s", type->name, error.text);
        return NULL;
    }
    struct custom_robot *own = custom_robot_parse(text, strlen(text), file, &error);
    if (!own)
        fail_msg("%s:\n%s", error.text, text);
    free(text);
    return own;
}

/* A custom robot whose firmware is a process. The process is never started:
 * tests/support/robot_rig.c answers in its place.
 */
static inline struct custom_robot *own_process(void)
{
    static const char text[] =
        "firmware: {run: nothing}\n"
        "body: {shape: box, length: 0.3, width: 0.2, height: 0.1, mass: 2}\n"
        "drive: {speed_max: 0.5}\n"
        "wheels: [{y: 0.1, radius: 0.03}, {y: -0.1, radius: 0.03}]\n"
        "sensors:\n- {name: eye, kind: range, x: 0.15, z: 0.05, range: 2, rays: 3}\n"
        "- {name: floor, kind: cliff, x: 0.1}\n"
        "- {name: camera, kind: camera, x: 0.15, z: 0.08, cone_half: 30, width: 32, height: 24}\n"
        "- {name: lidar, kind: scanner, z: 0.12, range: 5}\n"
        "bumpers: [{name: front, from: -40, to: 40}]\nbuttons: [go]\n"
        "battery: {empty: 9, full: 12}\n"
        "channels: [{name: uart, baud: 115200, frame_max: 64}, {name: net, kind: tcp_server, port: "
        "4000}]\n"
        "signals: [{name: level}, {name: mode, words: [idle, busy]}]\n"
        "commands:\n- {name: set_level, note: of the lamp, arguments: [{name: to, max: 9, default: "
        "7}]}\n- {name: rest, note: nothing}\n"
        "appearance: [{shape: body, color: '#e8702a'}, {shape: disc, length: 0.02, color: "
        "'#102030', "
        "lit: '#ffb02e', lit_by: level, click: set_level to=1}]\n";
    struct error error = {0};
    struct custom_robot *own = custom_robot_parse(text, sizeof text - 1, "my_process.yaml", &error);
    if (!own)
        fail_msg("%s", error.text);
    return own;
}

/* One of each type, with the default options, in the order of the registry; the last has a process
 * as its firmware. */
static inline struct custom_robot *own_of_all(void)
{
    struct custom_robot *list = own_process();
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    while (count-- > 0) {
        _Alignas(16) uint8_t options[ROBOT_OPTIONS_MAX] = {0};
        option_defaults(types[count]->options, types[count]->option_count, options);
        struct custom_robot *own = own_of(types[count], options);
        snprintf(own->word, sizeof own->word, "./%s.yaml", types[count]->name);
        own->next = list;
        list = own;
    }
    return list;
}
