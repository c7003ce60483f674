/* How many elements an array has. */
#pragma once

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
