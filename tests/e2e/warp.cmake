# `ptybot test --warp`: the stage is that of test_verb.cmake, and the package of npm too.
ptybot_e2e(test_e2e_warp
    SOURCES test_e2e_warp.c ../support/check.c ../support/folder.c ../support/program.c
        ../support/stage.c ../support/test_stage.c
        ../support/host_libraries.c
    TIMEOUT 600)
target_compile_definitions(test_e2e_warp PRIVATE PTYBOT_IS_SANITIZED=$<BOOL:${PTYBOT_SANITIZE}>)
