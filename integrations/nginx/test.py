#!/usr/bin/env python3
"""Serves with the module on the loopback, and sends it hostile targets over raw sockets: test.py MODULE [--valgrind | --bench].

A second nginx has the same locations, but does not load the module. The module may refuse a request. Otherwise its answer must be
the one that plain nginx gives to the normalized target.

The module may be built with AddressSanitizer. Then allocations above 1 MiB fail, and the test checks that each failure denies the
request.
"""

import itertools
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.dont_write_bytecode = True
import hostile
from hostile import ORACLE, ask, decode, decode_form, free_ports, malformed, strict, workers

MODULE = os.path.abspath(sys.argv[1])
VALGRIND = "--valgrind" in sys.argv
BENCH = "--bench" in sys.argv
SANITIZER = b"__asan_init" in open(MODULE, "rb").read()

FOLDER = tempfile.mkdtemp()
ERRORS = os.path.join(FOLDER, "nginx.conf.log")
NAMES = ("VARIABLES", "RECIPE", "DENIED_PATH", "RULES", "RULES_H2", "CHECKED", "NORMALIZED", "NORMALIZED_H2", "NORMALIZED_UNMERGED", "OPTIONS",
         "NORMALIZED_STRICT", "PAGED", "PAGED_PATH", "PLAIN", "PLAIN_H2", "PLAIN_UNMERGED", "UPSTREAM")
PORTS = dict(zip(NAMES, free_ports(len(NAMES))))


# Starting nginx with a configuration of this folder

def configure(name, text=None):
    """Writes a configuration, and rules.conf in the same folder. Returns the command that serves with it."""
    for source, text in ((name, text), ("rules.conf", None)):
        text = text or open(os.path.join(HERE, source)).read()
        for key, value in {"MODULE": MODULE, "DIR": FOLDER, "HERE": FOLDER, **PORTS}.items():
            text = text.replace("@%s@" % key, str(value))
        with open(os.path.join(FOLDER, source), "w") as file:
            file.write(text)
    return ["nginx", "-p", FOLDER, "-c", os.path.join(FOLDER, name), "-e", os.path.join(FOLDER, name + ".log")]


def environment():
    if not SANITIZER:
        return dict(os.environ)
    runtime = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout.strip()
    return dict(os.environ, LD_PRELOAD=runtime, ASAN_OPTIONS="detect_leaks=0:max_allocation_size_mb=1:allocator_may_return_null=1")


def start(name, port):
    command = configure(name)
    if VALGRIND and name == "nginx.conf":
        command = ["valgrind", "--trace-children=yes", "--log-file=" + os.path.join(FOLDER, "valgrind.%p")] + command
    process = subprocess.Popen(command, env=environment() if name == "nginx.conf" else None)
    return hostile.wait_for(process, lambda: ask(port, b"/plain"))


def logged(text):
    return open(ERRORS, errors="replace").read().count(text)


# Requests: many on one connection, over HTTP/1.1 or HTTP/2

def read_answer(stream, method):
    """Reads the response to a request with this method. Returns (status, type, body), and whether the connection stays open."""
    line = stream.readline()
    if not line.startswith(b"HTTP/"):
        return (0, b"", line + stream.read()), False  # HTTP/0.9 has no head
    head = {}
    while (field := stream.readline()) not in (b"\r\n", b""):
        name, _, value = field.partition(b":")
        head[name.strip().lower()] = value.strip()
    body = b"" if method == b"HEAD" else stream.read(int(head.get(b"content-length", 0)))
    return (int(line.split()[1]), head.get(b"content-type"), body), head.get(b"connection") != b"close"


def ask_all(port, targets, method=b"GET"):
    """Returns the answers to these targets. Sends many requests at once, without waiting for answers. If an answer ends the
    connection, sends the remaining requests again."""
    requests = [b"%s %s HTTP/1.1\r\nHost: a\r\n\r\n" % (method, target) for target in targets]
    answers = []
    while len(answers) < len(targets):
        # If a target has a byte that the pattern below finds, the server ends the target at this byte, and reads the
        # following bytes as header lines. So a request with this kind of target ends its batch. Also, a batch of
        # requests must fit the buffers of a socket, because the server stops reading after an error.
        end, size = len(answers), 0
        while end < len(targets) and size < 8000:
            size += 8000 if re.search(rb"[\0\r\n ]", targets[end]) else len(requests[end])
            end += 1
        with socket.create_connection(("127.0.0.1", port), 60) as connection, connection.makefile("rb") as stream:
            connection.sendall(b"".join(requests[len(answers) : end]))
            while len(answers) < end:
                answer, stays = read_answer(stream, method)
                answers.append(answer)
                if not stays:
                    break
    return answers


