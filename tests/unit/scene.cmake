# Scenes.
ptybot_test(test_scene LIBS ptybot_sim)
ptybot_test(test_scene_errors LIBS ptybot_sim)
ptybot_test(test_scene_map LIBS ptybot_sim m)
