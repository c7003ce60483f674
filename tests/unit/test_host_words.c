/* The words and the environment of a driver's command. Names in braces are replaced by ports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/drivers/host.h"
#include "tests/support/allocations.h"
#include "tests/unit/control_rig.h"

static char *const settings[] = {
    "PTYBOT_CONTROL=/run/control",    "PTYBOT_PORT_KOBUKI_UART=/run/uart",
    "PTYBOT_PORT_KOBUKI=/run/kobuki", "PTYBOT_PORT_ARM_2=localhost:4000",
    "PTYBOT_PORT_K=/run/k",           NULL};

/* Checks that WORD becomes WANTED. */
static void check_word(const char *word, const char *wanted)
{
    struct error error = {0};
    char **filled = host_words((const char *const[]){"drive", word, NULL}, settings, &error);
    if (!filled)
        fail_msg("%s: %s", word, error.text);
    assert_string_equal(filled[0], "drive");
    assert_string_equal(filled[1], wanted);
    assert_null(filled[2]);
    host_settings_free(filled);
}

static void a_port_takes_the_place_of_its_name(void **state)
{
    (void)state;
    check_word("{kobuki}", "/run/kobuki");
    check_word("{kobuki.uart}", "/run/uart");
    check_word("{kobuki_uart}", "/run/uart");
    check_word("{arm_2}", "localhost:4000");
    check_word("{k}", "/run/k");
    check_word("--port={kobuki}:{arm_2}!", "--port=/run/kobuki:localhost:4000!");
    check_word("{kobuki}{kobuki.uart}", "/run/kobuki/run/uart");
}

static void other_braces_stay(void **state)
{
    static const char *const words[] = {
        "",        "{",         "{}",       "}",        "{kobuki",   "{Kobuki}",
        "{a b}",   "x{other}y", "{kobu}ki", "{{kobuki", "{kobuki }", "{aa-bb}",
        "kobuki}", "{control}", "{ko",      "{k",       "xk}"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        check_word(words[i], words[i]);
    check_word("{{kobuki}}", "{/run/kobuki}");
    char longest[400] = "{";
    memset(longest + 1, 'k', 300);
    strcpy(longest + 301, "}");
    check_word(longest, longest);
}

/* Messages of host_words for WORD on the standard error stream. The caller frees them. */
static char *said_of(const char *word, char *const *names, struct error *error)
{
    FILE *said = tmpfile();
    int before = dup(STDERR_FILENO);
    assert_true(said && before >= 0);
    dup2(fileno(said), STDERR_FILENO);
    char **filled = host_words((const char *const[]){word, NULL}, names, error);
    dup2(before, STDERR_FILENO);
    close(before);
    char *text = calloc(1, 1000);
    rewind(said);
    assert_true(fread(text, 1, 999, said) < 999);
    fclose(said);
    host_settings_free(filled);
    return text;
}

static void a_misspelled_name_of_a_port_is_refused(void **state)
{
    (void)state;
    struct error error = {0};
    assert_null(host_words((const char *const[]){"{kobuky}", NULL}, settings, &error));
    assert_string_equal(error.text, "{kobuky}: there is no such port; did you mean '{kobuki}'?");
    assert_null(host_words((const char *const[]){"a", "{arm_3}", NULL}, settings, &error));
    assert_string_equal(error.text, "{arm_3}: there is no such port; did you mean '{arm_2}'?");
}

static void a_word_that_resembles_no_port_is_handed_on_with_a_remark(void **state)
{
    (void)state;
    struct error error = {0};
    char *said = said_of("{something}", settings, &error);
    assert_non_null(strstr(said, "the driver receives '{something}' literally"));
    assert_non_null(strstr(said, "did you mean '{k}'?")); // the shortest
    free(said);
    said = said_of("{kobuki}", settings, &error);
    assert_string_equal(said, "");
    free(said);
    said = said_of("{q}", settings, &error);
    assert_non_null(strstr(said, "the driver receives '{q}' literally"));
    free(said);
    char *const one[] = {"PTYBOT_PORT_ARM=/arm", NULL}, *const none[] = {"PTYBOT_CONTROL=/c", NULL};
    said = said_of("{something}", one, &error);
    assert_non_null(strstr(said, "did you mean '{arm}'?"));
    free(said);
    said = said_of("{arm}", one, &error);
    assert_string_equal(said, "");
    free(said);
    said = said_of("{something}", none, &error); // there is no name to suggest
    assert_string_equal(said, "");
    free(said);
    size_t held = allocations_held;
    said = said_of("{kobuky}", settings, &error); // this is an error
    assert_string_equal(said, "");
    free(said);
    assert_int_equal(allocations_held, held);
}

static void a_variable_that_no_shell_reads_is_found(void **state)
{
    static const char port[] = "$PTYBOT_PORT_KOBUKI", braced[] = "--on=${PTYBOT_PORT_KOBUKI}";
    static const char *const options[] = {"-", "c", "-C", "--c", "-1c", "-cl", "x-c"};
    static const char *const shells[] = {"-c", "-lc", "-ec"};
    static const char *const scripts[] = {"a $PTYBOT_PORT_K", "a\t$PTYBOT_PORT_K",
                                          "a;$PTYBOT_PORT_K", "\n$PTYBOT_PORT_K"};
    (void)state;
    assert_ptr_equal(host_unread_port((const char *const[]){port, NULL}), port);
    assert_ptr_equal(host_unread_port((const char *const[]){"cat", "x", braced, NULL}), braced);
    assert_null(host_unread_port((const char *const[]){"cat", "$PTYBOT", "PTYBOT_PORT_K", NULL}));
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        assert_ptr_equal(host_unread_port((const char *const[]){"sh", options[i], port, NULL}),
                         port);
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        assert_null(host_unread_port((const char *const[]){"sh", shells[i], port, NULL}));
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++)
        assert_null(host_unread_port((const char *const[]){"su", scripts[i], NULL}));
}

