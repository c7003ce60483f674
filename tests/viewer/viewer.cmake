set(support ../support/check.c ../support/folder.c)
ptybot_test(test_draw_list SOURCES test_draw_list.c draw_rig.c ${support} LIBS ptybot_app ptybot_draw
    LABELS viewer)
if(TARGET ptybot_paint)
    ptybot_test(test_paint SOURCES test_paint.c draw_rig.c ${support} LIBS ptybot_app ptybot_paint
        LABELS viewer)
endif()
