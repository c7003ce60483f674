/* The models of the Create 2 family: what the option `model` changes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/create2/create2_state.h"

struct create2_profile {
    double capacity_mah;
    bool has_cleaner; /* brushes and vacuum; a Create 2 has connectors for them */
    uint8_t buttons;  /* that packet 18 reports */
    const char *const
        *boot_lines; /* at once, and after an empty text the rest, some seconds later */
};

const struct create2_profile *create2_profile(const struct create2_state *state);