def frame(kind, flags, stream, payload):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def field(index, value):
    """Returns a header field in HPACK, without indexing. Its name is at `index` of the static table."""
    size, rest = bytes([min(len(value), 127)]), len(value) - 127
    while rest >= 0:
        size += bytes([rest % 128 + (128 if rest > 127 else 0)])
        rest = rest // 128 if rest > 127 else -1
    return bytes([index]) + size + value


def ask_h2(port, targets):
    """Returns the status and body of the answers to these targets over one HTTP/2 connection (RFC 9113, RFC 7541)."""
    numbers = {b"\x88": 200, b"\x8c": 400, b"\x8d": 404, b"\x8e": 500}
    status, bodies = {}, {}
    with socket.create_connection(("127.0.0.1", port), 60) as connection, connection.makefile("rb") as stream:
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"") + frame(8, 0, 0, (1 << 30).to_bytes(4, "big")))
        for first in range(0, len(targets), 100):
            batch = {2 * number + 1: targets[number] for number in range(first, min(first + 100, len(targets)))}
            connection.sendall(b"".join(frame(1, 5, number, b"\x82\x86" + field(1, b"a") + field(4, target)) for number, target in batch.items()))
            while batch:
                head = stream.read(9)
                payload = stream.read(int.from_bytes(head[:3], "big"))
                number = int.from_bytes(head[5:], "big")
                if head[3] == 1:
                    block = payload.lstrip(b"\x20")
                    status[number] = numbers.get(block[:1]) or int(block[2:5])
                elif head[3] == 0:
                    bodies[number] = bodies.get(number, b"") + payload
                elif head[3] == 3:
                    status.setdefault(number, 0)
                if head[3] == 3 or head[3] in (0, 1) and head[4] & 1:
                    batch.pop(number, None)
    return [(status[2 * number + 1], bodies.get(2 * number + 1, b"")) for number in range(len(targets))]


# The comparison with plain nginx

def nginx_path(path, merge):
    """Returns the path as nginx reads it. nginx decodes first, and then removes dot segments."""
    segments = []
    parts = decode(path).split(b"/")[1:]
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        if part == b"..":
            del segments[-1:]
        elif part != b"." and (part or last or not merge):
            segments.append(part)
        if part in (b".", b"..") and last:
            segments.append(b"")
    return b"/" + b"/".join(segments)


def normal_target(target, merge, strict):
    """Returns the target that upstreams may receive, or None if the module must refuse the target."""
    path, mark, query = target.partition(b"?")
    path = re.sub(rb"^http://[a-z]+", b"", path) or b"/"
    normal = hostile.normalize_path(path, strict)
    if normal is None or b"#" in target:
        return None
    read, decoded = nginx_path(path, merge), decode(normal)
    if read != (re.sub(rb"/+", b"/", decoded) if merge else decoded):
        return None
    return normal + mark + query


def compare(plain, module, targets, merge=True, strict=False, method=b"GET"):
    """Compares the answers of both servers. If plain nginx denies a request, the module must deny it too. Every other request must
    get the answer that plain nginx gives to the normalized target."""
    # If the target has a byte that ends it early, check only that both servers see the same request (status 0 is
    # HTTP/0.9).
    torn = [target for target in targets if re.search(rb"[\0\r\n ]", target)]
    for target, before, after in zip(torn, ask_all(plain, torn, method), ask_all(module, torn, method)):
        assert after == before or after[0] == 400 or before[0] == 0 and b"400 Bad Request" in after[2], (target, before, after)
    whole = [target for target in targets if not re.search(rb"[\0\r\n ]", target)]
    before, after = ask_all(plain, whole, method), ask_all(module, whole, method)
    normal = [normal_target(target, merge, strict) for target in whole]
    others = [text for target, text in zip(whole, normal) if text not in (None, target)]
    wanted = dict(zip(others, ask_all(plain, others, method)))
    served = 0
    for target, text, before, after in zip(whole, normal, before, after):
        want = before if text == target else wanted.get(text)
        where = (target[:200], text and text[:200], before, after, want)
        if before[0] != 200 and not target.startswith(b"/authed/"):
            assert after[0] == before[0] or after[0] == 400, where
        if before[0] == 400 or want is None:
            assert after[0] == 400, where
        else:
            assert after == want, where
        # Rules must read the same $uri and $args with and without the module, unless a "rewrite" turns the path into a
        # query.
        seen = [re.search(rb" (<.*>)$", answer[2], re.S) for answer in (before, after)]
        if after[0] == 200 and all(seen) and not target.startswith(b"/captured/"):
            assert seen[0][1] == seen[1][1], where
            served += 1
    return len(targets), served


