# The driver of the preset flood, with a body that fails.
if(NOT PTYBOT_SANITIZE AND NOT PTYBOT_FUZZ AND NOT CMAKE_CROSSCOMPILING) # it has its own memory, limits and signals
    ptybot_executable(flood_trial SOURCES flood.c trial_body.c LIBS ptybot_base)
    ptybot_script(flood flood.cmake -DPROGRAM=$<TARGET_FILE:flood_trial>
        -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/flood_trial.folder)
endif()
