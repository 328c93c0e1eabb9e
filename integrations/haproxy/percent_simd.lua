-- Converters and actions for HAProxy. Load this file with lua-load or lua-load-per-thread. To define decoders by name, write
-- your own file, and require this one in it. See README.md.
--
-- If Lua raises an error, HAProxy continues with the unchanged request. If HAProxy lacks the memory to report the error, it may
-- abort. So every function here runs in pcall(), which also catches a lack of memory. Memory can then run out only before the
-- function starts. In that case HAProxy continues as if the rule did not exist. So README.md has rules with "unless": they deny
-- every request that is not known to be good.
--
-- Each function always returns a value. Otherwise HAProxy 2.6 would use the value that an earlier action in the same stream
-- returned.
--
-- SPDX-License-Identifier: MIT OR Apache-2.0

local pct = require "pct"

-- Logs an error, but only the first time. An error is a mistake in the configuration, so it would occur again with each
-- request.
local reported = {}
local function report(name, why)
    why = ("percent-encoding: lua.%s: %s"):format(name, why:match "^[^:]*:%d+: (.*)" or why)
    if not reported[why] then
        reported[why] = true
        core.log(core.alert, why)
    end
end

-- Returns a function that calls `call` and returns its result. If `call` raises an error, the returned function logs
-- the error and returns `failed`.
local function guarded(name, call, failed)
    -- Build this message in advance, because no memory is left for it when memory runs out. Unlike other errors, a lack
    -- of memory is logged each time.
    local lacking = ("percent-encoding: lua.%s: not enough memory"):format(name)
    return function(...)
        local done, value = pcall(call, ...)
        if done then
            return value
        elseif value:find("not enough memory", 1, true) then
            pcall(core.log, core.alert, lacking)
        else
            pcall(report, name, value)
        end
        return failed
    end
end

local function register(name, convert, failed)
    core.register_converters(name, guarded(name, convert, failed))
end

-- Returns a table of options from arguments such as "keep=/", "layers=2" and "strict".
local function options(arguments)
    local result = {}
    for _, argument in ipairs(arguments) do
        local key, value = argument:match "^([%w_]+)=(.*)$"
        key = key or argument
        if result[key] ~= nil then
            error(("option %q is given twice"):format(key), 0)
        end
        if key == "layers" then
            value = math.tointeger(tonumber(value))
        end
        result[key] = value or true
    end
    return result
end

-- Returns the decoder for the arguments of a converter, and creates it only once. If `is_form` is true, the decoder
-- reads "+" as a space by default.
local decoders = {}
local function decoder(is_form, ...)
    local key = table.concat({ tostring(is_form), ... }, "\0")
    if not decoders[key] then
        local given = options { ... }
        if is_form and given.plus == nil then
            given.plus = "always"
        end
        decoders[key] = pct.decoder(given)
    end
    return decoders[key]
end

local encoders = {}
local function encoder(set)
    encoders[set] = encoders[set] or pct.encoder(set)
    return encoders[set]
end

-- Returns the text. If the text is nil, logs the error and returns the empty text.
local function text_or_log(text, why, position)
    if not text then
        core.log(core.info, ("percent-encoding: %s at offset %d"):format(why, position - 1))
    end
    return text or ""
end

-- Returns the offset of the first escape that the decoder refuses, or -1 if it refuses none.
local function fault(decode, text)
    local decoded, _, position = decode(text)
    return decoded and -1 or position - 1
end

local function no_options(...)
    if select("#", ...) > 0 then
        error("it has no such option", 0)
    end
end
local function needs(argument, what)
    return argument or error("it needs " .. what, 0)
end

register("pct_decode", function(text, ...) return text_or_log(decoder(false, ...)(text)) end, "")
register("pct_fault", function(text, ...) return fault(decoder(false, ...), text) end, 0)
register("pct_encode", function(text, set, ...)
    no_options(...)
    return encoder(needs(set, "the name of a set"))(text)
end, "")
register("pct_normalize", function(text, ...)
    no_options(...)
    return text_or_log(pct.normalize(text))
end, "")
register("pct_param", function(query, name, ...)
    local value, why, position = pct.param(query, needs(name, "the name of a parameter"), decoder(true, ...))
    return why and text_or_log(value, why, position) or value or ""
end, "")

-- Replaces the path by the result of pct_normalize_path() with these options. Returns whether the request may continue.
local function normalize_path(txn, given)
    local url, method = txn.f:url(), txn.f:method()
    local function refuse(why, position)
        txn:log(core.warning, ("percent-encoding: path refused: %s at offset %d"):format(why, position - 1))
        return act.INVALID
    end
    local form, from, to = pct.split_target(url)
    if not form then
        return refuse(from, to)
    end
    -- These requests have no path: "OPTIONS *", "OPTIONS http://h", which means the same (RFC 9112 3.2.4), and "CONNECT h:443".
    local is_whole_server = form == "asterisk" or form == "absolute" and from > #url
    if not (method == "OPTIONS" and is_whole_server or method == "CONNECT" and form == "authority") then
        local path = url:sub(from, to)
        local is_root = path == "" and form == "absolute" -- RFC 9110 4.2.3
        local normal, why, position = pct.normalize_path(is_root and "/" or path, given)
        if not normal then
            return refuse(why, from + position - 1)
        end
        url = url:sub(1, from - 1) .. normal .. url:sub(to + 1)
        -- In "http://h?a/b", HAProxy takes "/b" for the path. So if the target has no path, replace the whole target.
        if not (normal == path or is_root and txn.http:req_set_uri(url) or not is_root and txn.http:req_set_path(normal)) then
            return refuse("its normal form does not fit the buffer", from)
        end
        if txn.f:path() ~= normal or txn.f:url() ~= url then
            return refuse("HAProxy finds another path", from)
        end
    end
    if not txn:set_var("txn.pct_target", url) then
        error("cannot set txn.pct_target", 0)
    end
    return act.CONTINUE
end

local function register_path(name, given)
    core.register_action(name, { "http-req" }, guarded(name, function(txn) return normalize_path(txn, given) end, act.ERROR))
end
register_path("pct_normalize_path", {})
register_path("pct_normalize_path_strict", { strict = true })

local percent_simd, defined = {}, {}

-- Checks that NAME is new for this kind of definition.
local function claim(kind, name)
    if type(name) ~= "string" or not name:find "^[%w_]+$" then
        error(("the name of a %s consists of letters, digits and _"):format(kind), 3)
    end
    if defined[kind .. name] then
        error(("%s %q is defined twice"):format(kind, name), 3)
    end
    defined[kind .. name] = true
end

-- Registers the converters lua.pct_decode_NAME and lua.pct_fault_NAME. Checks their options now, while HAProxy loads its
-- configuration.
function percent_simd.define(name, given)
    claim("decoder", name)
    local decode = pct.decoder(given)
    register("pct_decode_" .. name, function(text, ...)
        no_options(...)
        return text_or_log(decode(text))
    end, "")
    register("pct_fault_" .. name, function(text, ...)
        no_options(...)
        return fault(decode, text)
    end, 0)
end

-- Registers the action lua.pct_normalize_path_NAME. Checks its options now, while HAProxy loads its configuration.
function percent_simd.define_path(name, given)
    claim("path", name)
    if name == "strict" then
        error("the path \"strict\" exists already", 2)
    end
    pct.normalize_path("/", given)
    -- The action reads its options at each request, so it gets a copy: the caller may change its table after the definition.
    local kept = {}
    for key, value in pairs(type(given) == "table" and given or { strict = given }) do
        kept[key] = value
    end
    register_path("pct_normalize_path_" .. name, kept)
end

return percent_simd
