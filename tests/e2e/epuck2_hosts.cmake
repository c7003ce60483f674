# e-puck2 drivers that use its sensors, and the load of its images.
set(stage
    ../support/check.c ../support/folder.c ../support/program.c ../support/stage.c)
ptybot_e2e(test_e2e_epuck2_hosts SOURCES test_e2e_epuck2_hosts.c ${stage} LIBS m TIMEOUT 600)
ptybot_e2e(test_e2e_epuck2_images
    SOURCES test_e2e_epuck2_images.c ../hosts/epuck2_client.c ${stage} LIBS m)
