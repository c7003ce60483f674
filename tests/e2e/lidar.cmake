# LiDARs and their drivers, under `ptybot test`.
ptybot_e2e(test_e2e_lidar
    SOURCES test_e2e_lidar.c ../support/check.c ../support/folder.c ../support/program.c
        ../support/stage.c ../support/test_stage.c
    TIMEOUT 600)
