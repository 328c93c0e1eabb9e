#!/usr/bin/env python3
"""Runs HAProxy with the Lua module, and sends hostile targets over raw sockets: test.py MODULES [--valgrind] [CHECK...]."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.dont_write_bytecode = True
import hostile
from hostile import ORACLE, ask, free_ports, malformed, strict, workers

MODULES = os.path.abspath(sys.argv[1])
VALGRIND = "--valgrind" in sys.argv


class Log:
    """Receives the log of a server. It reads in a thread of its own, because a full socket drops lines."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.lines, self.arrived = [], threading.Condition()
        threading.Thread(target=self.take, daemon=True).start()

    def take(self):
        while True:
            line = self.socket.recv(65536)
            with self.arrived:
                self.lines.append(line)
                self.arrived.notify()

    def wait_for(self, text):
        """Waits for a line with `text` in it, and returns all lines so far."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: any(text in line for line in self.lines), 60), (text, self.lines[-20:])
            return list(self.lines)


def echo_server():
    """Starts a backend, and returns its port. The backend answers with the head of the request that it received."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=100)

    def answer(client):
        with client:
            head = b""
            while b"\r\n\r\n" not in head and (part := client.recv(1 << 20)):
                head += part
            client.sendall(b"HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\n" + head)

    def accept():
        while True:
            threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


ECHO = echo_server()


class Server:
    """Runs HAProxy with a configuration. Replaces @NAME@ by a value or a path, and by a free port for each name in `ports`."""

    def __init__(self, config, ports, files={}, **values):
        self.folder, self.log = tempfile.mkdtemp(), Log()
        self.ports = dict(zip(ports, free_ports(len(ports))))
        for name, text in files.items():
            self.write(name, text)
        values = {"MODULES": MODULES, "HERE": HERE, "DIR": self.folder, "LOG": self.log.port, "ECHO": ECHO, **values}
        for name, value in {**values, **self.ports}.items():
            config = config.replace("@%s@" % name, str(value))
        self.command = ["haproxy", "-f", self.write("haproxy.cfg", config)]

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def check(self, *options):
        """Checks the configuration with `haproxy -c`, and returns the status and the messages."""
        done = subprocess.run([*self.command, "-c", *options], capture_output=True, text=True)
        return done.returncode, done.stderr

    def __enter__(self):
        command = [*self.command, "-W", "-db"]
        if VALGRIND:
            log = "--log-file=" + os.path.join(self.folder, "valgrind.%p")
            command = ["valgrind", "--trace-children=yes", log] + command
        messages = open(os.path.join(self.folder, "messages"), "w")
        self.process = subprocess.Popen(command, stderr=messages)
        hostile.wait_for(self.process, lambda: ask(next(iter(self.ports.values())), b"/plain"))
        return self

    def wait_until_idle(self):
        """Waits until HAProxy has freed all streams and their Lua objects."""
        for _ in range(6000):
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(os.path.join(self.folder, "stats"))
                s.sendall(b"show info\n")
                info = b""
                while part := s.recv(65536):
                    info += part
            if re.search(rb"^CurrConns: 0$", info, re.M):
                return
            time.sleep(0.01)
        raise AssertionError(info)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)
        for name in os.listdir(self.folder):
            if name.startswith("valgrind."):
                report = open(os.path.join(self.folder, name)).read()
                # HAProxy itself also reads uninitialised memory, so only reports with pct.so count.
                assert "pct.so" not in report, report
        shutil.rmtree(self.folder)


def request(port, line, *fields):
    """Sends a request with this first line, and returns the status of the answer and its body."""
    with socket.create_connection(("127.0.0.1", port), 60) as s:
        s.sendall(b"\r\n".join([line, b"Connection: close", *fields, b"", b""]))
        answer = b""
        while part := s.recv(1 << 20):
            answer += part
    assert answer, "no answer: has the worker ended?"
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def request_line(answer):
    """Returns the status, and the first line of the request that reached the backend."""
    status, body = answer
    return (status, body.split(b"\r\n")[0]) if status == 200 else (status, None)