# Every byte is inserted into the first three bases. Every piece of text is inserted into all bases.
BASES = (b"/admin", b"/args/x?debug=1", b"/open/x?y=1", b"/secret/x", b"/run/x.php", b"/first/x", b"/.env", b"/x/y", b"/query/x?y", b"/inner/x",
         b"/files/a.txt", b"/try/a.txt", b"/rewritten/x", b"/escaped/x", b"/captured/x", b"/internal/x", b"/authed/no", b"/authed/x")
EVERY_BYTE = [bytes([byte]) for byte in range(256)] + [b"%%%02x" % byte for byte in range(256)]
PIECES = (b"#", b"?", b"%23", b"%3f", b"%", b"%25", b"%2", b"%00", b"%0a", b"%2f", b"%5C", b"\\", b";", b"/", b"//", b"/.", b"/./", b"/..",
          b"/../", b"/x/../", b"%2e", b"/%2e%2E/", b"%2f..%2f", b"..%2f", b"%2f..", b"/..;/", b"\\..\\", b"%5c..%5c", b"%252e", b"%2523",
          b"+", b"%2b", b"&", b"\xc3\xa9", b"%c3%a9", b"\xff", b"^", b'"', b"%7e", b"~", b"%61", b"/%2f/../")


def with_piece(base, piece):
    """Returns targets, each with the piece inserted at another place: after the first slash, in the middle, at the end of the
    path, in the query, before a suffix, and in front."""
    path, mark, query = base.partition(b"?")
    rest = mark + query
    middle = path.rindex(b"/") + 2
    return [b"/" + piece + path[1:] + rest, path[:middle] + piece + path[middle:] + rest, path + piece + rest,
            base + (b"&" if mark else b"?") + piece + b"x", path + piece + b"x" + rest, piece + base]


def run_comparison():
    plain, module = PORTS["PLAIN"], PORTS["NORMALIZED"]
    swept = [text for base in BASES[:3] for byte in EVERY_BYTE for text in with_piece(base, byte)[:4]]
    pieces = [text for base in BASES for piece in PIECES for text in with_piece(base, piece)]
    rng = random.Random(2)
    mixed = [rng.choice((b"/", b"/open/", b"/secret/", b"/inner/", b"/x/"))
             + b"".join(rng.choice(PIECES + (b"a", b"admin", b"x/")) for _ in range(rng.randrange(1, 8))) for _ in range(2000)]
    posted = [text for piece in PIECES for text in with_piece(b"/methods/x", piece)]
    total = [
        compare(plain, module, swept + pieces + mixed),
        compare(plain, module, posted, method=b"POST"),
        compare(plain, PORTS["NORMALIZED_STRICT"], mixed, strict=True),
        compare(PORTS["PLAIN_UNMERGED"], PORTS["NORMALIZED_UNMERGED"], mixed, merge=False),
    ]

    # Over HTTP/2, the answers must be the same as over HTTP/1.1.
    targets = [text for text in swept[: len(EVERY_BYTE) * 4] + mixed[:500] if not re.search(rb"[\x00- \x7f]", text)]
    for h1, h2 in (("PLAIN", "PLAIN_H2"), ("NORMALIZED", "NORMALIZED_H2")):
        for target, old, new in zip(targets, ask_all(PORTS[h1], targets), ask_h2(PORTS[h2], targets)):
            assert old[0] == new[0] and (old[0] != 200 or old[2] == new[1]), (h2, target, old, new)
    return sum(asked for asked, _ in total) + 2 * len(targets), sum(served for _, served in total)


