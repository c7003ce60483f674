# Conditions, the timeline and the expectations of a scene.
set(simulation ../support/simulation.c)
ptybot_test(test_condition SOURCES test_condition.c ${simulation} LIBS ptybot_sim)
ptybot_test(test_expectations SOURCES test_expectations.c ${simulation} LIBS ptybot_sim m)
ptybot_test(test_scene_script_errors
    SOURCES test_scene_script_errors.c wrong_scene.c LIBS ptybot_app)
foreach(test control_watch control_port)
    ptybot_test(test_${test} SOURCES test_${test}.c control_rig.c LIBS ptybot_app)
    target_compile_definitions(test_${test} PRIVATE _GNU_SOURCE)
endforeach()
