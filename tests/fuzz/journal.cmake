ptybot_fuzz(fuzz_journal LIBS ptybot_sim)
