ptybot_fuzz(fuzz_command LIBS ptybot_sim)
