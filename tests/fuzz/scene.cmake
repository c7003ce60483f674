ptybot_fuzz(fuzz_scene LIBS ptybot_sim)
ptybot_fuzz(fuzz_body LIBS ptybot_sim)
