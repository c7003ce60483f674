/* Random driver programs against a whole robot on its simulated line: frames from its tables,
 * garbage, waits, drivers that disconnect, connect again, do not read, change baud rates and modem
 * lines; commands and faults. Every program gives the same run when it is played twice. All bytes
 * and frames are accounted for. After the program, a new driver can stop the robot. fuzz_drive.h
 * describes the format of an input. */
#include "tests/fuzz/fuzz_drive.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/modem_lines.h"
#include "protocols/registry.h"
#include "sim/parse/scene_parse.h"
#include "sim/sim.h"
#include "sim/state/state.h"
#include "tests/fuzz/frame_maker.h"
#include "tests/fuzz/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    STEPS_MAX = 2000,  /* chosen: for one program, so that none is slow */
    DRAIN_STEPS = 500, /* at most, until the wire is empty */
    STOP_STEPS = 500,  /* chosen: enough to forget an incomplete command, and to stop a robot */
    HALF_MAX = 520, /* maximum of bytes that an incomplete command needs: of a Create 2, for a song
                       of 255 notes */
    STOOD_STEPS = 200, /* period during which a stopped robot is checked */
    CHANNELS_MAX = ROBOT_CHANNELS_MAX,
};
#define STOOD_M 0.002 /* chosen: how far a stopped robot may move */

/* One run of a program, and the observations of its driver. */
struct play {
    struct sim *sim;
    const struct robot_type *type;
    bool is_split;     /* each write in two parts */
    bool is_disturbed; /* by a command: cables and power end frames silently */
    bool is_misread;   /* the baud rates have differed */
    int steps;         /* so far */
    uint64_t told, wrote[CHANNELS_MAX], took[CHANNELS_MAX];
};

/* ---- Messages that stop a robot, from its golden frames in tests/wire ---- */

#define TEN_FF "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"

static const struct stop {
    const char *type;
    unsigned channel;
    size_t size;
    const char *bytes;
} stops[] = {
    {"kobuki", 0, 10, "\xaa\x55\x06\x01\x04\x00\x00\x00\x00\x03"},
    {"cobot", 0, 13, "\xcd\x0a\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"},
    {"diff_board", 0, 10, "\x5a\x04\x06\x00\x00\x00\x00\x00\x00\x64"},
    {"epuck2", 0, 21,
     "\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x20"},
    {"create2", 0, 1, "\xad"}, // Stop
    {"ros_arduino_bridge", 0, 6, "m 0 0\r"},
};

/* Restores the factory parameters of a robot whose parameters a driver has changed: with the
 * driver's gains, or wiring flags, the controller may be unstable. */
static const struct stop mends[] = {
    {"diff_board", 0, 68,
     "\x5a\x01\x40\x41\x00\xaf\x00\x2c\x00\x0a\x40\x01\x8c\x0a\x00\x00\x0a\x00\xfa\x00\x32\x00\x00"
     "\x00\xc8\x00\x47\x5a\x00\x01" TEN_FF TEN_FF TEN_FF "\xff\xff\xff\xff\xff\xff\xff\x13"},
};

static const struct stop *find_stop(const struct stop *rows, size_t count,
                                    const struct robot_type *type)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].type, type->name) == 0)
            return &rows[i];
    return NULL;
}

/* ---- The driver ---- */

static void take_all(struct play *drive)
{
    const uint8_t *bytes;
    size_t size;
    for (size_t i = 0; i < sim_channel_count(drive->sim); i++)
        while (sim_output(drive->sim, i, &bytes, &size)) {
            assert(size > 0);
            drive->told = hash_bytes(drive->told, &i, sizeof i);
            drive->told = hash_bytes(drive->told, bytes, size);
            drive->took[i] += size;
        }
}

static void run(struct play *drive, int steps)
{
    for (drive->steps += steps; steps > 0; steps--) {
        sim_step(drive->sim);
        take_all(drive);
    }
}

static void write_bytes(struct play *drive, size_t channel, const uint8_t *bytes, size_t size)
{
    size_t room = sim_host_room(drive->sim, channel);
    size = size < room ? size : room;
    size_t first = drive->is_split ? size / 2 : 0;
    if (size == 0 || !sim_channel_has_host(drive->sim, channel))
        return;
    if (first > 0)
        sim_host_bytes(drive->sim, channel, bytes, first);
    sim_host_bytes(drive->sim, channel, bytes + first, size - first);
    drive->wrote[channel] += size;
}

