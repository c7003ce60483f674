# What robots see and hear.
foreach(test test_camera test_camera_picture test_camera_places)
    ptybot_test(${test}
        SOURCES ${test}.c camera_rig.c ../support/picture.c ../support/stb_picture.c
            ../support/simulation.c
        LIBS ptybot_sim m)
endforeach()
ptybot_count_allocations(test_camera)
set_source_files_properties(../support/stb_picture.c PROPERTIES COMPILE_OPTIONS -w)
