# COBOT drivers, based only on the public protocol.
ptybot_host(cobot_drive SOURCES cobot_drive.c cobot_client.c LIBS m)