static void command(struct play *drive, uint64_t seed)
{
    char text[COMMAND_TEXT_MAX];
    struct dice dice = {.seed = seed};
    struct writer to = writer_begin(text, sizeof text);
    struct error error = {0};
    words_robot_command(&dice, drive->type, &to);
    writer_end(&to);
    bool is_done = sim_do(drive->sim, text, &error);
    assert(is_done == (error.text[0] == '\0'));
    drive->is_disturbed |= is_done;
}

static void settings(struct play *drive, size_t channel, uint8_t choice)
{
    static const uint32_t bauds[] = {0, 9600, 57600, 115200};
    if (choice < 4) {
        sim_host_baud(drive->sim, channel, bauds[choice]);
        drive->is_misread = true;
    }
    if (choice >= 4 && choice < 8)
        sim_host_lines(drive->sim, channel,
                       (choice & 1 ? MODEM_DTR : 0) | (choice & 2 ? MODEM_RTS : 0));
    if (choice == 8 || choice == 9)
        sim_host_reads(drive->sim, channel, choice & 1);
    if (choice > 9)
        sim_host_mode(drive->sim, channel, (uint32_t)choice * 2654435761u);
}

/* One operation; returns the number of its data bytes. */
static size_t operate(struct play *drive, uint8_t operation, const uint8_t *data, size_t size)
{
    uint8_t number = operation & FUZZ_DRIVE_NUMBER, frame[FRAME_MADE_MAX];
    size_t channel = number % sim_channel_count(drive->sim), count = number + 1u;
    uint64_t seed = hash_bytes(HASH_START, data, size < 4 ? size : 4);
    int left;
    switch (operation & FUZZ_DRIVE_KIND) {
    case FUZZ_DRIVE_RUN:
    case FUZZ_DRIVE_RUN_LONG:
        count *= (operation & FUZZ_DRIVE_KIND) == FUZZ_DRIVE_RUN ? 1 : 16;
        left = STEPS_MAX - drive->steps;
        run(drive, (int)count < left ? (int)count : left);
        return 0;
    case FUZZ_DRIVE_BYTES:
        count = count < size ? count : size;
        if (count == 0)
            return 0;
        write_bytes(drive, data[0] % sim_channel_count(drive->sim), data, count);
        return count;
    case FUZZ_DRIVE_HOST:
        sim_host_present(drive->sim, channel, number & 0x10);
        return 0;
    case FUZZ_DRIVE_SETTINGS:
        settings(drive, size ? data[0] % sim_channel_count(drive->sim) : 0, number & 0x0F);
        return size ? 1 : 0;
    case FUZZ_DRIVE_COMMAND:
        command(drive, seed);
        break;
    default: /* FUZZ_DRIVE_FRAME */
        write_bytes(drive, channel, frame,
                    frame_make(drive->type, (unsigned)channel, WIRE_TO_ROBOT, seed, frame));
        break;
    }
    return size < 4 ? size : 4;
}

/* ---- Checks ---- */

/* Connects a driver that accepts all data, until the wire is empty. */
static void drain(struct play *drive, size_t channel)
{
    sim_host_present(drive->sim, channel, true);
    sim_host_reads(drive->sim, channel, true);
    int steps = 0;
    do
        run(drive, 1);
    while (++steps < DRAIN_STEPS &&
           line_queued(drive->sim->channels[channel].line, sim_now_us(drive->sim)) > 0);
}

/* Each byte reported by the line was received. Each frame of the robot has reached a driver, was
 * counted as lost, or is still on the wire. */
static void check_counters(struct play *drive)
{
    for (size_t i = 0; i < sim_channel_count(drive->sim); i++) {
        const struct line_stats *line = sim_channel_line(drive->sim, i);
        const struct robot_stats *robot = sim_channel_stats(drive->sim, i);
        if (!drive->is_disturbed)
            drain(drive, i);
        size_t queued = line_queued(drive->sim->channels[i].line, sim_now_us(drive->sim));
        uint64_t ended = line->to_host_frames + line->unheard_frames;
        assert(line->to_host_bytes == drive->took[i]);
        if (drive->is_disturbed)
            continue;
        // At a wrong baud rate the line may deliver more or fewer bytes than were sent.
        assert(drive->is_misread || line->from_host_bytes <= drive->wrote[i]);
        assert(ended <= robot->sent && robot->sent - ended <= queued);
        assert(line->overruns <= robot->overruns);
    }
}

