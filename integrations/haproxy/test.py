#!/usr/bin/env python3
"""Serves with the Lua module on the loopback, and asks for hostile targets over raw sockets. test.py MODULES [--valgrind]"""

import os
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
from hostile import ORACLE, ask, free_port, malformed, strict, workers

MODULES = os.path.abspath(sys.argv[1])
VALGRIND = "--valgrind" in sys.argv

def start(folder, **ports):
    config = open(os.path.join(HERE, "haproxy.cfg")).read()
    for name, value in {"MODULES": MODULES, "HERE": HERE, "DIR": folder, **ports}.items():
        config = config.replace("@%s@" % name, str(value))
    with open(os.path.join(folder, "haproxy.cfg"), "w") as file:
        file.write(config)
    command = ["haproxy", "-W", "-db", "-f", os.path.join(folder, "haproxy.cfg")]
    if VALGRIND:
        command = ["valgrind", "--trace-children=yes", "--log-file=" + os.path.join(folder, "valgrind.%p")] + command
    messages = open(os.path.join(folder, "messages"), "w")
    return hostile.wait_for(subprocess.Popen(command, stderr=messages), lambda: ask(ports["PORT"], b"/plain"))


def run(port, checked, normalized, log):
    asked = 0
    for text in hostile.targets():
        for name, oracle in ORACLE.items():
            status, body = ask(port, b"/" + name.encode() + b"?" + text)
            wanted = b"x" + oracle(text).hex().upper().encode()
            assert (status, body) == (200, wanted), (name, text[:100], status, body[:100], wanted[:100])
            asked += 1
        path = b"/" + text.replace(b"?", b"").replace(b"#", b"")
        bad = malformed(path) or strict(path) == b""
        status, _ = ask(checked, path)
        assert status == (400 if bad else 200), (path[:100], status)
        # A target that begins with two slashes is a path, too.
        wanted = hostile.normalize_path(path)
        status, body = ask(normalized, path)
        assert (status, body) == ((400, b"Bad Request\n") if wanted is None else (200, wanted)), (path[:100], status, body[:100], wanted)
        asked += 2
    for text in list(hostile.targets())[:12]:
        assert ask(port, b"/lenient?" + text, chunks=20) == (200, b"x" + hostile.decode(text).hex().upper().encode()), text
    while True:
        try:
            log.recv(65536)
        except BlockingIOError:
            break
    assert ask(normalized, b"/a%01b")[0] == 400
    log.settimeout(10)
    while b"percent-encoding: path refused" not in (line := log.recv(65536)):
        pass
    assert b"at offset 2" in line, line
    return asked


folder = tempfile.mkdtemp()
log = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
log.bind(("127.0.0.1", 0))
log.setblocking(False)
ports = {"PORT_CHECKED": free_port(), "PORT_NORMALIZED": free_port(), "PORT": free_port(), "LOG": log.getsockname()[1]}
process = start(folder, **ports)
try:
    asked = run(ports["PORT"], ports["PORT_CHECKED"], ports["PORT_NORMALIZED"], log)
    before = workers(process)
    process.send_signal(signal.SIGUSR2)
    for _ in range(600):
        time.sleep(0.1)
        now = workers(process)
        if len(now) == 1 and now != before:
            break
    assert len(now) == 1 and now != before, "the worker is the old one after a reload"
    assert ask(ports["PORT"], b"/lenient?%41") == (200, b"x41"), "after a reload"
finally:
    process.terminate()
    process.wait(60)
if VALGRIND:
    for name in os.listdir(folder):
        if name.startswith("valgrind."):
            report = open(os.path.join(folder, name)).read()
            # HAProxy by itself reads memory that it has not written.
            assert "pct.so" not in report, report
shutil.rmtree(folder)
print("%d answers as they should be%s" % (asked, ", valgrind has no complaint of the module" if VALGRIND else ""))