def ask_h2(port, path, method=b"GET"):
    """Sends a request over HTTP/2 (RFC 9113) without TLS, and returns the status and the body."""

    def frame(kind, flags, stream, payload):
        return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload

    def field(name, value):  # literal without indexing (RFC 7541 6.2.2)
        return b"\0" + b"".join(bytes([len(text)]) + text for text in (name, value))

    names = {b":method": method, b":scheme": b"http", b":path": path, b":authority": b"h"}
    fields = b"".join(field(*pair) for pair in names.items())
    received, status, body = b"", None, b""
    with socket.create_connection(("127.0.0.1", port), 60) as s:
        s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"") + frame(1, 5, 1, fields))
        while part := s.recv(65536):
            received += part
            while len(received) >= 9 and len(received) >= (end := 9 + int.from_bytes(received[:3], "big")):
                kind, flags, payload = received[3], received[4], received[9:end]
                received = received[end:]
                if kind == 1:  # HEADERS: an indexed status, or one as a literal
                    indexed = {0x88: 200, 0x8C: 400, 0x8D: 404, 0x8E: 500}
                    status = indexed.get(payload[0]) or int(payload[2:5])
                elif kind == 0:
                    body += payload
                elif kind in (3, 7):  # RST_STREAM, GOAWAY
                    return status, body
                if kind in (0, 1) and flags & 1:
                    return status, body
    return status, body


def demonstration():
    """Compares the converters and the action with the oracle, for hostile targets. Then reloads HAProxy."""
    server = Server(
        open(os.path.join(HERE, "haproxy.cfg")).read(), ("PORT", "PORT_CHECKED", "PORT_NORMALIZED")
    )
    with server:
        port, checked, normalized = (server.ports[name] for name in ("PORT", "PORT_CHECKED", "PORT_NORMALIZED"))
        for text in hostile.targets():
            for name, oracle in ORACLE.items():
                status, body = ask(port, b"/" + name.encode() + b"?" + text)
                wanted = b"x" + oracle(text).hex().upper().encode()
                assert (status, body) == (200, wanted), (name, text[:100], status, body[:100], wanted[:100])
            path = b"/" + text.replace(b"?", b"").replace(b"#", b"")
            bad = malformed(path) or strict(path) == b""
            status, _ = ask(checked, path)
            assert status == (400 if bad else 200), (path[:100], status)
            # A target that begins with two slashes is a path. It has no authority.
            wanted = hostile.normalize_path(path)
            status, body = ask(normalized, path)
            seen = (400, None) if status == 400 else (status, body)
            assert seen == ((400, None) if wanted is None else (200, wanted)), (path[:100], status, body[:100], wanted)
        for text in list(hostile.targets())[:12]:
            assert ask(port, b"/lenient?" + text, chunks=20) == (200, b"x" + hostile.decode(text).hex().upper().encode()), text
        assert ask(normalized, b"/twenty+bytes%01in+all")[0] == 400
        server.log.wait_for(b"path refused: forbidden character or escape at offset 13")
        before = workers(server.process)
        server.process.send_signal(signal.SIGUSR2)
        for _ in range(600):
            time.sleep(0.1)
            now = workers(server.process)
            if len(now) == 1 and now != before:
                break
        assert len(now) == 1 and now != before, "the worker is the old one after a reload"
        assert ask(port, b"/lenient?%41") == (200, b"x41"), "after a reload"


EDGES = open(os.path.join(HERE, "edges.cfg")).read()
PORTS = ("PLAIN", "NORMALIZED", "NORMALIZED_H2", "STRICT", "FILES", "GUARDED", "CONVERTERS")
DEFINE = """local percent_simd = require("percent_simd")
percent_simd.define("checked", { strict = true, reject = "controls" })
local options = { merge_slashes = true, separators = "reject", reject = ":|" }
percent_simd.define_path("files", options)
-- An action keeps the options of its definition.
options.separators, options.reject = nil, nil
"""


