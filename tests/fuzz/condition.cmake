ptybot_fuzz(fuzz_condition LIBS ptybot_sim)
