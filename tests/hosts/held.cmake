# Drivers that wait in many ways, for time that waits for them.
ptybot_host(held_host SOURCES held_host.c kobuki_client.c LIBS m)
