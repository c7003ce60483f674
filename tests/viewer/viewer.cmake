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
