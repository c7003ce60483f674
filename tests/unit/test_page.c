/* A page in one file: text and data of any content stay text and data, and no other file is needed.
 */
#define _GNU_SOURCE
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "app/files/page.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"

struct stage {
    struct folder folder;
    struct fresh_file file;
    FILE *page;
    char path[FOLDER_PATH_MAX];
};

static void open_page(struct stage *stage, const char *title)
{
    struct error error = {0};
    folder_make(&stage->folder);
    folder_path(&stage->folder, "page.html", stage->path);
    stage->page = page_open(&stage->file, stage->path, title, &error);
    if (!stage->page)
        fail_msg("%s", error.text);
}

/* The whole page, which the caller frees. */
static char *close_page(struct stage *stage, json_t *data)
{
    struct error error = {0};
    if (!page_close(&stage->file, data, &error))
        fail_msg("%s", error.text);
    FILE *file = fopen(stage->path, "re");
    char *text = calloc(1, 1 << 20);
    assert_true(file && text);
    assert_in_range(fread(text, 1, (1 << 20) - 1, file), 100, (1 << 20) - 2);
    fclose(file);
    return text;
}

static void check_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("there is no %s in\n%s", part, text);
}

static void text_and_links_may_contain_anything(void **state)
{
    (void)state;
    struct stage stage;
    static const char *const once[] = {"<title>", "<h1>", "</h1>", "id=\"bundle\">", "</html>"};
    open_page(&stage, "a < b & c");
    page_cell(stage.page, "<script>");
    page_cell(stage.page, "two\n\tlines");
    page_link(stage.page, "/tmp/a b/\xc3\xbc-1._~%.txt", "here");
    char *text = close_page(&stage, json_object());
    check_has(text, "<title>a &lt; b &amp; c</title>");
    check_has(text, "a &lt; b &amp; c</h1>");
    check_has(text, "<td>&lt;script&gt;");
    check_has(text, "<td>two\n\tlines");
    check_has(text, "<a href=\"file:///tmp/a%20b/%C3%BC-1._~%25.txt\">here</a>");
    for (size_t i = 0; i < sizeof once / sizeof once[0]; i++) {
        const char *at = strstr(text, once[i]);
        assert_non_null(at);
        assert_null(strstr(at + 1, once[i]));
    }
    free(text);
    folder_remove(&stage.folder);
}

static void a_file_becomes_a_part_of_the_page(void **state)
{
    (void)state;
    struct stage stage;
    char path[FOLDER_PATH_MAX];
    open_page(&stage, "files");
    folder_write(&stage.folder, "picture", "%s", "abcd");
    fputs("[1:", stage.page);
    page_file(stage.page, folder_path(&stage.folder, "picture", path), "image/png");
    fputs("][2:", stage.page);
    page_file(stage.page, folder_path(&stage.folder, "missing", path), "image/png");
    fputs("]", stage.page);
    char *text = close_page(&stage, json_object());
    check_has(text, "[1:data:image/png;base64,YWJjZA==][2:data:,]");
    free(text);
    folder_remove(&stage.folder);
}

/* No text of a driver can end the element of the script. */
static void data_cannot_end_its_script(void **state)
{
    (void)state;
    struct stage stage;
    open_page(&stage, "data");
    json_t *data = json_pack("{s:s, s:[f, i]}", "said", "</script><b>", "numbers", 0.5, 7);
    json_incref(data);
    char *text = close_page(&stage, data);
    assert_int_equal((int)data->refcount, 1); /* it took its share over */
    json_decref(data);
    check_has(text, "{\"said\":\"\\u003c/script>\\u003cb>\",\"numbers\":[0.5,7]}</script>");
    free(text);
    folder_remove(&stage.folder);
}

static void without_memory_for_data_an_older_page_stays(void **state)
{
    (void)state;
    struct stage stage;
    struct error error = {0};
    open_page(&stage, "none");
    folder_write(&stage.folder, "page.html", "old");
    assert_false(page_close(&stage.file, NULL, &error));
    assert_string_equal(error.text, "--html not enough memory");
    char *text = folder_read(&stage.folder, "page.html");
    assert_string_equal(text, "old");
    free(text);
    folder_remove(&stage.folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_links_may_contain_anything),
        cmocka_unit_test(a_file_becomes_a_part_of_the_page),
        cmocka_unit_test(data_cannot_end_its_script),
        cmocka_unit_test(without_memory_for_data_an_older_page_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
