/* The lines of a journal: a reader accepts the lines that the writer writes, and no others. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "sim/record/journal.h"

/* A journal that grows in memory. */
struct text {
    char bytes[1 << 18];
    size_t size;
};

static void append(void *context, const char *line, size_t size)
{
    struct text *text = context;
    assert_true(size <= sizeof text->bytes - text->size);
    assert_true(line[size - 1] == '\n' && line[size] == '\0');
    memcpy(text->bytes + text->size, line, size);
    text->size += size;
}

static const uint8_t every_byte[] = "\x00\x01\x09\n \\x41\\\x7f\x80\xff\xc3\xa4";

static const struct journal_entry entries[] = {
    {.kind = JOURNAL_HOST, .step = 0, .index = 0, .number = 1},
    {.kind = JOURNAL_BAUD, .step = 0, .index = 0, .number = 115200},
    {.kind = JOURNAL_LINES, .step = 1, .index = 2047, .number = 3},
    {.kind = JOURNAL_BYTES,
     .step = 20,
     .index = 1,
     .bytes = every_byte,
     .size = sizeof every_byte - 1},
    {.kind = JOURNAL_COMMAND, .step = 21, .bytes = every_byte + 1, .size = sizeof every_byte - 2},
    {.kind = JOURNAL_SAVED, .step = 22, .index = 7},
    {.kind = JOURNAL_OUT, .step = 100, .index = 0, .number = INT64_MAX, .hash = UINT64_MAX},
    {.kind = JOURNAL_STATE, .step = 1000, .hash = 1},
    {.kind = JOURNAL_END, .step = INT64_MAX, .hash = 0x0123456789abcdef},
};
enum { ENTRIES = sizeof entries / sizeof entries[0] };

static const char scene_text[] =
    "name: r\xc3\xa4ume \\ tabs\there\nrobots: []\r\nno newline at the end";
static const char picture[] = "P5 2 1 255\n\x00\xff\n";

static struct journal_head make_head(void)
{
    struct journal_head head = {.program = "1.2.3", .build = "0123456789abcdef", .seed = 42};
    strcpy(head.compiler, "gcc 12.2.0");
    assert_true(
        scene_source_add(&head.sources, "scenes/a b.yaml", scene_text, sizeof scene_text - 1));
    assert_true(scene_source_add(&head.sources, "scenes/empty", "", 0));
    assert_true(scene_source_add(&head.sources, "scenes/map.pgm", picture, sizeof picture - 1));
    head.sets = calloc(3, sizeof *head.sets);
    head.storages = calloc(1, sizeof *head.storages);
    head.channels = calloc(2, sizeof *head.channels);
    assert_true(head.sets && head.storages && head.channels);
    for (head.set_count = 0; head.set_count < 3; head.set_count++) {
        static const char *const sets[] = {"kobuki.battery_v=15", "", "b.label=\"two words\""};
        head.sets[head.set_count] = strdup(sets[head.set_count]);
        assert_non_null(head.sets[head.set_count]);
    }
    head.storage_count = 1;
    head.storages[0] = (struct journal_storage){.robot = 1, .memory.size = ROBOT_STORAGE_MAX};
    memset(head.storages[0].memory.bytes, 0xa5, ROBOT_STORAGE_MAX);
    head.channel_count = 2;
    head.channels[0] = (struct journal_channel){.channel = 0, .name = "kobuki.uart"};
    head.channels[1] = (struct journal_channel){.channel = 3, .name = "b.bluetooth"};
    return head;
}

static void write_all(struct text *text)
{
    static struct journal_writer writer;
    struct journal_head head = make_head();
    text->size = 0;
    journal_head_write(&head, &writer, append, text);
    journal_head_free(&head);
    for (size_t i = 0; i < ENTRIES; i++) {
        size_t size = journal_write(&writer, &entries[i]);
        append(text, writer.line, size);
    }
}

