/* RFC 2217 as bytes: the requests of a client, their meaning, and the answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/modem_lines.h"
#include "base/serial_settings.h"
#include "pty/tcp/rfc2217.h"

#define HELLO         "\xff\xfb\x2c" /* WILL COM-PORT-OPTION */
#define SERIAL(x)     "\xff\xfa\x2c" x "\xff\xf0"
#define PUSH(text)    push(text, sizeof(text) - 1)
#define REPLIED(text) assert_reply(text, sizeof(text) - 1)

static struct rfc2217 port;
static char meant[256]; /* data unchanged; {B} baud, {F} format, {L} lines, {!} break, {P} purge */
static uint8_t replied[1024];
static size_t replied_size;

static int set_up(void **state)
{
    (void)state;
    rfc2217_begin(&port, 115200, MODEM_ROBOT_READY);
    meant[0] = '\0';
    replied_size = 0;
    return 0;
}

static void push(const char *bytes, size_t size)
{
    static const char *const words[] = {
        [RFC2217_NOTHING] = "",  [RFC2217_BAUD] = "{B}",  [RFC2217_FORMAT] = "{F}",
        [RFC2217_LINES] = "{L}", [RFC2217_BREAK] = "{!}", [RFC2217_PURGE] = "{P}",
    };
    meant[0] = '\0';
    replied_size = 0;
    for (size_t i = 0; i < size; i++) {
        enum rfc2217_news news = rfc2217_push(&port, (uint8_t)bytes[i]);
        if (news == RFC2217_DATA)
            strncat(meant, (const char *)port.data, port.data_size);
        else
            strcat(meant, words[news]);
        assert_true(replied_size + port.reply_size <= sizeof replied);
        memcpy(replied + replied_size, port.reply, port.reply_size);
        replied_size += port.reply_size;
        port.reply_size = 0;
    }
}

static void assert_reply(const char *bytes, size_t size)
{
    assert_int_equal(replied_size, size);
    assert_memory_equal(replied, bytes, size);
}

/* As pyserial and others do. */
static void greet(void)
{
    PUSH(HELLO);
    assert_int_equal(port.speech, RFC2217_TELNET);
}

static void a_client_that_offers_the_serial_option_gets_it_and_the_robots_lines(void **state)
{
    (void)state;
    PUSH(HELLO);
    REPLIED("\xff\xfb\x00\xff\xfd\x00" /* binary, both ways */
            "\xff\xfb\x03\xff\xfd\x03" /* no go-aheads */
            "\xff\xfd\x2c"             /* the serial option */
            "\xff\xfa\x2c\x6b\xb0\xff\xf0" /* CTS, DSR and DCD are on */);
    PUSH("\xff\xfd\x00\xff\xfb\x00\xff\xfd\x03\xff\xfb\x03\xff\xfd\x2c");
    REPLIED("\xff\xfb\x2c");
    PUSH("\xff\xfb\x2c\xff\xfd\x2c");
    REPLIED("");
    assert_string_equal(meant, "");
    assert_int_equal(port.errors, 0);
}

static void options_that_we_lack_are_refused_once_for_each_request(void **state)
{
    (void)state;
    greet();
    PUSH("\xff\xfd\x01\xff\xfb\x18\xff\xfe\x01\xff\xfc\x18"); /* DO ECHO, WILL terminal type */
    REPLIED("\xff\xfc\x01\xff\xfe\x18");
    PUSH("\xff\xfe\x00\xff\xfe\x00\xff\xfd\x00"); /* no binary; again; now yes */
    REPLIED("\xff\xfc\x00\xff\xfb\x00");
    assert_int_equal(port.errors, 0);
}

static void a_client_that_asks_without_the_option_is_reported_the_lines_too(void **state)
{
    (void)state;
    PUSH("\xff\xfd\x01");
    PUSH(SERIAL("\x07"));
    REPLIED(SERIAL("\x6b\xb0") SERIAL("\x6b\xb0"));
    assert_int_equal(port.errors, 0);
}