def edges(lua="", load="lua-load-per-thread", tune="", checked="strict = true"):
    """Returns a server that uses edges.cfg."""
    define = DEFINE.replace("strict = true", checked)
    return Server(EDGES, PORTS, {"edges.lua": define + lua}, LOAD=load, TUNE=tune)


def targets_at_the_edges():
    """Checks for each form of a target which request reaches the backend, and which targets are refused."""
    with edges() as server:
        ask_at_the_edges(server)


def ask_at_the_edges(server):
    normalized = server.ports["NORMALIZED"]
    for line, wanted in {
        # origin-form (RFC 9112 3.2.1). It may begin with two slashes.
        b"GET /a/../b?c/../d HTTP/1.1": b"GET /b?c/../d HTTP/1.1",
        b"GET /a/%2e%2e/%7eb%2f HTTP/1.1": b"GET /~b%2F HTTP/1.1",
        b"GET /a\\b^ HTTP/1.1": b"GET /a%5Cb%5E HTTP/1.1",
        b"GET /?a?b HTTP/1.1": b"GET /?a?b HTTP/1.1",
        b"GET //admin HTTP/1.1": b"GET //admin HTTP/1.1",
        b"GET //h/../admin HTTP/1.1": b"GET //admin HTTP/1.1",
        b"GET /.//admin HTTP/1.1": b"GET //admin HTTP/1.1",
        # Targets in absolute-form (3.2.2). For this form, HAProxy finds the authority and the query by separate code.
        b"GET http://h/a/../b?c HTTP/1.1": b"GET http://h/b?c HTTP/1.1",
        b"GET http://h HTTP/1.1": b"GET http://h/ HTTP/1.1",
        b"GET http://h HTTP/1.0": b"GET http://h/ HTTP/1.0",
        b"GET http://h?x HTTP/1.1": b"GET http://h/?x HTTP/1.1",
        b"GET http://h?x/../public HTTP/1.1": b"GET http://h/?x/../public HTTP/1.1",
        b"GET http://h//admin HTTP/1.1": b"GET http://h//admin HTTP/1.1",
        b"OPTIONS http://h?x HTTP/1.1": b"OPTIONS http://h/?x HTTP/1.1",
        # authority-form (3.2.3) and asterisk-form (3.2.4). They have no path.
        b"CONNECT h:443 HTTP/1.1": b"CONNECT h:443 HTTP/1.1",
        b"OPTIONS * HTTP/1.1": b"OPTIONS * HTTP/1.1",
        b"OPTIONS http://h HTTP/1.1": b"OPTIONS http://h HTTP/1.1",
    }.items():
        assert request_line(request(normalized, line, b"Host: h")) == (200, wanted), line
        assert request_line(request(server.ports["GUARDED"], line, b"Host: h")) == (200, wanted), line
    for target in (
        # A target has no fragment (3.2), so a "#" is an error anywhere.
        b"/admin#", b"/admin#?x", b"/x#/../admin", b"/x?y#z", b"#", b"http://h#/admin", b"http://h/x#", b"http://h#@i/",
        # These targets have an invalid form, or a form that the method does not allow.
        b"admin", b"*", b"*/admin", b"h:443", b"http:/admin", b"http:admin", b"?x",
        # Node.js finds the path "/admin" in these targets.
        b"http://h\\admin", b"http:///h/admin", b"ws:///h/admin", b"https://@/h/admin", b"http:\\\\h/admin", b"http://h:80\\admin",
        b"/a%00", b"/%0aadmin", b"/a%7F",
    ):
        for port in ("NORMALIZED", "STRICT", "GUARDED"):
            assert request(server.ports[port], b"GET " + target + b" HTTP/1.1", b"Host: h")[0] == 400, (port, target)
    for target in (b"/a\\b", b"/100%", b"/a^", b"/caf\xe9"):
        assert request(server.ports["STRICT"], b"GET " + target + b" HTTP/1.1", b"Host: h")[0] == 400, target
    for target, wanted in {
        b"/a//b": (200, b"GET /a/b HTTP/1.1"),
        b"/a//../b?c//d": (200, b"GET /b?c//d HTTP/1.1"),
        b"http://h//a:b": (200, b"GET http://h/a:b HTTP/1.1"),
        b"//admin": (403, None),
        b"/a%2Fb": (400, None),
        b"/a\\b": (400, None),
        b"/a%3Ab": (400, None),
        b"http://h/a|": (400, None),
    }.items():
        assert request_line(request(server.ports["FILES"], b"GET " + target + b" HTTP/1.1", b"Host: h")) == wanted, target
    # The offset is an offset in the target that the client sent, not in the normalized path. This also holds for a raw character that
    # is an escape in the normalized path.
    server.log.wait_for(b"path refused: rejected byte 124 at offset 10")
    # Insert each byte into these paths. If a rule of plain HAProxy denies the target, HAProxy with the module must deny
    # it, too.
    for byte in range(0, 256, 15 if VALGRIND else 1):
        if byte in b"\r\n \t":
            continue
        for path in (b"/admin%c", b"/admin%cx", b"/admin/%c", b"/admin/x?%c", b"/admin%%%02x"):
            line = b"GET " + path % byte + b" HTTP/1.1"
            if request(server.ports["PLAIN"], line, b"Host: h")[0] == 403:
                statuses = [request(server.ports[port], line, b"Host: h")[0] for port in ("NORMALIZED", "STRICT")]
                assert set(statuses) <= {400, 403}, (line, statuses)
    h2 = server.ports["NORMALIZED_H2"]
    for path, wanted in {
        b"/a/../b?c/../d": (200, b"GET /b?c/../d HTTP/1.1"),
        b"//h/../x": (200, b"GET //x HTTP/1.1"),
        b"/a/..//admin": (200, b"GET //admin HTTP/1.1"),
        b"/x/%2e%2e/admin": (403, None),
        b"/admin#": (400, None),
        b"/x?y#z": (400, None),
        b"/%0aadmin": (400, None),
    }.items():
        assert request_line(ask_h2(h2, path)) == wanted, (path, ask_h2(h2, path), wanted)
    assert request_line(ask_h2(h2, b"*", b"OPTIONS")) == (200, b"OPTIONS * HTTP/1.1")