def run_normalized(targets):
    """Compares the targets that all integrations share. Checks examples with the literal answers."""
    plain, module = PORTS["PLAIN"], PORTS["NORMALIZED"]
    paths = [b"/" + text.replace(b" ", b"") for text in targets] + [b"http://a/" + text for text in targets[:40]]
    asked = compare(plain, module, paths)[0] + compare(plain, PORTS["NORMALIZED_STRICT"], paths, strict=True)[0]

    upstream = {
        b"/x/%2e%2e/open/a%2fb": b"/open/a%2Fb </open/a/b||>",
        b"/open/%7ea/./b%2fc%C3%A9%25?q=%7e#"[:-1]: b"/open/~a/b%2Fc%C3%A9%25?q=%7e </open/~a/b/c\xc3\xa9%|q=%7e|?>",
        b"/open//x": b"/open//x </open/x||>",
        b"/inner/a\\b": b"/outer/a%5Cb </inner/a\\b||>",
        b"/inner/a%5cb": b"/outer/a%5Cb </inner/a\\b||>",
        b"/inner/a%2fb": b"/outer/a/b </inner/a/b||>",
        b"http://h?x=1": b"/?x=1 </|x=1|?>",
        b"http://h": b"/ </||>",
        b"http://h?": b"/? </||>",
        b"/files/a%25.txt": b"a%.txt",
        b"/try/x/%2e%2e/a\\.txt": b"a\\.txt",
        b"http://h/open/%7e?": b"/open/~? </open/~||>",
    }
    for target, body in upstream.items():
        answer = ask_all(module, [target])[0]
        assert (answer[0], answer[2]) == (200, body), (target, answer, body)
    refused = (b"/admin#", b"/.env#x", b"/run/x.php#", b"/args/x#?debug=1", b"/open/x?y#z", b"/open/x?y=%23#", b"http://h/x#", b"http://h?x#",
               b"/a%2F..%2Fb", b"/a%2F..", b"/..%2fa", b"/a%2Fb/../c", b"/a//../b", b"/a/%2F/../b", b"/a%2F./b", b"/a%0Ab", b"/a%7F")
    for target in refused:
        for port in (module, PORTS["NORMALIZED_STRICT"]):
            assert ask_all(port, [target])[0][0] == 400, target
        if b"#" in target:
            assert ask_all(PORTS["CHECKED"], [target])[0][0] == 400, target
    assert ask_all(PORTS["NORMALIZED_STRICT"], [b"/a\\b"])[0][0] == 400

    for target, normal in ((b"http://merged/a//b", b"/a/b"), (b"http://merged//a//../b?c//d", b"/b?c//d"), (b"http://merged/a//%2f", b"/a/%2F")):
        answer = ask_all(PORTS["OPTIONS"], [target])[0]
        assert (answer[0], answer[2]) == (200, normal), (target, answer)

    # With these targets, the longest possible normal path and a query fill the buffer to its last byte.
    for path, query in ((b"/open/" + b"^" * 2000, b"?q"), (b"/", b"?" + b"q" * 8000)):
        answer = ask_all(module, [path + query])[0]
        assert (answer[0], answer[2].split()[0]) == (200, path.replace(b"^", b"%5E") + query), (path[:20], answer)

    for port, target, status in (
        ("NORMALIZED", b"http://unmerged/%7ex", 200),
        ("NORMALIZED", b"http://unmerged//x", 400),
        ("NORMALIZED_UNMERGED", b"http://merged//x", 200),
        ("NORMALIZED_UNMERGED", b"http://merged//%61%2f../%2e%2E/~", 400),
        ("NORMALIZED", b"http://both/a~b", 200),
        ("NORMALIZED", b"http://both/a%7eb", 400),  # pct_check_path sees the path as it was sent
        ("NORMALIZED", b"http://both/a%21b", 400),
        ("NORMALIZED", b"http://both/a%5cb", 400),
        ("NORMALIZED_UNMERGED", b"http://option/x", 200),
        ("NORMALIZED_UNMERGED", b"http://option//x", 400),
        ("OPTIONS", b"http://straight/a//b", 200),
        ("OPTIONS", b"http://straight/a%2fb", 400),
        ("OPTIONS", b"http://straight/a%5Cb", 400),
        ("OPTIONS", b"http://straight/a\\b", 400),
        ("OPTIONS", b"http://rejecting/a;b", 200),  # "reject=" refuses only escapes
        ("OPTIONS", b"http://rejecting/a%3bb", 400),
        ("OPTIONS", b"http://rejecting/a%3A/../b", 400),
        ("OPTIONS", b"http://rejecting/a%2fb", 200),
        ("OPTIONS", b"http://rejecting/100%", 400),
        ("OPTIONS", b"http://lenient/a^b", 200),
        ("OPTIONS", b"http://lenient/a%5cb", 400),
        ("OPTIONS", b"http://lenient/a\\b", 400),  # it would become "%5C"
    ):
        assert ask_all(PORTS[port], [target])[0][0] == status, target

    # For other methods and other forms of a target, nginx decides, not the module.
    for request in (b"OPTIONS *", b"OPTIONS /open/x", b"CONNECT a:80", b"CONNECT /x", b"GET a:80", b"GET x/y", b"GET ?x", b"HEAD /open/x", b"GET https://h/x"):
        method, target = request.split()
        assert ask_all(module, [target], method) == ask_all(plain, [target], method), request

    # The log must contain the offset of the fault.
    for port, target, text in (
        (module, b"/ab#", '"#" at offset 3'),
        (module, b"/ab?c#", '"#" at offset 5'),
        (module, b"/abcd%0a", "paths do not allow, at offset 5"),
        (PORTS["NORMALIZED_STRICT"], b"/abcdef\\", "paths do not allow, at offset 7"),
        (module, b"/abcdefgh%2F..", "can be read in two ways"),
        (PORTS["CHECKED"], b"/abcdefghi%01?", "malformed or rejected escape at offset 10"),
    ):
        before = logged(text)
        assert ask_all(port, [target])[0][0] == 400 and logged(text) == before + 1, (target, text)
    return asked + len(upstream) + 2 * len(refused)


