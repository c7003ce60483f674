/* Inputs told and put in again. */
#include "sim/record/input.h"

#include <string.h>

#include "base/modem_lines.h"
#include "sim/state/state.h"

void sim_listen(struct sim *sim, sim_listener *listener, void *context)
{
    sim->listener = listener;
    sim->listener_context = context;
}

void sim_keep_to_inputs(struct sim *sim)
{
    sim->is_repetition = true;
}

void input_tell(struct sim *sim, const struct sim_input *input)
{
    if (sim->listener)
        sim->listener(sim->listener_context, input);
}

static bool put_command(struct sim *sim, const struct sim_input *input, struct error *error)
{
    char text[COMMAND_TEXT_MAX];
    if (input->size >= sizeof text || memchr(input->bytes, '\0', input->size))
        return error_set(error, "a command of %zu bytes", input->size);
    memcpy(text, input->bytes, input->size);
    text[input->size] = '\0';
    return command_do(sim, text, COMMAND_INPUT, error);
}

static bool put_bytes(struct sim *sim, const struct sim_input *input, struct error *error)
{
    size_t room = sim_host_room(sim, input->channel);
    if (input->size > room)
        return error_set(error, "%zu bytes came from the host, but there is room for %zu",
                         input->size, room);
    sim_host_bytes(sim, input->channel, input->bytes, input->size);
    return true;
}

bool sim_put(struct sim *sim, const struct sim_input *input, struct error *error)
{
    if (input->kind == SIM_INPUT_COMMAND)
        return put_command(sim, input, error);
    size_t most = input->kind == SIM_INPUT_SAVED ? sim->robot_count : sim->channel_count;
    if (input->channel >= most)
        return error_set(error, "there is no %s number %zu",
                         input->kind == SIM_INPUT_SAVED ? "robot" : "channel", input->channel);
    switch (input->kind) {
    case SIM_INPUT_HOST:
        sim_host_present(sim, input->channel, input->value != 0);
        break;
    case SIM_INPUT_LINES:
        sim_host_lines(sim, input->channel, input->value & (MODEM_DTR | MODEM_RTS));
        break;
    case SIM_INPUT_BAUD:
        sim_host_baud(sim, input->channel, input->value);
        break;
    case SIM_INPUT_READS:
        sim_host_reads(sim, input->channel, input->value != 0);
        break;
    case SIM_INPUT_SAVED:
        sim_storage_saved(sim, input->channel);
        break;
    case SIM_INPUT_BYTES:
    case SIM_INPUT_COMMAND:
        return put_bytes(sim, input, error);
    }
    return true;
}
