#!/usr/bin/env python3
"""Serves with the module on the loopback, and asks for hostile targets over raw sockets. test.py MODULE [--valgrind]"""

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

MODULE = os.path.abspath(sys.argv[1])
VALGRIND = "--valgrind" in sys.argv
HERE = os.path.dirname(os.path.abspath(__file__))
TRIPLET = re.compile(rb"%([0-9A-Fa-f]{2})")
UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def byte_of(match):
    return bytes([int(match.group(1), 16)])


def decode(text, keep=b""):
    return TRIPLET.sub(lambda m: m.group(0) if byte_of(m) in keep and keep else byte_of(m), text)


def layers(text):
    for _ in range(8):
        text, before = decode(text), text
        if text == before:
            break
    return text


def malformed(text):
    return b"%" in TRIPLET.sub(b"", text)


def strict(text):
    controls = any(int(m.group(1), 16) < 32 or int(m.group(1), 16) == 127 for m in TRIPLET.finditer(text))
    return b"" if malformed(text) or controls else decode(text)


def normalize(text):
    if malformed(text):
        return b""
    return TRIPLET.sub(lambda m: byte_of(m) if byte_of(m) in UNRESERVED else m.group(0).upper(), text)


def encode(text):
    return b"".join(bytes([b]) if b in UNRESERVED else b"%%%02X" % b for b in text)


def param(text):
    for pair in text.split(b"&"):
        name, _, value = pair.partition(b"=")
        if pair and decode(name.replace(b"+", b" ")) == b"q":
            return decode(value.replace(b"+", b" "))
    return b""


ORACLE = {
    "lenient": decode,
    "kept": lambda text: decode(text, b"/"),
    "form": lambda text: decode(text.replace(b"+", b" ")),
    "strict": strict,
    "layered": layers,
    "encoded": encode,
    "normalized": normalize,
    "param": param,
}


def hostile():
    yield from (b"", b"%", b"a%4", b"%zz", b"%4z", b"%%41", b"%+1", b"%2F", b"%2f%5C", b"%00", b"a%00b", b"%c0%ae%c0%af")
    yield from (b"%%32%46", b"%252f", b"%25252525252541", b"%u0041", b"%ff%fe", b"q=1", b"%71=%41+b&q=2", b"q", b"&&q=%26&")
    yield from (b"se%l%e%ct", b"\xff\xfe", b"%0d%0aX:1", b"%41" * 2700, b"%" * 8000, b"%25" * 2700, b"a" * 8000, b"%2" * 4000)
    rng = random.Random(1)
    pieces = [b"%", b"%4", b"%41", b"%2F", b"%zz", b"%25", b"25", b"2f", b"+", b"&", b"=", b"q", b"/", b"\xc3\xa9", b"%C3%A9", b"%00", b"%0A", b"%7f", b"~"]
    for _ in range(200):
        yield b"".join(rng.choice(pieces) for _ in range(rng.randrange(1, 40)))


def ask(port, target, chunks=1):
    """The status and the body of the answer; the request is sent in so many pieces."""
    request = b"GET " + target + b" HTTP/1.0\r\nHost: a\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), 20) as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        step = max(1, len(request) // chunks)
        for i in range(0, len(request), step):
            s.sendall(request[i : i + step])
            if chunks > 1:
                time.sleep(0.002)
        answer = b""
        while part := s.recv(65536):
            answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def start(folder, port, checked):
    config = open(os.path.join(HERE, "nginx.conf")).read()
    for name, value in {"MODULE": MODULE, "DIR": folder, "PORT_CHECKED": checked, "PORT": port}.items():
        config = config.replace("@%s@" % name, str(value))
    with open(os.path.join(folder, "nginx.conf"), "w") as file:
        file.write(config)
    command = ["nginx", "-p", folder, "-c", os.path.join(folder, "nginx.conf"), "-e", os.path.join(folder, "error.log")]
    if VALGRIND:
        command = ["valgrind", "--trace-children=yes", "--log-file=" + os.path.join(folder, "valgrind.%p")] + command
    process = subprocess.Popen(command)
    for _ in range(600):
        try:
            ask(port, b"/plain")
            return process
        except OSError:
            assert process.poll() is None, "nginx has ended"
            time.sleep(0.1)
    raise AssertionError("nginx does not answer")


def workers(process):
    path = "/proc/%d/task/%d/children" % (process.pid, process.pid)
    return [int(pid) for pid in open(path).read().split()]


def run(port, checked, log):
    targets = list(hostile())
    for text in targets:
        for name, oracle in ORACLE.items():
            status, body = ask(port, b"/" + name.encode() + b"?" + text)
            assert (status, body) == (200, oracle(text)), (name, text[:100], status, body[:100], oracle(text)[:100])
    for text in targets[:12]:
        assert ask(port, b"/lenient?" + text, chunks=20) == (200, decode(text)), text

    logged = lambda: open(log, errors="replace").read().count("malformed or rejected escape at offset")
    for text in targets:
        path = b"/checked/" + text.replace(b"?", b"").replace(b"#", b"")
        bad = malformed(path) or strict(path) == b""
        status, _ = ask(checked, path)
        # nginx itself refuses %00 and what climbs above the root.
        assert status == (400 if bad else 200), (path[:100], status)
    before = logged()
    assert ask(checked, b"/a%01b")[0] == 400 and logged() == before + 1
    assert ask(port, b"/checked/a%01b")[0] == 404  # a server without the directive does not look
    return len(targets) * len(ORACLE)


folder = tempfile.mkdtemp()
port, checked = free_port(), free_port()
process = start(folder, port, checked)
try:
    asked = run(port, checked, os.path.join(folder, "error.log"))
    process.send_signal(signal.SIGHUP)
    time.sleep(5 if VALGRIND else 1)
    assert ask(port, b"/lenient?%41") == (200, b"A"), "after a reload"
    if not VALGRIND:
        for pid in workers(process):
            os.kill(pid, signal.SIGKILL)
        time.sleep(1)
        assert ask(port, b"/lenient?%41") == (200, b"A"), "after the workers were killed"
finally:
    process.send_signal(signal.SIGQUIT)
    process.wait(60)
if VALGRIND:
    for name in os.listdir(folder):
        if name.startswith("valgrind."):
            report = open(os.path.join(folder, name)).read()
            assert "ERROR SUMMARY: 0 errors" in report, report
log = open(os.path.join(folder, "error.log"), errors="replace").read()
assert not re.search(r"\[(alert|emerg|crit)\](?!.*exited on signal 9)", log), log[-3000:]
shutil.rmtree(folder)
print("%d answers as they should be%s" % (asked, ", valgrind has no complaint" if VALGRIND else ""))
