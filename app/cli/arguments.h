/* The command line as tables, based on option rows: each subcommand is one row, and each of its
 * flags. Help is written from the same rows. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "base/option.h"

enum { ARGUMENTS_REPEATS_MAX = 256 }; /* chosen: more than a user types */

/* The texts of a flag that may be given several times; they belong to argv. */
struct argument_texts {
    const char *texts[ARGUMENTS_REPEATS_MAX];
    size_t count;
};

struct flag_row {
    const char *value;     /* the flag's value as help shows it; NULL: a switch */
    const char *otherwise; /* the default in words, if the default value does not explain it */
    bool is_repeated; /* fills a struct argument_texts; of OPTION it uses key, offset and note */
    struct option_row option; /* key without the two dashes */
};

/* Short rows: the flag NAME and its value fill MEMBER of a struct TAG. The last arguments are the
 * note or, for a flag with a default, the default and the note; `.otherwise = "..."` may follow. */
#define FLAG_SWITCH(name, tag, member, ...)                                                        \
    {                                                                                              \
        .option = ROW_BOOL(name, tag, member, "no", __VA_ARGS__)                                   \
    }
#define FLAG_TEXT(name, shown, tag, member, ...)                                                   \
    {                                                                                              \
        .value = shown, .option.key = name, .option.type = OPTION_TEXT,                            \
        .option.offset = ROW_OFFSET(tag, member, char *),                                          \
        .option.size = sizeof(((struct tag *)0)->member), .option.fallback = __VA_ARGS__           \
    }
#define FLAG_NUMBER(name, shown, tag, member, units, low, high, ...)                               \
    {                                                                                              \
        .value = shown, .option.key = name, .option.type = OPTION_NUMBER,                          \
        .option.offset = ROW_OFFSET(tag, member, double), .option.unit = units, .option.min = low, \
        .option.max = high, .option.fallback = __VA_ARGS__                                         \
    }
#define FLAG_INTEGER(name, shown, tag, member, units, low, high, ...)                              \
    {                                                                                              \
        .value = shown, .option.key = name, .option.type = OPTION_INTEGER,                         \
        .option.offset = ROW_OFFSET(tag, member, int64_t), .option.unit = units,                   \
        .option.min = low, .option.max = high, .option.fallback = __VA_ARGS__                      \
    }
#define FLAG_CHOICE(name, shown, tag, member, words, ...)                                          \
    {                                                                                              \
        .value = shown, .option.key = name, .option.type = OPTION_CHOICE,                          \
        .option.offset = offsetof(struct tag, member), .option.choices = words,                    \
        .option.fallback = __VA_ARGS__                                                             \
    }
#define FLAG_REPEATED(name, shown, tag, member, words)                                             \
    {                                                                                              \
        .value = shown, .is_repeated = true, .option = {                                           \
            .key = name,                                                                           \
            .offset = offsetof(struct tag, member),                                                \
            .note = words                                                                          \
        }                                                                                          \
    }

/* Rows that several subcommands share: they fill one struct. */
struct flag_group {
    const char *title; /* heading in the help, in capitals */
    const struct flag_row *rows;
    size_t count;
};

/* A subcommand's use of a group. */
struct shared_flags {
    const struct flag_group *group; /* NULL: the end of a list */
    size_t at;                      /* offset of the group's struct in that of the subcommand */
};

struct subcommand;

/* A parsed command line of a subcommand. */
struct arguments {
    const struct subcommand *subcommand;
    uint64_t given; /* bit i: row i was on the command line */
    const char *
        *words; /* positional arguments, in order; points into argv, which holds the array too */
    size_t word_count;
    bool has_rest; /* there was a `--` */
    size_t rest;   /* the words from here on followed it */
};

struct subcommand {
    const char *name;
    const char *usage;   /* what follows the name on the command line */
    const char *summary; /* one line */
    const char *details; /* paragraphs of `help SUBCOMMAND`, or "" */
    const struct flag_row *flags;
    size_t flag_count, options_size;         /* bytes of the struct that they fill */
    const struct shared_flags *shared_flags; /* more rows, counted after those; NULL: none */
    struct subcommand_words {
        size_t least, most; /* number of positional arguments */
        const char *wanted; /* the error if there are others; NULL: `run` checks them */
    } words;
    /* OPTIONS: the struct that the flags fill; all other members are 0. Returns the exit code. */
    int (*run)(struct arguments *arguments, void *options);
};

/* Initializes the members of a subcommand from an array, whose rows fill a struct TAG. */
#define SUBCOMMAND_FLAGS(table, tag)                                                               \
    .flags = table, .flag_count = COUNT(table), .options_size = sizeof(struct tag)

/* Row number INDEX, own ones first; NULL: there are no more. */
const struct flag_row *subcommand_row(const struct subcommand *subcommand, size_t index);

/* Parses ARGV (the words after the subcommand) into ARGUMENTS, whose SUBCOMMAND is set and whose
 * other members are 0, and OUT, which first gets the defaults. A flag's value is the next word or
 * follows `=`; after `--` no word is a flag. False, with the reason and a suggestion in ERROR: a
 * flag or value is unknown or out of range. */
bool arguments_parse(struct arguments *arguments, int argc, char **argv, void *out,
                     struct error *error);

/* Whether a flag was given; false if the subcommand has no such flag. */
bool arguments_has(const struct arguments *arguments, const char *key);

/* Runs a subcommand with ARGV (the words after its name). For a wrong command line, prints the
 * error and how to get help. Returns the exit code. A subcommand runs another one in a separate
 * process, since the options of a subcommand are static. */
int subcommand_run(const struct subcommand *subcommand, int argc, char **argv);

/* Prints REASON, why the command line of a subcommand is wrong. Returns the exit code. */
int subcommand_misused(const struct subcommand *subcommand, const char *reason);

/* Prints that there is no robot type NAME, and suggests a similar name. Returns the exit code. */
int subcommand_no_robot(const struct subcommand *subcommand, const char *name);

/* The same as subcommand_misused; returns false. */
bool arguments_refuse(const struct arguments *arguments, const char *reason);