static void say(struct play *drive, const struct stop *what)
{
    write_bytes(drive, what->channel, (const uint8_t *)what->bytes, what->size);
}

/* Repeats the message, since an incomplete command consumes the first bytes of it. */
static void insist(struct play *drive, const struct stop *what)
{
    for (size_t size = 0; size < HALF_MAX; size += what->size)
        say(drive, what);
}

/* Without disturbances, a new driver with the correct settings stops the robot. */
static void check_stop(struct play *drive)
{
    struct error error = {0};
    const struct stop *stop = find_stop(stops, COUNT(stops), drive->type);
    const struct stop *mend = find_stop(mends, COUNT(mends), drive->type);
    const struct robot_storage *storage = sim_robot_storage(drive->sim, 0);
    char text[COMMAND_TEXT_MAX];
    if (!stop)
        return;
    assert(mend || !storage);
    snprintf(text, sizeof text, "%s.heal", drive->type->name);
    sim_do(drive->sim, text, &error);
    for (size_t i = 0; i < drive->type->channel_count; i++) {
        snprintf(text, sizeof text, "%s.plug what=%s", drive->type->name,
                 drive->type->channels[i].name);
        sim_do(drive->sim, text, &error);
    }
    for (size_t i = 0; i < sim_channel_count(drive->sim); i++)
        sim_host_present(drive->sim, i, false);
    run(drive, STOP_STEPS);
    sim_host_present(drive->sim, stop->channel, true);
    sim_host_baud(drive->sim, stop->channel, 0);
    sim_host_reads(drive->sim, stop->channel, true);
    for (int i = 0; i < 2; i++) {
        run(drive, STOP_STEPS);
        insist(drive, stop);
        if (mend && storage->is_dirty)
            say(drive, mend);
        say(drive, stop);
    }
    run(drive, STOP_STEPS);
    struct pose before = sim_robot_pose(drive->sim, 0);
    run(drive, STOOD_STEPS);
    struct pose after = sim_robot_pose(drive->sim, 0);
    double x = after.x_m - before.x_m, y = after.y_m - before.y_m;
    assert(sqrt(x * x + y * y) < STOOD_M);
}

/* ---- A run ---- */

static const struct scene *scene_of(size_t type, const struct robot_type *const *types)
{
    enum { TYPES_MAX = 16 };
    static struct scene *scenes[TYPES_MAX];
    struct error error = {0};
    assert(type < TYPES_MAX);
    if (!scenes[type])
        scenes[type] = scene_of_type(types[type]->name, &error); // exists as long as the program
    assert(scenes[type]);
    return scenes[type];
}

static uint64_t play(const uint8_t *data, size_t size, bool is_split)
{
    size_t count;
    struct error error = {0};
    const struct robot_type *const *types = registry_types(&count);
    struct play drive = {.type = types[data[0] % count], .is_split = is_split, .told = HASH_START};
    drive.sim = sim_create(scene_of(data[0] % count, types), NULL, NULL, &error);
    assert(drive.sim && sim_channel_count(drive.sim) <= CHANNELS_MAX);
    for (size_t i = 0; i < sim_channel_count(drive.sim); i++)
        sim_host_present(drive.sim, i, true);
    run(&drive, 1);
    for (size_t at = FUZZ_DRIVE_HEAD; at < size && drive.steps < STEPS_MAX;) {
        uint8_t operation = data[at++];
        at += operate(&drive, operation, data + at, size - at);
    }
    check_counters(&drive);
    check_stop(&drive);
    uint64_t state = sim_hash(drive.sim);
    uint64_t told = hash_bytes(drive.told, &state, sizeof state);
    sim_destroy(drive.sim);
    return told;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < FUZZ_DRIVE_HEAD)
        return 0;
    assert(play(data, size, false) == play(data, size, true));
    return 0;
}
