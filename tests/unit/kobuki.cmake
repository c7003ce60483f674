# The virtual Kobuki, on a bench without a world.
foreach(noun frames gyro motion parser power senses sounds stream watchdog)
    ptybot_test(test_kobuki_${noun}
        SOURCES test_kobuki_${noun}.c kobuki_bench.c LIBS ptybot_protocols m)
endforeach()
# Published clients, in a whole simulation.
ptybot_test(test_kobuki_clients SOURCES test_kobuki_clients.c kobuki_rig.c ../support/simulation.c
    LIBS ptybot_sim m)