static void check_entry(const struct journal_entry *found, const struct journal_entry *wanted)
{
    assert_int_equal(found->kind, wanted->kind);
    assert_true(found->step == wanted->step && found->index == wanted->index);
    assert_true(found->number == wanted->number && found->hash == wanted->hash);
    assert_int_equal(found->size, wanted->size);
    if (wanted->size > 0)
        assert_memory_equal(found->bytes, wanted->bytes, wanted->size);
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    static struct text text;
    static struct journal_reader reader;
    struct journal_head head;
    struct journal_entry entry;
    struct error error = {0};
    write_all(&text);
    assert_true(journal_open(&reader, text.bytes, text.size, &error));
    if (!journal_head_read(&head, &reader, &error))
        fail_msg("%s", error.text);

    struct journal_head wanted = make_head();
    assert_string_equal(head.program, wanted.program);
    assert_string_equal(head.build, wanted.build);
    assert_string_equal(head.compiler, wanted.compiler);
    assert_string_equal(head.type, "");
    assert_true(head.seed == 42);
    const struct scene_source *b = wanted.sources;
    for (const struct scene_source *a = head.sources; a; a = a->next, b = b->next) {
        assert_non_null(b);
        assert_string_equal(a->path, b->path);
        assert_int_equal(a->size, b->size);
        assert_memory_equal(a->bytes, b->bytes, a->size + 1);
    }
    assert_null(b);
    assert_int_equal(head.set_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(head.sets[i], wanted.sets[i]);
    assert_int_equal(head.storage_count, 1);
    assert_int_equal(head.storages[0].robot, 1);
    assert_int_equal(head.storages[0].memory.size, ROBOT_STORAGE_MAX);
    assert_memory_equal(head.storages[0].memory.bytes, wanted.storages[0].memory.bytes,
                        ROBOT_STORAGE_MAX);
    assert_int_equal(head.channel_count, 2);
    assert_int_equal(head.channels[1].channel, 3);
    assert_string_equal(head.channels[1].name, "b.bluetooth");

    for (size_t i = 0; i < ENTRIES; i++) {
        assert_int_equal(journal_read(&reader, &entry, &error), JOURNAL_ENTRY);
        check_entry(&entry, &entries[i]);
    }
    assert_int_equal(journal_read(&reader, &entry, &error), JOURNAL_DONE);
    journal_head_free(&wanted);
    journal_head_free(&head);
}

static void a_scene_can_be_read_in_its_journal(void **state)
{
    (void)state;
    static struct text text;
    write_all(&text);
    text.bytes[text.size] = '\0';
    assert_non_null(strstr(text.bytes, " text name: r\xc3\xa4ume \\x5c tabs\\x09here\n"));
    assert_non_null(strstr(text.bytes, " file scenes/map.pgm\n"));
    assert_non_null(strstr(text.bytes, " data 503520322031203235350a00ff0a\n"));
}

/* A terminal can therefore show it, and no line ends early. */
static void a_journal_has_no_control_characters(void **state)
{
    (void)state;
    static struct text text;
    write_all(&text);
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] != '\n')
            assert_true((uint8_t)text.bytes[i] >= 0x20 && text.bytes[i] != 0x7f);
}

/* Reads until the end or an error. Returns the number of valid entries after the head, or -1 if the
 * head was refused. LAST is the reason why the reader stopped. */
static int read_on(const char *bytes, size_t size, enum journal_next *last, struct error *error)
{
    static struct journal_reader reader;
    struct journal_head head;
    struct journal_entry entry;
    *error = (struct error){0};
    *last = JOURNAL_DAMAGED;
    if (!journal_open(&reader, bytes, size, error) || !journal_head_read(&head, &reader, error))
        return -1;
    int count = 0;
    while ((*last = journal_read(&reader, &entry, error)) == JOURNAL_ENTRY) {
        assert_in_range(count, 0, ENTRIES - 1);
        check_entry(&entry, &entries[count]);
        count++;
    }
    journal_head_free(&head);
    return count;
}

static void a_journal_cut_anywhere_is_read_up_to_there(void **state)
{
    (void)state;
    static struct text text;
    enum journal_next last;
    struct error error;
    write_all(&text);
    int before = -1;
    for (size_t size = 0; size <= text.size; size++) {
        // Allocated with exactly this size, so that a sanitizer detects reads past the end.
        char *bytes = malloc(size + (size == 0));
        assert_non_null(bytes);
        memcpy(bytes, text.bytes, size);
        int count = read_on(bytes, size, &last, &error);
        free(bytes);
        assert_true(count >= before);
        if (count < 0) {
            assert_true(error.text[0] != '\0');
        } else {
            bool is_at_line = text.bytes[size - 1] == '\n';
            assert_int_equal(last, is_at_line ? JOURNAL_DONE : JOURNAL_CUT);
        }
        before = count;
    }
    assert_int_equal(before, ENTRIES);
}

