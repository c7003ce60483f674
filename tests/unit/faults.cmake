# Faults of wires and of robots, through the command and down to the bytes.
foreach(test test_fault_wire test_fault_exact)
    ptybot_test(${test} SOURCES ${test}.c fault_rig.c kobuki_rig.c ../support/simulation.c
        LIBS ptybot_sim m)
endforeach()
ptybot_test(test_fault_robot SOURCES test_fault_robot.c kobuki_rig.c ../support/simulation.c
    LIBS ptybot_sim m)
ptybot_test(test_fault_command SOURCES test_fault_command.c kobuki_rig.c ../support/simulation.c
    LIBS ptybot_sim m)
