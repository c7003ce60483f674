/* The state of a virtual Create 2, shared by the files of this folder. It has no pointers, so
 * copying it is a snapshot. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/create2/create2.h"
#include "protocols/create2/create2_wire.h"
#include "protocols/robot.h"

enum {
    /* Every 1/64 s, the robot reads its sensors and sends the stream. Input: recordings of several
     * robots, 202,755 slots (README.md); OI says 15 ms. */
    CREATE2_SLOT_NS = 15625000,
    CREATE2_PASSES = 3, /* chosen: control passes of the wheels per slot */
    CREATE2_SONGS = 4,  /* OI says "up to four" and 0..4; users found 0..3 (create_robot#37) */
    CREATE2_NOTES = 16,
    CREATE2_QUESTIONS = 512, /* bytes of queries that wait for the next slot; chosen */
    CREATE2_DIGITS = 4,
    CREATE2_BOOT_US = 2000000, /* chosen: time after a reset during which the robot ignores all
                                * bytes */
};

/* Properties that depend on the option `model`. */
struct create2_profile {
    double capacity_mah;
    bool has_cleaner;              /* brushes and vacuum; a Create 2 has connectors for them */
    uint8_t buttons;               /* buttons that packet 18 reports */
    const char *const *boot_lines; /* printed immediately; the lines after an empty text follow some
                                    * seconds later */
};

enum create2_mode { CREATE2_MODE_OFF, CREATE2_MODE_PASSIVE, CREATE2_MODE_SAFE, CREATE2_MODE_FULL };

/* Autonomous behaviors of the robot in passive mode. */
enum create2_behaviour {
    CREATE2_IDLE,
    CREATE2_DO_SPOT,
    CREATE2_DO_CLEAN,
    CREATE2_DO_MAX,
    CREATE2_DO_DOCK,
};

/* Events for the whole board at the next pass. Bytes after the command are lost. */
enum create2_pending { CREATE2_PENDING_NONE, CREATE2_PENDING_RESET, CREATE2_PENDING_SLEEP };

enum create2_wake { CREATE2_NOT_WOKEN, CREATE2_WOKEN_BY_KEY, CREATE2_WOKEN_BY_CHARGER };

struct create2_wheel {
    double target_m_s; /* wanted speed */
    double ramp_m_s;   /* momentary set value on the way to it */
    double error_m;    /* remaining distance: integral of the ramp minus the distance turned */
    double duty;       /* -1..1 */
    double current_a;
    double turned_rad; /* at the last pass */
    double counts;     /* since power-on, with the fraction; the encoder has a single channel, so
                        * the sign is that of the wanted speed */
    double moved_m;    /* during the last pass, from the counts */
    uint32_t overload; /* consecutive passes above the limit */
    bool is_over;      /* bit of packet 14 */
};

enum create2_brush { CREATE2_MAIN_BRUSH, CREATE2_SIDE_BRUSH, CREATE2_BRUSHES };

/* A brush that a command has blocked. */
struct create2_jam {
    uint32_t passes;   /* remaining passes; UINT32_MAX: until a command ends it */
    uint32_t overload; /* consecutive passes above the limit */
    bool is_over;      /* bit of packet 14 */
};

struct create2_motion {
    struct create2_wheel wheel[CREATE2_WHEELS];
    bool has_start;
    bool is_pwm; /* the commands set duty cycles instead of speeds */
    double pwm[CREATE2_WHEELS];
    double distance_mm, angle_deg;         /* since they were last read */
    int64_t obeys_from_us;                 /* end of the dead time */
    double main_brush, side_brush, vacuum; /* duty, -1..1 */
    struct create2_jam jam[CREATE2_BRUSHES];
};

struct create2_conduct {
    uint8_t kind;   /* enum create2_behaviour */
    uint8_t phase;  /* of the behavior */
    bool is_paused; /* on a charger */
    int64_t since_us, phase_us;
    double turn_sign;
    uint64_t draws; /* number of random numbers used */
};

struct create2_play {
    int32_t song; /* 0..3: a song of the host; higher: built-in tunes; -1: none */
    uint32_t note;
    double hz;        /* present tone; 0: silence */
    int64_t until_us; /* end of the note; ROBOT_NEVER: no song is playing */
};

struct create2_song_store {
    uint8_t count;
    struct create2_note notes[CREATE2_NOTES];
};

