ptybot_fuzz(fuzz_capture LIBS ptybot_app)
ptybot_fuzz(fuzz_framing LIBS ptybot_app m)
ptybot_fuzz(fuzz_tolerance LIBS ptybot_app)
ptybot_fuzz(fuzz_recorded LIBS ptybot_app)
