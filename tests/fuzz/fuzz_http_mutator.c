/* Mutates requests to the page's server with lines of HTTP, valid and invalid ones. */
#include <stdio.h>

#include "base/array.h"
#include "tests/fuzz/fuzz_http.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/words.h"

static void pick(struct dice *dice, struct writer *to, const char *const *words, size_t count)
{
    writer_text(to, words[roll(dice, count)]);
}

static void request(struct dice *dice, struct writer *to)
{
    static const char *const verbs[] = {"GET ", "POST ", "HEAD ", "PUT ", "OPTIONS ", "get "};
    static const char *const paths[] = {"/",          "/do",   "/view", "/events",
                                        "/page.wasm", "/../x", "",      "/%64o"};
    static const char *const ends[] = {" HTTP/1.1\r", " HTTP/1.0\r", " HTTP/9\r", "\r",
                                       " HTTP/1.1"};
    pick(dice, to, verbs, COUNT(verbs));
    writer_char(to, '/');
    writer_text(to, roll(dice, 3) ? FUZZ_HTTP_TOKEN : "0123456789abcdef");
    pick(dice, to, paths, COUNT(paths));
    pick(dice, to, ends, COUNT(ends));
}

static void body(struct dice *dice, struct writer *to)
{
    static const char *const looks[] = {"{\"stream\":1,\"robots\":[0,1,1023,1024,-1,1e9]}",
                                        "{\"stream\":{}}", "[]", "{\"command\":7}",
                                        "{\"command\":\"a\",\"command\":\"b\"}"};
    if (roll(dice, 3) == 0) {
        pick(dice, to, looks, COUNT(looks));
        return;
    }
    writer_text(to, "{\"command\":\"");
    words_command(dice, to);
    writer_text(to, "\"}");
}

static void line(struct dice *dice, struct writer *to)
{
    static const char *const headers[] = {"Host: localhost\r",
                                          "Host: 127.0.0.1:80\r",
                                          "Host: [::1]\r",
                                          "Host: evil\r",
                                          "Origin: http://localhost\r",
                                          "Origin: https://evil\r",
                                          "Sec-Fetch-Site: same-origin\r",
                                          "Sec-Fetch-Site: cross-site\r",
                                          "Content-Type: application/json\r",
                                          "Content-Type: text/plain\r",
                                          "Content-Length: 4097\r",
                                          "Content-Length: -1\r",
                                          "Content-Length: 18446744073709551616\r",
                                          "Transfer-Encoding: chunked\r",
                                          "Connection: close\r",
                                          "Connection: upgrade\r",
                                          "Expect: 100-continue\r",
                                          "Accept-Encoding: gzip\r",
                                          "\r",
                                          "5\r\n{\"a\":\r\n0\r\n\r",
                                          " folded\r"};
    if (roll(dice, 4))
        pick(dice, to, headers, COUNT(headers));
    else if (roll(dice, 2))
        request(dice, to);
    else
        body(dice, to);
}

/* A whole request with a correct length. */
static void whole(struct dice *dice, struct writer *to)
{
    char text[1024], length[64];
    struct writer inside = writer_begin(text, sizeof text);
    body(dice, &inside);
    writer_char(to, (char)(roll(dice, 2) ? 0 : roll(dice, 256)));
    request(dice, to);
    writer_text(to, "\nHost: localhost\r\nContent-Type: application/json\r\n");
    for (uint64_t i = roll(dice, 3); i > 0; i--) {
        line(dice, to);
        writer_char(to, '\n');
    }
    snprintf(length, sizeof length, "Content-Length: %zu\r\n\r\n", writer_end(&inside));
    writer_text(to, length);
    writer_text(to, text);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct dice dice = {.seed = rng_u64(seed, 2)};
    struct writer to = writer_begin((char *)data, max);
    if (mutate_plainly(seed))
        return LLVMFuzzerMutate(data, size, max);
    if (size > 1 && rng_u64(seed, 1) % 4 > 0)
        return 1 + words_mutate(line, words_value, data + 1, size - 1, max - 1, dice.seed);
    whole(&dice, &to);
    return writer_end(&to);
}
