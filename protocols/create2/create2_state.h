/* The state of one virtual Create 2, shared by the files of this folder. No pointers: copying it is
 * a snapshot. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/create2/create2.h"
#include "protocols/create2/create2_wire.h"
#include "protocols/robot.h"

enum {
    /* Sensors are read, and the stream is sent, every 1/64 s. Input: recordings of several robots,
     * 202,755 slots (README.md); OI says 15 ms. */
    CREATE2_SLOT_NS = 15625000,
    CREATE2_PASSES = 3, /* chosen: control of the wheels, passes in a slot */
    CREATE2_SONGS = 4,  /* OI says "up to four" and 0..4; testers found 0..3 (create_robot#37) */
    CREATE2_NOTES = 16,
    CREATE2_QUESTIONS = 512, /* bytes of queries that wait for the slot; chosen */
    CREATE2_DIGITS = 4,
    CREATE2_BOOT_US = 2000000, /* chosen: deaf after a reset */
};

/* What the option `model` changes. */
struct create2_profile {
    double capacity_mah;
    bool has_cleaner; /* brushes and vacuum; a Create 2 has connectors for them */
    uint8_t buttons;  /* that packet 18 reports */
    const char *const
        *boot_lines; /* at once, and after an empty text the rest, some seconds later */
};

enum create2_mode { CREATE2_MODE_OFF, CREATE2_MODE_PASSIVE, CREATE2_MODE_SAFE, CREATE2_MODE_FULL };

/* What the robot does by itself, in passive mode. */
enum create2_behaviour {
    CREATE2_IDLE,
    CREATE2_DO_SPOT,
    CREATE2_DO_CLEAN,
    CREATE2_DO_MAX,
    CREATE2_DO_DOCK,
};

/* Things that happen to the whole board at the next pass; bytes after the command are lost. */
enum create2_pending { CREATE2_PENDING_NONE, CREATE2_PENDING_RESET, CREATE2_PENDING_SLEEP };

enum create2_wake { CREATE2_NOT_WOKEN, CREATE2_WOKEN_BY_KEY, CREATE2_WOKEN_BY_CHARGER };

struct create2_wheel {
    double target_m_s; /* wanted */
    double ramp_m_s;   /* wanted now, on the way there */
    double error_m;    /* still to go: integral of ramp minus turned */
    double duty;       /* -1..1 */
    double current_a;
    double turned_rad; /* as the last pass found it */
    double counts;     /* since power-on, with the fraction; single-channel, so by what is wanted */
    double moved_m;    /* in the last pass, by the counts */
    uint32_t overload; /* passes above the limit, in a row */
    bool is_over;      /* packet 14 */
};

enum create2_brush { CREATE2_MAIN_BRUSH, CREATE2_SIDE_BRUSH, CREATE2_BRUSHES };

/* What holds a brush, by command. */
struct create2_jam {
    uint32_t passes;   /* still to come; UINT32_MAX: until it is ended */
    uint32_t overload; /* passes above the limit, in a row */
    bool is_over;      /* packet 14 */
};

struct create2_motion {
    struct create2_wheel wheel[CREATE2_WHEELS];
    bool has_start;
    bool is_pwm; /* wheels are driven by duty, not by speed */
    double pwm[CREATE2_WHEELS];
    double distance_mm, angle_deg;         /* since they were last read */
    int64_t obeys_from_us;                 /* end of the dead time */
    double main_brush, side_brush, vacuum; /* duty, -1..1 */
    struct create2_jam jam[CREATE2_BRUSHES];
};

struct create2_conduct {
    uint8_t kind;   /* enum create2_behaviour */
    uint8_t phase;  /* of it */
    bool is_paused; /* on a charger */
    int64_t since_us, phase_us;
    double turn_sign;
    uint64_t draws; /* of the random numbers */
};

struct create2_play {
    int32_t song; /* 0..3 a song of the host, above: tunes of the firmware; -1: none */
    uint32_t note;
    double hz;        /* 0: silence */
    int64_t until_us; /* ROBOT_NEVER: nothing plays */
};

struct create2_song_store {
    uint8_t count;
    struct create2_note notes[CREATE2_NOTES];
};

struct create2_power {
    double charge, battery_v, current_a;
    uint8_t charger; /* enum charger_kind */
    uint8_t state;   /* packet 21 */
    bool is_faulty;  /* by command */
    int64_t plugged_us;
    bool is_asleep;
    int64_t active_us; /* when somebody last did something */
};

