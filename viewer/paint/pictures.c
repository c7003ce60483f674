/* Paints snapshots, which the simulation writes into shared memory, into files.
 *     ptybot-picture pictures key=value ...
 * Descriptors 3 and 4 are the shared memory and a socket. A byte on the socket reports a new
 * snapshot. The painter copies it, sends a byte back, and then paints. It ends when the other side
 * closes the socket. The exit code is 0 if every picture was written. */
#include "viewer/paint/pictures.h"

#include <cairo-svg.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "viewer/draw/aim.h"
#include "viewer/paint/paint.h"

enum { MEMORY = 3, TALK = 4 }; /* the descriptors */

struct pictures {
    const char *out;    /* one file, .png or .svg, or NULL */
    const char *frames; /* a folder for numbered files, or NULL */
    struct viewport viewport;
    const char *around; /* a robot that stays in the center, or NULL */
    double span_m;      /* width of the visible area; 0: the whole room */
    bool is_action;     /* robots, docks and movable objects fill the picture: */
    struct aim aim;     /* glides with the time of the run, */
    int64_t aimed_us;   /* until this time */
    bool is_map;        /* MAP_X_M, MAP_Y_M stay in the center, and only the room is drawn */
    double map_x_m, map_y_m;
    bool is_awaited; /* simulated time waits for each picture */
    void *snapshot;  /* a private copy, of up to ROOM bytes */
    size_t room;
    unsigned long count; /* numbered so far */
};

/* ---- Options ---- */

static bool parse_option(struct pictures *self, const char *word)
{
    struct viewport *viewport = &self->viewport;
    if (strncmp(word, "out=", 4) == 0)
        self->out = word + 4;
    else if (strncmp(word, "frames=", 7) == 0)
        self->frames = word + 7;
    else if (strncmp(word, "around=", 7) == 0)
        self->around = word + 7;
    else if (strcmp(word, "awaited") == 0)
        self->is_awaited = true;
    else if (strcmp(word, "action") == 0)
        self->is_action = true;
    else if (strcmp(word, "theme=dark") == 0)
        viewport->theme = THEME_DARK;
    else if (sscanf(word, "map=%lf,%lf", &self->map_x_m, &self->map_y_m) == 2)
        self->is_map = true;
    else
        return strcmp(word, "theme=light") == 0 || sscanf(word, "span=%lf", &self->span_m) == 1 ||
               sscanf(word, "size=%lfx%lf", &viewport->width_px, &viewport->height_px) == 2;
    return true;
}

/* ---- Viewport ---- */

/* Finds the center of a robot or dock by its name. */
static bool find(const struct snapshot *snapshot, const char *name, struct snapshot_pose *pose)
{
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    for (size_t i = 0; i < snapshot->robots.count; i++)
        if (strcmp(robots[i].name, name) == 0) {
            double ahead_m = (double)robots[i].center_x_m;
            *pose = robots[i].pose;
            pose->x_m += ahead_m * cos(pose->heading_rad);
            pose->y_m += ahead_m * sin(pose->heading_rad);
            return true;
        }
    const struct snapshot_dock *docks = snapshot_at(snapshot, snapshot->docks);
    for (size_t i = 0; i < snapshot->docks.count; i++)
        if (strcmp(docks[i].name, name) == 0) {
            *pose = docks[i].pose;
            return true;
        }
    return false;
}

/* Centers the requested robot or dock, as far as the picture stays inside the room. */
static void aim(struct pictures *self)
{
    const struct snapshot *snapshot = self->snapshot;
    struct viewport *viewport = &self->viewport;
    if (self->is_action) {
        aim_step(&self->aim, viewport, snapshot,
                 (double)(snapshot->now_us - self->aimed_us) * 1e-6);
        self->aimed_us = snapshot->now_us;
        return;
    }
    viewport_fit(viewport, snapshot);
    if (self->span_m > 0)
        viewport->px_per_m = viewport->width_px / self->span_m;
    if (self->is_map) {
        viewport->center_x_m = self->map_x_m;
        viewport->center_y_m = self->map_y_m;
    }
    struct snapshot_pose middle;
    if (self->around && find(snapshot, self->around, &middle))
        viewport_center(viewport, snapshot, middle.x_m, middle.y_m);
}

/* ---- Files ---- */

static bool fail(const char *path, const char *why)
{
    fprintf(stderr, "ptybot: %s: %s\n", path, why);
    return false;
}

/* Renames the finished file, so that it never exists incomplete. */
static bool put_in_place(const char *part, const char *path)
{
    if (rename(part, path) == 0)
        return true;
    fail(path, strerror(errno));
    unlink(part);
    return false;
}

