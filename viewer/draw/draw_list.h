/* A picture as a list of shapes in pixels, independent of any graphics library. draw_scene.h makes
 * it from a snapshot and a viewport, paint.h paints it, and tests read it as text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "viewer/draw/viewport.h"

enum draw_kind {
    DRAW_POLYGON, /* closed */
    DRAW_LINE,    /* open, through all its points */
    DRAW_DISC,
    DRAW_ARC, /* stroked, counter-clockwise from from_rad to to_rad */
    DRAW_TEXT,
    DRAW_IMAGE, /* points: upper left, lower right corner */
    DRAW_CLIP,  /* only the inside of this polygon is painted until the next DRAW_UNCLIP. With a
                   `key`, the items are the same in all clips of this key until the static layer
                   changes, so a painter may keep a picture of them. The upper half of the key is a
                   number of the clip, from 1 to DRAW_LAYERS_MAX */
    DRAW_UNCLIP,
    DRAW_GROUP,   /* all items up to DRAW_UNGROUP are the same in all groups of this `key`, */
    DRAW_UNGROUP, /* except for position and rotation */
    DRAW_DOTS,    /* many equal discs; a painter may round positions to a quarter of a pixel */
};

enum draw_calm { DRAW_LIGHT, DRAW_PATHS, DRAW_CALMS }; /* rarely change: light, docks; paths */

enum { DRAW_LAYERS_MAX = 4 }; /* chosen: clips with a key in a list, about 4 MB each */

enum draw_align { DRAW_LEFT, DRAW_CENTER, DRAW_RIGHT };

enum draw_flags {
    DRAW_BOLD = 1,
    DRAW_MONO = 2,
    DRAW_HALO = 4,  /* text: an outline in the color `stroke`, readable on any background */
    DRAW_SOFT = 8,  /* disc: fades out towards its edge; polygon: an inner shadow, `soft_px` wide */
    DRAW_BUTT = 16, /* line, arc: straight ends, not round */
    DRAW_EVEN = 32, /* polygon: even-odd fill */
};

/* Colors are 0xRRGGBBAA; nothing is drawn at an alpha of 0. */
struct draw_item {
    enum draw_kind kind;
    uint32_t flags; /* enum draw_flags */
    uint32_t fill, stroke;
    double width_px;         /* of the stroke */
    double dash_px;          /* 0: not dashed */
    double soft_px;          /* DRAW_SOFT polygon: width of the inner shadow */
    double hatch_px;         /* polygon: distance of hatch lines in the stroke color; 0: none */
    double x_px, y_px;       /* center of disc, arc and group; anchor of text, on its baseline */
    double radius_px;        /* disc, dots, arc; group: upper limit of its radius */
    double from_rad, to_rad; /* arc, counter-clockwise as in the room; group: its rotation */
    uint64_t key;            /* group; clip, 0: none */
    double size_px;          /* text */
    enum draw_align align;   /* text */
    /* Points, or bytes of the text or image. An empty group: `first` is the robot. */
    size_t first, count;
    uint32_t columns,
        rows; /* image: gray from stroke to fill; RGB if count is three times as large */
};

/* Growing arrays; all zero is an empty list. */
struct draw_list {
    struct draw_item *items;
    struct viewport_point *points;
    char *bytes;
    size_t item_count, point_count, byte_count;
    /* The first items seldom change: ends of their parts, indexed by enum draw_calm. */
    size_t calm_ends[DRAW_CALMS];
    size_t item_room, point_room, byte_room;
    bool is_short;  /* out of memory: later items are missing */
    bool is_folded; /* set by the owner: groups of robots are left empty, for a painter with copies
                     */
};

/* Empties a list; keeps its memory and is_folded. */
void draw_list_clear(struct draw_list *list);
void draw_list_free(struct draw_list *list);

/* Each function adds an item with the style of ITEM; it sets kind and geometry. */
void draw_polygon(struct draw_list *list, struct draw_item item,
                  const struct viewport_point *points, size_t count);
/* A polygon, or a clip if ITEM is of that kind, between two opposite corners. */
void draw_rect(struct draw_list *list, struct draw_item item, double x_px, double y_px,
               double to_x_px, double to_y_px);
void draw_line(struct draw_list *list, struct draw_item item, const struct viewport_point *points,
               size_t count);
void draw_disc(struct draw_list *list, struct draw_item item, struct viewport_point middle,
               double radius_px);
void draw_dots(struct draw_list *list, struct draw_item item, const struct viewport_point *points,
               size_t count, double radius_px);
void draw_arc(struct draw_list *list, struct draw_item item, struct viewport_point middle,
              double radius_px, double from_rad, double to_rad);
void draw_text(struct draw_list *list, struct draw_item item, struct viewport_point anchor,
               const char *text);
void draw_image(struct draw_list *list, struct draw_item item, struct viewport_point corner,
                struct viewport_point opposite, const uint8_t *bytes, uint32_t columns,
                uint32_t rows, bool is_color);
void draw_clip(struct draw_list *list, const struct viewport_point *points, size_t count,
               uint64_t key);
void draw_unclip(struct draw_list *list);
void draw_group_begin(struct draw_list *list, struct viewport_point middle, double turn_rad,
                      double radius_px, uint64_t key, size_t robot);
void draw_group_end(struct draw_list *list);

/* Whether the geometry of an item is a list of points; other items have x_px and y_px. */
bool draw_has_points(const struct draw_item *item);

/* Writes one line per item, with numbers rounded to 0.1 pixel: the same on every machine. */
void draw_list_write_text(const struct draw_list *list, FILE *out);
