# Fuzz bodies of the protocol leaf.
set(golden ${PROJECT_SOURCE_DIR}/tests/support/golden.c)
set(rig ${PROJECT_SOURCE_DIR}/tests/support/robot_rig.c)
ptybot_fuzz(fuzz_rx SOURCES fuzz_rx.c ${rig} LIBS ptybot_protocols m)
ptybot_fuzz(fuzz_option LIBS ptybot_protocols m)

# Writes corpus/fuzz_rx again, from the golden frames.
ptybot_executable(make_corpus SOURCES make_corpus.c ${golden} LIBS ptybot_protocols)
set_target_properties(make_corpus PROPERTIES EXCLUDE_FROM_ALL ON)
