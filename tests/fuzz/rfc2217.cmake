ptybot_fuzz(fuzz_rfc2217 LIBS ptybot_pty)
