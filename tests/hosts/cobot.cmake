# COBOT hosts: written from the public protocol alone.
ptybot_host(cobot_drive SOURCES cobot_drive.c cobot_client.c LIBS m)
