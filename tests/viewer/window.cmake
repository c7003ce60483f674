if(TARGET ptybot_window)
    ptybot_test(test_panel SOURCES test_panel.c draw_rig.c ../support/check.c ../support/folder.c
        LIBS ptybot_app ptybot_window LABELS viewer)
endif()
# The real window under an X server without a screen, driven by real events.
find_program(XVFB_BINARY Xvfb)
find_program(XDOTOOL_BINARY xdotool)
if(TARGET ptybot_window AND XVFB_BINARY AND XDOTOOL_BINARY)
    set(window
        window_rig.c
        ../support/check.c ../support/folder.c ../support/program.c ../support/stage.c ../support/serial_port.c ../support/kobuki_host.c
        ../hosts/kobuki_client.c)
    set_source_files_properties(window_rig.c PROPERTIES
        COMPILE_DEFINITIONS "XVFB_BINARY=\"${XVFB_BINARY}\";XDOTOOL_BINARY=\"${XDOTOOL_BINARY}\"")
    foreach(test test_window_use test_window_life test_window_replay)
        ptybot_e2e(${test} SOURCES ${test}.c ${window} LIBS ptybot_window m TIMEOUT 600)
        target_compile_definitions(${test} PRIVATE
            XDOTOOL_BINARY="${XDOTOOL_BINARY}"
            PTYBOT_SHIM="$<TARGET_FILE:ptybot_shim>")
    endforeach()
else()
    message(STATUS "SDL2, Xvfb or xdotool not found: the window is not tested")
endif()
