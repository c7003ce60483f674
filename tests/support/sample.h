/* How many equal cases a test takes. The optimized tree takes them all. A tree with sanitizers
 * takes a part: one more case of the same code shows a sanitizer nothing new. */
#pragma once

#ifndef PTYBOT_SAMPLE
#define PTYBOT_SAMPLE 1 /* tests/CMakeLists.txt */
#endif

#define SAMPLE_OF(count) ((count) / PTYBOT_SAMPLE)
