/* Shared by the body of fuzz_http and its mutator. */
#pragma once

#define FUZZ_HTTP_TOKEN "0123456789abcdef0123456789abcdef"
