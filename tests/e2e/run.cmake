# End-to-end tests: the real program, real ptys, drivers that use only the wire protocol.
set(stage
    ../support/check.c ../support/folder.c ../support/program.c ../support/stage.c)
set(kobuki
    ../support/serial_port.c ../support/kobuki_host.c ../hosts/kobuki_client.c)

ptybot_e2e(test_e2e_stream SOURCES test_e2e_stream.c ${stage} ${kobuki} LIBS m)
ptybot_e2e(test_e2e_hosts SOURCES test_e2e_hosts.c ${stage} ${kobuki} LIBS m)
ptybot_e2e(test_e2e_cable SOURCES test_e2e_cable.c ${stage} ${kobuki} LIBS m)
ptybot_e2e(test_e2e_fleet SOURCES test_e2e_fleet.c ${stage} ${kobuki} LIBS m)
ptybot_e2e(test_e2e_drivers SOURCES test_e2e_drivers.c ${stage} ${kobuki} LIBS m)
ptybot_e2e(test_e2e_square SOURCES test_e2e_square.c ../support/test_stage.c ${stage} LIBS m)
ptybot_e2e(test_e2e_run SOURCES test_e2e_run.c ${stage} ${kobuki} LIBS m)
ptybot_e2e(test_e2e_surroundings SOURCES test_e2e_surroundings.c ${stage} ${kobuki} LIBS m)
ptybot_e2e(test_e2e_pages SOURCES test_e2e_pages.c ${stage} ${kobuki} LIBS m)
ptybot_e2e(test_e2e_control SOURCES test_e2e_control.c ../support/control_socket.c ${stage} ${kobuki} LIBS m)
ptybot_e2e(test_e2e_tcp SOURCES test_e2e_tcp.c ${stage} ${kobuki} LIBS m)
ptybot_e2e(test_e2e_rfc2217
    SOURCES test_e2e_rfc2217.c ../support/host_libraries.c ../support/test_stage.c ${stage})
ptybot_e2e(test_e2e_recorded SOURCES test_e2e_recorded.c ${stage} LIBS ptybot_app m)
ptybot_e2e(test_e2e_tap
    SOURCES test_e2e_tap.c ../support/host_libraries.c ${stage} ${kobuki}
    LIBS ptybot_lab m)
target_compile_definitions(test_e2e_tap PRIVATE PTYBOT_SHIM="$<TARGET_FILE:ptybot_shim>")
ptybot_e2e(test_e2e_shim SOURCES test_e2e_shim.c ../support/host_libraries.c ${stage} LIBS m)
target_compile_definitions(test_e2e_shim PRIVATE PTYBOT_SHIM="$<TARGET_FILE:ptybot_shim>")
ptybot_e2e(test_e2e_uart
    SOURCES test_e2e_uart.c ../hosts/kobuki_client.c ${stage} LIBS ptybot_pty m)
target_compile_definitions(test_e2e_uart PRIVATE PTYBOT_SHIM="$<TARGET_FILE:ptybot_shim>")
# The sanitizers need /proc.
if(NOT PTYBOT_SANITIZE)
    add_test(NAME small_container
        COMMAND ${PROJECT_SOURCE_DIR}/tests/support/small_container.sh $<TARGET_FILE:ptybot>
            ${CMAKE_CURRENT_BINARY_DIR}/small_container)
    set_tests_properties(small_container PROPERTIES LABELS e2e TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()
ptybot_e2e(test_e2e_private SOURCES test_e2e_private.c ${stage} ${kobuki} LIBS ptybot_app m)
ptybot_e2e(test_e2e_help SOURCES test_e2e_help.c ${stage} LIBS m)
