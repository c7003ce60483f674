/* Words for messages about a scene. */
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/option.h"

long scene_text_control(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] < 0x20 || bytes[i] == 0x7f) {
            return bytes[i];
        }
        /* U+0080 to U+009F, the second row of controls, are 0xc2 0x80 to 0xc2 0x9f in UTF-8. */
        if (bytes[i] == 0xc2 && i + 1 < length && bytes[i + 1] < 0xa0) {
            return bytes[i + 1];
        }
    }
    return -1;
}

/* Bytes of the character that TEXT starts with, as its first byte says; never past the NUL. */
static size_t text_character(const char *text)
{
    size_t size = 1;
    while (((unsigned char)text[size] & 0xc0) == 0x80) {
        size++;
    }
    return size;
}

const char *scene_text_quote(const char *text, char quote[static SCENE_QUOTE_SIZE])
{
    static const char more[] = "...";
    size_t used = 0;
    while (*text) {
        size_t step = text_character(text);
        bool is_control = scene_text_control(text, step) >= 0;
        size_t shown = is_control ? 1 : step;
        if (used + shown + sizeof more > SCENE_QUOTE_SIZE) {
            memcpy(quote + used, more, sizeof more);
            return quote;
        }
        memcpy(quote + used, is_control ? "?" : text, shown);
        used += shown;
        text += step;
    }
    quote[used] = '\0';
    return quote;
}

const char *scene_text_advice(const char *const *words, const char *word,
                              char advice[static SCENE_ADVICE_SIZE])
{
    const char *nearest = word ? option_nearest_word(words, word) : NULL;
    size_t used = 0;
    advice[0] = '\0';
    if (nearest) {
        used = (size_t)snprintf(advice, SCENE_ADVICE_SIZE, "did you mean %s? ", nearest);
    }
    used += (size_t)snprintf(advice + used, SCENE_ADVICE_SIZE - used, "allowed: ");
    for (size_t i = 0; words[i]; i++) {
        const char *between = i ? ", " : "";
        /* Room is kept for the dots that say that the list goes on. */
        if (used + strlen(between) + strlen(words[i]) + sizeof ", ..." > SCENE_ADVICE_SIZE) {
            snprintf(advice + used, SCENE_ADVICE_SIZE - used, "%s...", between);
            break;
        }
        used +=
            (size_t)snprintf(advice + used, SCENE_ADVICE_SIZE - used, "%s%s", between, words[i]);
    }
    return advice;
}
