/* A room with an example of every kind of object that robots sense. */
#pragma once

#define FURNISHED_ROOM                                                                             \
    "world:\n"                                                                                     \
    "  size: {x: 3, y: 2}\n"                                                                       \
    "  light: 0.3\n"                                                                               \
    "  walls: [{from: {x: 2.2, y: 1.2}, to: {x: 2.2, y: 2}}]\n"                                    \
    "  boxes: [{pose: {x: 1.9, y: 0.6, heading: 20}, size: {x: 0.2, y: 0.3}, color: red}]\n"       \
    "  discs: [{pose: {x: 1, y: 1.5}, radius: 0.1, mass: 0.5, color: green}]\n"                    \
    "  cliffs: [{points: [{x: 0, y: 1.7}, {x: 0.5, y: 1.7}, {x: 0.5, y: 2}, {x: 0, y: 2}], "       \
    "depth: "                                                                                      \
    "0.2}]\n"                                                                                      \
    "  shades: [{points: [{x: 0.9, y: 0}, {x: 1.3, y: 0}, {x: 1.3, y: 0.3}, {x: 0.9, y: 0.3}]}]\n" \
    "  lines: [{from: {x: 0.5, y: 1}, to: {x: 1.8, y: 1}, width: 0.02}]\n"                         \
    "  docks:\n"                                                                                   \
    "    - {name: dock, pose: {x: 2.95, y: 0.9, heading: 180}}\n"                                  \
    "    - {name: base, type: home_base, pose: {x: 0.05, y: 0.9, heading: 0}}\n"                   \
    "  beacons:\n"                                                                                 \
    "    - {type: virtual_wall, pose: {x: 1.4, y: 0.05, heading: 90}}\n"                           \
    "    - {type: lighthouse, number: 4, pose: {x: 2.9, y: 1.9, heading: 225}}\n"                  \
    "  lamps: [{at: {x: 1.5, y: 1.9}, brightness: 0.8}]\n"