static void settings_are_made_asked_for_and_confirmed(void **state)
{
    (void)state;
    greet();
    PUSH(SERIAL("\x01\x00\x00\x00\x00"));
    REPLIED(SERIAL("\x65\x00\x01\xc2\x00")); /* 115200 */
    assert_string_equal(meant, "");
    PUSH(SERIAL("\x01\x00\x00\xff\xff\x80")); /* 65408, its 255 doubled */
    REPLIED(SERIAL("\x65\x00\x00\xff\xff\x80"));
    assert_string_equal(meant, "{B}");
    assert_int_equal(port.baud, 0xff80);
    PUSH(SERIAL("\x01\x12\x34\x56\x78"));
    REPLIED(SERIAL("\x65\x12\x34\x56\x78"));
    assert_int_equal(port.baud, 0x12345678);
    PUSH(SERIAL("\x02\x07") SERIAL("\x03\x03") SERIAL("\x04\x02"));
    REPLIED(SERIAL("\x66\x07") SERIAL("\x67\x03") SERIAL("\x68\x02"));
    assert_string_equal(meant, "{F}{F}{F}");
    assert_int_equal(port.data_bits, 7);
    assert_int_equal(port.parity, RFC2217_PARITY_EVEN);
    assert_int_equal(port.stop_bits, 2);
    PUSH(SERIAL("\x02\x00") SERIAL("\x03\x00") SERIAL("\x04\x00"));
    REPLIED(SERIAL("\x66\x07") SERIAL("\x67\x03") SERIAL("\x68\x02"));
    assert_string_equal(meant, "");
    assert_int_equal(port.errors, 0);
}

/* Tries each value of a setting. Values from LOW to HIGH are accepted and confirmed, 0 is a query,
 * and others count as errors. The answer is the setting in force. */
static void assert_takes(uint8_t command, const uint8_t *setting, uint8_t low, uint8_t high)
{
    for (unsigned value = 0; value <= 20; value++) {
        uint8_t before = *setting;
        uint64_t errors = port.errors;
        bool is_taken = value >= low && value <= high;
        const uint8_t request[] = {0xff, 0xfa, 0x2c, command, (uint8_t)value, 0xff, 0xf0};
        push((const char *)request, sizeof request);
        assert_int_equal(*setting, is_taken ? value : before);
        assert_int_equal(port.errors - errors, value != 0 && !is_taken);
        assert_string_equal(meant, is_taken && value != before ? "{F}" : "");
        const uint8_t answer[] = {0xff, 0xfa, 0x2c, (uint8_t)(command + 100), *setting, 0xff, 0xf0};
        assert_reply((const char *)answer, sizeof answer);
    }
}

static void settings_beyond_what_a_port_has_are_counted_and_left(void **state)
{
    (void)state;
    greet();
    assert_takes(2, &port.data_bits, 5, 8);
    assert_takes(3, &port.parity, RFC2217_PARITY_NONE, RFC2217_PARITY_SPACE);
    assert_takes(4, &port.stop_bits, 1, 3);
}

static void lines_and_breaks_are_set_and_asked_for(void **state)
{
    (void)state;
    greet();
    PUSH(SERIAL("\x05\x09"));
    REPLIED(SERIAL("\x69\x09"));
    assert_string_equal(meant, "{L}");
    assert_int_equal(port.lines, MODEM_RTS);
    PUSH(SERIAL("\x05\x0c") SERIAL("\x05\x08") SERIAL("\x05\x0a") SERIAL("\x05\x07"));
    REPLIED(SERIAL("\x69\x0c") SERIAL("\x69\x08") SERIAL("\x69\x0c") SERIAL("\x69\x08"));
    assert_int_equal(port.lines, MODEM_DTR);
    PUSH(SERIAL("\x05\x05") SERIAL("\x05\x04") SERIAL("\x05\x05") SERIAL("\x05\x06"));
    REPLIED(SERIAL("\x69\x05") SERIAL("\x69\x05") SERIAL("\x69\x05") SERIAL("\x69\x06"));
    assert_string_equal(meant, "{!}");
    PUSH("\xff\xf3"); /* telnet's own break */
    assert_string_equal(meant, "{!}");
    PUSH(SERIAL("\x05\x03") SERIAL("\x05\x00") SERIAL("\x05\x0d"));
    REPLIED(SERIAL("\x69\x03") SERIAL("\x69\x03") SERIAL("\x69\x0e"));
    assert_string_equal(meant, ""); /* flow control changes nothing */
    PUSH(SERIAL("\x05\x09") SERIAL("\x05\x0b") SERIAL("\x05\x07") SERIAL("\x05\x10"));
    assert_string_equal(meant, "{L}{L}");
    assert_int_equal(port.errors, 0);
}