# Variables, and requests that fail

def run_variables(targets):
    """Compares variables and pct_check_path with the oracle."""
    port, checked = PORTS["VARIABLES"], PORTS["CHECKED"]
    fails = {"strict": strict, "normalized": hostile.normalize}
    for text in targets:
        for name, oracle in ORACLE.items():
            answer = ask(port, b"/" + name.encode() + b"?" + text)
            if name in fails and text and fails[name](text) == b"":
                assert answer[0] == 400, (name, text[:100], answer)
            else:
                assert answer == (200, oracle(text)), (name, text[:100], answer, oracle(text)[:100])
        after_query = b"/a+target?" + decode_form(text)
        assert ask(port, b"/a+target?" + text) == (200, after_query), text[:100]
    for text in targets[:12]:
        assert ask(port, b"/lenient?" + text, chunks=20) == (200, decode(text)), text

    for text in targets:
        path = b"/checked/" + text.replace(b"?", b"")
        status, _ = ask(checked, path)
        # Plain nginx refuses %00, too.
        assert status == (400 if malformed(path) or strict(path) == b"" or b"#" in path else 200), (path[:100], status)
    assert ask(port, b"/unchecked/a%01b#")[0] == 404  # a server with "off" does not check
    # nginx has already decoded $uri and a capture of a location. A control must be refused there, too.
    for path, front in (b"/uri/", b"/uri/"), (b"/capture/", b""):
        for byte in range(1, 256):
            wanted = (400,) if byte < 32 or byte == 127 else (200, front + b"a%cb" % byte)
            answer = ask(port, path + b"a%%%02xb" % byte)
            assert answer[: len(wanted)] == wanted or byte == ord("/"), (path, byte, answer)
    return len(targets) * (len(ORACLE) + 2)


def run_recipe():
    """Checks the recipes of README.md: they deny dot segments and controls, or a path, also if these are escaped."""
    admin = {
        403: (b"/admin", b"/%61dmin", b"//admin", b"/x/../admin", b"/x/%2e%2e/admin/", b"/admin?x=%25"),
        400: (b"/%2Fadmin", b"/x/..%2fadmin", b"/%5cadmin", b"/\\admin", b"/%2561dmin", b"/%25252561dmin", b"/admin#"),
        200: (b"/", b"/x/admin", b"/caf%C3%A9?x=%25"),
    }
    for status, targets in admin.items():
        for target in targets:
            assert ask(PORTS["DENIED_PATH"], target)[0] == status, (target, status)
    expected = {
        403: (b"/a/../b", b"/a/..", b"/a/%2e%2e/b", b"/a/.%2E", b"/a/..%2fb", b"/a/..%5cb", b"/a/%252e%252e/b", b"/a/%25252e./b", b"/a/..;/b", b"/a/..?b",
              b"/a/..#b", b"/a/%2e%2e#b", b"/a/%2e%2e%23b", b"/a/..%2523b", b"/a/..%3fb", b"/a/..%3bb", b"/a#/../b"),
        400: (b"/a%0ab", b"/a%zz", b"/a%250ab", b"/a%7f"),
        200: (b"/", b"/a..b/c", b"/a/.../b", b"/..a", b"/a?next=../b", b"/a?x=%zz", b"/caf%C3%A9"),
    }
    for status, targets in expected.items():
        for target in targets:
            assert ask(PORTS["RECIPE"], target)[0] == status, (target, status, ask(PORTS["RECIPE"], target))
    return sum(map(len, [*admin.values(), *expected.values()]))