def failures_deny():
    """Checks that each of these denies a request: a normal path that is too long for the buffer, a variable that cannot be set,
    and a target that changes after the check."""
    path = b"/x/../admin/" + b"^" * 5500
    with edges() as server:
        for port in ("NORMALIZED", "GUARDED"):
            assert request(server.ports[port], b"GET " + path + b" HTTP/1.1", b"Host: h")[0] == 400, port
            # If the path fits into the buffer, the rule for /admin denies it.
            assert request(server.ports[port], b"GET " + path[:3000] + b" HTTP/1.1", b"Host: h")[0] == 403, port
        server.log.wait_for(b"path refused: its normal form does not fit the buffer at offset 0")
        assert request(server.ports["GUARDED"], b"GET /moved HTTP/1.1", b"Host: h")[0] == 500
    with edges(tune="tune.vars.txn-max-size 200") as server:
        for port in ("NORMALIZED", "GUARDED"):
            assert request(server.ports[port], b"GET /a HTTP/1.1", b"Host: h")[0] == 200, port
            assert request(server.ports[port], b"GET /" + b"a" * 300 + b" HTTP/1.1", b"Host: h")[0] == 500, port
        server.log.wait_for(b"lua.pct_normalize_path: cannot set txn.pct_target")


def converters_deny():
    """Checks that converters deny bad input and bad options, and that a bad option is logged once."""
    with edges() as server:
        port = server.ports["CONVERTERS"]
        status = lambda target, *fields: request(port, b"GET " + target + b" HTTP/1.1", b"Host: h", *fields)[0]
        for rule in (b"/if/", b"/unless/", b"/defined/", b"/value/?", b"/value_defined/?", b"/param/?q=", b"/normalize/?"):
            assert status(rule + b"a%20b") == 200, rule
            assert status(rule + b"a%zz") == 400, rule
        for rule in (b"/if/", b"/unless/", b"/defined/", b"/value/?", b"/value_defined/?", b"/param/?q="):
            assert status(rule + b"a%0ab") == 400, rule
        # A header field may occur twice, and may have several values.
        for fields, wanted in {(b"a%20b", b"c"): 200, (b"a%zz", b"c"): 400, (b"c", b"a%zz"): 400, (b"a, b%0a, c",): 400, (b"a\tb",): 400, (): 200}.items():
            assert status(b"/header/", *(b"X-Text: " + text for text in fields)) == wanted, fields
        bad = (b"stric", b"control", b"nothing", b"no", b"layers", b"twice", b"more", b"value_stric", b"encode", b"encode_more", b"normalize_more", b"param_nameless")
        for rule in bad * 3:
            assert status(b"/" + rule + b"/?a") == 400, rule
        # A value in a header field must not become another field.
        sent = request(port, b"GET /?q=a%0d%0aX-Admin:%201&q=c HTTP/1.1", b"Host: h")[1]
        assert b"\r\nx-param: [a%0d%0aX-Admin: 1]\r\n" in sent, sent
        alerts = [line for line in server.log.wait_for(b"lua.pct_param:") if b"percent-encoding: lua." in line]
        assert len(alerts) == len(bad), alerts
        assert any(b'lua.pct_fault: option "stric" is unknown' in line for line in alerts), alerts
        assert any(b'neither "controls" nor' in line for line in alerts), alerts


