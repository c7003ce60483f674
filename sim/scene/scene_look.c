/* How things of a scene look: the keys `color` and `height` of walls, polygons, boxes and discs. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "sim/scene/scene_spec.h"

/* Values: W3C, CSS Color Module Level 4, named colors. */
static const struct {
    const char *name;
    uint32_t rgb;
} colors[] = {
    {"black", 0x000000},  {"white", 0xffffff},  {"gray", 0x808080}, {"silver", 0xc0c0c0},
    {"red", 0xff0000},    {"green", 0x008000},  {"blue", 0x0000ff}, {"yellow", 0xffff00},
    {"orange", 0xffa500}, {"purple", 0x800080}, {"cyan", 0x00ffff}, {"magenta", 0xff00ff},
    {"lime", 0x00ff00},   {"brown", 0xa52a2a},  {"pink", 0xffc0cb}, {"maroon", 0x800000},
    {"olive", 0x808000},  {"navy", 0x000080},   {"teal", 0x008080},
};

static bool read_hex(const char *text, uint32_t *rgb)
{
    static const char digits[] = "0123456789abcdefABCDEF"; /* large letters stand 6 behind */
    if (text[0] != '#' || strlen(text) != 7)
        return false;
    *rgb = 0;
    for (size_t i = 1; i < 7; i++) {
        const char *digit = strchr(digits, text[i]);
        if (!digit)
            return false;
        uint32_t value = (uint32_t)(digit - digits);
        *rgb = *rgb << 4 | (value < 16 ? value : value - 6);
    }
    return true;
}

bool scene_look_color(const char *text, uint32_t *rgb)
{
    for (size_t i = 0; i < COUNT(colors); i++) {
        if (strcmp(colors[i].name, text) == 0) {
            *rgb = colors[i].rgb;
            return true;
        }
    }
    return read_hex(text, rgb);
}

bool scene_look_finish(struct scene_yaml *yaml, const struct scene_at *at, struct scene_look *look)
{
    struct scene_at child = {
        .parent = at, .key = "color", .node = scene_yaml_find(yaml, at->node, "color")};
    if (child.node == 0 || scene_look_color(look->color, &look->rgb))
        return true;
    const char *words[COUNT(colors) + 1] = {NULL};
    for (size_t i = 0; i < COUNT(colors); i++)
        words[i] = colors[i].name;
    char quote[TEXT_QUOTE_SIZE];
    char advice[TEXT_ADVICE_SIZE];
    return scene_yaml_fail(yaml, &child, "'%s' is no color; %s, or \"#rrggbb\" in quotes",
                           text_quote(look->color, quote, sizeof quote),
                           text_advice(words, look->color, advice));
}
