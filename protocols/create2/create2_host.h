/* What a host sends and what it receives: modes, commands, queries, the stream, and the text that
 * the firmware prints. */
#pragma once

#include "protocols/create2/create2_state.h"

void create2_host_reset(struct create2_state *state, int64_t now_us);

/* Obeys the command in the framer, as far as the mode allows. */
void create2_host_obey(struct create2_state *state, int64_t now_us);

/* Leaves safe mode where a wheel drops, an edge comes or a charger is there. Once in a pass. */
void create2_host_guard(struct create2_state *state, int64_t now_us);

/* Answers what was asked since the last slot, and sends the stream. */
void create2_host_send(struct create2_state *state, const struct robot_tx *tx, int64_t now_us);

/* Text that the firmware prints: begins the lines of a boot. */
void create2_host_print_boot(struct create2_state *state, int64_t now_us);
/* One line now, without its end. */
void create2_host_print(struct create2_state *state, const struct robot_tx *tx, const char *line);
/* What is due of the boot text, and of the charging text. */
void create2_host_text(struct create2_state *state, const struct robot_tx *tx, int64_t now_us);
