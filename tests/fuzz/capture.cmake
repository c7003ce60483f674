ptybot_fuzz(fuzz_capture LIBS ptybot_app)
ptybot_fuzz(fuzz_framing LIBS ptybot_app m)
