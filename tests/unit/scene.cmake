# Scenes.
ptybot_test(test_scene LIBS ptybot_sim)
ptybot_test(test_scene_tree LIBS ptybot_sim)
ptybot_test(test_scene_tables LIBS ptybot_sim)
foreach(noun errors file_errors link_errors place_errors)
    ptybot_test(test_scene_${noun} SOURCES test_scene_${noun}.c wrong_scene.c LIBS ptybot_app m)
endforeach()
ptybot_test(test_scene_map LIBS ptybot_sim m)
ptybot_test(test_custom_robot
    SOURCES test_custom_robot.c ${PROJECT_SOURCE_DIR}/tests/support/robot_rig.c LIBS ptybot_sim m)

ptybot_test(test_scene_memory LIBS ptybot_sim)
ptybot_count_allocations(test_scene_memory)

# A second copy of the built-in robots, as a shared object that is loaded.
file(GLOB robots CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/protocols/*/*.c)
add_library(built_in_objects MODULE
    ${PROJECT_SOURCE_DIR}/tests/support/built_in_objects.c ${robots})
target_link_libraries(built_in_objects PRIVATE ptybot_robot ptybot_warnings ptybot_sanitizers)
set_target_properties(built_in_objects PROPERTIES C_VISIBILITY_PRESET hidden)
ptybot_test(test_robot_object
    SOURCES test_robot_object.c ${PROJECT_SOURCE_DIR}/tests/support/folder.c LIBS ptybot_app)
add_dependencies(test_robot_object built_in_objects)