def run_failures():
    """Checks that a variable that fails denies the request, even if a rule allows its empty value."""
    page = (400, b"error page")
    fine = {b"deny": 200, b"allow": 200, b"upstream": 502, b"rewrite": 502, b"named": 502, b"content": 502, b"subrequest": 502}
    for name, status in fine.items():
        assert ask(PORTS["RULES"], b"/" + name + b"?x=%41")[0] == status, name
        if name not in (b"content", b"rewrite"):
            assert ask(PORTS["RULES"], b"/" + name + b"?x=evi%6c")[0] == 403, name
    for target in (b"/deny?%zz", b"/deny?evil%0a", b"/allow?%zz", b"/upstream?evil%zz", b"/rewrite?%zz", b"/named?%zz", b"/named?%0a"):
        answer = ask(PORTS["RULES"], target)
        assert answer[0] == 400 and (answer == page or target.startswith(b"/named")), (target, answer)
        assert ask_h2(PORTS["RULES_H2"], [target]) == [answer], target
        assert ask_all(PORTS["RULES"], [target], b"HEAD")[0][0] == 400, target

    # These requests are denied by another rule, which has an error page. After a failure, nginx may answer with this page only if
    # it is a file. The status 502 means that nginx called an upstream.
    with open(os.path.join(FOLDER, "files", "denied.txt"), "w") as file:
        file.write("a file")
    os.makedirs(os.path.join(FOLDER, "page"), exist_ok=True)
    os.chmod(os.path.join(FOLDER, "page"), 0o777)
    pages = {b"named": 418, b"denied": 403, b"path": 403, b"tried": 403, b"loop": 403}
    for name, status in pages.items():
        target = b"/page/" + name
        for method in (b"GET", b"POST"):
            assert ask_all(PORTS["RULES"], [target + b"?x=%41"], method)[0][0] == 502, (name, method)
            assert ask_all(PORTS["RULES"], [target + b"?%zz"], method)[0][0] == status, (name, method)
        assert ask_h2(PORTS["RULES_H2"], [target + b"?%zz"])[0][0] == status, name
    for query in (b"x=%41", b"%zz"):
        assert ask(PORTS["RULES"], b"/page/static?" + query) == (403, b"a file"), query
        with socket.create_connection(("127.0.0.1", PORTS["RULES"]), 60) as connection, connection.makefile("rb") as stream:
            connection.sendall(b"PUT /page/stored?%s HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na" % query)
            assert read_answer(stream, b"PUT")[0][0] == 403, query
        stored = os.path.join(FOLDER, "page", "stored")
        assert os.path.exists(stored) == (query != b"%zz"), query
        if os.path.exists(stored):
            os.remove(stored)

    assert ask(PORTS["RULES"], b"/content?%zz")[0] == 502  # no rule reads the variable
    assert ask(PORTS["RULES"], b"/subrequest?%zz") == page
    # The subrequest of auth_request has no $args, so its variables are empty. The request must still get its own
    # values.
    assert ask(PORTS["RULES"], b"/shared?q=%41") == (200, b"q=A q%3D%2541 q=A A")
    assert ask(PORTS["RULES"], b"/shared?%zz")[0] == 400
    # A subrequest of SSI starts when the headers of the request have been sent.
    os.makedirs(os.path.join(FOLDER, "ssi"), exist_ok=True)
    with open(os.path.join(FOLDER, "ssi", "page"), "w") as file:
        file.write('<!--#include virtual="/included?$args" -->')
    for query, text in ((b"x=%41", b"content"), (b"evi%6c", b"<html>"), (b"%zz", b"error page")):
        answer = ask(PORTS["RULES"], b"/ssi/page?" + query)
        assert answer[0] == 200 and answer[1].startswith(text), (query, answer)
    log = open(os.path.join(FOLDER, "variables.log")).read()
    assert "/deny?%zz strict=- failure=400\n" in log and "/deny?x=%41 strict=x=A failure=-\n" in log, log[-500:]

    sizes = {b"/decoded": (1 << 18, b"a"), b"/normalized": (1 << 18, b"a"), b"/param": (1 << 18, b"a"), b"/encoded": (200000, b"%")}
    for name, (size, byte) in sizes.items():
        assert ask(PORTS["RULES"], name + b"?" + byte * 9) == (200, b"content"), name
        assert ask(PORTS["RULES"], name + b"?" + byte * size) == ((500, b"error page") if SANITIZER else (200, b"content")), name
    # A target of this length doesn't fit into the buffer of the upstream.
    status = ask_all(PORTS["NORMALIZED"], [b"/open/" + b"a" * 300000])[0][0]
    assert status == (500 if SANITIZER else 414), status
    return 2 * len(fine) + 7 * 3 + 5 * len(pages) + 6 + 2 * len(sizes) + 6


