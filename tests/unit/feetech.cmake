# The virtual servos of Feetech and the robots on their bus, in whole simulations, by their packets.
ptybot_test(test_feetech SOURCES test_feetech.c feetech_rig.c ../support/simulation.c LIBS ptybot_sim m)
ptybot_test(test_feetech_motion SOURCES test_feetech_motion.c feetech_rig.c ../support/simulation.c LIBS ptybot_sim m)
ptybot_test(test_feetech_faults SOURCES test_feetech_faults.c feetech_rig.c ../support/simulation.c LIBS ptybot_sim m)
