/* Compares the messages for wrong scenes as a whole. */
#include "tests/unit/wrong_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "app/files/scene_file.h"
#include "sim/parse/scene_parse.h"

void expect_message(const char *bytes, size_t size, const char *says)
{
    struct error error = {0};
    struct scene *scene = scene_parse(bytes, size, "s.yaml", &error);
    if (scene && scene_file_check_script(scene, &error))
        fail_msg("accepted: %.*s", (int)size, bytes);
    scene_destroy(scene);
    char whole[600];
    snprintf(whole, sizeof whole, "s.yaml:%s", says);
    size_t length = strlen(whole);
    if (whole[length - 1] == '*') {
        error.text[length - 1] = '\0';
        whole[length - 1] = '\0';
    }
    assert_string_equal(error.text, whole);
}

void expect_messages(const struct wrong *wrong, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect_message(wrong[i].scene, strlen(wrong[i].scene), wrong[i].says);
}