static bool write_surface(struct painter *painter, const struct pictures *self, const char *path,
                          const char *part)
{
    const char *ending = strrchr(path, '.');
    const struct viewport *viewport = &self->viewport;
    bool is_svg = ending && strcmp(ending, ".svg") == 0;
    cairo_surface_t *surface =
        is_svg ? cairo_svg_surface_create(part, viewport->width_px, viewport->height_px)
               : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)viewport->width_px,
                                            (int)viewport->height_px);
    bool is_painted = cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS &&
                      painter_paint(painter, surface, 1, viewport, self->snapshot);
    cairo_status_t status = cairo_surface_status(surface);
    if (is_painted && !is_svg)
        status = cairo_surface_write_to_png(surface, part);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (is_painted && status == CAIRO_STATUS_SUCCESS)
        return true;
    unlink(part);
    return fail(path, status == CAIRO_STATUS_WRITE_ERROR ? strerror(errno)
                      : status != CAIRO_STATUS_SUCCESS   ? cairo_status_to_string(status)
                                                         : "out of memory");
}

static bool name_picture(const struct pictures *self, unsigned long number, char path[PATH_MAX])
{
    int wrote = self->frames ? snprintf(path, PATH_MAX, "%s/frame-%06lu.png", self->frames, number)
                             : snprintf(path, PATH_MAX, "%s", self->out);
    return (wrote >= 0 && wrote < PATH_MAX) ||
           fail(self->frames ? self->frames : self->out, "the name is too long");
}

static bool copy_bytes(const char *from, const char *to)
{
    char bytes[65536];
    size_t got = 0;
    FILE *in = fopen(from, "rbe"), *out = in ? fopen(to, "wbe") : NULL;
    while (out && (got = fread(bytes, 1, sizeof bytes, in)) > 0)
        fwrite(bytes, 1, got, out);
    bool is_whole = out && !ferror(in) && !ferror(out);
    if (in)
        fclose(in);
    return out && fclose(out) == 0 && is_whole;
}

/* Repeats the last picture under the next number: as a hard link if the file system supports it. */
static bool repeat_picture(struct pictures *self)
{
    char last[PATH_MAX], path[PATH_MAX];
    if (!name_picture(self, self->count - 1, last) || !name_picture(self, self->count, path))
        return false;
    self->count++;
    unlink(path);
    return link(last, path) == 0 || copy_bytes(last, path) || fail(path, strerror(errno));
}

static bool write_picture(struct painter *painter, struct pictures *self)
{
    char path[PATH_MAX], part[PATH_MAX + 8];
    if (!name_picture(self, self->count, path))
        return false;
    self->count++;
    snprintf(part, sizeof part, "%s.part", path);
    aim(self);
    return write_surface(painter, self, path, part) && put_in_place(part, path);
}

/* ---- Snapshots ---- */

static bool copy_snapshot(struct pictures *self)
{
    struct stat about;
    if (fstat(MEMORY, &about) != 0 || about.st_size <= 0)
        return fail("snapshot", "unreadable");
    size_t size = (size_t)about.st_size;
    if (!array_reserve(&self->snapshot, &self->room, size, 1))
        return fail("snapshot", "out of memory");
    if (pread(MEMORY, self->snapshot, size, 0) != about.st_size)
        return fail("snapshot", strerror(errno));
    return snapshot_is_whole(self->snapshot, size) ||
           fail("snapshot", "snapshots of another version of ptybot; install both again");
}

static bool serve(struct pictures *self, struct painter *painter)
{
    uint8_t repeats; // of the last picture, before the next
    ssize_t got;
    while ((got = read(TALK, &repeats, 1)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || !copy_snapshot(self))
            return false;
        // A run that has ended needs no reply, but it does need the picture.
        if (send(TALK, "", 1, MSG_NOSIGNAL) < 0 && errno != EPIPE)
            return false;
        for (; self->frames && self->count > 0 && repeats > 0; repeats--)
            if (!repeat_picture(self))
                return false;
        if (!write_picture(painter, self))
            return false;
    }
    return true;
}

int pictures_run(int argc, char **argv)
{
    struct pictures self = {
        .viewport = {.width_px = 1280,
                     .height_px = 800,
                     .shows = SHOW_ALL,
                     .selected = VIEWPORT_NOBODY},
    };
    for (int i = 0; i < argc; i++)
        if (!parse_option(&self, argv[i])) {
            fprintf(stderr, "ptybot-picture: unknown word %s\n", argv[i]);
            return 2;
        }
    if (!self.out == !self.frames)
        return 2;
    if (self.is_map)
        self.viewport.shows = SHOW_GRID | SHOW_CONES | SHOW_LABELS;
    // Robots take precedence, unless they wait for the pictures.
    if (!self.is_awaited && nice(10) < 0)
        errno = 0;
    struct painter *painter = painter_create();
    bool is_done = painter && serve(&self, painter);
    painter_destroy(painter);
    free(self.snapshot);
    return is_done ? 0 : 1;
}
