/* What a web page needs to do a run again, in one piece: the scene as trees, and the journal. The
 * program packs it; the page, which reads no YAML and decodes no picture, takes the scene out. */
#ifndef PTYBOT_APP_REPLAY_PARCEL_H
#define PTYBOT_APP_REPLAY_PARCEL_H

#include <stddef.h>

#include "base/error.h"
#include "sim/scene/scene.h"

/* Packs a scene as it was read, and a journal (JOURNAL NULL: there is none, and the scene begins
 * anew). Returns SIZE bytes, which the caller frees. NULL, with the reason in ERROR: a robot is a
 * shared object, or memory is short. */
char *parcel_pack(const struct scene *scene, const char *journal, size_t journal_size, size_t *size,
                  struct error *error);

/* The scene in a parcel, which the caller owns; options that were set from outside are still to be
 * set. NULL, with the reason in ERROR: it is damaged. */
struct scene *parcel_scene(const char *bytes, size_t size, struct error *error);

/* The journal in a parcel, SIZE bytes of it; NULL: there is none. */
const char *parcel_journal(const char *bytes, size_t size, size_t *journal_size);

#endif
