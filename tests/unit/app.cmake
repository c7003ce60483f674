# The app: its clock arithmetic, and the control socket over real sockets and ptys.
ptybot_test(test_pacer LIBS ptybot_app)
ptybot_test(test_arguments LIBS ptybot_app)
ptybot_test(test_diagnoses LIBS ptybot_app)
foreach(test host_run wakeup_latency)
    ptybot_test(test_${test} SOURCES test_${test}.c ../support/check.c LIBS ptybot_app)
endforeach()
foreach(test hold hold_threads)
    ptybot_test(test_${test} SOURCES test_${test}.c hold_rig.c ../support/check.c ../support/machine.c LIBS ptybot_app)
endforeach()
ptybot_test(test_live LIBS ptybot_app)
ptybot_test(test_poller SOURCES test_poller.c ../support/machine.c LIBS ptybot_app)
ptybot_test(test_estimate LIBS ptybot_app)
ptybot_test(test_statistics LIBS ptybot_lab m)
ptybot_test(test_reading LIBS ptybot_app)
ptybot_test(test_survival LIBS ptybot_lab m)
target_compile_definitions(test_survival PRIVATE _GNU_SOURCE)
ptybot_test(test_serial_check LIBS ptybot_app)
ptybot_test(test_every_command LIBS ptybot_app m)
set_source_files_properties(control_rig.c PROPERTIES COMPILE_DEFINITIONS _GNU_SOURCE)
foreach(test control control_awake control_clients links host_words)
    ptybot_test(test_${test} SOURCES test_${test}.c control_rig.c LIBS ptybot_app)
    target_compile_definitions(test_${test} PRIVATE _GNU_SOURCE)
endforeach()
foreach(test map_file image long_log file_bytes fresh_file page scene_find storage folders out_folder host_start)
    ptybot_test(test_${test} SOURCES test_${test}.c ../support/folder.c ../support/check.c
        LIBS ptybot_app)
endforeach()
ptybot_test(test_external_peers SOURCES test_external_peers.c ../support/folder.c ../support/check.c ../support/machine.c
    LIBS ptybot_app)
ptybot_count_allocations(test_external_peers)
ptybot_test(test_idle_proof_reads SOURCES test_idle_proof_reads.c idle_rig.c ../support/check.c ../support/machine.c LIBS ptybot_app)
ptybot_test(test_idle_proof_list SOURCES test_idle_proof_list.c idle_rig.c ../support/check.c ../support/machine.c LIBS ptybot_app)
ptybot_count_allocations(test_idle_proof_list)
ptybot_test(test_idle_proof_calls SOURCES test_idle_proof_calls.c ../support/check.c ../support/machine.c LIBS ptybot_app)
foreach(test idle_proof idle_proof_crowd idle_proof_repeats)
    ptybot_test(test_${test} SOURCES test_${test}.c idle_rig.c ../support/check.c ../support/machine.c LIBS ptybot_app)
endforeach()
add_dependencies(test_host_start ptybot_shim ptybot_clock)
ptybot_test(test_host_run_start SOURCES test_host_run_start.c control_rig.c ../support/folder.c ../support/check.c ../support/machine.c LIBS ptybot_app)
add_dependencies(test_host_run_start ptybot_shim ptybot_clock)
if(NOT PTYBOT_LIBRARIES STREQUAL "SHARED") # there memory of the C library ends too: nothing can open a folder to remove it
    ptybot_test(test_out_of_memory SOURCES test_out_of_memory.c ../support/folder.c ../support/check.c
        LIBS ptybot_app)
    ptybot_count_allocations(test_out_of_memory)
endif()
ptybot_test(test_capture SOURCES test_capture.c ../support/folder.c ../support/check.c
    LIBS ptybot_lab)
ptybot_test(test_compare_robots
    SOURCES test_compare_robots.c ../support/folder.c ../support/check.c LIBS ptybot_lab m)
ptybot_test(test_compare
    SOURCES test_compare.c compare_rig.c ../hosts/kobuki_client.c ../support/folder.c
        ../support/check.c
    LIBS ptybot_lab m)
