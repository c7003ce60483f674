# Sketches of Arduino: as text, and what their board feels.
ptybot_test(test_sketch SOURCES test_sketch.c ../support/folder.c ../support/check.c ../support/machine.c LIBS ptybot_app)
ptybot_test(test_wiring SOURCES test_wiring.c ${PROJECT_SOURCE_DIR}/clients/avr/wiring.c
    LIBS ptybot_protocols ptybot_client_static m)