/* As a real port at its start: no flow control, no break, DTR and RTS on. */
static void a_client_that_asks_first_gets_the_state_of_a_new_port(void **state)
{
    (void)state;
    greet();
    PUSH(SERIAL("\x05\x00") SERIAL("\x05\x04") SERIAL("\x05\x07") SERIAL("\x05\x0a")
             SERIAL("\x05\x0d"));
    REPLIED(SERIAL("\x69\x01") SERIAL("\x69\x06") SERIAL("\x69\x08") SERIAL("\x69\x0b")
                SERIAL("\x69\x0e"));
    assert_string_equal(meant, "");
}

static void a_request_without_its_value_is_an_error(void **state)
{
    (void)state;
    static const char commands[] = {2, 3, 4, 5, 10, 11, 12};
    greet();
    for (size_t i = 0; i < sizeof commands; i++) {
        const char request[] = {'\xff', '\xfa', 44, commands[i], '\xff', '\xf0'};
        push(request, sizeof request);
        REPLIED("");
        assert_string_equal(meant, "");
        assert_int_equal(port.errors, i + 1);
    }
}

/* RFC 2217 defines 1 to 3: the data of the host, of the robot, of both. */
static void only_three_kinds_of_purge_are_answered(void **state)
{
    (void)state;
    greet();
    for (unsigned which = 0; which <= 5; which++) {
        const bool is_known = which >= 1 && which <= 3;
        const char request[] = {'\xff', '\xfa', 44, 12, (char)which, '\xff', '\xf0'};
        uint64_t errors = port.errors;
        push(request, sizeof request);
        assert_int_equal(replied_size, is_known ? sizeof request : 0);
        assert_int_equal(port.errors - errors, !is_known);
        assert_string_equal(meant, which == 2 || which == 3 ? "{P}" : "");
    }
}

static void commands_of_telnet_that_need_no_answer_are_no_errors(void **state)
{
    (void)state;
    greet();
    for (unsigned command = 241; command <= 249; command++)
        push((const char[]){'\xff', (char)command}, 2);
    assert_int_equal(port.errors, 0);
    PUSH("\xff\xf0"); /* the end of a request that did not begin */
    assert_int_equal(port.errors, 1);
}

static void a_port_may_have_all_of_its_lines_off(void **state)
{
    (void)state;
    greet();
    PUSH(SERIAL("\x05\x09") SERIAL("\x05\x0c"));
    assert_int_equal(port.lines, 0);
}

static void each_direction_of_an_option_is_agreed_on_by_itself(void **state)
{
    (void)state;
    greet();
    PUSH("\xff\xfc\x00"); /* the client does not send binary any more */
    REPLIED("\xff\xfe\x00");
    PUSH("\xff\xfd\x00"); /* it still receives binary */
    REPLIED("");
    PUSH("\xff\xfb\x00");
    REPLIED("\xff\xfd\x00");
    PUSH("\xff\xfe\x00");
    REPLIED("\xff\xfc\x00");
    PUSH("\xff\xfb\x00");
    REPLIED("");
    PUSH("\xff\xfd\x00");
    REPLIED("\xff\xfb\x00");
}

/* The name of a client, of any length. */
static void a_request_of_the_greatest_size_is_taken_and_a_longer_one_is_an_error(void **state)
{
    (void)state;
    char request[3 + RFC2217_SUB_MAX + 3] = "\xff\xfa\x2c";
    greet();
    for (size_t size = RFC2217_SUB_MAX - 1; size <= RFC2217_SUB_MAX + 1; size++) {
        memset(request + 3, 'n', size - 1);
        request[3] = 0; /* its signature */
        memcpy(request + 2 + size, "\xff\xf0", 2);
        uint64_t errors = port.errors;
        push(request, size + 4);
        assert_int_equal(port.errors - errors, size > RFC2217_SUB_MAX);
    }
}

static void a_request_that_does_not_end_as_one_is_not_obeyed(void **state)
{
    (void)state;
    greet();
    PUSH("\xff\xfa\x2c\x01\x00\x00\xe1\x00\xff\x01");
    assert_string_equal(meant, "");
    assert_int_equal(port.errors, 1);
    assert_int_equal(port.baud, 115200);
}

