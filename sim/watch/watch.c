#include "sim/watch/watch.h"

#include <math.h>
#include <stdlib.h>

#include "sim/state/state.h"

/* chosen: less than the width of a line on a screen that shows a room */
static const double SPACING_M = 0.04;
/* chosen: no robot drives that far between two passes, so a command has moved it */
static const double JUMP_M = 0.30;

struct robot_watch {
    struct watch_trails trails;
    uint64_t hosts; /* number of drivers in its odometry at the last update of the trail */
};

struct channel_watch {
    struct frame_ring frames[2]; /* by enum wire_direction */
    struct frame_splitter splitter;
    struct frame_splitter_user user;
};

struct watch {
    struct sim_watcher watcher; /* first: the hooks get a pointer to it */
    struct sim *sim;
    struct robot_watch *robots;
    struct channel_watch *channels;
};

static void follow(struct watch_trail *trail, struct pose pose)
{
    if (trail->total > 0) {
        uint64_t newest = (trail->total - 1) % WATCH_TRAIL_MAX;
        double x = pose.x_m - (double)trail->point[newest].x_m;
        double y = pose.y_m - (double)trail->point[newest].y_m;
        double away_m = sqrt(x * x + y * y);
        if (away_m < SPACING_M)
            return;
        if (away_m > JUMP_M)
            trail->total = 0;
    }
    uint64_t slot = trail->total++ % WATCH_TRAIL_MAX;
    trail->point[slot].x_m = (float)pose.x_m;
    trail->point[slot].y_m = (float)pose.y_m;
}

static void note_pass(struct sim_watcher *watcher, size_t index)
{
    struct watch *watch = (struct watch *)watcher;
    struct robot_watch *robot = &watch->robots[index];
    const struct sim_robot *from = &watch->sim->robots[index];
    follow(&robot->trails.truth, from->pose);
    if (robot->hosts != from->odometry.hosts)
        robot->trails.belief.total = 0;
    robot->hosts = from->odometry.hosts;
    if (from->odometry.is_fresh)
        follow(&robot->trails.belief, from->odometry.pose);
}

static void note_sent(struct sim_watcher *watcher, size_t index, const uint8_t *bytes, size_t size,
                      bool is_queued)
{
    struct watch *watch = (struct watch *)watcher;
    struct channel_watch *channel = &watch->channels[index];
    frame_splitter_sent(&channel->splitter, &channel->user, bytes, size, is_queued,
                        watch->sim->now_us);
}

static void note_received(struct sim_watcher *watcher, size_t index, const uint8_t *bytes,
                          size_t size)
{
    struct watch *watch = (struct watch *)watcher;
    struct channel_watch *channel = &watch->channels[index];
    frame_splitter_push(&channel->splitter, &channel->user, bytes, size,
                        sim_channel_stats(watch->sim, index), watch->sim->now_us);
}

static void take_piece(void *context, const struct frame_piece *piece)
{
    struct channel_watch *channel = context;
    frame_ring_add(&channel->frames[piece->direction], piece);
}

static void open_channel(struct watch *watch, size_t index)
{
    const struct sim_channel *channel = &watch->sim->channels[index];
    struct channel_watch *own = &watch->channels[index];
    own->user = (struct frame_splitter_user){.type = watch->sim->robots[channel->robot].type,
                                             .channel = channel->channel,
                                             .take = take_piece,
                                             .context = own};
    // Frames counted before the start of the recording are not searched.
    own->splitter.reported = *sim_channel_stats(watch->sim, index);
}

struct watch *watch_create(struct sim *sim, enum watch_what what)
{
    bool has_frames = what == WATCH_TRAILS_AND_FRAMES;
    struct watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return NULL;
    *watch = (struct watch){
        .watcher = {.ran = note_pass,
                    .sent = has_frames ? note_sent : NULL,
                    .received = has_frames ? note_received : NULL},
        .sim = sim,
        .robots = calloc(sim->robot_count + 1, sizeof *watch->robots),
        .channels = has_frames ? calloc(sim->channel_count + 1, sizeof *watch->channels) : NULL,
    };
    sim_watch(sim, &watch->watcher);
    if (!watch->robots || (has_frames && !watch->channels)) {
        watch_destroy(watch);
        return NULL;
    }
    for (size_t i = 0; has_frames && i < sim->channel_count; i++)
        open_channel(watch, i);
    return watch;
}

void watch_destroy(struct watch *watch)
{
    if (!watch)
        return;
    sim_unwatch(watch->sim, &watch->watcher);
    free(watch->robots);
    free(watch->channels);
    free(watch);
}

const struct frame_ring *watch_frames(const struct watch *watch, size_t channel)
{
    return watch->channels ? watch->channels[channel].frames : NULL;
}

const struct watch_trails *watch_trails(const struct watch *watch, size_t robot)
{
    return &watch->robots[robot].trails;
}
