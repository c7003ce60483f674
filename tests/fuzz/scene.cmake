ptybot_fuzz(fuzz_scene LIBS ptybot_sim)
