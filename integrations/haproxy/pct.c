/*
 * Percent-decoding and -encoding for Lua 5.3 and 5.4, by libpercent_simd: `require "pct"`. See README.md.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */

#include <limits.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

#include <percent_simd.h>

#define DECODER "pct.decoder"
#define ENCODER "pct.encoder"

/* If an output has at most this many bytes, it is built on the C stack. */
#define SMALL 1024

typedef struct {
    pct_decoder decoder;
    pct_encoder raw; /* keeps all bytes that may be raw in the text */
    uint32_t layers;
    int u;
} decoder_t;


/* Raises an error if the status is not PCT_OK. Only a mistake in this file can cause another status. */
static void check(lua_State *L, pct_status status)
{
    if (status != PCT_OK) {
        luaL_error(L, "percent_simd: status %d", (int)status);
    }
}


/* Returns room for `len` bytes: `small` if they fit, otherwise memory from lua_newuserdata(), which stays on Lua's stack. At
 * the memory limit, lua_newuserdata() first collects garbage. A luaL_Buffer would fail, even if most memory is garbage. */
static char *room(lua_State *L, char *small, size_t len)
{
    return len <= SMALL ? small : (char *)lua_newuserdata(L, len);
}


/* Pushes the `len` bytes at `out` as a string. If `out` is memory from room(), removes that memory from the stack. */
static void push(lua_State *L, const char *small, const char *out, size_t len)
{
    lua_pushlstring(L, out, len);
    if (out != small) {
        lua_remove(L, -2);
    }
}


/* Returns three values to Lua: nil, a message, and the position of the fault, counted from 1 as in Lua's string functions. */
static int failed(lua_State *L, pct_status status, const pct_result *result)
{
    lua_pushnil(L);
    switch (status) {
    case PCT_TRUNCATED:
        lua_pushliteral(L, "truncated escape");
        break;
    case PCT_NOT_HEX:
        lua_pushliteral(L, "malformed escape");
        break;
    case PCT_REJECTED:
        lua_pushfstring(L, "rejected byte %d", (int)result->rejected);
        break;
    case PCT_BAD_PATH:
        lua_pushliteral(L, "forbidden character or escape");
        break;
    default:
        check(L, status);
    }
    if (result->first_error == PCT_NONE) {
        lua_pushinteger(L, 1);
    } else {
        lua_pushinteger(L, (lua_Integer)result->first_error + 1);
    }
    return 3;
}


/* Returns the string at `index`. Returns "" if the value is no string, or if it has a NUL, because no option has a NUL. */
static const char *word(lua_State *L, int index)
{
    size_t len;
    const char *text = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &len) : "";

    return *text != '\0' && strlen(text) == len ? text : "";
}


/* Returns the set of characters in the string at the top of the Lua stack. `key` stays valid: lua_next() keeps it on that stack. */
static pct_set check_set(lua_State *L, const char *key)
{
    size_t len;
    const char *chars;

    if (lua_type(L, -1) != LUA_TSTRING) {
        luaL_error(L, "option \"%s\" must be a string of characters", key);
    }
    chars = lua_tolstring(L, -1, &len);
    return pct_set_of(chars, len);
}


/* Returns the controls of ASCII. */
static pct_set controls(void)
{
    return pct_set_union(pct_set_range(0, 31), pct_set_of("\x7f", 1));
}


/* Returns the set for an option that selects escapes. There is no reason to select the escape of a letter or digit. So a value
 * with a letter or digit is a misspelled name, and is an error: "control" is not a set of seven letters. An empty value is an
 * error, too, because "reject=" would let every escape pass. */
static pct_set check_escapes(lua_State *L, const char *key)
{
    pct_set set = check_set(L, key), alphanumeric;
    size_t i;
    int is_wrong = lua_rawlen(L, -1) == 0;

    if (strcmp(word(L, -1), "controls") == 0) {
        return controls();
    }
    alphanumeric = pct_set_union(pct_set_range('0', '9'), pct_set_union(pct_set_range('A', 'Z'), pct_set_range('a', 'z')));
    for (i = 0; i < 4; i++) {
        is_wrong |= (set.words[i] & alphanumeric.words[i]) != 0;
    }
    if (is_wrong) {
        luaL_error(L, "option \"%s\" is neither \"controls\" nor characters without letters and digits", key);
    }
    return set;
}


