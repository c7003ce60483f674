# Scenes with timelines and expectations, and simulated time controlled by clients of the control
# socket.
set(expect_stage
    ../support/check.c ../support/folder.c ../support/program.c ../support/stage.c)
ptybot_e2e(test_e2e_expect SOURCES test_e2e_expect.c ${expect_stage} LIBS m)
ptybot_e2e(test_e2e_watch SOURCES test_e2e_watch.c ${expect_stage} LIBS m)
ptybot_e2e(test_e2e_fence
    SOURCES test_e2e_fence.c ${expect_stage} ../support/serial_port.c ../hosts/kobuki_client.c
    LIBS m)

# The test in the documents is run as they say.
find_program(PTYBOT_PYTHON python3)
if(PTYBOT_PYTHON)
    add_test(NAME document_python
        COMMAND ${CMAKE_COMMAND} -DDOCUMENT=${PROJECT_SOURCE_DIR}/docs/reference/control.md -DLINES=11
            -DPTYBOT=$<TARGET_FILE:ptybot> -DPYTHON=${PTYBOT_PYTHON}
            -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/document_python
            -P ${PROJECT_SOURCE_DIR}/tests/gates/document_python.cmake)
    set_tests_properties(document_python PROPERTIES LABELS e2e TIMEOUT 120)
else()
    message(STATUS "python3 not found: the Python in docs/reference/control.md is not tested")
endif()
