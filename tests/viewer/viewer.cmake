set(support ../support/check.c ../support/folder.c)
ptybot_test(test_draw_list SOURCES test_draw_list.c draw_rig.c ${support} LIBS ptybot_app ptybot_draw
    LABELS viewer)
ptybot_test(test_outbox SOURCES test_outbox.c draw_rig.c ${support} LIBS ptybot_app ptybot_model LABELS viewer)
if(TARGET ptybot_paint)
    ptybot_test(test_paint SOURCES test_paint.c draw_rig.c ${support} LIBS ptybot_app ptybot_paint
        LABELS viewer)
endif()
find_program(NODE_BINARY node)
if(WASM_COMPILER AND NODE_BINARY AND NOT PTYBOT_SANITIZE) # there, the page is empty
    ptybot_test(test_page_list
        SOURCES test_page_list.c draw_rig.c ${support} ../support/program.c LIBS ptybot_app ptybot_draw LABELS viewer)
    add_dependencies(test_page_list ptybot_page_wasm)
    ptybot_test(test_player
        SOURCES test_player.c ${support} ../support/golden.c ../support/program.c LIBS ptybot_app LABELS viewer)
    add_dependencies(test_player ptybot_replay_page)
endif()

if(TARGET ptybot_replay_page AND NODE_BINARY)
    ptybot_e2e(test_replay_page SOURCES test_replay_page.c ${support} ../support/program.c LIBS ptybot_app ptybot_draw)
    if(NOT PTYBOT_SANITIZE)
        target_compile_definitions(test_replay_page PRIVATE WITH_MODULES)
    endif()
    if(TARGET ptybot-web)
        target_compile_definitions(test_replay_page PRIVATE WITH_SERVER)
    endif()
endif()

# The page's server: access control and the bytes on the wire, in C; attacks from outside.
if(TARGET ptybot_serve)
    ptybot_test(test_web_gate LIBS ptybot_serve LABELS viewer)
    ptybot_test(test_web_doors LIBS ptybot_serve LABELS viewer)
    ptybot_test(test_web_change SOURCES test_web_change.c draw_rig.c ${support} LIBS ptybot_app ptybot_serve
        LABELS viewer)
endif()
if(TARGET ptybot-web AND NODE_BINARY)
    add_test(NAME page_attack COMMAND ${NODE_BINARY} ${CMAKE_CURRENT_SOURCE_DIR}/page_attack.mjs $<TARGET_FILE:ptybot>)
    set_tests_properties(page_attack PROPERTIES LABELS e2e TIMEOUT 600)
    # `./dev nightly page` tests mouse, touch and keys on the page in a browser. This test only
    # checks that every button has an effect. A sanitizer would not see the page.
    find_program(CHROMIUM_BINARY chromium)
    if(CHROMIUM_BINARY AND TARGET ptybot_replay_page AND NOT PTYBOT_SANITIZE)
        add_test(NAME page_buttons COMMAND ${NODE_BINARY} ${CMAKE_CURRENT_SOURCE_DIR}/page_use.mjs
            $<TARGET_FILE:ptybot> the_panel_unplugs a_page_to_try)
        set_tests_properties(page_buttons PROPERTIES LABELS e2e TIMEOUT 600
            ENVIRONMENT PTYBOT_CHROMIUM=${CHROMIUM_BINARY})
    endif()
endif()