/* Returns the boolean at the top of the Lua stack. Refuses all other values, because for Lua "no" and 0 are true. */
static int check_flag(lua_State *L, const char *key)
{
    if (!lua_isboolean(L, -1)) {
        luaL_error(L, "option \"%s\" must be true or false", key);
    }
    return lua_toboolean(L, -1);
}


/* Reads the options at `index` into `d`. The options are a table, or nil. */
static void read_decoder(lua_State *L, int index, decoder_t *d)
{
    pct_decode_options options = PCT_DECODE_OPTIONS;
    pct_encode_options raw = PCT_ENCODE_OPTIONS;

    d->layers = 1;
    d->u = 0;
    if (!lua_isnoneornil(L, index)) {
        luaL_checktype(L, index, LUA_TTABLE);
        lua_pushnil(L);
        while (lua_next(L, index)) {
            const char *key = word(L, -2), *value = word(L, -1);

            if (strcmp(key, "keep") == 0) {
                options.keep = check_escapes(L, key);
            } else if (strcmp(key, "reject") == 0) {
                options.reject = check_escapes(L, key);
            } else if (strcmp(key, "plus") == 0 && strcmp(value, "always") == 0) {
                options.flags |= PCT_DECODE_PLUS;
            } else if (strcmp(key, "plus") == 0 && strcmp(value, "after-query") == 0) {
                options.flags |= PCT_DECODE_PLUS_AFTER_QUERY;
            } else if (strcmp(key, "strict") == 0) {
                options.flags |= check_flag(L, key) ? PCT_DECODE_STRICT : 0;
            } else if (strcmp(key, "upper") == 0) {
                options.flags |= check_flag(L, key) ? PCT_DECODE_KEEP_UPPER : 0;
            } else if (strcmp(key, "u") == 0) {
                d->u = check_flag(L, key);
            } else if (strcmp(key, "layers") == 0) {
                lua_Integer layers = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : 0;
                if (layers < 1 || layers > 16) {
                    luaL_error(L, "option \"layers\" must be an integer from 1 to 16");
                }
                d->layers = (uint32_t)layers;
            } else {
                luaL_error(L, "option \"%s\" is unknown, or has an invalid value", key);
            }
            lua_pop(L, 1);
        }
    }
    if (d->u && (d->layers > 1 || options.flags & PCT_DECODE_PLUS_AFTER_QUERY)) {
        luaL_error(L, "option \"u\" excludes layers above 1 and plus = \"after-query\"");
    }
    raw.allowed = pct_set_complement(pct_set_intersection(options.reject, controls()));
    check(L, pct_encoder_init(&d->raw, &raw));
    if (pct_decoder_init(&d->decoder, &options) != PCT_OK) {
        luaL_error(L, "these options exclude each other");
    }
}


/* Decodes the string at `index`. If the string doesn't change, returns the same string. */
static int decode_with(lua_State *L, const decoder_t *d, int index)
{
    size_t len;
    const char *text = luaL_checklstring(L, index, &len);
    char small[SMALL], *out = room(L, small, len);
    pct_result result;
    pct_status status;

    /* The decoder refuses only escapes. A control can be raw if "%0A" was decoded before, as by HAProxy's url_dec. */
    size_t refused = pct_encode_first_changed(&d->raw, text, len);
    if (refused != PCT_NONE) {
        len = refused;
    }
    if (d->u) {
        status = pct_decode_u(&d->decoder, text, len, out, len, &result);
    } else if (d->layers > 1) {
        status = pct_decode_layers(&d->decoder, text, len, out, len, d->layers, &result);
    } else {
        status = pct_decode(&d->decoder, text, len, out, len, &result);
    }
    if (status == PCT_OK && refused != PCT_NONE) {
        result.first_error = refused;
        result.rejected = (unsigned char)text[refused];
        status = PCT_REJECTED;
    }
    if (status != PCT_OK) {
        return failed(L, status, &result);
    }
    if (!result.changed) {
        lua_pushvalue(L, index);
    } else {
        push(L, small, out, result.written);
    }
    return 1;
}


