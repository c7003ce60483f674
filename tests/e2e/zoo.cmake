# The runner of tests/zoo, with two versions of two toy drivers. The drivers of the zoo are not part
# of the project.
if(NOT PTYBOT_SANITIZE AND NOT PTYBOT_COVERAGE)
    add_test(NAME zoo_runner COMMAND ${python} ${PROJECT_SOURCE_DIR}/tests/zoo/test_run.py
        --ptybot $<TARGET_FILE:ptybot> --cc ${CMAKE_C_COMPILER})
    set_tests_properties(zoo_runner PROPERTIES LABELS e2e TIMEOUT 900)
endif()