static void the_robots_lines_are_reported_with_what_has_changed_as_far_as_asked(void **state)
{
    (void)state;
    greet();
    rfc2217_set_lines(&port, MODEM_DSR | MODEM_DCD | MODEM_RI);
    assert_int_equal(port.reply_size, 7);
    assert_memory_equal(port.reply, "\xff\xfa\x2c\x6b\xe1\xff\xf0", 7); /* CTS changed; RI is on */
    port.reply_size = 0;
    rfc2217_set_lines(&port, MODEM_DSR | MODEM_DCD);
    assert_memory_equal(port.reply, "\xff\xfa\x2c\x6b\xa4\xff\xf0", 7); /* the end of RI */
    port.reply_size = 0;
    rfc2217_set_lines(&port, MODEM_DSR | MODEM_RI);
    assert_memory_equal(port.reply, "\xff\xfa\x2c\x6b\x68\xff\xf0", 7); /* DCD changed */
    port.reply_size = 0;
    rfc2217_set_lines(&port, MODEM_DSR | MODEM_DCD);
    assert_memory_equal(port.reply, "\xff\xfa\x2c\x6b\xac\xff\xf0", 7);
    port.reply_size = 0;
    PUSH(SERIAL("\x0b\x10"));
    REPLIED(SERIAL("\x6f\x10"));
    rfc2217_set_lines(&port, MODEM_DSR);
    assert_int_equal(port.reply_size, 0); /* DCD: not asked for */
    rfc2217_set_lines(&port, MODEM_DSR | MODEM_CTS);
    assert_memory_equal(port.reply, "\xff\xfa\x2c\x6b\x10\xff\xf0", 7);
    port.reply_size = 0;
    PUSH(SERIAL("\x0b\xff\xff"));
    REPLIED(SERIAL("\x6f\xff\xff"));
    rfc2217_set_lines(&port, MODEM_CTS); /* the end of DSR */
    assert_memory_equal(port.reply, "\xff\xfa\x2c\x6b\x12\xff\xf0", 7);
    port.reply_size = 0;
    rfc2217_set_lines(&port, MODEM_CTS | MODEM_DCD);
    assert_memory_equal(port.reply, "\xff\xfa\x2c\x6b\x98\xff\xf0", 7);
}

static void errors_of_the_line_are_reported_as_far_as_asked(void **state)
{
    (void)state;
    rfc2217_report_errors(&port, SERIAL_ERRORS);
    assert_int_equal(port.reply_size, 0); /* a client that does not speak telnet */
    greet();
    rfc2217_report_errors(&port, SERIAL_ERRORS);
    assert_int_equal(port.reply_size, 0); /* the client has not asked for reports */
    PUSH(SERIAL("\x0a\x0a"));
    REPLIED(SERIAL("\x6e\x0a"));
    rfc2217_report_errors(&port, SERIAL_PARITY_ERROR | SERIAL_BREAK);
    assert_int_equal(port.reply_size, 0);
    rfc2217_report_errors(&port, SERIAL_ERRORS);
    assert_int_equal(port.reply_size, 7);
    assert_memory_equal(port.reply, SERIAL("\x6a\x0a"), 7); /* framing, overrun */
    port.reply_size = 0;
    PUSH(SERIAL("\x0a\xff\xff"));
    REPLIED(SERIAL("\x6e\xff\xff"));
    rfc2217_report_errors(&port, SERIAL_BREAK);
    assert_memory_equal(port.reply, SERIAL("\x6a\x70"), 7); /* and all is sent */
    port.reply_size = 0;
    PUSH(SERIAL("\x06"));
    REPLIED(SERIAL("\x6a\x60"));
    assert_int_equal(port.errors, 0);
}

static void data_passes_with_its_255_doubled(void **state)
{
    (void)state;
    uint8_t out[8];
    greet();
    PUSH("a\xff\xff\xff\xffz");
    assert_string_equal(meant, "a\xff\xffz");
    assert_int_equal(rfc2217_escape(&port, (const uint8_t *)"a\xffz", 3, out), 4);
    assert_memory_equal(out, "a\xff\xffz", 4);
}

static void a_client_of_bare_bytes_has_bare_bytes(void **state)
{
    (void)state;
    uint8_t out[8];
    PUSH("\xaa\xff\xff\xfb\x2c");
    assert_string_equal(meant, "\xaa\xff\xff\xfb\x2c");
    REPLIED("");
    assert_int_equal(port.speech, RFC2217_RAW);
    assert_int_equal(rfc2217_escape(&port, (const uint8_t *)"a\xffz", 3, out), 3);
}

