/* Wrong scenes: macros that put one wrong line into a good scene, and the expected message. */
#pragma once

#include <stddef.h>

#define ROOM  "world: {size: {x: 4, y: 4}}\n"
#define ROBOT "robots: [{name: a, type: kobuki, pose: {x: 1, y: 1}}]\n"

/* One wrong line in a good scene: as line 1, below the world, or in the robot. */
#define TOP(line)   line "\n" ROOM ROBOT
#define WORLD(line) "world:\n  size: {x: 4, y: 4}\n  " line "\n" ROBOT
#define ITEM(line)  ROOM "robots:\n- name: a\n  type: kobuki\n  pose: {x: 1, y: 1}\n  " line "\n"
#define POSE(text)  ROOM "robots:\n- {name: a, type: kobuki, pose: " text "}\n"
#define LINK(text)  ITEM("links: [" text "]")
#define TWO(first, second)                                                                         \
    ROOM "robots:\n- {type: kobuki, pose: {x: 1, y: 1}, " first "}\n"                              \
         "- {type: kobuki, pose: {x: 3, y: 3}, " second "}\n"

/* SAYS is the whole message without the file's name. A * at the end stands for any text: lists of
 * types and options, sizes of robots. */
struct wrong {
    const char *scene, *says;
};

/* Parses SIZE bytes as s.yaml; fails the test unless that is refused with SAYS. */
void expect_message(const char *bytes, size_t size, const char *says);
void expect_messages(const struct wrong *wrong, size_t count);

#define EXPECT(table) expect_messages(table, sizeof(table) / sizeof(table)[0])