static void a_flipped_bit_is_found_anywhere(void **state)
{
    (void)state;
    static struct text text;
    enum journal_next last;
    struct error error;
    write_all(&text);
    for (size_t at = 0; at < text.size; at++) {
        for (int bit = 0; bit < 8; bit++) {
            text.bytes[at] = (char)(text.bytes[at] ^ 1 << bit);
            int count = read_on(text.bytes, text.size, &last, &error);
            text.bytes[at] = (char)(text.bytes[at] ^ 1 << bit);
            if (count == ENTRIES || (last != JOURNAL_DAMAGED && last != JOURNAL_CUT))
                fail_msg("bit %d of byte %zu was not missed", bit, at);
            // Only a lost last newline looks like a cut.
            assert_true(last == JOURNAL_DAMAGED || at == text.size - 1);
            assert_true(last == JOURNAL_CUT || error.text[0] != '\0');
        }
    }
}

static void a_line_left_out_doubled_or_moved_is_found(void **state)
{
    (void)state;
    static struct text text, other;
    enum journal_next last;
    struct error error;
    write_all(&text);
    size_t starts[256], count = 0;
    for (size_t at = 0; at < text.size; at++)
        if (at == 0 || text.bytes[at - 1] == '\n')
            starts[count++] = at;
    starts[count] = text.size;
    for (size_t i = 1; i + 1 < count; i++) {
        size_t size = starts[i + 1] - starts[i], rest = text.size - starts[i + 1];
        // One line omitted.
        memcpy(other.bytes, text.bytes, starts[i]);
        memcpy(other.bytes + starts[i], text.bytes + starts[i + 1], rest);
        read_on(other.bytes, text.size - size, &last, &error);
        assert_int_equal(last, JOURNAL_DAMAGED);
        // One line duplicated.
        memcpy(other.bytes, text.bytes, starts[i + 1]);
        memcpy(other.bytes + starts[i + 1], text.bytes + starts[i], text.size - starts[i]);
        read_on(other.bytes, text.size + size, &last, &error);
        assert_int_equal(last, JOURNAL_DAMAGED);
    }
}

static void what_is_no_journal_is_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *said;
    } rows[] = {
        {"", "not a journal"},
        {"name: a scene\n", "not a journal"},
        {"ptybot-journa", "not a journal"},
        {"ptybot-journal ", "the journal is not of format"},
        {"ptybot-journal 2\n", "the journal is not of format"},
        {"ptybot-journal 1", "the journal is not of format"},
        {"ptybot-journal 1\n", "before its run began"},
        {"ptybot-journal 1\nrubbish\n", "line 2 is damaged"},
        {"ptybot-journal 1\n00000000 start\n", "line 2 is damaged"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum journal_next last;
        struct error error;
        assert_int_equal(read_on(rows[i].bytes, strlen(rows[i].bytes), &last, &error), -1);
        if (!strstr(error.text, rows[i].said))
            fail_msg("'%s' said: %s", rows[i].bytes, error.text);
    }
}

/* Lines with a correct check that no recorder writes. */
static void a_head_with_a_wrong_line_is_refused(void **state)
{
    (void)state;
    static const struct journal_entry wrong[] = {
        {.kind = JOURNAL_BYTES, .bytes = every_byte, .size = 1},
        {.kind = JOURNAL_TEXT},  // text of no file
        {.kind = JOURNAL_START}, // without a scene
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        static struct text text;
        static struct journal_writer writer;
        enum journal_next last;
        struct error error;
        text.size = 0;
        size_t size = journal_begin(&writer);
        append(&text, writer.line, size);
        size = journal_write(&writer, &wrong[i]);
        append(&text, writer.line, size);
        assert_int_equal(read_on(text.bytes, text.size, &last, &error), -1);
        assert_non_null(strstr(error.text, i < 2 ? "line 2" : "no scene"));
    }
}

/* ---- Lines that no recorder writes ---- */

/* A journal of format 1, made without the writer. */
struct forged {
    struct text text;
    uint64_t hash; /* hash of all lines so far, without their CHECK */
};

static void forge_begin(struct forged *forged)
{
    forged->text.size = (size_t)sprintf(forged->text.bytes, "ptybot-journal 1\n");
    forged->hash = hash_bytes(HASH_START, forged->text.bytes, forged->text.size);
}

