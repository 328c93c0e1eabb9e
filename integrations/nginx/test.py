#!/usr/bin/env python3
"""Serves with the module on the loopback, and asks for hostile targets over raw sockets: test.py MODULE [--valgrind]. With
--bench it has wrk ask instead, and tells requests a second and what one costs the workers."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.dont_write_bytecode = True
import hostile
from hostile import ORACLE, ask, decode, free_port, malformed, strict, workers

MODULE = os.path.abspath(sys.argv[1])
VALGRIND = "--valgrind" in sys.argv
BENCH = "--bench" in sys.argv

def start(folder, **ports):
    config = open(os.path.join(HERE, "nginx.conf")).read()
    for name, value in {"MODULE": MODULE, "DIR": folder, **ports}.items():
        config = config.replace("@%s@" % name, str(value))
    with open(os.path.join(folder, "nginx.conf"), "w") as file:
        file.write(config)
    command = ["nginx", "-p", folder, "-c", os.path.join(folder, "nginx.conf"), "-e", os.path.join(folder, "error.log")]
    if VALGRIND:
        command = ["valgrind", "--trace-children=yes", "--log-file=" + os.path.join(folder, "valgrind.%p")] + command
    return hostile.wait_for(subprocess.Popen(command), lambda: ask(ports["PORT"], b"/plain"))


def shown_uri(path, strict):
    """What $uri is after pct_normalize_path; None where the answer is 400."""
    # nginx itself refuses malformed escapes, and what climbs above the root.
    normal = hostile.normalize_path(path, strict)
    if normal is None or malformed(path):
        return None
    return re.sub(rb"/+", b"/", decode(normal, b"/\\%"))


def run_normalized(lenient, strict, targets):
    for text in targets:
        path = b"/" + text.replace(b"?", b"").replace(b"#", b"")
        climbs = re.search(rb"(^|/)(\.|%2e){2}($|/)", path, re.I)
        for port, is_strict in ((lenient, False), (strict, True)):
            wanted = shown_uri(path, is_strict)
            status, body = ask(port, path)
            if wanted is None or climbs and status == 400:
                assert status == 400, (path[:100], status, body[:100])
            elif not wanted.startswith(b"/upstream/"):
                assert (status, body) == (200, wanted), (path[:100], status, body[:100], wanted[:100])
    for path, body in {
        b"/x/%2e%2e/admin/a%2fb": b"admin /admin/a%2fb",
        b"//admin//x": b"admin /admin/x",
        b"/admin%2fx": b"/admin%2fx",
        b"/%61dmin/": b"admin /admin/",
        b"/upstream/%7ea/./b%2fc%C3%A9%25?q=%7e": b"/upstream/~a/b%2Fc%C3%A9%25?q=%7e",
    }.items():
        body = body.replace(b"%2f", b"%2F")
        assert ask(lenient, path) == (200, body), (path, ask(lenient, path))
    assert ask(strict, b"/a\\b")[0] == 400 and ask(lenient, b"/a\\b") == (200, b"/a%5Cb")
    return 2 * len(targets)


def run(port, checked, log):
    targets = list(hostile.targets())
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


def cpu_seconds(pids):
    """The time that these processes have run."""
    fields = [open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split() for pid in pids]
    return sum(int(field[11]) + int(field[12]) for field in fields) / os.sysconf("SC_CLK_TCK")


def bench(port, process):
    """Has each location asked for 3 seconds, twice, in turns, on 8 connections that stay open."""
    query = "?q=caf%C3%A9%20au%20lait&next=%2Fa%2Fb%3Fc%3D1&x=1"
    for location in ("plain", "lenient", "strict", "normalized", "param") * 2:
        pids = workers(process)
        before = cpu_seconds(pids)
        url = "http://127.0.0.1:%d/%s%s" % (port, location, query)
        said = subprocess.run(["wrk", "-t1", "-c8", "-d3", url], capture_output=True, text=True, check=True).stdout
        assert "Non-2xx" not in said and "Socket errors" not in said, said
        requests, seconds = re.search(r"(\d+) requests in ([\d.]+)s", said).groups()
        cost = (cpu_seconds(pids) - before) / int(requests) * 1e6
        print("%-12s %7.0f requests a second, %5.2f us of CPU each" % (location, int(requests) / float(seconds), cost))


def reload(process):
    """Has the configuration read anew, and waits until none of the workers is an old one."""
    before = workers(process)
    process.send_signal(signal.SIGHUP)
    for _ in range(600):
        time.sleep(0.1)
        now = workers(process)
        if now and not set(now) & set(before):
            return
    raise AssertionError("old workers after a reload: %s, before it %s" % (now, before))


folder = tempfile.mkdtemp()
names = ("PORT_CHECKED", "PORT_NORMALIZED", "PORT_STRICT", "PORT_ECHO", "PORT")
ports = {name: free_port() for name in names}
port = ports["PORT"]
process = start(folder, **ports)
try:
    if BENCH:
        bench(port, process)
    else:
        asked = run(port, ports["PORT_CHECKED"], os.path.join(folder, "error.log"))
        asked += run_normalized(ports["PORT_NORMALIZED"], ports["PORT_STRICT"], list(hostile.targets()))
        reload(process)
        assert ask(port, b"/lenient?%41") == (200, b"A"), "after a reload"
        if not VALGRIND:
            for pid in workers(process):
                os.kill(pid, signal.SIGKILL)
            hostile.wait_for(process, lambda: ask(port, b"/plain"))
            assert ask(port, b"/lenient?%41") == (200, b"A"), "after the workers were killed"
finally:
    process.send_signal(signal.SIGQUIT)
    process.wait(60)
if VALGRIND:
    reports = [name for name in os.listdir(folder) if name.startswith("valgrind.")]
    # The master, and two workers before and after the reload.
    assert len(reports) >= 5, reports
    for name in reports:
        report = open(os.path.join(folder, name)).read()
        assert "ERROR SUMMARY: 0 errors" in report, report
log = open(os.path.join(folder, "error.log"), errors="replace").read()
assert not re.search(r"\[(alert|emerg|crit)\](?!.*exited on signal 9)", log), log[-3000:]
shutil.rmtree(folder)
if not BENCH:
    done = "reloaded; valgrind has no complaint of %d processes" % len(reports) if VALGRIND else "reloaded; workers killed"
    print("%d answers as they should be; %s" % (asked, done))
