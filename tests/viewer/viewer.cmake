set(support ../support/check.c ../support/folder.c)
ptybot_test(test_draw_list SOURCES test_draw_list.c draw_rig.c ${support} LIBS ptybot_app ptybot_draw
    LABELS viewer)
if(TARGET ptybot_paint)
    ptybot_test(test_paint SOURCES test_paint.c draw_rig.c ${support} LIBS ptybot_app ptybot_paint
        LABELS viewer)
endif()
find_program(NODE_BINARY node)
if(WASM_COMPILER AND NODE_BINARY)
    ptybot_test(test_page_list
        SOURCES test_page_list.c draw_rig.c ${support} ../support/program.c LIBS ptybot_app ptybot_draw LABELS viewer)
    add_dependencies(test_page_list ptybot_page_wasm)
endif()

# The page's server: who may come in, and what goes over the wire, in C; attacks from outside; and the
# page in a headless Chromium, one for all.
if(TARGET ptybot_serve)
    ptybot_test(test_web_gate LIBS ptybot_serve LABELS viewer)
    ptybot_test(test_web_change SOURCES test_web_change.c draw_rig.c ${support} LIBS ptybot_app ptybot_serve
        LABELS viewer)
endif()
find_program(CHROMIUM_BINARY chromium)
if(TARGET ptybot-web AND NODE_BINARY)
    add_test(NAME page_attack COMMAND ${NODE_BINARY} ${CMAKE_CURRENT_SOURCE_DIR}/page_attack.mjs $<TARGET_FILE:ptybot>)
    set_tests_properties(page_attack PROPERTIES LABELS e2e TIMEOUT 600)
    if(CHROMIUM_BINARY)
        add_test(NAME page_use COMMAND ${NODE_BINARY} ${CMAKE_CURRENT_SOURCE_DIR}/page_use.mjs $<TARGET_FILE:ptybot>)
        set_tests_properties(page_use PROPERTIES LABELS e2e TIMEOUT 900 COST 60 ENVIRONMENT
            "PTYBOT_PAGE_WASM=${PROJECT_BINARY_DIR}/viewer/page.wasm;PTYBOT_CHROMIUM=${CHROMIUM_BINARY}")
    else()
        message(STATUS "chromium not found: the page is not used by a browser")
    endif()
endif()
