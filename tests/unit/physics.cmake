ptybot_test(test_geom LIBS ptybot_physics)
ptybot_test(test_world LIBS ptybot_physics)
ptybot_test(test_drive LIBS ptybot_physics)
