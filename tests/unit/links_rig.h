/* A run with one link. A test sees the messages, inputs and driver of the link. Based on
 * control_rig.h; the time of messages is an argument. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/links/links_view.h"
#include "tests/unit/control_rig.h"

#define SECOND_NS INT64_C(1000000000)
#define NOW_NS    (100 * SECOND_NS)

/* From the first call to the second, messages go to said(). */
void listen_to_stderr(void);
void restore_stderr(void);
/* The messages since the last call. */
const char *said(void);
size_t count_of(const char *text, const char *word);

/* Returns the fixture and listens to its messages. */
int open_rig(void **state);
int close_rig(void **state);
#define LINK_TEST(name) cmocka_unit_test_setup_teardown(name, open_rig, close_rig)

struct links_view view_of(const struct fixture *f);

/* Visits the link until the driver is connected, or is not, as of NOW_NS. */
void await_driver(struct fixture *f, bool is_there, int64_t now_ns);
/* A driver with a raw port of 115200 baud. */
int open_driver(struct fixture *f, int64_t now_ns);
/* Reads SIZE bytes. */
void read_all(int fd, uint64_t size);

/* Steps until the robot has sent something. */
void step_until_written(struct fixture *f);

/* After sim_listen with note_input, the inputs of the simulation: "host 1; baud 9600; ". */
extern char told[512];
void note_input(void *context, const struct sim_input *input);
