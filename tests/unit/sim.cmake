# The simulation.
ptybot_test(test_line LIBS ptybot_sim)
ptybot_test(test_line_fault LIBS ptybot_sim)
ptybot_test(test_wire_account LIBS ptybot_sim)
ptybot_test(test_odometry LIBS ptybot_sim m)
ptybot_test(test_sim SOURCES test_sim.c kobuki_rig.c ../support/simulation.c LIBS ptybot_sim m)
ptybot_test(test_commands SOURCES test_commands.c kobuki_rig.c ../support/simulation.c LIBS ptybot_sim m)
ptybot_test(test_sim_motion SOURCES test_sim_motion.c kobuki_rig.c ../support/simulation.c LIBS ptybot_sim m)
ptybot_test(test_step_memory SOURCES test_step_memory.c kobuki_rig.c ../support/simulation.c LIBS ptybot_sim m)
ptybot_count_allocations(test_step_memory)
ptybot_test(state_hash SOURCES state_hash.c diff_board_rig.c kobuki_rig.c
    ../support/simulation.c LIBS ptybot_sim)

ptybot_test(test_senses SOURCES test_senses.c kobuki_rig.c ../support/simulation.c LIBS ptybot_sim m)

# Modem lines.
ptybot_test(test_sim_lines LIBS ptybot_sim)

# Docks.
set(docking ../hosts/dock_drive.c ../hosts/straight_in.c ../hosts/kobuki_client.c)
ptybot_test(test_beam SOURCES test_beam.c kobuki_rig.c ../support/simulation.c LIBS ptybot_sim m)
ptybot_test(test_dock SOURCES test_dock.c kobuki_rig.c ../support/simulation.c LIBS ptybot_sim m)
ptybot_test(test_dock_drive SOURCES test_dock_drive.c ${docking} LIBS m)
ptybot_test(test_docking
    SOURCES test_docking.c ../support/dock_trial.c ${docking}
    LIBS ptybot_sim m LABELS scenario TIMEOUT 1200)

ptybot_test(test_scenes_at_random SOURCES test_scenes_at_random.c kobuki_rig.c
    ../support/simulation.c LIBS ptybot_sim m TIMEOUT 300)
ptybot_test(test_fidelity SOURCES test_fidelity.c kobuki_bench.c kobuki_rig.c
    ../support/simulation.c LIBS ptybot_sim m TIMEOUT 120)
set(record ../support/record.c ../support/golden.c ../support/simulation.c)
ptybot_test(test_robot_runs SOURCES test_robot_runs.c ${record}
    LIBS ptybot_sim m)
ptybot_test(test_robot_programs SOURCES test_robot_programs.c ${record} ../fuzz/frame_maker.c ../fuzz/words.c
    LIBS ptybot_sim m)
ptybot_test(test_robot_habits SOURCES test_robot_habits.c ${record} LIBS ptybot_sim m)
ptybot_test(test_scene_edit SOURCES test_scene_edit.c ../support/simulation.c LIBS ptybot_sim)
