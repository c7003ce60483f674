# The virtual Kobuki, on a bench without a world.
foreach(noun frames gyro motion parser power senses sounds stream watchdog)
    ptybot_test(test_kobuki_${noun}
        SOURCES test_kobuki_${noun}.c kobuki_bench.c LIBS ptybot_protocols m)
endforeach()
