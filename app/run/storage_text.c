/* The text of a storage file. */
#include "app/run/storage_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"

#define MAGIC "ptybot storage 1\n"

enum { BYTES_A_LINE = 16 };

static uint64_t hash_of(const struct robot_storage *memory)
{
    return hash_bytes(HASH_START, memory->bytes, memory->size);
}

size_t storage_text_write(const char *type, const struct robot_storage *memory,
                          char text[STORAGE_TEXT_MAX])
{
    size_t used = (size_t)snprintf(text, STORAGE_TEXT_MAX,
                                   MAGIC "robot %s\nbytes %" PRIu32 "\nhash %016" PRIx64 "\n", type,
                                   memory->size, hash_of(memory));
    for (uint32_t i = 0; i < memory->size; i++) {
        bool is_last = i % BYTES_A_LINE == BYTES_A_LINE - 1 || i + 1 == memory->size;
        used += (size_t)snprintf(text + used, STORAGE_TEXT_MAX - used, "%02x%c", memory->bytes[i],
                                 is_last ? '\n' : ' ');
    }
    return used;
}

/* Each reads one thing and moves *AT behind it. */

static bool read_word(const char **at, const char *word)
{
    size_t size = strlen(word);
    if (strncmp(*at, word, size) != 0)
        return false;
    *at += size;
    return true;
}

static bool read_digits(const char **at, int base, uint64_t *value)
{
    static const char digits[] = "0123456789abcdef";
    const char *start = *at;
    *value = 0;
    for (const char *found; **at && (found = strchr(digits, **at)) && found - digits < base;
         ++*at) {
        if (*at - start == 16) // more would not fit
            return false;
        *value = *value * (uint64_t)base + (uint64_t)(found - digits);
    }
    return *at > start;
}

const char *storage_text_read(const char *type, const char *text, struct robot_storage *memory)
{
    struct robot_storage read = {0};
    uint64_t size, hash, byte;
    if (!read_word(&text, MAGIC))
        return "it is no storage file";
    if (!read_word(&text, "robot ") || !read_word(&text, type) || !read_word(&text, "\n"))
        return "it belongs to another type of robot";
    if (!read_word(&text, "bytes ") || !read_digits(&text, 10, &size) || size == 0 ||
        size > ROBOT_STORAGE_MAX || !read_word(&text, "\nhash ") ||
        !read_digits(&text, 16, &hash) || !read_word(&text, "\n"))
        return "its head is spoiled";
    for (read.size = 0; read.size < size; read.size++) {
        if (!read_digits(&text, 16, &byte) || byte > 0xff || (*text != ' ' && *text != '\n'))
            return "bytes are missing or spoiled";
        read.bytes[read.size] = (uint8_t)byte;
        text++;
    }
    if (*text != '\0' || hash_of(&read) != hash)
        return "its bytes do not fit its checksum";
    *memory = read;
    return NULL;
}
