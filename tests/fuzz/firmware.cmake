ptybot_fuzz(fuzz_firmware LIBS ptybot_app m)