static void a_frame_that_begins_with_255_is_no_telnet(void **state)
{
    (void)state;
    PUSH("\xff\xfc\x03\x01"); /* the head of a cobot's frames */
    assert_string_equal(meant, "\xff\xfc\x03\x01");
    assert_int_equal(port.speech, RFC2217_RAW);
    assert_int_equal(port.errors, 0);
    set_up(NULL);
    PUSH("\xff\xfc");
    PUSH(HELLO); /* also in the second frame */
    assert_string_equal(meant, HELLO);
    REPLIED("");
}

static void other_requests_are_answered_or_need_no_answer(void **state)
{
    (void)state;
    greet();
    PUSH(SERIAL("\x00"));
    REPLIED(SERIAL("\x64ptybot"));
    PUSH(SERIAL("\x00other end") SERIAL("\x0a\x1e") SERIAL("\x0c\x01") SERIAL("\x0c\x02"));
    REPLIED(SERIAL("\x6e\x1e") SERIAL("\x70\x01") SERIAL("\x70\x02"));
    assert_string_equal(meant, "{P}");
    PUSH(SERIAL("\x0c\x03"));
    REPLIED(SERIAL("\x70\x03"));
    assert_string_equal(meant, "{P}");
    PUSH(SERIAL("\x08"));
    assert_true(port.is_suspended);
    PUSH(SERIAL("\x09") "\xff\xf1\xff\xf6");
    assert_false(port.is_suspended);
    assert_int_equal(port.errors, 0);
}

static void what_nobody_understands_counts_and_changes_nothing(void **state)
{
    (void)state;
    char flood[400];
    greet();
    const struct rfc2217 before = port;
    memset(flood, 'a', sizeof flood);
    PUSH("\xff\xfa\x2c");
    push(flood, sizeof flood);
    PUSH("\xff\xf0");
    assert_int_equal(port.errors, 1);
    PUSH(SERIAL("") "\xff\xfa\xff\xf0" SERIAL("\x63") SERIAL("\x63\x01"));
    assert_int_equal(port.errors, 5);
    PUSH(SERIAL("\x01\x00\x00") SERIAL("\x05\x14") SERIAL("\x0c\x00") "\xff\x01");
    assert_int_equal(port.errors, 9);
    PUSH("\xff\xfa\x18\x01\xff\xf0\xff\xfa\x2c\xff\x01"); /* another option; no end */
    assert_int_equal(port.errors, 11);
    PUSH("\xff\xf0"); /* the end of nothing */
    assert_int_equal(port.errors, 12);
    PUSH(SERIAL("\x03\x06"));
    REPLIED(SERIAL("\x67\x01"));
    assert_int_equal(port.errors, 13);
    PUSH(SERIAL("\x06"));
    PUSH(SERIAL("")); /* must not repeat the last request */
    REPLIED("");
    assert_int_equal(port.errors, 14);
    PUSH("data");
    assert_string_equal(meant, "data");
    assert_int_equal(port.baud, before.baud);
    assert_int_equal(port.parity, before.parity);
    assert_int_equal(port.lines, before.lines);
}

/* "The port begins with 8N1, DTR and RTS on." */
static void the_port_begins_as_a_serial_port_does(void **state)
{
    (void)state;
    greet();
    PUSH(SERIAL("\x05\x07") SERIAL("\x05\x0a") SERIAL("\x05\x04"));
    REPLIED(SERIAL("\x69\x08") SERIAL("\x69\x0b") SERIAL("\x69\x06"));
    PUSH(SERIAL("\x02\x00") SERIAL("\x03\x00") SERIAL("\x04\x00"));
    REPLIED(SERIAL("\x66\x08") SERIAL("\x67\x01") SERIAL("\x68\x01"));
    PUSH(SERIAL("\x05\x0c"));
    assert_int_equal(port.lines, MODEM_DTR); /* of two lines that are on, only one goes off */
    PUSH(SERIAL("\x05\x09"));
    assert_int_equal(port.lines, 0);
}

static void a_line_that_stays_on_is_not_reported_as_changed(void **state)
{
    (void)state;
    rfc2217_begin(&port, 115200, MODEM_RI | MODEM_DCD);
    greet();
    PUSH(SERIAL("\x07"));
    REPLIED(SERIAL("\x6b\xc0"));
    rfc2217_set_lines(&port, MODEM_RI | MODEM_DCD | MODEM_DSR);
    assert_memory_equal(port.reply, SERIAL("\x6b\xe2"), 7);
}

