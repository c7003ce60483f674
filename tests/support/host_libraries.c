#define _GNU_SOURCE
#include "tests/support/host_libraries.h"

#include <stdio.h>
#include <sys/stat.h>

#include "tests/places.h"
#include "tests/support/check.h"

static void need(const struct stage *stage, const char *const words[], const char *what)
{
    struct program probe;
    if (program_run(&probe, &stage->folder, "probe", words) == 0)
        return;
    print_message("%s\n", what);
    skip();
}

void need_python_with_pyserial(const struct stage *stage)
{
    need(stage, (const char *const[]){"/usr/bin/python3", "-c", "import serial", NULL},
         "python3-serial is not installed");
}

void need_node(const struct stage *stage)
{
    need(stage, (const char *const[]){"/bin/sh", "-c", "command -v node && command -v npm", NULL},
         "Node.js is not installed");
}

void need_ros(const struct stage *stage)
{
    need(stage,
         (const char *const[]){"/bin/sh", "-c",
                               "roslaunch --help && /usr/bin/python3 -c 'import rospy'", NULL},
         "ROS 1 is not installed: apt-get install python3-rospy python3-roslaunch");
}

void need_jssc(const struct stage *stage)
{
    need(stage,
         (const char *const[]){"/usr/bin/env", "java", "-cp", JSSC_CLASSES, "bsh.Interpreter",
                               "/dev/null", NULL},
         "jSSC is not installed: apt-get install libjssc-java bsh default-jre-headless");
}

void need_node_with_serialport(const struct stage *stage, char setting[FOLDER_PATH_MAX])
{
    char path[FOLDER_PATH_MAX];
    need_node(stage);
    snprintf(setting, FOLDER_PATH_MAX, "NODE_PATH=%s/node_modules", PTYBOT_NODE_DIR);
    snprintf(path, sizeof path, "%s/node_modules/serialport/package.json", PTYBOT_NODE_DIR);
    if (path_exists(path))
        return;
    /* The lock admits one test at a time. npm runs no script of a package: the package contains its
     * library already built. */
    const char *const install[] = {"/usr/bin/flock",
                                   PTYBOT_NODE_DIR,
                                   "npm",
                                   "install",
                                   "--prefix",
                                   PTYBOT_NODE_DIR,
                                   "--ignore-scripts",
                                   "--no-audit",
                                   "--no-fund",
                                   "--fetch-retries=0", /* fails immediately without a network */
                                   "serialport@12",
                                   NULL};
    mkdir(PTYBOT_NODE_DIR, 0777);
    need(stage, install, "the package serialport of Node.js cannot be had here");
    if (!path_exists(path))
        skip();
}
