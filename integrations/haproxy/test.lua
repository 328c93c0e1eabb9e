-- Tests the module in Lua without HAProxy: LUA_CPATH=.../?.so lua test.lua

local pct = require "pct"

local function same(got, wanted)
    if got ~= wanted then
        error(("got %q, wanted %q"):format(tostring(got), tostring(wanted)), 2)
    end
end

local function fails(wanted, call, ...)
    local good, why = pcall(call, ...)
    if good or not tostring(why):find(wanted, 1, true) then
        error(("wanted an error with %q, got %s"):format(wanted, tostring(why)), 2)
    end
end

-- Each case: input, options, result.
for _, case in ipairs {
    { "", nil, "" },
    { "caf%C3%A9 100%", nil, "caf\xC3\xA9 100%" },
    { "a%2Fb%20", { keep = "/" }, "a%2Fb " },
    { "a%2fb", { keep = "/", upper = true }, "a%2Fb" },
    { "a+b?c+d", { plus = "always" }, "a b?c d" },
    { "a+b?c+d", { plus = "after-query" }, "a+b?c d" },
    { "%252541", { layers = 3 }, "A" },
    { "%u00e9%41", { u = true }, "\xC3\xA9A" },
    { "%00\0%", nil, "\0\0%" },
    { "a/%41", { reject = "/" }, "a/A" },
    { "a\r%0A", { keep = "controls" }, "a\r%0A" },
    { ("%41"):rep(100000), nil, ("A"):rep(100000) },
} do
    same(pct.decode(case[1], case[2]), case[3])
    same(pct.decoder(case[2])(case[1]), case[3])
    same(pct.decode(case[1], pct.decoder(case[2])), case[3])
end

-- Each case: input, options, error message, position.
for _, case in ipairs {
    { "ab%zz", { strict = true }, "malformed escape", 3 },
    { "ab%4", { strict = true }, "truncated escape", 3 },
    { "%41%00", { reject = "controls" }, "rejected byte 0", 4 },
    { "%2f", { reject = "/" }, "rejected byte 47", 1 },
    { "%2500", { reject = "controls", layers = 2 }, "rejected byte 0", 1 },
    -- A raw control is refused, too. The first fault counts.
    { "ab\n%00", { reject = "controls" }, "rejected byte 10", 3 },
    { "%00\n", { reject = "controls" }, "rejected byte 0", 1 },
    { "a%zz\n", { reject = "controls", strict = true }, "malformed escape", 2 },
    { "%41\127", { reject = "controls", layers = 2 }, "rejected byte 127", 4 },
    { "%u0041\0", { reject = "controls", u = true }, "rejected byte 0", 7 },
    { "a\t\n", { reject = "\n/" }, "rejected byte 10", 3 },
} do
    local decoded, why, position = pct.decode(case[1], case[2])
    same(decoded, nil)
    same(why, case[3])
    same(position, case[4])
end

fails("unknown", pct.decode, "a", { kept = "/" })
fails("unknown", pct.decode, "a", { plus = "never" })
fails("unknown", pct.decode, "a", { "/" })
fails("string of characters", pct.decode, "a", { keep = 1 })
fails("layers", pct.decode, "a", { layers = 17 })
fails("layers", pct.decode, "a", { layers = 1.5 })
fails("\"u\"", pct.decode, "a", { u = true, layers = 2 })
for _, name in ipairs { "strict", "upper", "u" } do
    for _, value in ipairs { "no", 0, "true" } do
        fails("must be true or false", pct.decode, "a", { [name] = value })
    end
    same(pct.decode("%zz", { [name] = false }), "%zz")
end
for _, set in ipairs { "", "control", "Controls", "a", "/Z", "%0", "controls\0", "controls/" } do
    fails("neither \"controls\" nor", pct.decode, "a", { keep = set })
    fails("neither \"controls\" nor", pct.decode, "a", { reject = set })
end
fails("unknown", pct.decode, "a", { ["strict\0"] = true })
fails("unknown", pct.decode, "a", { plus = "always\0" })
fails("no set", pct.encoder, "rfc3986-path\0")
fails("must be true or false", pct.encoder, { plus = "no" })
fails("table expected", pct.decode, "a", "strict")
fails("string expected", pct.decode)
fails("no set", pct.encoder, "no such set")
fails("unknown", pct.encoder, { set = "a" })
fails("pct.decoder", getmetatable(pct.decoder()).__call, pct.encoder("rfc3986-path"), "a")