static void forge(struct forged *forged, const char *line, size_t size)
{
    char check[16], *end = forged->text.bytes + forged->text.size;
    forged->hash = hash_bytes(forged->hash, line, size);
    forged->hash = hash_bytes(forged->hash, "\n", 1);
    sprintf(check, "%08" PRIx32 " ", (uint32_t)(forged->hash >> 32) ^ (uint32_t)forged->hash);
    assert_true(size + 10 <= sizeof forged->text.bytes - forged->text.size);
    memcpy(end, check, 9);
    memcpy(end + 9, line, size);
    end[9 + size] = '\n';
    forged->text.size += size + 10;
}

/* Whether a line with a correct CHECK is read as an entry. */
static bool is_entry(const char *line, size_t size, struct journal_entry *entry)
{
    static struct forged forged;
    static struct journal_reader reader;
    struct error error = {0};
    forge_begin(&forged);
    forge(&forged, line, size);
    assert_true(journal_open(&reader, forged.text.bytes, forged.text.size, &error));
    enum journal_next next = journal_read(&reader, entry, &error);
    if (next == JOURNAL_ENTRY)
        return true;
    assert_int_equal(next, JOURNAL_DAMAGED);
    assert_string_equal(error.text, "line 2: not a line of a journal");
    return false;
}

static void a_line_has_just_the_fields_of_its_word(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool is_good;
    } rows[] = {
        {"state 5 0000000000000001", true},
        {"state 9223372036854775807 ffffffffffffffff", true},
        {"state 9223372036854775808 ffffffffffffffff", false},
        {"state 9999999999999999999 ffffffffffffffff", false},
        {"state 00000000000000000005 0000000000000001", false},
        {"state  0000000000000001", false},
        {"state 0000000000000001", false},
        {"state 5 1", false},
        {"state 5 00000000000000001", false},
        {"state 5 000000000000000F", false},
        {"state -5 0000000000000001", false},
        {"start", true},
        {"start ", false},
        {"start 5", false},
        {"states 5 0000000000000001", false},
        {"stat 5 0000000000000001", false},
        {"nonsense", false},
        {"", false},
        {"saved 5 1", true},
        {"saved 5 1 ", false},
        {"saved 5", false},
        {"host 5 0 1", true},
        {"host 5  1", false},
        {"host 5 0 ", false},
        {"bytes 5 0 00ff", true},
        {"bytes 5 0 ", true},
        {"bytes 5 0", false},
        {"bytes 5 0 0", false},
        {"bytes 5 0 0g", false},
        {"do 5 a\\x0ab", true},
        {"do 5 a\\x5c", true},
        {"do 5 a\\x7f", true},
        {"do 5 a\\x41", false}, // only bytes that need it are escaped
        {"do 5 a\\x80", false},
        {"do 5 a\\x0", false},
        {"do 5 a\\q0a", false},
        {"do 5 a\\", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct journal_entry entry;
        if (is_entry(rows[i].line, strlen(rows[i].line), &entry) != rows[i].is_good)
            fail_msg("'%s' is %s", rows[i].line, rows[i].is_good ? "refused" : "read");
    }
}

static void a_payload_is_no_longer_than_its_bound(void **state)
{
    (void)state;
    static char text_line[JOURNAL_PAYLOAD_MAX + 16] = "do 5 ";
    static char bytes_line[2 * JOURNAL_PAYLOAD_MAX + 16] = "bytes 5 0 ";
    struct journal_entry entry;
    size_t before = strlen(text_line), before_bytes = strlen(bytes_line);
    memset(text_line + before, 'a', JOURNAL_PAYLOAD_MAX + 1);
    memset(bytes_line + before_bytes, '0', 2 * (JOURNAL_PAYLOAD_MAX + 1));
    assert_true(is_entry(text_line, before + JOURNAL_PAYLOAD_MAX, &entry));
    assert_int_equal(entry.size, JOURNAL_PAYLOAD_MAX);
    assert_false(is_entry(text_line, before + JOURNAL_PAYLOAD_MAX + 1, &entry));
    assert_true(is_entry(bytes_line, before_bytes + 2 * JOURNAL_PAYLOAD_MAX, &entry));
    assert_int_equal(entry.size, JOURNAL_PAYLOAD_MAX);
    assert_false(is_entry(bytes_line, before_bytes + 2 * (JOURNAL_PAYLOAD_MAX + 1), &entry));
}

