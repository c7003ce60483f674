/* A robot type that a body file or a shared object defines. The firmware is a built-in one or a
 * separate program. sim/body reads and writes body files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "protocols/robot.h"
#include "sim/scene/scene.h"

/* A list of texts with the lifetime of their owner. */
struct scene_kept {
    struct scene_kept *next;
    _Alignas(max_align_t) char bytes[];
};

/* An entry in the list of types that `type:` of a scene may name in addition to the built-in
 * ones. */
struct custom_robot {
    struct custom_robot *next;
    char word[SCENE_PATH_MAX];        /* the word after `type:` */
    char file[SCENE_ADDRESS_MAX * 2]; /* for messages */
    char folder[SCENE_ADDRESS_MAX * 2];
    char name[SCENE_NAME_MAX + 1];

    struct robot_type type;        /* the type for the rest of the program */
    const struct robot_type *base; /* the built-in type whose firmware it uses; NULL: a program */
    const char *title;             /* NULL: the same as its name */
    struct robot_body body;        /* as in the file */
    struct robot_program program;  /* firmware as a separate program */
    const char *const *buttons;    /* NULL: none */
    struct channel_spec channels[ROBOT_CHANNELS_MAX];
    size_t channel_count;
    struct appearance_row *appearance, *old_appearance; /* the old one is from `looks:`, until the
                                                           next release; both may be the same */
    size_t appearance_count, old_appearance_count;
    struct appearance_list appearance_list;
    struct signal_row signals[ROBOT_SIGNALS_MAX];
    size_t signal_count;
    struct command_row commands[ROBOT_COMMANDS_MAX];
    size_t command_count;
    /* For a program: places of its signals and commands in the file. */
    struct scene_place signal_places[ROBOT_SIGNALS_MAX], command_places[ROBOT_COMMANDS_MAX];
    struct pin pins[PINS_MAX];
    size_t pin_count;

    struct scene_kept *kept; /* texts of the file */
    void *object;            /* if not from a body file: owned by its maker */
    void (*close)(void *object);
};

/* Frees a list and leaves it empty. */
void custom_robot_free(struct custom_robot **list);

/* The type that a scene writes as WORD, or the entry of this type; NULL: not found. */
const struct custom_robot *custom_robot_find(const struct custom_robot *list, const char *word);
const struct custom_robot *custom_robot_of(const struct custom_robot *list,
                                           const struct robot_type *type);

/* The name of the built-in type with the same packets as this type; "": none. LIST has the types of
 * the scene. */
const char *custom_robot_wire(const struct custom_robot *list, const struct robot_type *type);

/* Whether its machine has the parts that its built-in firmware needs with these options: the same
 * number of wheels, and the same sensors and bumpers. If not, ERROR names the missing part. */
bool custom_robot_fits(const struct custom_robot *own, const void *options, struct error *error);
