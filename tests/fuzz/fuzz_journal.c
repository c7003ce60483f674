/* Any bytes as a journal, unchanged and as lines with correct checks added: rejected with a reason,
 * or replayed for a while. */
#include <assert.h>
#include <stdlib.h>

#include "sim/parse/scene_parse.h"
#include "sim/record/playback.h"
#include "sim/scene/scene.h"
#include "sim/sim.h"
#include "tests/fuzz/journal_seal.h"

enum {
    STEPS_MAX = 300, /* chosen: long enough for every kind of entry, so that no input is slow */
    ROBOTS_MAX = 4,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay(const struct journal_head *head, struct journal_reader *reader, struct sim *sim)
{
    struct error error = {0};
    struct playback *playback = playback_open(head, reader, sim, &error);
    if (!playback) {
        assert(error.text[0] != '\0');
        return;
    }
    for (int i = 0; i < STEPS_MAX && playback_feed(playback) == PLAYBACK_GOES_ON; i++) {
        sim_step(sim);
        playback_drain(playback, NULL, NULL);
    }
    struct playback_result result = playback_result(playback);
    assert((result.state == PLAYBACK_DEPARTED || result.state == PLAYBACK_DAMAGED) ==
           (result.reason[0] != '\0'));
    playback_close(playback);
}

static void begin(struct journal_head *head, struct journal_reader *reader)
{
    struct error error = {0};
    const struct scene_source *source = head->sources;
    struct scene *scene = source ? scene_parse(source->bytes, source->size, "fuzz.yaml", &error)
                                 : scene_of_type(head->type, &error);
    bool is_right = scene && scene->robot_count <= ROBOTS_MAX && scene->map[0] == '\0';
    for (size_t i = 0; is_right && i < head->set_count; i++)
        is_right = scene_set(scene, head->sets[i], &error);
    struct sim *sim = is_right ? sim_create(scene, NULL, NULL, &error) : NULL;
    if (sim)
        replay(head, reader, sim);
    sim_destroy(sim);
    scene_destroy(scene);
}

static void look(const char *bytes, size_t size)
{
    static struct journal_reader reader;
    struct journal_head head;
    struct error error = {0};
    if (journal_open(&reader, bytes, size, &error) && journal_head_read(&head, &reader, &error)) {
        begin(&head, &reader);
        journal_head_free(&head);
    } else {
        assert(error.text[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t sealed_size;
    char *sealed = journal_seal(data, size, &sealed_size);
    look((const char *)data, size);
    look(sealed, sealed_size);
    free(sealed);
    return 0;
}
