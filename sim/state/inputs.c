#include "sim/state/inputs.h"

#include <assert.h>

#include "base/modem_lines.h"
#include "sim/state/power.h"
#include "sim/state/state.h"

/* ---- The listener ---- */

void sim_listen(struct sim *sim, sim_listener *listener, void *context)
{
    sim->listener = listener;
    sim->listener_context = context;
}

void input_notify(struct sim *sim, const struct sim_input *input)
{
    if (sim->listener)
        sim->listener(sim->listener_context, input);
}

void sim_keep_to_inputs(struct sim *sim)
{
    sim->is_repetition = true;
}

/* ---- Inputs from drivers ---- */

static struct sim_channel *channel_at(const struct sim *sim, size_t channel)
{
    assert(channel < sim->channel_count);
    return &sim->channels[channel];
}

static void notify(struct sim *sim, enum sim_input_kind kind, size_t channel, uint32_t value)
{
    input_notify(sim, &(struct sim_input){.kind = kind, .channel = channel, .value = value});
}

/* Returns whether the lines have changed. */
static bool set_lines(struct sim_channel *at, unsigned lines)
{
    size_t count = at->line_change_count;
    uint8_t last = count > 0 ? at->line_changes[count - 1] : at->host_lines;
    if (lines == last)
        return false;
    // If there are too many changes, the newest one replaces the last.
    if (count < SIM_LINES_MAX)
        at->line_change_count = ++count;
    at->line_changes[count - 1] = (uint8_t)lines;
    return true;
}

void sim_host_present(struct sim *sim, size_t channel, bool present)
{
    struct sim_channel *at = channel_at(sim, channel);
    bool is_known = at->is_host != (at->host_changes % 2 == 1);
    if (present == is_known)
        return;
    at->host_changes++;
    // Opening a serial port sets both lines, closing it clears them.
    set_lines(at, present ? MODEM_DTR | MODEM_RTS : 0);
    notify(sim, SIM_INPUT_HOST, channel, present);
}

void sim_host_lines(struct sim *sim, size_t channel, unsigned lines)
{
    if (set_lines(channel_at(sim, channel), lines))
        notify(sim, SIM_INPUT_LINES, channel, lines);
}

void sim_host_baud(struct sim *sim, size_t channel, uint32_t baud)
{
    struct sim_channel *at = channel_at(sim, channel);
    line_set_host_baud(at->line, baud);
    if (baud > 0)
        at->host_baud = baud;
    notify(sim, SIM_INPUT_BAUD, channel, baud);
}

void sim_host_mode(struct sim *sim, size_t channel, uint32_t mode)
{
    struct sim_channel *at = channel_at(sim, channel);
    if (mode == at->host_mode)
        return;
    channel_set_mode(at, mode);
    notify(sim, SIM_INPUT_MODE, channel, mode);
}

size_t sim_host_room(const struct sim *sim, size_t channel)
{
    return line_room(channel_at(sim, channel)->line);
}

void sim_host_bytes(struct sim *sim, size_t channel, const uint8_t *bytes, size_t size)
{
    line_host_bytes(channel_at(sim, channel)->line, bytes, size, sim->now_us);
    input_notify(sim,
                 &(struct sim_input){
                     .kind = SIM_INPUT_BYTES, .channel = channel, .bytes = bytes, .size = size});
}

void sim_host_reads(struct sim *sim, size_t channel, bool reads)
{
    struct sim_channel *at = channel_at(sim, channel);
    if (at->is_unread == !reads)
        return;
    at->is_unread = !reads;
    notify(sim, SIM_INPUT_READS, channel, reads);
}

void sim_host_delayed(struct sim *sim, uint32_t thread, uint32_t delay_us)
{
    notify(sim, SIM_INPUT_DELAY, thread, delay_us);
}

/* ---- Outputs to drivers ---- */

bool sim_output(struct sim *sim, size_t channel, const uint8_t **bytes, size_t *size)
{
    const struct sim_channel *at = channel_at(sim, channel);
    if (at->is_unread || !line_to_host(at->line, bytes, size, sim->now_us))
        return false;
    for (struct sim_watcher *watcher = sim->watchers; watcher; watcher = watcher->next)
        if (watcher->delivered)
            watcher->delivered(watcher, channel, *bytes, *size);
    return true;
}

unsigned sim_take_errors(struct sim *sim, size_t channel)
{
    return line_take_errors(channel_at(sim, channel)->line);
}

/* ---- Storage ---- */

void sim_storage_saved(struct sim *sim, size_t robot)
{
    assert(robot < sim->robot_count);
    struct robot_storage *storage = robot_storage_of(&sim->robots[robot]);
    if (!storage)
        return;
    storage->is_dirty = false;
    input_notify(sim, &(struct sim_input){.kind = SIM_INPUT_SAVED, .channel = robot});
}