/* pct.decode(text [, options or decoder]) */
static int l_decode(lua_State *L)
{
    decoder_t d;
    const decoder_t *prepared = (const decoder_t *)luaL_testudata(L, 2, DECODER);

    lua_settop(L, 2);
    if (prepared == NULL) {
        read_decoder(L, 2, &d);
        prepared = &d;
    }
    return decode_with(L, prepared, 1);
}


/* pct.decoder([options]): returns a decoder, to call as often as you like */
static int l_decoder(lua_State *L)
{
    decoder_t d;

    lua_settop(L, 1);
    read_decoder(L, 1, &d);
    *(decoder_t *)lua_newuserdata(L, sizeof d) = d;
    luaL_setmetatable(L, DECODER);
    return 1;
}


static int l_decoder_call(lua_State *L)
{
    const decoder_t *d = (const decoder_t *)luaL_checkudata(L, 1, DECODER);

    lua_settop(L, 2);
    return decode_with(L, d, 2);
}


/* Reads the value at `index` into `encoder`. The value is the name of a set, or a table of options. */
static void read_encoder(lua_State *L, int index, pct_encoder *encoder)
{
    pct_encode_options options = PCT_ENCODE_OPTIONS;

    if (lua_type(L, index) == LUA_TSTRING) {
        if (pct_encoder_named(encoder, word(L, index)) != PCT_OK) {
            luaL_error(L, "no set is called \"%s\"", lua_tostring(L, index));
        }
        return;
    }
    luaL_checktype(L, index, LUA_TTABLE);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        const char *key = word(L, -2);
        uint32_t flag = strcmp(key, "plus") == 0            ? PCT_ENCODE_SPACE_TO_PLUS
                        : strcmp(key, "lower") == 0         ? PCT_ENCODE_LOWERCASE
                        : strcmp(key, "keep_triplets") == 0 ? PCT_ENCODE_KEEP_TRIPLETS
                                                            : 0;
        if (strcmp(key, "allowed") == 0) {
            options.allowed = check_set(L, key);
        } else if (flag == 0) {
            luaL_error(L, "option \"%s\" is unknown", key);
        } else if (check_flag(L, key)) {
            options.flags |= flag;
        }
        lua_pop(L, 1);
    }
    if (pct_encoder_init(encoder, &options) != PCT_OK) {
        luaL_error(L, "these options exclude each other");
    }
}


/* Encodes the string at `index`. If the string doesn't change, returns the same string. */
static int encode_with(lua_State *L, const pct_encoder *encoder, int index)
{
    size_t len;
    const char *text = luaL_checklstring(L, index, &len);
    size_t encoded = pct_encoded_len(encoder, text, len);
    char small[SMALL], *out;
    pct_result result;

    if (encoded > (size_t)PTRDIFF_MAX) {
        return luaL_error(L, "the result is too long");
    }
    out = room(L, small, encoded);
    check(L, pct_encode(encoder, text, len, out, encoded, &result));
    if (!result.changed) {
        lua_pushvalue(L, index);
    } else {
        push(L, small, out, result.written);
    }
    return 1;
}


/* pct.encode(text, encoder): the encoder can also be the name of a set, or a table of options */
static int l_encode(lua_State *L)
{
    pct_encoder encoder;
    const pct_encoder *prepared = (const pct_encoder *)luaL_testudata(L, 2, ENCODER);

    lua_settop(L, 2);
    if (prepared == NULL) {
        read_encoder(L, 2, &encoder);
        prepared = &encoder;
    }
    return encode_with(L, prepared, 1);
}


/* pct.encoder(options): returns an encoder, to call as often as you like; the options can also be the name of a set */
static int l_encoder(lua_State *L)
{
    pct_encoder encoder;

    lua_settop(L, 1);
    read_encoder(L, 1, &encoder);
    *(pct_encoder *)lua_newuserdata(L, sizeof encoder) = encoder;
    luaL_setmetatable(L, ENCODER);
    return 1;
}


static int l_encoder_call(lua_State *L)
{
    const pct_encoder *encoder = (const pct_encoder *)luaL_checkudata(L, 1, ENCODER);

    lua_settop(L, 2);
    return encode_with(L, encoder, 2);
}