/* No line is that long, so this is damage and not the beginning of a line. */
static void bytes_without_an_end_are_damage_where_no_line_is_so_long(void **state)
{
    (void)state;
    static struct forged forged;
    static struct journal_reader reader;
    for (size_t size = JOURNAL_LINE_MAX - 1; size <= JOURNAL_LINE_MAX; size++) {
        struct journal_entry entry;
        struct error error = {0};
        forge_begin(&forged);
        memset(forged.text.bytes + forged.text.size, 'a', size);
        assert_true(journal_open(&reader, forged.text.bytes, forged.text.size + size, &error));
        assert_int_equal(journal_read(&reader, &entry, &error),
                         size < JOURNAL_LINE_MAX ? JOURNAL_CUT : JOURNAL_DAMAGED);
    }
}

/* Reads a head that consists of these lines. */
static bool read_head(const char *const *lines, size_t count, struct journal_head *head,
                      struct error *error)
{
    static struct forged forged;
    static struct journal_reader reader;
    *error = (struct error){0};
    forge_begin(&forged);
    for (size_t i = 0; i < count; i++)
        forge(&forged, lines[i], strlen(lines[i]));
    return journal_open(&reader, forged.text.bytes, forged.text.size, error) &&
           journal_head_read(head, &reader, error);
}

static void a_head_has_either_a_type_or_a_scene(void **state)
{
    (void)state;
    struct journal_head head = {0};
    struct error error;
    static const char *const types[] = {"type kobuki", "type x"};
    for (size_t i = 0; i < 2; i++) {
        assert_true(read_head((const char *const[]){types[i], "start"}, 2, &head, &error));
        assert_string_equal(head.type, types[i] + 5);
        assert_null(head.sources);
        journal_head_free(&head);
        assert_false(read_head((const char *const[]){types[i], "file a.yaml", "text a: b", "start"},
                               4, &head, &error));
        assert_string_equal(error.text, "the journal has no scene, or two scenes");
    }
    assert_true(
        read_head((const char *const[]){"file a.yaml", "text a: b", "start"}, 3, &head, &error));
    assert_string_equal(head.sources->bytes, "a: b\n");
    journal_head_free(&head);
    assert_false(read_head((const char *const[]){"start"}, 1, &head, &error));
    assert_string_equal(error.text, "the journal has no scene, or two scenes");
}

/* Terminals show these names. */
static void names_in_a_head_have_no_control_characters(void **state)
{
    (void)state;
    static const char *const words[] = {"program", "build", "compiler", "type",
                                        "file",    "set",   "channel 0"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (unsigned byte = 0; byte < 256; byte++) {
            struct journal_head head;
            struct error error;
            char line[64];
            bool is_control = byte < 0x20 || byte == 0x7f;
            snprintf(line, sizeof line, is_control || byte == '\\' ? "%s a\\x%02xb" : "%s a%cb",
                     words[i], byte);
            // Without a line end, only the reason differs.
            assert_false(read_head((const char *const[]){line}, 1, &head, &error));
            const char *reason = is_control
                                     ? "line 2: this line may not occur in the head of a journal"
                                     : "the journal ends after line 2, before its run began";
            if (strcmp(error.text, reason) != 0)
                fail_msg("%s with byte %02x: %s", words[i], byte, error.text);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(a_scene_can_be_read_in_its_journal),
        cmocka_unit_test(a_journal_has_no_control_characters),
        cmocka_unit_test(a_journal_cut_anywhere_is_read_up_to_there),
        cmocka_unit_test(a_flipped_bit_is_found_anywhere),
        cmocka_unit_test(a_line_left_out_doubled_or_moved_is_found),
        cmocka_unit_test(what_is_no_journal_is_refused_by_name),
        cmocka_unit_test(a_head_with_a_wrong_line_is_refused),
        cmocka_unit_test(a_line_has_just_the_fields_of_its_word),
        cmocka_unit_test(a_payload_is_no_longer_than_its_bound),
        cmocka_unit_test(bytes_without_an_end_are_damage_where_no_line_is_so_long),
        cmocka_unit_test(a_head_has_either_a_type_or_a_scene),
        cmocka_unit_test(names_in_a_head_have_no_control_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
