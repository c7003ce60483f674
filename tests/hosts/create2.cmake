# Create 2 drivers, based on the public document; they communicate as the published drivers do.
ptybot_host(create2_drive SOURCES create2_drive.c create2_client.c LIBS m)
ptybot_host(create2_stream SOURCES create2_stream.c create2_client.c)
ptybot_host(create2_dock SOURCES create2_dock.c create2_seek.c create2_client.c)