static void a_driver_is_told_each_port_and_the_control_socket(void **state)
{
    struct fixture *f = *state;
    char control[128], channel[128], robot[128];
    snprintf(control, sizeof control, "PTYBOT_CONTROL=%s", f->socket_path);
    snprintf(channel, sizeof channel, "PTYBOT_PORT_KOBUKI_UART=%s", f->pty_path);
    snprintf(robot, sizeof robot, "PTYBOT_PORT_KOBUKI=%s", f->pty_path);
    char **made = host_settings(f->sim, f->links, f->socket_path);
    assert_non_null(made);
    assert_string_equal(made[0], control);
    assert_string_equal(made[1], channel);
    assert_string_equal(made[2], robot);
    assert_null(made[3]);
    host_settings_free(made);
}

static void words_and_settings_are_whole_or_there_are_none(void **state)
{
    struct fixture *f = *state;
    const char *const words[] = {"drive", "{kobuki}", "at", NULL};
    struct error error = {0};
    size_t held = allocations_held, refused = 0;
    for (size_t gap = 1; gap <= 12; gap++) {
        allocations_gap = allocations + gap;
        char **made = host_settings(f->sim, f->links, f->socket_path);
        bool is_short = allocations >= allocations_gap;
        allocations_gap = 0;
        assert_int_equal(made == NULL, is_short);
        host_settings_free(made);
        assert_int_equal(allocations_held, held);
        allocations_gap = allocations + gap;
        made = host_words(words, settings, &error);
        allocations_gap = 0;
        refused += made == NULL;
        if (made) {
            assert_string_equal(made[2], "at");
            host_settings_free(made);
        } else {
            assert_string_equal(error.text, "not enough memory");
        }
        held = allocations_held; // the C library may have allocated the words
    }
    assert_true(refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_port_takes_the_place_of_its_name),
        cmocka_unit_test(other_braces_stay),
        cmocka_unit_test(a_misspelled_name_of_a_port_is_refused),
        cmocka_unit_test(a_word_that_resembles_no_port_is_handed_on_with_a_remark),
        cmocka_unit_test(a_variable_that_no_shell_reads_is_found),
        TEST(words_and_settings_are_whole_or_there_are_none),
        TEST(a_driver_is_told_each_port_and_the_control_socket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