def options_are_checked_when_the_configuration_loads():
    for load in ("lua-load", "lua-load-per-thread"):
        assert edges(load=load).check()[0] == 0
        for checked, message in {
            "stric = true": 'option "stric" is unknown',
            'strict = "no"': 'option "strict" must be true or false',
            'keep = "control"': 'option "keep" is neither',
            "layers = 17": 'option "layers" must be',
        }.items():
            status, said = edges(load=load, checked=checked).check()
            assert status == 1 and message in said, (status, said)
        for lua, message in {
            DEFINE: "defined twice",
            DEFINE.replace('"checked"', '"a-b"'): "name of a decoder",
            DEFINE.replace('"checked"', '"other"').replace('"files"', '"strict"'): "exists already",
            DEFINE.replace('"checked"', '"other"'): "path \"files\" is defined twice",
            'require("percent_simd").define_path("a", { separators = "drop" })': 'option "separators" is unknown',
        }.items():
            status, said = edges(lua, load).check()
            assert status == 1 and message in said, (status, said)
    status, said = Server(EDGES.replace("pct_fault_checked", "pct_fault_chekced"), PORTS, {"edges.lua": DEFINE}, LOAD="lua-load", TUNE="").check()
    assert status == 1 and "pct_fault_chekced" in said, (status, said)


# Takes all memory that Lua may have, until the stream ends. Leaves free the number of bytes in the header field "free".
HOG = """
core.register_action("hog", { "http-req" }, function(txn)
    collectgarbage()
    local held, spare, n = {}, ("x"):rep(tonumber(txn.sf:req_hdr("free"))), 1
    for i = 1, 4000 do held[i] = false end
    txn:set_priv(held)
    held[1] = txn
    local function take(size) held[n] = ("x"):rep(size) end
    for _, size in ipairs { 65536, 8192, 1000, 500, 200, 100, 50, 41 } do
        repeat n = n + 1 until not pcall(take, size)
    end
    spare = nil
end)
"""


