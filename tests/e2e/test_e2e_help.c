/* Manual pages and completions, in a manual viewer and in shells. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/program.h"
#include "tests/support/stage.h"

/* Runs a script of SHELL whose $1 is ptybot. Returns its exit code. */
static int script(struct stage *stage, struct program *program, const char *shell, const char *text)
{
    const char *const words[] = {"/usr/bin/env", shell, "-c", text, "-", PTYBOT_BINARY, NULL};
    return program_run(program, &stage->folder, "script", words);
}

static void check_script(struct stage *stage, const char *shell, const char *text)
{
    struct program program;
    int code = script(stage, &program, shell, text);
    if (code == 0)
        return;
    char *out = program_out(&program), *err = program_err(&program);
    print_error("%s%s", out, err);
    free(out);
    free(err);
    fail_msg("%s ended with %d", shell, code);
}

static bool has_program(struct stage *stage, const char *name)
{
    struct program program;
    char text[64];
    snprintf(text, sizeof text, "command -v %s", name);
    if (script(stage, &program, "sh", text) == 0)
        return true;
    print_message("SKIPPED: %s is not installed\n", name);
    return false;
}

/* Searches the pages for each subcommand and flag in the help; leaves the pages as SUBCOMMAND.1. */
static const char PAGES[] =
    "set -eu; ptybot=$1\n"
    "verbs=$($ptybot help | sed -n 's/^  \\([a-z]\\{1,\\}\\).*/\\1/p'); [ $(echo $verbs | wc -w) "
    "-ge 10 ]\n"
    "$ptybot help --man >ptybot.1; sed 's/\\\\-/-/g' ptybot.1 >overview\n"
    "for verb in $verbs; do\n"
    "    grep -q \"^.BR ptybot-$verb (1)\" overview || { echo no $verb; exit 1; }\n"
    "    $ptybot help $verb --man >$verb.1; sed 's/\\\\-/-/g' $verb.1 >page\n"
    "    for flag in $($ptybot help $verb | sed -n 's/^  --\\([a-z-]*\\).*/\\1/p'); do\n"
    "        grep -qF \"\\fB--$flag\\fR\" page || { echo $verb: no $flag; exit 1; }\n"
    "    done\n"
    "done\n";

static void every_verb_and_flag_has_its_place_in_a_manual_page(void **state)
{
    check_script(*state, "sh", PAGES);
}

/* Fails for a flag description that is not wrapped, an example that is too long, and a flag without
 * heading. */
static void help_fits_into_eighty_columns(void **state)
{
    check_script(
        *state, "sh",
        "set -eu; ptybot=$1; for verb in '' $($ptybot help | sed -n 's/^  "
        "\\([a-z]\\{1,\\}\\).*/\\1/p'); do\n"
        "    $ptybot help $verb | awk -v verb=$verb 'length > 80 { print verb \": \" $0; long = 1 "
        "} "
        "END { exit long }'\n"
        "done; $ptybot help run | grep -qx TIME; $ptybot help run | grep -qx PICTURES\n"
        "[ \"$($ptybot)\" = \"$($ptybot help)\" ]; [ \"$($ptybot -V)\" = \"$($ptybot version)\" ]\n"
        "! $ptybot rnu 2>wrong; grep -F \"did you mean 'run'?\" wrong");
}

static void manual_pages_are_clean_roff(void **state)
{
    struct stage *stage = *state;
    if (!has_program(stage, "groff"))
        return;
    check_script(stage, "sh", PAGES);
    check_script(stage, "sh",
                 "groff -man -ww -Tutf8 -P-cbou -z *.1 2>warnings; cat warnings; ! [ -s warnings ] "
                 "&& groff -man -Tutf8 -P-cbou run.1 | grep -F 'ptybot run kobuki' && "
                 "groff -man -Tutf8 -P-cbou run.1 | grep -F -e '--theme light|dark'");
}

static void bash_completes_verbs_flags_choices_scenes_and_files(void **state)
{
    check_script(*state, "bash",
                 "eval \"$($1 help --completion bash)\"; PATH=${1%/*}:$PATH; touch here.yaml\n"
                 "expect() { local want=$1; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); "
                 "COMPREPLY=(); _ptybot 2>/dev/null; local got=$(printf '%s\\n' "
                 "\"${COMPREPLY[@]}\" | sort | tr '\\n' ' '); [ \"$got\" = \"$want \" ] || "
                 "{ echo \"$*: $got\"; exit 1; }; }\n"
                 "expect 'replay run' ptybot r\n"
                 "expect '--theme' ptybot run --the\n"
                 "expect 'dark light' ptybot run --theme ''\n"
                 "expect 'kobuki_dock' ptybot run kobuki_do\n"
                 "expect 'here.yaml' ptybot check here\n"
                 "expect 'here.yaml' ptybot run kobuki --log her\n"
                 "expect 'scenes' ptybot list sc\n"
                 "expect 'epuck2_serial' ptybot test epuck2_s\n"
                 "expect 'rplidar_a1' ptybot test rpli\n"
                 "expect 'kobuki.battery_v' ptybot run kobuki --set kobuki.battery_v\n"
                 "expect '' ptybot run rec\n"
                 "expect '' ptybot merge ndj\n"
                 "expect '' ptybot list js\n"
                 "expect 'shim shot' ptybot help sh\n");
}

static void what_runs_completes_its_own_signals(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "one.yaml",
                 "world: {size: {x: 2, y: 2}}\n"
                 "robots: [{name: ada, type: kobuki, pose: {x: 1, y: 1}, links: [{pty: %s}]}]\n",
                 stage->port);
    stage_run(stage, "one.yaml", (const char *const[]){NULL});
    stage_get(stage, "world.time_s");
    setenv("PTYBOT_CONTROL", stage->control, 1);
    check_script(
        stage, "bash",
        "eval \"$($1 help --completion bash)\"; PATH=${1%/*}:$PATH\n"
        "COMP_WORDS=(ptybot ctl get ada.head); COMP_CWORD=3; _ptybot 2>/dev/null\n"
        "[ \"${COMPREPLY[*]}\" = ada.heading_deg ] || { echo \"${COMPREPLY[*]}\"; exit 1; }\n"
        "COMP_WORDS=(ptybot ctl ada.pres); COMP_CWORD=2; _ptybot 2>/dev/null\n"
        "[ \"${COMPREPLY[*]}\" = ada.press ] || { echo \"${COMPREPLY[*]}\"; exit 1; }\n");
    unsetenv("PTYBOT_CONTROL");
    stage_end(stage);
}

static void fish_and_zsh_take_their_scripts(void **state)
{
    struct stage *stage = *state;
    if (has_program(stage, "zsh"))
        check_script(stage, "sh", "$1 help --completion zsh >_ptybot && zsh -n _ptybot");
    if (has_program(stage, "fish"))
        check_script(stage, "sh",
                     "$1 help --completion fish >c.fish && PATH=${1%/*}:$PATH HOME=$PWD fish -c "
                     "'source c.fish; complete -C \"ptybot run --theme da\"' | grep -q ^dark");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(every_verb_and_flag_has_its_place_in_a_manual_page),
        STAGED(help_fits_into_eighty_columns),
        STAGED(manual_pages_are_clean_roff),
        STAGED(bash_completes_verbs_flags_choices_scenes_and_files),
        STAGED(what_runs_completes_its_own_signals),
        STAGED(fish_and_zsh_take_their_scripts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
