/* Access control of a page: by host name, token, origin, kind of request. */
#include <string.h>

#include "tests/support/check.h"
#include "viewer/web/gate.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static const struct gate local = {.token = TOKEN, .is_writable = true};

/* The answer to GET of the page with these headers. */
static enum gate_answer get(const struct gate *gate, const char *host, const char *origin,
                            const char *site)
{
    const char *name, *why = NULL;
    const struct gate_request request = {.method = "GET",
                                         .path = "/" TOKEN "/events",
                                         .host = host,
                                         .origin = origin,
                                         .fetch_site = site};
    enum gate_answer answer = gate_ask(gate, &request, &name, &why);
    assert_true(answer == GATE_OPEN ? strcmp(name, "events") == 0 : why != NULL);
    return answer;
}

static enum gate_answer get_path(const char *path)
{
    const char *name, *why;
    const struct gate_request request = {.method = "GET", .path = path, .host = "localhost"};
    return gate_ask(&local, &request, &name, &why);
}

static enum gate_answer post(const struct gate *gate, const char *path, const char *type)
{
    const char *name, *why;
    const struct gate_request request = {.method = "POST",
                                         .path = path,
                                         .host = "localhost:8080",
                                         .origin = "http://localhost:8080",
                                         .content_type = type};
    return gate_ask(gate, &request, &name, &why);
}

static void names_of_this_machine_are_known_with_any_port(void **state)
{
    (void)state;
    static const char *const known[] = {"localhost", "LOCALHOST:1", "127.0.0.1:8080", "[::1]",
                                        "[::1]:80"};
    static const char *const unknown[] = {"evil.example",
                                          "localhost.evil.example",
                                          "127.0.0.1.example:80",
                                          "127.0.0.2",
                                          "localhostx",
                                          "",
                                          "[::2]:80",
                                          "[::1",
                                          "[::1].evil.example",
                                          "[::1]80",
                                          "localhost:80 evil.example",
                                          "localhost:evil.example",
                                          "127.0.0.1:evil",
                                          "localhost:",
                                          "localhost:123456"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(get(&local, known[i], NULL, NULL), GATE_OPEN);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_int_equal(get(&local, unknown[i], NULL, NULL), GATE_FORBIDDEN);
    assert_int_equal(get(&local, NULL, NULL, NULL), GATE_FORBIDDEN);
}

static void a_further_name_and_numbers_are_known_only_where_they_are_reported(void **state)
{
    (void)state;
    const struct gate named = {.token = TOKEN, .host = "bench.lan"};
    const struct gate remote = {.token = TOKEN, .is_remote = true};
    assert_int_equal(get(&named, "bench.lan:8080", NULL, NULL), GATE_OPEN);
    assert_int_equal(get(&named, "bench.lan.example", NULL, NULL), GATE_FORBIDDEN);
    assert_int_equal(get(&named, "10.0.0.7:8080", NULL, NULL), GATE_FORBIDDEN);
    assert_int_equal(get(&remote, "10.0.0.7:8080", NULL, NULL), GATE_OPEN);
    assert_int_equal(get(&remote, "[fe80::1]:8080", NULL, NULL), GATE_OPEN);
    static const char *const no_address[] = {
        "[fe80::1].evil.example", "[evil.example]", "1.2.3", "999.1.1.1", "[]", "1..2:80"};
    for (size_t i = 0; i < sizeof no_address / sizeof *no_address; i++)
        assert_int_equal(get(&remote, no_address[i], NULL, NULL), GATE_FORBIDDEN);
    // A name that a foreign page has given our address.
    assert_int_equal(get(&remote, "10.0.0.7.evil.example", NULL, NULL), GATE_FORBIDDEN);
}

static void another_page_asks_in_vain(void **state)
{
    (void)state;
    assert_int_equal(get(&local, "localhost:8080", "http://localhost:8080", "same-origin"),
                     GATE_OPEN);
    assert_int_equal(get(&local, "localhost:8080", "https://localhost:8080", NULL), GATE_OPEN);
    assert_int_equal(get(&local, "localhost:8080", "http://localhost:8081", NULL), GATE_FORBIDDEN);
    assert_int_equal(get(&local, "localhost:8080", "http://evil.example", NULL), GATE_FORBIDDEN);
    assert_int_equal(get(&local, "localhost:8080", "null", NULL), GATE_FORBIDDEN);
    assert_int_equal(get(&local, "localhost:8080", NULL, "cross-site"), GATE_FORBIDDEN);
    assert_int_equal(get(&local, "localhost:8080", NULL, "same-site"), GATE_FORBIDDEN);
}

static void a_path_begins_with_the_whole_token(void **state)
{
    (void)state;
    assert_int_equal(get_path("/" TOKEN "/"), GATE_OPEN);
    assert_int_equal(get_path("/" TOKEN), GATE_NOT_FOUND);
    assert_int_equal(get_path("/" TOKEN "0/"), GATE_NOT_FOUND);
    assert_int_equal(get_path("/"), GATE_FORBIDDEN);
    assert_int_equal(get_path(""), GATE_FORBIDDEN);
    assert_int_equal(get_path("/0123456789abcdef"), GATE_FORBIDDEN);
    assert_int_equal(get_path("/0123456789abcdef0123456789abcdee/"), GATE_FORBIDDEN);
    assert_int_equal(get_path("/1123456789abcdef0123456789abcdef/"), GATE_FORBIDDEN);
}

static void commands_are_json_and_not_for_those_who_only_look(void **state)
{
    (void)state;
    const struct gate reader = {.token = TOKEN};
    assert_int_equal(post(&local, "/" TOKEN "/do", "application/json"), GATE_OPEN);
    assert_int_equal(post(&local, "/" TOKEN "/do", "application/json; charset=utf-8"), GATE_OPEN);
    assert_int_equal(post(&local, "/" TOKEN "/do", "Application/JSON ;q=1"), GATE_OPEN);
    assert_int_equal(post(&local, "/" TOKEN "/do", "application/jsonx"), GATE_WRONG_TYPE);
    assert_int_equal(post(&local, "/" TOKEN "/do", "application/json x"), GATE_WRONG_TYPE);
    assert_int_equal(post(&local, "/" TOKEN "/do", "text/plain"), GATE_WRONG_TYPE);
    assert_int_equal(post(&local, "/" TOKEN "/do", NULL), GATE_WRONG_TYPE);
    assert_int_equal(post(&local, "/" TOKEN "/events", "application/json"), GATE_WRONG_METHOD);
    assert_int_equal(post(&reader, "/" TOKEN "/do", "application/json"), GATE_FORBIDDEN);
    assert_int_equal(post(&reader, "/" TOKEN "/view", "application/json"), GATE_OPEN);
    assert_int_equal(post(&reader, "/" TOKEN "/look", "application/json"), GATE_OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_this_machine_are_known_with_any_port),
        cmocka_unit_test(a_further_name_and_numbers_are_known_only_where_they_are_reported),
        cmocka_unit_test(another_page_asks_in_vain),
        cmocka_unit_test(a_path_begins_with_the_whole_token),
        cmocka_unit_test(commands_are_json_and_not_for_those_who_only_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