same(pct.encode("a/b c", "rfc3986-segment"), "a%2Fb%20c")
same(pct.encoder("rfc3986-segment")("abc"), "abc")
same(pct.encode("a b\xFF", { allowed = "abc", plus = true, lower = true }), "a+b%ff")
same(pct.encode("%41%", { allowed = "", keep_triplets = true }), "%41%25")
same(pct.encode(("é"):rep(50000), "rfc3986-path"), ("%C3%A9"):rep(50000))
same(pct.normalize("%7euser%2f"), "~user%2F")
same(pct.normalize("%6Aavascript:%41"), "%6Aavascript:A")
same(select(3, pct.normalize("a%")), 2)
same(pct.normalize_path("/a/%2e%2e/b%2f"), "/b%2F")
same(pct.normalize_path("/100%"), "/100%25")
same(select(2, pct.normalize_path("/100%", true)), "malformed escape")
same(select(2, pct.normalize_path("b")), "forbidden character or escape")
same(select(2, pct.normalize_path("/%2Fa", { separators = "reject" })), "forbidden character or escape")
same(pct.normalize_path("//a//b", { merge_slashes = true }), "/a/b")
same(pct.normalize_path("//a//../b", { merge_slashes = true, strict = true }), "/b")
same(pct.normalize_path("//a", { merge_slashes = false, separators = "keep" }), "//a")
same(pct.normalize_path("/a%2fb"), "/a%2Fb")
same(select(3, pct.normalize_path("/ab%2fb", { separators = "reject" })), 4)
same(select(3, pct.normalize_path("/a\\b", { separators = "reject" })), 3)
same(pct.normalize_path("/a;b", { reject = ";" }), "/a;b")
same(select(2, pct.normalize_path("/a%3Bb", { reject = ";" })), "rejected byte 59")
same(select(3, pct.normalize_path("/a%3Bb", { reject = ";" })), 3)
same(select(2, pct.normalize_path("/a/%3B/../b", { reject = ";" })), "rejected byte 59")
same(select(2, pct.normalize_path("/a\\b", { reject = "\\" })), "rejected byte 92")
-- The position is a position in the input, not in the normalized path. This also holds for a raw character that is an
-- escape in the normalized path.
same(select(3, pct.normalize_path("/a\\b", { reject = "\\" })), 3)
same(select(3, pct.normalize_path("/%41%41/b^|", { reject = "|" })), 11)
same(select(3, pct.normalize_path("/^a|/../b", { reject = "|" })), 4)
same(select(3, pct.normalize_path("/%7C/|", { reject = "|" })), 2)
same(select(3, pct.normalize_path("/|/%7C", { reject = "|" })), 2)
same(select(3, pct.normalize_path("/%zz%3B%", { reject = "%" })), 2)
same(pct.normalize_path("/^;b%41", { reject = ";" }), "/%5E;bA")
fails("unknown", pct.normalize_path, "/a", { separator = "reject" })
fails("unknown", pct.normalize_path, "/a", { separators = "drop" })
fails("must be true or false", pct.normalize_path, "/a", { merge_slashes = "no" })
fails("neither \"controls\" nor", pct.normalize_path, "/a", { reject = "a" })
fails("table expected", pct.normalize_path, "/a", "strict")
same(pct.param("a=1&%71=x+%26&q=2", "q"), "x &")
same(pct.param("a=1", "q"), nil)
same(pct.param("q=a%0A+", "q", { keep = "controls" }), "a%0A+")
same(pct.param("q=a%0A+", "q", pct.decoder { plus = "always" }), "a\n ")
same(select("#", pct.param("a=1", "q", { strict = true })), 1)
same(select(3, pct.param("q=ab%0A", "q", { reject = "controls" })), 3)
fails("unknown", pct.param, "a=1", "q", { stric = true })
fails("string expected", pct.param, "a=1")
-- Each case: target, form, path.
for _, case in ipairs {
    { "/a?b", "origin", "/a" },
    { "//h/a", "origin", "//h/a" },
    { "http://h/a?b", "absolute", "/a" },
    { "http://h?a/b", "absolute", "" },
    { "h:443", "authority", "" },
    { "*", "asterisk", "" },
} do
    local form, from, to = pct.split_target(case[1])
    same(form, case[2])
    same(case[1]:sub(from, to), case[3])
end
same(select(3, pct.split_target("/a#b")), 3)
same(select(2, pct.split_target("a")), "not the target of a request")
local found = {}
-- Only the iterator keeps a reference to this text. The garbage collector must not free the text.
for name, value in pct.params(("a=1&&b&c=%3D&"):rep(50)) do
    collectgarbage()
    found[#found + 1] = name .. ":" .. value
end
same(table.concat(found, " "), ("a:1 b: c:= "):rep(50):sub(1, -2))
for _, length in ipairs { 1023, 1024, 1025, 5000 } do
    local name, value = ("n"):rep(length), ("%41"):rep(length)
    same(pct.param("a=1&" .. name .. "=" .. value, name), ("A"):rep(length))
    for one, other in pct.params(name .. "=" .. value) do
        same(one, name)
        same(other, ("A"):rep(length))
    end
    same(pct.encode(("/"):rep(length), "rfc3986-segment"), ("%2F"):rep(length))
    same(pct.normalize(value), ("A"):rep(length))
    same(pct.normalize_path("/" .. value .. "^"), "/" .. ("A"):rep(length) .. "%5E")
end
print("passed in " .. _VERSION)