/* pct.normalize(text): writes equivalent escapes in one form */
static int l_normalize(lua_State *L)
{
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);
    char small[SMALL], *out = room(L, small, len);
    pct_result result;
    pct_status status = pct_normalize_escapes(text, len, out, len, &result);

    if (status != PCT_OK) {
        return failed(L, status, &result);
    }
    push(L, small, out, result.written);
    return 1;
}


/* Options for the path of a request: flags, the escapes that are refused, and the encoder of a path. */
typedef struct {
    uint32_t flags;
    pct_set reject;
    pct_decoder decoder;
    pct_encoder encoder;
} path_options_t;


/* Reads the options at `index`: true for strict, false or nil for none, or a table. */
static void read_path_options(lua_State *L, int index, path_options_t *path)
{
    pct_decode_options options = PCT_DECODE_OPTIONS;
    pct_encode_options escaping = PCT_ENCODE_OPTIONS;

    path->flags = lua_type(L, index) == LUA_TBOOLEAN && lua_toboolean(L, index) ? PCT_PATH_STRICT : 0;
    if (!lua_isnoneornil(L, index) && !lua_isboolean(L, index)) {
        luaL_checktype(L, index, LUA_TTABLE);
        lua_pushnil(L);
        while (lua_next(L, index)) {
            const char *key = word(L, -2), *value = word(L, -1);

            if (strcmp(key, "strict") == 0) {
                path->flags |= check_flag(L, key) ? PCT_PATH_STRICT : 0;
            } else if (strcmp(key, "merge_slashes") == 0) {
                path->flags |= check_flag(L, key) ? PCT_PATH_MERGE_SLASHES : 0;
            } else if (strcmp(key, "separators") == 0 && strcmp(value, "reject") == 0) {
                path->flags |= PCT_PATH_REJECT_SEPARATORS;
            } else if (strcmp(key, "separators") == 0 && strcmp(value, "keep") == 0) {
                /* the default */
            } else if (strcmp(key, "reject") == 0) {
                options.reject = check_escapes(L, key);
            } else {
                luaL_error(L, "option \"%s\" is unknown, or has an invalid value", key);
            }
            lua_pop(L, 1);
        }
    }
    path->reject = options.reject;
    check(L, pct_decoder_init(&path->decoder, &options));
    escaping.flags = PCT_ENCODE_KEEP_TRIPLETS;
    check(L, pct_set_named("rfc3986-path", &escaping.allowed));
    check(L, pct_encoder_init(&path->encoder, &escaping));
}


/* Returns the offset of the first raw character that is refused because it would become a rejected escape in the normal path.
 * Returns PCT_NONE if there is no such character. */
static size_t refused_character(const path_options_t *options, const char *path, size_t len)
{
    size_t at = 0, found;

    while ((found = pct_encode_first_changed(&options->encoder, path + at, len - at)) != PCT_NONE) {
        unsigned char byte = (unsigned char)path[at += found];
        if (options->reject.words[byte / 64] >> byte % 64 & 1) {
            return at;
        }
        at++;
    }
    return PCT_NONE;
}


/* pct.normalize_path(path [, strict or options]): makes the path of a request safe to route and to open */
static int l_normalize_path(lua_State *L)
{
    size_t len;
    const char *path = luaL_checklstring(L, 1, &len);
    size_t cap = pct_encode_bound(len);
    char small[SMALL], *out;
    path_options_t options;
    pct_result result;
    pct_status status;
    size_t refused;

    lua_settop(L, 2);
    read_path_options(L, 2, &options);
    if (cap == PCT_NONE) {
        return luaL_error(L, "the path is too long");
    }
    out = room(L, small, cap);
    status = pct_decode_check(&options.decoder, path, len, &result);
    refused = refused_character(&options, path, status == PCT_OK ? len : result.first_error);
    if (refused != PCT_NONE) {
        result.first_error = refused;
        result.rejected = (unsigned char)path[refused];
        status = PCT_REJECTED;
    }
    if (status == PCT_OK) {
        status = pct_normalize_path(path, len, out, cap, options.flags, &result);
    }
    if (status != PCT_OK) {
        return failed(L, status, &result);
    }
    push(L, small, out, result.written);
    return 1;
}