/* Lamps and digits, as they are lit. */
struct create2_panel {
    uint8_t leds, color, intensity;
    uint8_t days, marks;
    uint8_t digits[CREATE2_DIGITS]; /* left to right, segments A 1 .. G 64 */
};

struct create2_host {
    uint8_t mode; /* enum create2_mode */
    uint8_t pending;
    uint8_t stream_ids[256];
    uint16_t stream_count;
    bool is_streaming;
    uint8_t questions[CREATE2_QUESTIONS]; /* each: count, ids */
    uint16_t questions_used;
    uint8_t baud_code;
    uint64_t safety_trips, ignored, unknown_packets, lost_questions, bad_values;
    uint16_t text_line;    /* next one of the boot text; TEXT_NONE: none */
    int64_t text_us;       /* when it is printed */
    int64_t boot_until_us; /* deaf until then */
    int64_t heard_us;      /* the last command */
};

struct create2_clock {
    int64_t set_us;                   /* when it was set ... */
    int64_t set_min;                  /* ... to so many minutes after Sunday, 0:00 */
    int64_t checked_min;              /* the last minute that was looked at */
    struct create2_schedule schedule; /* in force */
};

struct create2_state {
    struct create2_options options;
    struct robot_stats stats;
    uint64_t boots;
    struct create2_framer framer;
    struct create2_readings readings; /* of the last slot */
    struct create2_messages last;

    int64_t pass_ns; /* the next pass */
    uint32_t passes; /* since the last slot */
    uint64_t slots;
    int64_t start_us;

    struct create2_host host;
    struct create2_motion motion;
    struct create2_conduct conduct;
    struct create2_play play;
    struct create2_song_store songs[CREATE2_SONGS];
    struct create2_power power;
    struct create2_panel panel;
    struct create2_clock clock;

    uint8_t bumpers, drops, cliffs, buttons; /* now: bits as in packets 7, 7, 9..12 and 18 */
    uint8_t touched;                         /* bumpers since the last slot */
    uint8_t pressed;                         /* by the host */
    int64_t released_us;
    uint8_t buttons_before;
    double dirt;     /* by command */
    uint8_t ir_code; /* of a remote, by command */
    int64_t ir_until_us;
    uint8_t ir[CREATE2_RECEIVERS];
    uint32_t beams[CREATE2_RECEIVERS];
    double cliff_counts[CREATE2_CLIFFS], light_counts[CREATE2_LIGHT_BUMPERS];
    bool was_brc;
    uint32_t pulses;   /* on BRC, in a row */
    int64_t low_us;    /* since when it is, or was, low */
    uint8_t wake_line; /* enum create2_wake: what is still to be printed */
    double green, red; /* how the power lamp shines, 0..1 */
    uint64_t noise_key, turn_key, slot_key;
};

/* The profile of the state's model (create2_profile.c). */
const struct create2_profile *create2_profile(const struct create2_state *state);

/* ---- What it does by itself in passive mode (create2_conduct.c): spot, clean, max, seek dock.
 * Plain motions: the maker's cleaning patterns are not published. ---- */

/* Begins a behaviour. Where the same kind of cycle runs already, or any while BUTTON is pressed
 * again, it ends instead (OI: "pauses"). */
void create2_conduct_begin(struct create2_state *state, enum create2_behaviour kind,
                           int64_t now_us);

/* Ends it; the wheels stop. */
void create2_conduct_end(struct create2_state *state);

/* One decision, once in a slot. */
void create2_conduct_step(struct create2_state *state, int64_t now_us);

/* ---- What a host sends and what it receives (create2_host.c) ---- */

void create2_host_reset(struct create2_state *state, int64_t now_us);

/* Obeys the command in the framer, as far as the mode allows. */
void create2_host_obey(struct create2_state *state, int64_t now_us);

/* Leaves safe mode where a wheel drops, an edge comes or a charger is there. Once in a pass. */
void create2_host_guard(struct create2_state *state, int64_t now_us);

/* Answers what was asked since the last slot, and sends the stream. */
void create2_host_send(struct create2_state *state, const struct robot_tx *tx);

/* Text that the firmware prints: begins the lines of a boot. */
void create2_host_print_boot(struct create2_state *state, int64_t now_us);
/* One line now, without its end. */
void create2_host_print(struct create2_state *state, const struct robot_tx *tx, const char *line);
/* What is due of the boot text, and of the charging text. */
void create2_host_text(struct create2_state *state, const struct robot_tx *tx, int64_t now_us);
