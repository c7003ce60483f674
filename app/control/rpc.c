/* JSON-RPC 2.0 with one message per line. */
#include "app/control/rpc.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum {
    METHODS_MAX = 32,
    DIGITS = 15, /* 0.1 stays 0.1; only the last digit of a double is lost */
};

json_t *rpc_number(double value)
{
    static const double whole_max = 9007199254740992.0; // 2^53: beyond it not every integer is one
    if (!isfinite(value))
        return json_null();
    if (floor(value) == value && fabs(value) <= whole_max)
        return json_integer((json_int_t)value);
    return json_real(value);
}

const char *rpc_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

enum rpc_outcome rpc_fail(struct rpc_call *call, int code, const char *format, ...)
{
    char text[sizeof call->error.text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_set(&call->error, "%s", text);
    call->code = code;
    return RPC_FAILED;
}

/* ---- Replies ---- */

/* Text from outside may be truncated within a character, or not be UTF-8 at all. */
static json_t *safe_text(const char *text)
{
    json_t *whole = json_string(text);
    if (whole)
        return whole;
    char ascii[sizeof(struct error)];
    size_t i = 0;
    for (; text[i] && i < sizeof ascii - 1; i++)
        memcpy(&ascii[i], (unsigned char)text[i] < 0x80 ? &text[i] : "?", 1);
    ascii[i] = '\0';
    return json_string(ascii);
}

char *rpc_line(json_t *message)
{
    if (!message)
        return NULL;
    char *text = json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    json_decref(message);
    if (!text)
        return NULL;
    size_t size = strlen(text);
    char *line = realloc(text, size + 2);
    if (!line) {
        free(text);
        return NULL;
    }
    memcpy(line + size, "\n", 2);
    return line;
}

/* Takes over BODY, not ID. */
static char *write_reply(json_t *id, const char *key, json_t *body)
{
    return rpc_line(json_pack("{s:s, s:O?, s:o}", "jsonrpc", "2.0", "id", id, key, body));
}

char *rpc_notification(const char *method, json_t *params)
{
    return rpc_line(
        json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params));
}

static char *write_error(json_t *id, int code, const char *message)
{
    return write_reply(id, "error",
                       json_pack("{s:i, s:o}", "code", code, "message", safe_text(message)));
}

char *rpc_answer_error(int code, const char *message)
{
    return write_error(NULL, code, message);
}

void rpc_later_drop(struct rpc_later *later)
{
    json_decref(later->id);
    json_decref(later->params);
    *later = (struct rpc_later){0};
}

char *rpc_answer_later(struct rpc_later *later, json_t *result, int code, const char *message)
{
    char *line = NULL;
    if (!later->id)
        json_decref(result);
    else if (result)
        line = write_reply(later->id, "result", result);
    else
        line = write_error(later->id, code, message);
    rpc_later_drop(later);
    return line;
}

/* ---- Requests ---- */

static bool is_id(const json_t *id)
{
    return json_is_string(id) || json_is_number(id) || json_is_null(id);
}

/* Whether it is a request object. If not, CALL->error has the reason. */
static bool check_request(const json_t *root, struct rpc_call *call)
{
    const json_t *id = json_object_get(root, "id");
    const char *version = json_string_value(json_object_get(root, "jsonrpc"));
    const json_t *params = json_object_get(root, "params");
    call->code = RPC_INVALID_REQUEST;
    if (json_is_array(root))
        return error_set(&call->error, "batches are not supported: send one request per line");
    if (!json_is_object(root))
        return error_set(&call->error, "a request is an object");
    if (!version || strcmp(version, "2.0") != 0)
        return error_set(&call->error, "jsonrpc: must be \"2.0\"");
    if (!json_is_string(json_object_get(root, "method")))
        return error_set(&call->error, "method: must be a string");
    if (id && !is_id(id))
        return error_set(&call->error, "id: must be a string, a number or null");
    if (params && !json_is_object(params) && !json_is_array(params))
        return error_set(&call->error, "params: must be an object");
    return true;
}

static const struct rpc_method *find_method(const struct rpc_method *methods, const char *name,
                                            struct rpc_call *call)
{
    const char *names[METHODS_MAX + 1] = {0};
    for (size_t i = 0; methods[i].name; i++) {
        if (strcmp(methods[i].name, name) == 0)
            return &methods[i];
        if (i < METHODS_MAX)
            names[i] = methods[i].name;
    }
    const char *near = text_nearest(names, name);
    rpc_fail(call, RPC_UNKNOWN_METHOD, "unknown method '%.64s'%s", name, TEXT_MEANT(near, NULL));
    return NULL;
}

static bool check_params(const struct rpc_method *method, struct rpc_call *call)
{
    const char *key;
    json_t *value;
    call->code = RPC_INVALID_PARAMS;
    if (!json_is_object(call->params))
        return error_set(&call->error, "params: must be an object: {\"key\": value}");
    json_object_foreach(call->params, key, value)
    {
        size_t i = 0;
        while (method->params[i] && strcmp(method->params[i], key) != 0)
            i++;
        if (method->params[i])
            continue;
        const char *near = text_nearest(method->params, key);
        return error_set(&call->error, "%s: unknown parameter '%.64s'%s", method->name, key,
                         TEXT_MEANT(near, NULL));
    }
    return true;
}

static enum rpc_outcome run(const struct rpc_method *methods, json_t *root, struct rpc_call *call)
{
    if (!check_request(root, call))
        return RPC_FAILED;
    const struct rpc_method *method =
        find_method(methods, json_string_value(json_object_get(root, "method")), call);
    if (!method || !check_params(method, call))
        return RPC_FAILED;
    return method->run(call);
}

char *rpc_answer(const struct rpc_method *methods, void *context, const char *line, size_t size,
                 struct rpc_later *later)
{
    json_error_t mistake;
    char *reply = NULL;
    *later = (struct rpc_later){0};
    json_t *root = json_loadb(line, size, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &mistake);
    if (!root)
        return rpc_answer_error(RPC_PARSE_ERROR, mistake.text);

    json_t *given = json_object_get(root, "params");
    struct rpc_call call = {
        .context = context,
        .params = given ? json_incref(given) : json_object(),
    };
    enum rpc_outcome outcome = run(methods, root, &call);
    json_t *id = json_object_get(root, "id");
    // A malformed request may have no valid id, but gets a reply even so.
    bool is_broken = outcome == RPC_FAILED && call.code == RPC_INVALID_REQUEST;
    if (is_broken && !is_id(id))
        id = NULL;
    if (outcome == RPC_LATER) {
        *later = call.later;
        later->id = id ? json_incref(id) : NULL;
        later->params = json_incref(call.params);
    } else if (outcome == RPC_FAILED && (id || is_broken))
        reply = write_error(id, call.code, call.error.text);
    else if (outcome == RPC_DONE && id && call.result)
        reply = write_reply(id, "result", json_incref(call.result));
    json_decref(call.result);
    json_decref(call.params);
    json_decref(root);
    return reply;
}
