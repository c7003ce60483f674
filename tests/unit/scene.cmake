# Scenes.
ptybot_test(test_scene LIBS ptybot_sim)
foreach(noun errors file_errors link_errors place_errors)
    ptybot_test(test_scene_${noun} SOURCES test_scene_${noun}.c wrong_scene.c LIBS ptybot_app)
endforeach()
ptybot_test(test_scene_map LIBS ptybot_sim m)
ptybot_test(test_own_robot SOURCES test_own_robot.c ${PROJECT_SOURCE_DIR}/tests/support/robot_rig.c LIBS ptybot_sim)
