/* What the body of fuzz_http and its mutator agree on. */
#ifndef PTYBOT_TESTS_FUZZ_FUZZ_HTTP_H
#define PTYBOT_TESTS_FUZZ_FUZZ_HTTP_H

#define FUZZ_HTTP_TOKEN "0123456789abcdef0123456789abcdef"

#endif
