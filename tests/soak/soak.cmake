# ./dev soak: one host of the endurance run.
ptybot_executable(soak_host SOURCES soak_host.c)
