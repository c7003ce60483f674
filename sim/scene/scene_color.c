/* Colors in a scene. */
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "sim/scene/scene.h"

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
    if (text[0] != '#' || strlen(text) != 7)
        return false;
    *rgb = 0;
    for (size_t i = 1; i < 7; i++) {
        int digit = text_hex_digit(text[i]);
        if (digit < 0)
            return false;
        *rgb = *rgb << 4 | (uint32_t)digit;
    }
    return true;
}

bool scene_appearance_color(const char *text, uint32_t *rgb)
{
    for (size_t i = 0; i < COUNT(colors); i++) {
        if (strcmp(colors[i].name, text) == 0) {
            *rgb = colors[i].rgb;
            return true;
        }
    }
    return read_hex(text, rgb);
}

const char *scene_color_advice(const char *text, char advice[TEXT_ADVICE_SIZE])
{
    const char *words[COUNT(colors) + 1] = {NULL};
    for (size_t i = 0; i < COUNT(colors); i++)
        words[i] = colors[i].name;
    return text_advice(words, text, advice);
}
