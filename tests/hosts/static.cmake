# Without sanitizers, which do not support static linking.
add_executable(static_sleeper static_sleeper.c)
target_link_libraries(static_sleeper PRIVATE ptybot_warnings)
target_link_options(static_sleeper PRIVATE -static)
set_property(GLOBAL APPEND PROPERTY ptybot_hosts static_sleeper)
