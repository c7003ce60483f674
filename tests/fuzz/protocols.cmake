# Fuzz bodies of the library protocols.
set(golden ${PROJECT_SOURCE_DIR}/tests/support/golden.c)
set(rig ${PROJECT_SOURCE_DIR}/tests/support/robot_rig.c)
# libFuzzer mutates whole frames, made from the field tables.
set(maker)
set(rx_mutator)
set(frames_mutator)
if(PTYBOT_FUZZ)
    set(maker frame_maker.c frames_mutate.c)
    set(rx_mutator ${maker} fuzz_rx_mutator.c)
    set(frames_mutator ${maker} fuzz_frames_mutator.c)
endif()
ptybot_fuzz(fuzz_rx SOURCES fuzz_rx.c ${rx_mutator} ${rig} LIBS ptybot_protocols m)
ptybot_fuzz(fuzz_framer SOURCES fuzz_framer.c ${frames_mutator} LIBS ptybot_protocols m)
ptybot_fuzz(fuzz_option LIBS ptybot_protocols m)

# Writes corpus/fuzz_rx again from the golden frames; the test `corpus` compares the two.
ptybot_executable(make_corpus SOURCES make_corpus.c ${golden} LIBS ptybot_protocols)
if(NOT PTYBOT_FUZZ AND NOT CMAKE_CROSSCOMPILING)
    ptybot_script(corpus corpus.cmake -DPROGRAM=$<TARGET_FILE:make_corpus>
        -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/corpus.made -DCORPUS=${CMAKE_CURRENT_SOURCE_DIR}/corpus/fuzz_rx)
endif()
