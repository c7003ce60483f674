ptybot_fuzz(fuzz_capture LIBS ptybot_app)
