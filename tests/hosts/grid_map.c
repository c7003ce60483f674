#define _GNU_SOURCE
#include "tests/hosts/grid_map.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FINER = 2 }; /* cells of the grid per pixel of the map, in each direction */
static const float HIT = 0.85f, MISS = -0.3f; /* log-odds, chosen */
static const float MOST = 6, OCCUPIED = 1.0f, FREE = -0.3f;
static const double NEAR_M = 0.1;

struct grid_map {
    size_t columns, rows; /* of the map */
    uint8_t *truth;       /* 1: occupied; from the lowest row up */
    double pixel_m, cell_m, low_x_m, low_y_m;
    size_t width, height; /* of the grid */
    float *odds;
};

/* ---- Reading ---- */

/* Reads a word or number of a P5 header; skips comments. */
static bool read_head(FILE *file, size_t *value)
{
    int c;
    while ((c = fgetc(file)) == '#' || c == ' ' || c == '\n')
        while (c == '#' && (c = fgetc(file)) != '\n' && c != EOF)
            c = '#';
    *value = 0;
    for (; c >= '0' && c <= '9'; c = fgetc(file))
        *value = *value * 10 + (size_t)(c - '0');
    return *value > 0;
}

static bool read_image(struct grid_map *self, const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t most;
    bool is_good = file && fgetc(file) == 'P' && fgetc(file) == '5' &&
                   read_head(file, &self->columns) && read_head(file, &self->rows) &&
                   read_head(file, &most) && self->columns < 10000 && self->rows < 10000;
    self->truth = is_good ? malloc(self->columns * self->rows) : NULL;
    for (size_t row = self->rows; self->truth && row-- > 0;)
        for (size_t column = 0; column < self->columns; column++)
            self->truth[row * self->columns + column] = fgetc(file) < 90;
    if (file)
        fclose(file);
    return self->truth;
}

struct grid_map *grid_map_open(const char *yaml)
{
    struct grid_map *self = calloc(1, sizeof *self);
    FILE *file = fopen(yaml, "r");
    char line[256], image[128] = "", path[512];
    while (self && file && fgets(line, sizeof line, file)) {
        sscanf(line, "image: %127s", image);
        sscanf(line, "resolution: %lf", &self->pixel_m);
        sscanf(line, "origin: [%lf, %lf", &self->low_x_m, &self->low_y_m);
    }
    if (file)
        fclose(file);
    const char *slash = strrchr(yaml, '/');
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - yaml) + 1 : 0, yaml, image);
    if (!self || !(self->pixel_m > 0) || !read_image(self, path)) {
        free(self);
        return NULL;
    }
    self->cell_m = self->pixel_m / FINER;
    self->width = self->columns * FINER;
    self->height = self->rows * FINER;
    self->odds = calloc(self->width * self->height, sizeof *self->odds);
    return self;
}

void grid_map_close(struct grid_map *self)
{
    free(self->truth);
    free(self->odds);
    free(self);
}

/* ---- Rays ---- */

static void add(struct grid_map *self, double x_m, double y_m, float odds)
{
    double x = floor((x_m - self->low_x_m) / self->cell_m);
    double y = floor((y_m - self->low_y_m) / self->cell_m);
    if (x < 0 || y < 0 || x >= (double)self->width || y >= (double)self->height)
        return;
    float *at = &self->odds[(size_t)y * self->width + (size_t)x];
    *at = fmaxf(-MOST, fminf(MOST, *at + odds));
}

void grid_map_ray(struct grid_map *self, double from_x_m, double from_y_m, double to_x_m,
                  double to_y_m)
{
    double x = to_x_m - from_x_m, y = to_y_m - from_y_m, away_m = hypot(x, y);
    for (double at_m = 0; at_m < away_m - 1.5 * self->cell_m; at_m += self->cell_m)
        add(self, from_x_m + x * at_m / away_m, from_y_m + y * at_m / away_m, MISS);
    add(self, to_x_m, to_y_m, HIT);
}

/* ---- The comparison ---- */

static bool is_wall(const struct grid_map *self, long column, long row)
{
    return column < 0 || row < 0 || column >= (long)self->columns || row >= (long)self->rows ||
           self->truth[(size_t)row * self->columns + (size_t)column];
}

/* Distance from a point to the nearest surface of a wall: the side of an occupied pixel next to a
 * free one. */