def lack_of_memory_denies():
    """Refuses memory at many points. The request must be denied, or continue as it was checked, and the log must report the lack of memory."""
    hog = "    http-request lua.hog if { req.hdr(free) -m found }\n"
    config = re.sub(r"(frontend \w+\n(?:    bind .*\n)+)", lambda m: m.group(1) + hog, EDGES)
    answers = {
        "GUARDED": {b"/x/%2e%2e/admin": {(500, None), (403, None)}, b"/x/%2e%2e/y": {(500, None), (200, b"GET /y HTTP/1.1")}},
        # HAProxy may lack the memory to pass a long text to Lua. In this case, the converter gives no result. So only rules that
        # require a good result get long texts here: the rules for /unless/ and /defined/.
        "CONVERTERS": {
            rule + b"%zz": {(400, None)} for rule in (b"/if/", b"/value/?", b"/unless/" + b"a" * 1500, b"/defined/" + b"a" * 1500)
        },
    }
    for load in ("lua-load", "lua-load-per-thread"):
        with Server(config, PORTS, {"edges.lua": DEFINE + HOG}, LOAD=load, TUNE="tune.lua.maxmem 2") as server:
            before = workers(server.process)
            for name, targets in answers.items():
                for target, wanted in targets.items():
                    seen = set()
                    for free in (*range(0, 1600, 200 if VALGRIND else 50), *range(1600, 8000, 400), 20000):
                        server.wait_until_idle()
                        answer = request(server.ports[name], b"GET " + target + b" HTTP/1.1", b"Host: h", b"Free: %d" % free)
                        seen.add(request_line(answer))
                    assert seen == wanted, (load, target, seen)
            assert workers(server.process) == before, "the worker has ended"
            assert not [line for line in server.log.lines if b"Lua function 'hog'" in line]
            # All three cases must have occurred: HAProxy could not start the action, the action failed, a converter
            # failed.
            server.log.wait_for(b"Lua function 'pct_normalize_path': not enough memory")
            server.log.wait_for(b"lua.pct_normalize_path: not enough memory")
            # A lack of memory must be logged each time, not only once.
            assert sum(b"lua.pct_fault: not enough memory" in line for line in server.log.wait_for(b"lua.pct_fault: not")) > 3
            server.log.wait_for(b"lua.pct_fault_checked: not enough memory")
            server.log.wait_for(b"Lua converter 'pct_fault': not enough memory")