def run_error_pages():
    """Checks that no error page passes a refused path to an upstream, also if nginx refuses the request before the module runs."""
    clean = b"HTTP/1.1\r\nHost: a\r\n\r\n"
    twice = b"HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"
    refused = (b"/open/a%2f..%2fb", b"/open/a%0ab", b"/open/a#b", b"http://paged/a//../b")
    cases = [(target, head, b"<html>") for target in refused for head in (clean, twice)]
    cases += [(b"/open/%2e%2e/~a%2fb?%7e", twice, b"/~a%2Fb?%7e </~a/b|%7e|?>"), (b"http://h?x", twice, b"/?x </|x|?>")]
    for target, head, body in cases:
        with socket.create_connection(("127.0.0.1", PORTS["PAGED"]), 60) as connection, connection.makefile("rb") as stream:
            connection.sendall(b"GET " + target + b" " + head)
            answer = read_answer(stream, b"GET")[0]
        assert answer[0] == 400 and answer[2].startswith(body), (target, head, answer)

    # With a path, an error page has another target, so it may show text after nginx's own refusal.
    with socket.create_connection(("127.0.0.1", PORTS["PAGED_PATH"]), 60) as connection, connection.makefile("rb") as stream:
        connection.sendall(b"GET /a%2f..%2fb " + twice)
        assert read_answer(stream, b"GET")[0][::2] == (400, b"/page </page||>")
    for target in refused:
        assert ask(PORTS["PAGED_PATH"], target)[0] == 400 and b"/page" not in ask(PORTS["PAGED_PATH"], target)[1], target
    return len(cases) + 1 + len(refused)


def run_configurations():
    """Checks that nginx does not start if a directive is mistyped or contradicts itself."""
    head = "load_module @MODULE@; pid @DIR@/check.pid; error_log @DIR@/check.log; events {} http { "
    for good in ("pct_decode $a $args keep=/% reject=controls reject=/ plus=always strict layers=2;", "server { pct_check_path off; }",
                 "pct_check_path on reject=controls 'reject=;:'; server { pct_check_path on; pct_normalize_path strict; }",
                 "pct_normalize_path strict merge_slashes separators=reject reject=controls 'reject=;';"):
        done = subprocess.run(configure("check.conf", head + good + " }") + ["-t"], env=environment(), capture_output=True, text=True)
        assert done.returncode == 0, (good, done.stderr)
    bad = {
        "pct_check_path on reject=control;": "must list punctuation",
        "pct_check_path on reject=;": "must list punctuation",
        "pct_check_path on rejects=controls;": "invalid parameter",
        "pct_check_path on keep=/;": "invalid parameter",
        "pct_check_path on strict;": "invalid parameter",
        "pct_check_path strict;": 'must be "on" or "off"',
        "pct_check_path off reject=controls;": 'must be "on" or "off"',
        "pct_check_path on; pct_check_path off;": "is duplicate",
        "pct_normalize_path stric;": 'must be "on", "strict" or "off"',
        "pct_normalize_path on strict;": "invalid parameter",
        "pct_normalize_path off merge_slashes;": 'must be "on", "strict" or "off"',
        "pct_normalize_path on separators=drop;": "invalid parameter",
        "pct_normalize_path on keep=/;": "invalid parameter",
        "pct_normalize_path on separators=reject separators=keep;": "repeats an option",
        "pct_normalize_path on separators=keep separators=reject;": "repeats an option",
        "pct_normalize_path on reject=a;": "must list punctuation",
        "pct_normalize_path on reject=\u00e9;": "must list punctuation",
        "pct_normalize_path on; pct_normalize_path off;": "is duplicate",
        "pct_check_path on merge_slashes;": "invalid parameter",
        "server { location / { pct_normalize_path on; } }": "is not allowed here",
        "pct_decode $a $args stric;": "invalid parameter",
        "pct_decode $a $args keep=slash;": "must list punctuation",
        "pct_decode $a $args plus=query;": "invalid parameter",
        "pct_decode $a $args plus=always plus=after-query;": "repeats an option",
        "pct_decode $a $args layers=2 layers=8;": "repeats an option",
        "pct_decode $a $args layers=17;": "not a number from 1 to 16",
        "pct_decode $a $args layers=1x;": "not a number from 1 to 16",
        "pct_decode a $args;": "invalid variable name",
        "pct_decode $1 $args;": "invalid variable name",
        "pct_decode $a-b $args;": "invalid variable name",
        "pct_decode $a $nowhere;": "unknown \"nowhere\" variable",
        "pct_decode $a $args strict; pct_decode $a $args;": "duplicate",
        "map $uri $a { default x; } pct_decode $a $args;": "already defined",
        "pct_decode $a $args; map $uri $a { default x; }": "duplicate",
        "pct_normalize $a $args; split_clients $uri $a { * x; }": "duplicate",
        "pct_param $a $args a; server { set $a x; }": "duplicate",
        "pct_encode $a $args rfc3986-segment; server { location ~ ^/(?<a>.*) { } }": "duplicate",
        "pct_decode $uri $args;": "duplicate",
        "pct_decode $pct_failure $args;": "duplicate",
        "pct_encode $a $args rfc3986-segmen;": "unknown set",
    }
    for text, message in bad.items():
        done = subprocess.run(configure("check.conf", head + text + " }") + ["-t"], env=environment(), capture_output=True, text=True)
        assert done.returncode and message in done.stderr, (text, done.returncode, done.stderr)
    return len(bad) + 3


