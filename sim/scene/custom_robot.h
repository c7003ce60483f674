/* A robot type that a body file or a shared object defines. The firmware is a built-in one or a
 * separate program. sim/body reads and writes body files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "protocols/robot.h"
#include "sim/scene/scene.h"

/* Texts that live as long as their owner wants, in a list. */
struct scene_kept {
    struct scene_kept *next;
    _Alignas(max_align_t) char bytes[];
};

/* In a list: what `type:` of a scene may name beside the built-in types. */
struct custom_robot {
    struct custom_robot *next;
    char word[SCENE_PATH_MAX];        /* as the scene writes it */
    char file[SCENE_ADDRESS_MAX * 2]; /* for messages */
    char folder[SCENE_ADDRESS_MAX * 2];
    char name[SCENE_NAME_MAX + 1];

    struct robot_type type;        /* what all others see of it */
    const struct robot_type *base; /* the firmware, of a built-in type; NULL: a program */
    const char *title;             /* NULL: its name */
    struct robot_body body;        /* as the file has it */
    struct robot_program program;  /* of a firmware that is one */
    const char *const *buttons;    /* NULL: none */
    struct channel_spec channels[ROBOT_CHANNELS_MAX];
    size_t channel_count;
    struct appearance_row *appearance, *old_appearance; /* the old one from `looks:`, until the
                                                           next release; may be the same */
    size_t appearance_count, old_appearance_count;
    struct appearance_list appearance_list;
    struct signal_row signals[ROBOT_SIGNALS_MAX];
    size_t signal_count;
    struct command_row commands[ROBOT_COMMANDS_MAX];
    size_t command_count;
    /* Of a program: where its own stand in the file. */
    struct scene_place signal_places[ROBOT_SIGNALS_MAX], command_places[ROBOT_COMMANDS_MAX];
    struct pin pins[PINS_MAX];
    size_t pin_count;

    struct scene_kept *kept; /* the texts */
    void *object;            /* of whoever made the type from something else than a body file */
    void (*close)(void *object);
};

/* Frees a list and leaves it empty. */
void custom_robot_free(struct custom_robot **list);

/* The one that a scene writes as WORD, or that has this type; NULL: none. */
const struct custom_robot *custom_robot_find(const struct custom_robot *list, const char *word);
const struct custom_robot *custom_robot_of(const struct custom_robot *list,
                                           const struct robot_type *type);

/* The name of the built-in type whose packets a robot of this type speaks; "": of none. LIST has
 * the types of the scene. */
const char *custom_robot_wire(const struct custom_robot *list, const struct robot_type *type);

/* Whether its machine has what its built-in firmware looks for under these options: as many wheels,
 * and the same sensors and bumpers. False, with what is missing in ERROR. */
bool custom_robot_fits(const struct custom_robot *own, const void *options, struct error *error);
