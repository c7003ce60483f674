/* JSON in memory. */
#include "viewer/page/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

void json_clear(struct json *json)
{
    json->size = 0;
    json->needs_comma = json->is_short = false;
}

static void put(struct json *json, const char *text, size_t size)
{
    json->is_short |= !array_reserve(&json->text, &json->room, json->size + size + 1, 1);
    if (json->is_short)
        return;
    memcpy(json->text + json->size, text, size);
    json->size += size;
    json->text[json->size] = '\0';
}

static void put_string(struct json *json, const char *value)
{
    put(json, "\"", 1);
    for (; *value; value++) {
        char escaped[8];
        size_t plain = strcspn(value, "\"\\");
        size_t size = 0;
        while (size < plain && (unsigned char)value[size] >= ' ')
            size++;
        put(json, value, size);
        value += size;
        if (!*value)
            break;
        int wrote = snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)(unsigned char)*value);
        put(json, escaped, (size_t)wrote);
    }
    put(json, "\"", 1);
}

static void put_key(struct json *json, const char *key)
{
    if (json->needs_comma)
        put(json, ",", 1);
    json->needs_comma = true;
    if (!key)
        return;
    put_string(json, key);
    put(json, ":", 1);
}

void json_begin(struct json *json, const char *key, char bracket)
{
    put_key(json, key);
    put(json, &bracket, 1);
    json->needs_comma = false;
}

void json_end(struct json *json, char bracket)
{
    put(json, bracket == '{' ? "}" : "]", 1);
    json->needs_comma = true;
}

void json_string(struct json *json, const char *key, const char *value)
{
    put_key(json, key);
    if (value)
        put_string(json, value);
    else
        put(json, "null", 4);
}

void json_number(struct json *json, const char *key, double value)
{
    char text[32];
    put_key(json, key);
    int wrote = isfinite(value) ? snprintf(text, sizeof text, "%.10g", value)
                                : snprintf(text, sizeof text, "null");
    put(json, text, (size_t)wrote);
}

void json_bool(struct json *json, const char *key, bool value)
{
    put_key(json, key);
    put(json, value ? "true" : "false", value ? 4 : 5);
}
