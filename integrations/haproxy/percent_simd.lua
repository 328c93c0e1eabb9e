-- Converters and actions for HAProxy; load it with lua-load or lua-load-per-thread. See README.md.
--
-- SPDX-License-Identifier: MIT OR Apache-2.0

local pct = require "pct"

-- Returns a table of options from arguments such as "keep=/", "layers=2" and "strict".
local function options(arguments)
    local result = {}
    for _, argument in ipairs(arguments) do
        local key, value = argument:match("^([%w_]+)=(.*)$")
        result[key or argument] = math.tointeger(value) or value or true
    end
    -- Digits are characters there.
    for _, key in ipairs { "keep", "reject" } do
        result[key] = result[key] and tostring(result[key])
    end
    return result
end

-- Returns the decoder for the arguments of a converter, which is made once.
local decoders = {}
local function decoder(...)
    local key = table.concat({ ... }, "\0")
    decoders[key] = decoders[key] or pct.decoder(options { ... })
    return decoders[key]
end

local function encoder(set)
    decoders["set " .. set] = decoders["set " .. set] or pct.encoder(set)
    return decoders["set " .. set]
end

-- Returns the text; the empty one after an error, which is logged.
local function text_or_log(text, why, position)
    if not text then
        core.log(core.info, ("percent-encoding: %s at offset %d"):format(why, position - 1))
    end
    return text or ""
end

core.register_converters("pct_decode", function(text, ...) return text_or_log(decoder(...)(text)) end)
core.register_converters("pct_encode", function(text, set) return encoder(set)(text) end)
core.register_converters("pct_normalize", function(text) return text_or_log(pct.normalize(text)) end)
core.register_converters("pct_param", function(query, name) return pct.param(query, name) or "" end)

-- Returns the offset of the first escape that a decoder with these options refuses, and -1 where there is none:
-- http-request deny deny_status 400 if { path,lua.pct_fault(strict,reject=controls) -m int ge 0 }
core.register_converters("pct_fault", function(text, ...)
    local decoded, _, position = decoder(...)(text)
    return decoded and -1 or position - 1
end)

-- Sets the path to what pct_normalize_path() makes of it, or answers 400, and logs why.
local function normalize_path(strict)
    return function(txn)
        local path, why, position = pct.normalize_path(txn.sf:path(), strict)
        if path then
            txn.http:req_set_path(path)
            return
        end
        txn:log(core.warning, ("percent-encoding: path refused: %s at offset %d"):format(why, position - 1))
        local reply = txn:reply { status = 400, reason = "Bad Request" }
        reply:add_header("content-type", "text/plain")
        reply:set_body("Bad Request\n")
        txn:done(reply)
    end
end
core.register_action("pct_normalize_path", { "http-req" }, normalize_path(false))
core.register_action("pct_normalize_path_strict", { "http-req" }, normalize_path(true))