/* RFC 2217 gives each of these a value of one byte. */
static void a_request_with_a_value_of_another_size_is_counted_and_changes_nothing(void **state)
{
    (void)state;
    static const uint8_t commands[] = {2, 3, 4, 5, 10, 11, 12};
    greet();
    for (size_t i = 0; i < sizeof commands; i++) {
        uint64_t errors = port.errors;
        const uint8_t requests[] = {0xff, 0xfa, 0x2c,        commands[i], 0xff, 0xf0, 0xff,
                                    0xfa, 0x2c, commands[i], 2,           2,    0xff, 0xf0};
        push((const char *)requests, sizeof requests);
        REPLIED("");
        assert_string_equal(meant, "");
        assert_int_equal(port.errors - errors, 2);
    }
}

/* "A longer one is an error." */
static void a_request_may_have_64_bytes_and_no_more(void **state)
{
    (void)state;
    char request[RFC2217_SUB_MAX + 8] = "\xff\xfa\x2c";
    greet();
    for (size_t more = 0; more < 4; more++) {
        /* The name of a client. Its last bytes could be taken for another request. */
        size_t end = 3 + RFC2217_SUB_MAX - 1 + more;
        memset(request + 3, 0, sizeof request - 3);
        memset(request + 4, 'n', RFC2217_SUB_MAX - 2);
        request[end - 1] = more > 1 ? 6 : 'n';
        request[end] = '\xff';
        request[end + 1] = '\xf0';
        uint64_t errors = port.errors;
        push(request, end + 2);
        assert_int_equal(port.errors - errors, more > 0);
        REPLIED("");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_client_that_offers_the_serial_option_gets_it_and_the_robots_lines,
                               set_up),
        cmocka_unit_test_setup(options_that_we_lack_are_refused_once_for_each_request, set_up),
        cmocka_unit_test_setup(a_client_that_asks_without_the_option_is_reported_the_lines_too,
                               set_up),
        cmocka_unit_test_setup(settings_are_made_asked_for_and_confirmed, set_up),
        cmocka_unit_test_setup(only_three_kinds_of_purge_are_answered, set_up),
        cmocka_unit_test_setup(settings_beyond_what_a_port_has_are_counted_and_left, set_up),
        cmocka_unit_test_setup(lines_and_breaks_are_set_and_asked_for, set_up),
        cmocka_unit_test_setup(a_client_that_asks_first_gets_the_state_of_a_new_port, set_up),
        cmocka_unit_test_setup(a_request_without_its_value_is_an_error, set_up),
        cmocka_unit_test_setup(commands_of_telnet_that_need_no_answer_are_no_errors, set_up),
        cmocka_unit_test_setup(a_port_may_have_all_of_its_lines_off, set_up),
        cmocka_unit_test_setup(each_direction_of_an_option_is_agreed_on_by_itself, set_up),
        cmocka_unit_test_setup(a_request_of_the_greatest_size_is_taken_and_a_longer_one_is_an_error,
                               set_up),
        cmocka_unit_test_setup(a_request_that_does_not_end_as_one_is_not_obeyed, set_up),
        cmocka_unit_test_setup(the_robots_lines_are_reported_with_what_has_changed_as_far_as_asked,
                               set_up),
        cmocka_unit_test_setup(errors_of_the_line_are_reported_as_far_as_asked, set_up),
        cmocka_unit_test_setup(data_passes_with_its_255_doubled, set_up),
        cmocka_unit_test_setup(a_client_of_bare_bytes_has_bare_bytes, set_up),
        cmocka_unit_test_setup(a_frame_that_begins_with_255_is_no_telnet, set_up),
        cmocka_unit_test_setup(other_requests_are_answered_or_need_no_answer, set_up),
        cmocka_unit_test_setup(what_nobody_understands_counts_and_changes_nothing, set_up),
        cmocka_unit_test_setup(the_port_begins_as_a_serial_port_does, set_up),
        cmocka_unit_test_setup(a_line_that_stays_on_is_not_reported_as_changed, set_up),
        cmocka_unit_test_setup(
            a_request_with_a_value_of_another_size_is_counted_and_changes_nothing, set_up),
        cmocka_unit_test_setup(a_request_may_have_64_bytes_and_no_more, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
