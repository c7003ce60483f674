#include "viewer/paint/paint_copy.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct part {
    int left, top, width, height;
};

enum { PIXEL = 4 }; /* bytes: red, green, blue and alpha in some order; colors times alpha */

struct paint_copy {
    struct part seen; /* of the picture */
    size_t size;      /* bytes of its pixels */
    uint8_t bytes[];  /* the pixels row by row; then, for each of their bytes, the share of the
                         background that stays, 0 to 255 */
};

/* The pixels of an image. */
struct image {
    unsigned char *rows;
    int stride, width, height;
};

static struct image image_of(cairo_surface_t *surface)
{
    cairo_surface_flush(surface);
    return (struct image){
        cairo_image_surface_get_data(surface), cairo_image_surface_get_stride(surface),
        cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface)};
}

static uint32_t *row_of(const struct image *image, int y)
{
    return (uint32_t *)(void *)(image->rows + (ptrdiff_t)image->stride * y);
}

/* The visible part of an image: all pixels outside it are transparent. Its width is 0 if all pixels
 * are. */
static struct part seen_part(const struct image *image)
{
    int left = image->width, top = image->height, right = 0, low = 0;
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++) {
            if (row_of(image, y)[x] == 0)
                continue;
            left = x < left ? x : left;
            right = x >= right ? x + 1 : right;
            top = y < top ? y : top;
            low = y + 1;
        }
    if (right == 0)
        return (struct part){0};
    return (struct part){left, top, right - left, low - top};
}

struct paint_copy *paint_copy_make(cairo_surface_t *picture)
{
    const struct image image = image_of(picture);
    const struct part seen = image.rows ? seen_part(&image) : (struct part){0};
    size_t row_size = (size_t)seen.width * PIXEL, size = row_size * (size_t)seen.height;
    struct paint_copy *self = malloc(sizeof *self + 2 * size);
    if (!self)
        return NULL;
    self->seen = seen;
    self->size = size;
    for (int y = 0; y < seen.height; y++) {
        const uint32_t *row = row_of(&image, seen.top + y) + seen.left;
        uint8_t *bytes = self->bytes + row_size * (size_t)y;
        memcpy(bytes, row, row_size);
        for (size_t i = 0; i < row_size; i++)
            bytes[size + i] = (uint8_t)(255 - (row[i / PIXEL] >> 24));
    }
    return self;
}

/* Without a branch, so that a compiler can vectorize it. */
static void blend(uint8_t *restrict to, const uint8_t *restrict from, const uint8_t *restrict stays,
                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t below = (uint16_t)(to[i] * stays[i] + 128); // over 255, rounded
        to[i] = (uint8_t)(from[i] + ((uint16_t)(below + (below >> 8)) >> 8));
    }
}

/* Drawn by cairo, since the clip may have any shape. */
static void show_clipped(const struct paint_copy *self, cairo_t *cairo, int x_px, int y_px)
{
    cairo_surface_t *picture = cairo_image_surface_create_for_data(
        (unsigned char *)(uintptr_t)self->bytes, CAIRO_FORMAT_ARGB32, self->seen.width,
        self->seen.height, self->seen.width * PIXEL);
    cairo_save(cairo);
    cairo_identity_matrix(cairo);
    cairo_set_source_surface(cairo, picture, x_px + self->seen.left, y_px + self->seen.top);
    cairo_paint(cairo);
    cairo_restore(cairo);
    cairo_surface_destroy(picture);
}

static void put(const struct image *image, const struct paint_place *place, const int limits[4])
{
    const struct paint_copy *self = place->copy;
    int left = place->x_px + self->seen.left, top = place->y_px + self->seen.top;
    int from_x = left < limits[0] ? limits[0] - left : 0;
    int from_y = top < limits[1] ? limits[1] - top : 0;
    int to_x = left + self->seen.width > limits[2] ? limits[2] - left : self->seen.width;
    int to_y = top + self->seen.height > limits[3] ? limits[3] - top : self->seen.height;
    for (int y = from_y; y < to_y && from_x < to_x; y++) {
        const uint8_t *from =
            self->bytes + ((size_t)self->seen.width * (size_t)y + (size_t)from_x) * PIXEL;
        blend((uint8_t *)(row_of(image, top + y) + left + from_x), from, from + self->size,
              (size_t)(to_x - from_x) * PIXEL);
    }
}

void paint_copy_show_all(cairo_surface_t *surface, const struct paint_place *places, size_t count,
                         const int limits[4])
{
    const struct image image = image_of(surface);
    const int inside[] = {limits[0] > 0 ? limits[0] : 0, limits[1] > 0 ? limits[1] : 0,
                          limits[2] < image.width ? limits[2] : image.width,
                          limits[3] < image.height ? limits[3] : image.height};
    for (size_t i = 0; i < count; i++)
        if (places[i].copy)
            put(&image, &places[i], inside);
    cairo_surface_mark_dirty(surface);
}

void paint_copy_show(const struct paint_copy *self, cairo_t *cairo, int x_px, int y_px,
                     bool is_clipped)
{
    if (self->seen.width == 0)
        return;
    if (is_clipped)
        show_clipped(self, cairo, x_px, y_px);
    else
        paint_copy_show_all(cairo_get_target(cairo), &(struct paint_place){self, x_px, y_px}, 1,
                            (const int[]){0, 0, INT_MAX, INT_MAX});
}

bool paint_copy_whole(cairo_surface_t *to, cairo_surface_t *from)
{
    const struct image image = image_of(from), other = image_of(to);
    if (image.width != other.width || image.height != other.height ||
        cairo_image_surface_get_format(to) != cairo_image_surface_get_format(from))
        return false;
    for (int y = 0; y < image.height; y++)
        memcpy(row_of(&other, y), row_of(&image, y), (size_t)image.width * PIXEL);
    cairo_surface_mark_dirty(to);
    return true;
}
