# `ptybot test`: the stage is that of run.cmake.
set(test_stage
    ../support/check.c ../support/folder.c ../support/program.c ../support/stage.c ../support/test_stage.c)
ptybot_e2e(test_e2e_judge SOURCES test_e2e_judge.c ${test_stage} TIMEOUT 400)
ptybot_e2e(test_e2e_judge_end SOURCES test_e2e_judge_end.c ${test_stage} TIMEOUT 400)
ptybot_e2e(test_e2e_diagnosis SOURCES test_e2e_diagnosis.c ${test_stage})
ptybot_e2e(test_e2e_driver_end SOURCES test_e2e_driver_end.c ${test_stage})
ptybot_e2e(test_e2e_dock
    SOURCES test_e2e_dock.c ${test_stage} ../support/dock_trial.c ../hosts/dock_drive.c
        ../hosts/straight_in.c ../hosts/kobuki_client.c
    LIBS ptybot_sim m TIMEOUT 900)
ptybot_e2e(test_e2e_settings SOURCES test_e2e_settings.c ${test_stage} TIMEOUT 200)
ptybot_e2e(test_e2e_sweep SOURCES test_e2e_sweep.c ${test_stage})
ptybot_e2e(test_e2e_merge SOURCES test_e2e_merge.c ${test_stage})
ptybot_e2e(test_e2e_report SOURCES test_e2e_report.c ${test_stage} TIMEOUT 400)
find_program(NODE_BINARY node)
if(NODE_BINARY)
    target_compile_definitions(test_e2e_report PRIVATE WITH_NODE)
endif()
if(TARGET ptybot_replay_page)
    target_compile_definitions(test_e2e_report PRIVATE WITH_REPLAY_PAGE)
endif()
ptybot_e2e(test_e2e_results SOURCES test_e2e_results.c ${test_stage})
ptybot_e2e(test_e2e_batch SOURCES test_e2e_batch.c ${test_stage} TIMEOUT 400)
ptybot_e2e(test_e2e_test_hosts
    SOURCES test_e2e_test_hosts.c ../support/host_libraries.c ${test_stage} TIMEOUT 400)
# The test installs a package of npm there once, where the machine has Node.js.
# The programs in docs/hosts.
ptybot_e2e(test_e2e_host_pages
    SOURCES test_e2e_host_pages.c ../support/host_libraries.c ${test_stage} TIMEOUT 400)
ptybot_e2e(test_e2e_stress SOURCES test_e2e_stress.c ${test_stage} TIMEOUT 900)
# Not in sanitized trees: test_e2e_stress runs the same code of stress there, and the drivers are
# not part of the project.
if(NOT PTYBOT_SANITIZE)
    ptybot_e2e(test_e2e_stress_robots SOURCES test_e2e_stress_robots.c ${test_stage} TIMEOUT 1500)
endif()
ptybot_e2e(test_e2e_broken SOURCES test_e2e_broken.c ${test_stage} TIMEOUT 400)
