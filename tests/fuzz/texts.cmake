# libFuzzer mutates texts with words of the tables.
set(words)
set(scene_mutator)
if(PTYBOT_FUZZ)
    set(words words.c frame_maker.c)
    set(scene_mutator ${words} fuzz_scene_mutator.c)
endif()
ptybot_fuzz(fuzz_scene SOURCES fuzz_scene.c ${scene_mutator} LIBS ptybot_sim)
ptybot_fuzz(fuzz_body LIBS ptybot_sim)

foreach(name IN ITEMS command condition journal)
    set(mutator)
    if(PTYBOT_FUZZ)
        set(mutator ${words} fuzz_${name}_mutator.c)
    endif()
    if(name STREQUAL "journal")
        ptybot_fuzz(fuzz_replay SOURCES fuzz_replay.c journal_seal.c run_subcommand_silently.c ${mutator} LIBS ptybot_subcommands m)
        list(APPEND mutator journal_seal.c)
    endif()
    ptybot_fuzz(fuzz_${name} SOURCES fuzz_${name}.c ${mutator} LIBS ptybot_sim)
endforeach()
set(control_mutator)
if(PTYBOT_FUZZ)
    set(control_mutator ${words} fuzz_control_mutator.c)
endif()
ptybot_fuzz(fuzz_control SOURCES fuzz_control.c ${control_mutator} LIBS ptybot_app m)

# The bundle inside a replay page.
ptybot_fuzz(fuzz_bundle LIBS ptybot_app m)

# Driver programs against a whole robot; their frames and commands are made from the tables.
ptybot_fuzz(fuzz_drive SOURCES fuzz_drive.c frame_maker.c words.c LIBS ptybot_sim m)