def what_the_readme_recommends():
    """Serves with the configuration of README.md. Replaces only the port and the folders, and adds the backend.

    By default, HAProxy itself refuses some of the targets. With the option, they reach the module."""
    readme = open(os.path.join(HERE, "README.md")).read()
    decoders = re.search(r"```lua\n(.*?define.*?)```", readme, re.S).group(1)
    config = re.search(r"```\n(global\n.*?)```", readme, re.S).group(1)
    for there, here in {
        "/usr/local/lib/haproxy/": "@MODULES@/",
        "/path/to/integrations/haproxy/": "@HERE@/",
        "/etc/haproxy/": "@DIR@/",
        "mode http\n": "mode http\n    option accept-invalid-http-request\n",
        ":80\n": "127.0.0.1:@WWW@\n    bind 127.0.0.1:@WWW_H2@ proto h2\n",
    }.items():
        assert there in config, there
        config = config.replace(there, here)
    body_rules = re.search(r"  ```\n(  option http-buffer-request.*?)  ```", readme, re.S).group(1)
    config = config.replace("    default_backend", body_rules + "    default_backend")
    backend = "backend app\n    server app 127.0.0.1:@ECHO@\n"
    with Server(config + backend, ("WWW", "WWW_H2"), {"decoders.lua": decoders}) as server:
        # HAProxy only warns if it ignores rules.
        assert server.check("-dW")[0] == 0, server.check("-dW")
        for target, wanted in {
            b"/a/../b?user=bob": b"GET /b?user=bob HTTP/1.1",
            b"http://h?user=bob": b"GET http://h/?user=bob HTTP/1.1",
            b"/a/../admin": 403,
            b"/%61dmin": 403,
            b"http://h?/../admin": b"GET http://h/?/../admin HTTP/1.1",
            b"//admin": 403,
            b"http://h//admin": 403,
            b"/a/..//admin": 403,
            b"/%2Fadmin": 400,
            b"/%2fadmin": 400,
            b"/a%2f..%2fadmin": 400,
            b"/a/..%5Cadmin": 400,
            b"/\\admin": 400,
            b"/admin#": 400,
            b"/x?%": 400,
            b"/x?user=a%0d%0aX-Admin:1": 400,
            b"/x/../admin/" + b"^" * 5500: 400,
        }.items():
            answer = request(server.ports["WWW"], b"GET " + target + b" HTTP/1.1", b"Host: h", b"X-User: root")
            if isinstance(wanted, bytes):
                assert request_line(answer) == (200, wanted), (target, answer, wanted)
                assert re.findall(rb"x-user: (.*)\r\n", answer[1]) == [b"bob" if b"user=bob" in target else b""], answer
            else:
                assert answer[0] == wanted, (target, answer, wanted)
            if target.startswith(b"/"):
                status, _ = ask_h2(server.ports["WWW_H2"], target) if len(target) < 128 else (400, b"")
                assert status == (200 if isinstance(wanted, bytes) else wanted), (target, status)
        assert request_line(request(server.ports["WWW"], b"OPTIONS * HTTP/1.1", b"Host: h")) == (200, b"OPTIONS * HTTP/1.1")
        # HAProxy passes a body to Lua only up to the first NUL. It passes only the part of the body that is in the buffer.
        length = b"Content-Length: %d\r\n\r\n%s"
        bodies = {b"": 200, b"a=%41": 200, b"a" * 8000: 200, b"a=%zz": 400, b"a\0": 400, b"\0%00": 400, b"a=1\0%zz": 400, b"a" * 17000 + b"%zz": 413}
        requests = {length % (len(body), body): wanted for body, wanted in bodies.items()}
        chunked = b"Transfer-Encoding: chunked\r\n\r\n%s3\r\n%%zz\r\n0\r\n\r\n"
        requests[chunked % (b"64\r\n" + b"a" * 100 + b"\r\n")] = 400
        requests[chunked % ((b"64\r\n" + b"a" * 100 + b"\r\n") * 170)] = 413
        requests[b"X-Large: " + b"a" * 15000 + b"\r\n" + chunked % b""] = 413
        for rest, wanted in requests.items():
            with socket.create_connection(("127.0.0.1", server.ports["WWW"]), 60) as s:
                s.sendall(b"POST /b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n" + rest)
                status = int(s.recv(1 << 16).split()[1])
            assert status == wanted, (rest[:99], len(rest), status, wanted)
        assert request(server.ports["WWW"], b"GET /" + b"a" * 2500 + b" HTTP/1.1", b"Host: h")[0] == 413


CHECKS = [
    demonstration,
    targets_at_the_edges,
    failures_deny,
    converters_deny,
    options_are_checked_when_the_configuration_loads,
    what_the_readme_recommends,
    lack_of_memory_denies,
]
named = [argument for argument in sys.argv[2:] if argument != "--valgrind"]
assert set(named) <= {check.__name__ for check in CHECKS}, "there is no such check: %s" % named
for check in CHECKS:
    if not named or check.__name__ in named:
        check()
        print("%s: passed%s" % (check.__name__.replace("_", " "), ", under valgrind" if VALGRIND else ""), flush=True)
