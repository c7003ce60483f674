/* A driver of our own for the test of the runner: it keeps a Kobuki driving. */
#pragma once

/* Opens a port; negative: failure. */
int toy_open(const char *path);
/* Reads a packet and sends a speed, mm/s. Returns 0, or -1 if the port has ended. */
int toy_step(int port, int speed_mm_s);