static double surface_m(const struct grid_map *self, double x_m, double y_m)
{
    enum { AROUND = 4 };
    double x = (x_m - self->low_x_m) / self->pixel_m, y = (y_m - self->low_y_m) / self->pixel_m;
    double nearest = AROUND;
    for (long row = (long)y - AROUND; row <= (long)y + AROUND; row++)
        for (long column = (long)x - AROUND; column <= (long)x + AROUND; column++) {
            static const int sides[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
            for (int i = 0; i < 4 && !is_wall(self, column, row); i++) {
                if (!is_wall(self, column + sides[i][0], row + sides[i][1]))
                    continue;
                /* The side of this free pixel, as a segment. */
                double mid_x = (double)column + 0.5 + sides[i][0] * 0.5;
                double mid_y = (double)row + 0.5 + sides[i][1] * 0.5;
                double along_x = sides[i][0] ? 0 : fmax(0, fabs(x - mid_x) - 0.5);
                double along_y = sides[i][0] ? fmax(0, fabs(y - mid_y) - 0.5) : 0;
                double across = sides[i][0] ? fabs(x - mid_x) : fabs(y - mid_y);
                nearest = fmin(nearest, hypot(across, along_x + along_y));
            }
        }
    return nearest * self->pixel_m;
}

static bool is_seen(const struct grid_map *self, size_t column, size_t row)
{
    long reach = (long)ceil(NEAR_M / self->cell_m);
    long x = (long)(column * FINER), y = (long)(row * FINER);
    for (long v = y - reach; v <= y + reach + 1; v++)
        for (long u = x - reach; u <= x + reach + 1; u++)
            if (u >= 0 && v >= 0 && u < (long)self->width && v < (long)self->height &&
                self->odds[(size_t)v * self->width + (size_t)u] > OCCUPIED)
                return true;
    return false;
}

static bool is_surface(const struct grid_map *self, size_t column, size_t row)
{
    long x = (long)column, y = (long)row;
    return is_wall(self, x, y) && ((x > 0 && !is_wall(self, x - 1, y)) ||
                                   (x + 1 < (long)self->columns && !is_wall(self, x + 1, y)) ||
                                   (y > 0 && !is_wall(self, x, y - 1)) ||
                                   (y + 1 < (long)self->rows && !is_wall(self, x, y + 1)));
}

struct grid_map_score grid_map_compare(const struct grid_map *self)
{
    struct grid_map_score score = {0};
    size_t good = 0, surface = 0, seen = 0;
    for (size_t row = 0; row < self->height; row++)
        for (size_t column = 0; column < self->width; column++) {
            if (self->odds[row * self->width + column] <= OCCUPIED)
                continue;
            double away_m = surface_m(self, self->low_x_m + ((double)column + 0.5) * self->cell_m,
                                      self->low_y_m + ((double)row + 0.5) * self->cell_m);
            score.cells++;
            score.mean_m += away_m;
            good += away_m <= NEAR_M;
        }
    for (size_t row = 0; row < self->rows; row++)
        for (size_t column = 0; column < self->columns; column++)
            if (is_surface(self, column, row)) {
                surface++;
                seen += is_seen(self, column, row);
            }
    if (score.cells > 0) {
        score.mean_m /= (double)score.cells;
        score.good = (double)good / (double)score.cells;
    }
    score.seen = surface > 0 ? (double)seen / (double)surface : 0;
    return score;
}

/* ---- The picture: a PNG of four colors, not compressed ---- */

enum { SCALE = 4, WHITE = 0, BLACK, GRAY, RED };

static unsigned color_at(const struct grid_map *self, size_t column, size_t row)
{
    float odds = self->odds[row * self->width + column];
    if (odds > OCCUPIED)
        return BLACK;
    if (is_surface(self, column / FINER, row / FINER) &&
        !is_seen(self, column / FINER, row / FINER))
        return RED;
    return odds < FREE ? WHITE : GRAY;
}

static uint32_t crc(uint32_t sum, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int k = 0; k < 8; k++)
            sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320u : 0);
    }
    return sum;
}

static void put_u32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void put_chunk(FILE *file, const char *name, const uint8_t *bytes, size_t size)
{
    uint8_t word[4];
    put_u32(word, (uint32_t)size);
    fwrite(word, 1, 4, file);
    fwrite(name, 1, 4, file);
    fwrite(bytes, 1, size, file);
    put_u32(word, ~crc(crc(~0u, (const uint8_t *)name, 4), bytes, size));
    fwrite(word, 1, 4, file);
}

/* Packs the rows from the top, 2 bits per pixel, each after a filter byte, in stored blocks of one
 * row. */
static size_t pack(const struct grid_map *self, uint8_t *out)
{
    size_t line = (self->width * SCALE + 3) / 4 + 1, used = 0;
    uint32_t a = 1, b = 0;
    out[used++] = 0x78;
    out[used++] = 0x01;
    for (size_t y = 0; y < self->height * SCALE; y++) {
        size_t row = self->height - 1 - y / SCALE;
        const uint8_t head[5] = {y + 1 == self->height * SCALE, (uint8_t)line, (uint8_t)(line >> 8),
                                 (uint8_t)~line, (uint8_t)(~line >> 8)};
        memcpy(out + used, head, 5);
        uint8_t *bytes = out + used + 5;
        memset(bytes, 0, line);
        for (size_t x = 0; x < self->width * SCALE; x++)
            bytes[1 + x / 4] |= (uint8_t)(color_at(self, x / SCALE, row) << (6 - 2 * (x % 4)));
        for (size_t i = 0; i < line; i++) {
            a = (a + bytes[i]) % 65521;
            b = (b + a) % 65521;
        }
        used += 5 + line;
    }
    put_u32(out + used, b << 16 | a);
    return used + 4;
}

bool grid_map_picture(const struct grid_map *self, const char *path)
{
    static const uint8_t palette[] = {255, 255, 255, 20, 24, 30, 205, 209, 214, 214, 74, 62};
    uint8_t head[13] = {[8] = 2, [9] = 3};
    uint8_t *bytes = malloc((self->width * SCALE / 4 + 16) * (self->height * SCALE) + 16);
    FILE *file = bytes ? fopen(path, "wb") : NULL;
    bool is_good = file;
    if (file) {
        put_u32(head, (uint32_t)(self->width * SCALE));
        put_u32(head + 4, (uint32_t)(self->height * SCALE));
        fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
        put_chunk(file, "IHDR", head, sizeof head);
        put_chunk(file, "PLTE", palette, sizeof palette);
        put_chunk(file, "IDAT", bytes, pack(self, bytes));
        put_chunk(file, "IEND", head, 0);
        is_good = fclose(file) == 0;
    }
    free(bytes);
    return is_good;
}
