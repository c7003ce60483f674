/* The serial libraries that hosts in Python, JavaScript and Java need. If the machine does not have
 * them, the test is skipped. */
#pragma once

#include "tests/places.h"
#include "tests/support/stage.h"

void need_python_with_pyserial(const struct stage *stage);
void need_node(const struct stage *stage);
void need_ros(const struct stage *stage);

/* A Java machine, the serial library jSSC and BeanShell, which runs scripts with it. */
#define JSSC_CLASSES "/usr/share/java/bsh.jar:/usr/share/java/jssc.jar"
void need_jssc(const struct stage *stage);

/* Installs the package serialport once for a build, into PTYBOT_NODE_DIR. Writes to SETTING the
 * environment variable with which Node.js finds it. */
void need_node_with_serialport(const struct stage *stage, char setting[FOLDER_PATH_MAX]);