# Processes

def cpu_seconds(pids):
    """Returns the CPU time of these processes."""
    fields = [open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split() for pid in pids]
    return sum(int(field[11]) + int(field[12]) for field in fields) / os.sysconf("SC_CLK_TCK")


def bench(port, process):
    """Requests the locations in turns, on 8 persistent connections. Each location gets two turns of 3 seconds."""
    query = "?q=caf%C3%A9%20au%20lait&next=%2Fa%2Fb%3Fc%3D1&x=1"
    for location in ("plain", "lenient", "strict", "normalized", "param") * 2:
        pids = workers(process)
        before = cpu_seconds(pids)
        url = "http://127.0.0.1:%d/%s%s" % (port, location, query)
        said = subprocess.run(["wrk", "-t1", "-c8", "-d3", url], capture_output=True, text=True, check=True).stdout
        assert "Non-2xx" not in said and "Socket errors" not in said, said
        requests, seconds = re.search(r"(\d+) requests in ([\d.]+)s", said).groups()
        cost = (cpu_seconds(pids) - before) / int(requests) * 1e6
        print("%-12s %7.0f requests per second, %5.2f us of CPU each" % (location, int(requests) / float(seconds), cost))


def reload(process):
    """Makes nginx reload the configuration, and waits until all workers are new ones."""
    before = workers(process)
    process.send_signal(signal.SIGHUP)
    for _ in range(600):
        time.sleep(0.1)
        now = workers(process)
        if now and not set(now) & set(before):
            return
    raise AssertionError("old workers after a reload: workers %s, before it %s" % (now, before))


def main():
    os.chmod(FOLDER, 0o755)  # if root starts the server, it reads files as another user
    for folder, name in itertools.product(("files", "try"), ("a.txt", "a\\.txt", "a%.txt", "ax.txt")):
        os.makedirs(os.path.join(FOLDER, folder), exist_ok=True)
        with open(os.path.join(FOLDER, folder, name), "w") as file:
            file.write(name)
    port = PORTS["VARIABLES"]
    plain = start("plain.conf", PORTS["PLAIN"])
    process = start("nginx.conf", port)
    asked, served = 0, 0
    try:
        if BENCH:
            return bench(port, process)
        targets = list(hostile.targets())
        asked += run_variables(targets) + run_normalized(targets)
        if not VALGRIND:
            asked += run_recipe() + run_failures() + run_error_pages() + run_configurations()
            more, served = run_comparison()
            asked += more
        reload(process)
        assert ask(port, b"/lenient?%41") == (200, b"A"), "after a reload"
        if not VALGRIND:
            for pid in workers(process):
                os.kill(pid, signal.SIGKILL)
            hostile.wait_for(process, lambda: ask(port, b"/plain"))
            assert ask(port, b"/lenient?%41") == (200, b"A"), "after the workers were killed"
    finally:
        for server in (process, plain):
            server.send_signal(signal.SIGQUIT)
            server.wait(60)
        log = open(ERRORS, errors="replace").read()
        assert "ERROR: AddressSanitizer" not in log, log[log.index("ERROR: AddressSanitizer"):][:5000]
    if VALGRIND:
        reports = [open(os.path.join(FOLDER, name)).read() for name in os.listdir(FOLDER) if name.startswith("valgrind.")]
        assert all("ERROR SUMMARY: 0 errors" in report for report in reports), reports
        # These processes must have written a report: the master, two workers before the reload, and two workers after
        # it.
        assert len(reports) >= 5, reports
    unwanted = re.findall(r".*\[(?:alert|emerg|crit)\](?!.*(?:exited on signal 9|malloc\(\d+\) failed)).*", log)
    assert not unwanted, unwanted[:10]
    shutil.rmtree(FOLDER)
    if VALGRIND:
        print("%d answers are correct; reloaded; valgrind found no error in %d processes" % (asked, len(reports)))
    else:
        print("%d answers are correct, %d of them compared with plain nginx's; reloaded; workers killed" % (asked, served))


main()
