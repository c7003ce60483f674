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

static const struct theme themes[] = {
    [THEME_LIGHT] =
        {
            .page = 0xEEF1F4FFu,
            .floor = 0xFFFFFFFFu,
            .dark_floor = 0x2A2E33FFu,
            .grid = 0xDCE2E8FFu,
            .grid_fine = 0xF1F3F6FFu,
            .text = 0x1F2933FFu,
            .faint = 0x66727EFFu,
            .halo = 0xFFFFFFD8u,
            .wall = 0x3A4754FFu,
            .box = 0x8795A1FFu,
            .box_edge = 0x52606DFFu,
            .crate_edge = 0x8A6A3BFFu,
            .depth = 0x39434DFFu,
            .depth_edge = 0x10151AFFu,
            .shadow = 0x1F293330u,
            .dock = 0x2B3138FFu,
            .dock_plate = 0x4A535DFFu,
            .pin = 0xE2C56BFFu,
            .left = BLUE,
            .center = GREEN,
            .right = ORANGE,
            .field = SKY,
            .trail = 0x1F2933FFu, /* black, softened as all text */
            .odometry = VERMILION,
            .ray = PURPLE,
            .hit = VERMILION,
            .warn = VERMILION,
            .good = GREEN,
            .selection = YELLOW,
            .lamp = YELLOW,
            .outline = 0x1F293359u,
        },
    [THEME_DARK] =
        {
            .page = 0x12171DFFu,
            .floor = 0x35414CFFu,
            .dark_floor = 0x07090BFFu,
            .grid = 0x4A5865FFu,
            .grid_fine = 0x3C4955FFu,
            .text = 0xE8EDF2FFu,
            .faint = 0x8E9BA8FFu,
            .halo = 0x141A20D8u,
            .wall = 0x9FB0BFFFu,
            .box = 0x5B6874FFu,
            .box_edge = 0x1A2027FFu,
            .crate_edge = 0xD0AE7CFFu,
            .depth = 0x0A0D10FFu,
            .depth_edge = 0x000000FFu,
            .shadow = 0x00000060u,
            .dock = 0x3A434CFFu,
            .dock_plate = 0x596570FFu,
            .pin = 0xE2C56BFFu,
            .left = SKY,
            .center = 0x2BC39AFFu, /* bluish green, lightened for contrast */
            .right = ORANGE,
            .field = 0xE8EDF2FFu,
            .trail = 0xE8EDF2FFu,
            .odometry = 0xFF8A3DFFu, /* vermilion, lightened */
            .ray = PURPLE,
            .hit = 0xFF8A3DFFu,
            .warn = 0xFF8A3DFFu,
            .good = 0x2BC39AFFu,
            .selection = YELLOW,
            .lamp = YELLOW,
            .outline = 0xC9D6E2D0u,
        },
};

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
