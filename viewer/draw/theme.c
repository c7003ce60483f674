/* Two themes as tables. */
#include "viewer/draw/theme.h"

/* Okabe and Ito, 2008. */
#define ORANGE    0xE69F00FFu
#define SKY       0x56B4E9FFu
#define GREEN     0x009E73FFu
#define YELLOW    0xF0E442FFu
#define BLUE      0x0072B2FFu
#define VERMILION 0xD55E00FFu
#define PURPLE    0xCC79A7FFu

/* Member, color in the light theme, in the dark one. */
#define COLORS(X)                                                                                  \
    X(page, 0xEEF1F4FFu, 0x12171DFFu)                                                              \
    X(floor, 0xFFFFFFFFu, 0x35414CFFu)                                                             \
    X(dark_floor, 0x2A2E33FFu, 0x07090BFFu)                                                        \
    X(grid, 0xDCE2E8FFu, 0x4A5865FFu)                                                              \
    X(grid_fine, 0xF1F3F6FFu, 0x3C4955FFu)                                                         \
    X(text, 0x1F2933FFu, 0xE8EDF2FFu)                                                              \
    X(faint, 0x66727EFFu, 0x8E9BA8FFu)                                                             \
    X(halo, 0xFFFFFFD8u, 0x141A20D8u)                                                              \
    X(wall, 0x3A4754FFu, 0x9FB0BFFFu)                                                              \
    X(box, 0x8795A1FFu, 0x5B6874FFu)                                                               \
    X(box_edge, 0x52606DFFu, 0x1A2027FFu)                                                          \
    X(crate_edge, 0x8A6A3BFFu, 0xD0AE7CFFu)                                                        \
    X(depth, 0x39434DFFu, 0x0A0D10FFu)                                                             \
    X(depth_edge, 0x10151AFFu, 0x000000FFu)                                                        \
    X(shadow, 0x1F293330u, 0x00000060u)                                                            \
    X(dock, 0x2B3138FFu, 0x3A434CFFu)                                                              \
    X(dock_plate, 0x4A535DFFu, 0x596570FFu)                                                        \
    X(pin, 0xE2C56BFFu, 0xE2C56BFFu)                                                               \
    X(left, BLUE, SKY)                                                                             \
    X(center, GREEN, 0x2BC39AFFu) /* bluish green, lightened for contrast */                       \
    X(right, ORANGE, ORANGE)                                                                       \
    X(field, SKY, 0xE8EDF2FFu)                                                                     \
    X(trail, 0x1F2933FFu, 0xE8EDF2FFu)  /* black, softened like all text */                        \
    X(odometry, VERMILION, 0xFF8A3DFFu) /* vermilion, lightened */                                 \
    X(ray, PURPLE, PURPLE)                                                                         \
    X(hit, VERMILION, 0xFF8A3DFFu)                                                                 \
    X(warn, VERMILION, 0xFF8A3DFFu)                                                                \
    X(good, GREEN, 0x2BC39AFFu)                                                                    \
    X(selection, YELLOW, YELLOW)                                                                   \
    X(lamp, YELLOW, YELLOW)                                                                        \
    X(outline, 0x1F293359u, 0xC9D6E2D0u)

#define LIGHT(member, light, dark) .member = light,
#define DARK(member, light, dark)  .member = dark,
static const struct theme themes[] = {
    [THEME_LIGHT] = {COLORS(LIGHT)}, [THEME_DARK] = {COLORS(DARK)}};

const struct theme *theme_of(enum theme_name name)
{
    return &themes[name];
}

uint32_t theme_alpha(uint32_t color, double alpha)
{
    return (color & 0xFFFFFF00u) | (uint32_t)(alpha * 255 + 0.5);
}

uint32_t theme_mix(uint32_t from, uint32_t to, double part)
{
    uint32_t mixed = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        double a = from >> shift & 0xFF, b = to >> shift & 0xFF;
        mixed |= (uint32_t)(a + (b - a) * part + 0.5) << shift;
    }
    return mixed;
}
