# Scenes.
ptybot_test(test_scene LIBS ptybot_sim)
foreach(noun errors file_errors link_errors place_errors)
    ptybot_test(test_scene_${noun} SOURCES test_scene_${noun}.c wrong_scene.c LIBS ptybot_app)
endforeach()
ptybot_test(test_scene_map LIBS ptybot_sim m)