/* pct.split_target(target): returns the form of a request target (RFC 9112 3.2), and the first and last position of its path */
static int l_split_target(lua_State *L)
{
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);
    pct_request_target target;
    pct_status status = pct_split_target(text, len, &target);
    const char *form = target.form == PCT_TARGET_ORIGIN      ? "origin"
                       : target.form == PCT_TARGET_ABSOLUTE  ? "absolute"
                       : target.form == PCT_TARGET_AUTHORITY ? "authority"
                                                             : "asterisk";

    if (status == PCT_BAD_TARGET) {
        lua_pushnil(L);
        lua_pushliteral(L, "not the target of a request");
        lua_pushinteger(L, (lua_Integer)target.first_error + 1);
        return 3;
    }
    check(L, status);
    lua_pushstring(L, form);
    lua_pushinteger(L, (lua_Integer)target.path.offset + 1);
    lua_pushinteger(L, (lua_Integer)(target.path.offset + target.path.len));
    return 3;
}


static void push_decoded_part(lua_State *L, const char *part, size_t len)
{
    char small[SMALL], *out = room(L, small, len);
    pct_result result;
    pct_status status = pct_decode(pct_form_decoder(), part, len, out, len, &result);

    check(L, status);
    push(L, small, out, result.written);
}


/* Stores the next pair of a form at `pair`. Returns 0 if there is none. */
static int next_of(lua_State *L, pct_form *form, pct_pair *pair)
{
    pct_status status = pct_form_next(form, pair);

    if (status == PCT_END) {
        return 0;
    }
    check(L, status);
    return 1;
}


/* Returns the next pair of a form. The upvalues of this function are the iterator, and the text that the iterator points into. */
static int next_pair(lua_State *L)
{
    pct_form *form = (pct_form *)lua_touserdata(L, lua_upvalueindex(1));
    pct_pair pair;

    if (!next_of(L, form, &pair)) {
        return 0;
    }
    push_decoded_part(L, pair.name, pair.name_len);
    push_decoded_part(L, pair.value, pair.value_len);
    return 2;
}


/* for name, value in pct.params(query) do ... end */
static int l_params(lua_State *L)
{
    size_t len;
    const char *query = luaL_checklstring(L, 1, &len);

    check(L, pct_form_init((pct_form *)lua_newuserdata(L, sizeof(pct_form)), query, len, NULL));
    lua_pushvalue(L, 1);
    lua_pushcclosure(L, next_pair, 2);
    return 1;
}


/* pct.param(query, name [, options or decoder]): returns the value of the first parameter of this name, or nil. Without
 * options, the value is decoded as in a form. */
static int l_param(lua_State *L)
{
    size_t len;
    const char *query = luaL_checklstring(L, 1, &len);
    decoder_t d;
    const decoder_t *prepared = (const decoder_t *)luaL_testudata(L, 3, DECODER);
    pct_form form;
    pct_pair pair;

    luaL_checkstring(L, 2);
    lua_settop(L, 3);
    if (prepared == NULL && !lua_isnil(L, 3)) {
        read_decoder(L, 3, &d);
        prepared = &d;
    }
    check(L, pct_form_init(&form, query, len, NULL));
    while (next_of(L, &form, &pair)) {
        int found;
        push_decoded_part(L, pair.name, pair.name_len);
        found = lua_rawequal(L, -1, 2);
        lua_settop(L, 3);
        if (found && prepared == NULL) {
            push_decoded_part(L, pair.value, pair.value_len);
            return 1;
        }
        if (found) {
            lua_pushlstring(L, pair.value, pair.value_len);
            return decode_with(L, prepared, 4);
        }
    }
    lua_pushnil(L);
    return 1;
}


int luaopen_pct(lua_State *L);

int luaopen_pct(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"decode", l_decode},
        {"decoder", l_decoder},
        {"encode", l_encode},
        {"encoder", l_encoder},
        {"normalize", l_normalize},
        {"normalize_path", l_normalize_path},
        {"param", l_param},
        {"params", l_params},
        {"split_target", l_split_target},
        {NULL, NULL},
    };

    luaL_newmetatable(L, DECODER);
    lua_pushcfunction(L, l_decoder_call);
    lua_setfield(L, -2, "__call");
    luaL_newmetatable(L, ENCODER);
    lua_pushcfunction(L, l_encoder_call);
    lua_setfield(L, -2, "__call");
    luaL_newlib(L, functions);
    return 1;
}
