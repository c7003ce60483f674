/* How many elements an array has. */
#ifndef PTYBOT_BASE_ARRAY_H
#define PTYBOT_BASE_ARRAY_H

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