struct create2_power {
    double charge, battery_v, current_a;
    uint8_t charger; /* enum charger_kind */
    uint8_t state;   /* packet 21 */
    bool is_faulty;  /* set by a command */
    int64_t plugged_us;
    bool is_asleep;
    int64_t active_us; /* time of the last activity */
};

/* Lamps and digits that are lit. */
struct create2_panel {
    uint8_t leds, color, intensity;
    uint8_t days, marks;
    uint8_t digits[CREATE2_DIGITS]; /* left to right; segments A 1 .. G 64 */
};

struct create2_host {
    uint8_t mode; /* enum create2_mode */
    uint8_t pending;
    uint8_t stream_ids[256];
    uint16_t stream_count;
    bool is_streaming;
    uint8_t questions[CREATE2_QUESTIONS]; /* each with count and ids */
    uint16_t questions_used;
    uint8_t baud_code;
    uint64_t safety_trips, ignored, unknown_packets, lost_questions, bad_values;
    uint16_t text_line;    /* next line of the boot text; TEXT_NONE: none */
    int64_t text_us;       /* time when it is printed */
    int64_t boot_until_us; /* the robot ignores all bytes until then */
    int64_t heard_us;      /* time of the last command */
};

struct create2_clock {
    int64_t set_us;                   /* time when it was set ... */
    int64_t set_min;                  /* ... to this number of minutes after Sunday, 0:00 */
    int64_t checked_min;              /* last minute that was compared with the schedule */
    struct create2_schedule schedule; /* present schedule */
};

struct create2_state {
    struct create2_options options;
    struct robot_stats stats;
    uint64_t boots;
    struct create2_framer framer;
    struct create2_readings readings; /* of the last slot */
    struct create2_messages last;

    int64_t pass_ns; /* time of the next pass */
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

    uint8_t bumpers, drops, cliffs, buttons; /* present values: bits as in packets 7, 7, 9..12
                                              * and 18 */
    uint8_t touched;                         /* bumpers pressed since the last slot */
    uint8_t pressed;                         /* buttons pressed by the host */
    int64_t released_us;
    uint8_t buttons_before;
    double dirt;     /* set by a command */
    uint8_t ir_code; /* of a remote control, set by a command */
    int64_t ir_until_us;
    uint8_t ir[CREATE2_RECEIVERS];
    uint32_t beams[CREATE2_RECEIVERS];
    double cliff_counts[CREATE2_CLIFFS], light_counts[CREATE2_LIGHT_BUMPERS];
    bool was_brc;
    uint32_t pulses;   /* consecutive pulses on BRC */
    int64_t low_us;    /* start of the present or last low level */
    uint8_t wake_line; /* enum create2_wake: text that must still be printed */
    double green, red; /* brightness of the power lamp, 0..1 */
    uint64_t noise_key, turn_key, slot_key;
};

/* The profile of the state's model (create2_profile.c). */
const struct create2_profile *create2_profile(const struct create2_state *state);

/* ---- Autonomous behaviors in passive mode (create2_conduct.c): spot, clean, max, seek dock.
 * Simple motions, because the manufacturer's cleaning patterns are not published. ---- */

/* Starts a behavior. If a behavior of the same kind is already running, it ends instead (OI:
 * "pauses"). */
void create2_conduct_begin(struct create2_state *state, enum create2_behaviour kind,
                           int64_t now_us);

/* Ends the behavior and stops the wheels. */
void create2_conduct_end(struct create2_state *state);

/* One decision per slot. */
void create2_conduct_step(struct create2_state *state, int64_t now_us);

/* ---- Communication with a host (create2_host.c) ---- */

void create2_host_reset(struct create2_state *state, int64_t now_us);

/* Executes the command in the framer, if the mode allows it. */
void create2_host_obey(struct create2_state *state, int64_t now_us);

/* Leaves safe mode if a wheel drops, an edge is detected or a charger is connected. Called once per
 * pass. */
void create2_host_guard(struct create2_state *state, int64_t now_us);

/* Answers the queries since the last slot, and sends the stream. */
void create2_host_send(struct create2_state *state, const struct robot_tx *tx);

/* Text of the firmware: starts the boot text. */
void create2_host_print_boot(struct create2_state *state, int64_t now_us);
/* Prints one line now. LINE has no line end. */
void create2_host_print(struct create2_state *state, const struct robot_tx *tx, const char *line);
/* Prints the lines of the boot text and of the charging text that are due. */
void create2_host_text(struct create2_state *state, const struct robot_tx *tx, int64_t now_us);
