"""Code that the tests of the integrations share: hostile targets, raw requests, and a naive oracle for the answers."""

import random
import re
import socket
import time

TRIPLET = re.compile(rb"%([0-9A-Fa-f]{2})")
UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"


def byte_of(match):
    return bytes([int(match.group(1), 16)])


def decode(text, keep=b""):
    return TRIPLET.sub(lambda m: m.group(0) if byte_of(m) in keep and keep else byte_of(m), text)


def decode_form(text):
    return decode(text.replace(b"+", b" "))


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
    front, colon, _ = re.split(rb"[/?#]", text)[0].partition(b":")
    kept = len(front) if colon and b"%" in front else 0  # decoding must not make a scheme
    return text[:kept] + TRIPLET.sub(lambda m: byte_of(m) if byte_of(m) in UNRESERVED else m.group(0).upper(), text[kept:])


def encode(text):
    return b"".join(bytes([b]) if b in UNRESERVED else b"%%%02X" % b for b in text)


def param(text):
    """Returns the value of the first parameter called q."""
    for pair in text.split(b"&"):
        name, _, value = pair.partition(b"=")
        if pair and decode_form(name) == b"q":
            return decode_form(value)
    return b""


PATH = UNRESERVED + b"!$&'()*+,;=:@/"


def normalize_path(path, strict=False):
    """Returns the path of a request as pct_normalize_path() writes it. Returns None if that function refuses the path."""
    if not path.startswith(b"/") or re.search(rb"[\x00-\x1f\x7f]", path):
        return None
    out, at = b"", 0
    while at < len(path):
        found = TRIPLET.match(path, at)
        byte = byte_of(found) if found else path[at : at + 1]
        if found and (byte < b" " or byte == b"\x7f"):
            return None
        if not found and byte not in PATH:
            if strict:
                return None
        out += byte if byte in (UNRESERVED if found else PATH) else b"%%%02X" % ord(byte)
        at += 3 if found else 1
    segments = []
    parts = out.split(b"/")[1:]
    for i, part in enumerate(parts):
        if part == b"..":
            del segments[-1:]
        elif part != b".":
            segments.append(part)
        if part in (b".", b"..") and i == len(parts) - 1:
            segments.append(b"")
    return b"/" + b"/".join(segments)


# For each location in the tested configurations, the function that computes the expected answer.
ORACLE = {
    "lenient": decode,
    "kept": lambda text: decode(text, b"/"),
    "form": decode_form,
    "strict": strict,
    "layered": layers,
    "encoded": encode,
    "normalized": normalize,
    "param": param,
}


def targets():
    """Yields queries and paths that some decoders drop, cut off, read beyond their end, or decode differently."""
    yield from (b"", b"%", b"a%4", b"%zz", b"%4z", b"%%41", b"%+1", b"%2F", b"%2f%5C", b"%00", b"a%00b", b"%c0%ae%c0%af")
    yield from (b"%%32%46", b"%252f", b"%25252525252541", b"%u0041", b"%ff%fe", b"q=1", b"%71=%41+b&q=2", b"q", b"&&q=%26&")
    yield from (b"se%l%e%ct", b"\xff\xfe", b"%0d%0aX:1", b"%41" * 2700, b"%" * 8000, b"%25" * 2700, b"a" * 8000, b"%2" * 4000)
    yield from (b"../a", b"a/%2e%2E/b", b"a/..%2fb", b"//a//b/", b"a%5c..%5Cb", b"./.", b"..", b"a/.%2e", b"%7Eu/%e9")
    rng = random.Random(1)
    pieces = [b"%", b"%4", b"%41", b"%2F", b"%zz", b"%25", b"25", b"2f", b"+", b"&", b"=", b"q", b"/", b"\xc3\xa9", b"%C3%A9", b"%00", b"%0A", b"%7f", b"~", b"..", b"%2e"]
    for _ in range(200):
        yield b"".join(rng.choice(pieces) for _ in range(rng.randrange(1, 40)))


def free_ports(count):
    """Returns different free ports. If two frontends get the same port, HAProxy gives requests to either, without an error."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]  # open them all at the same time, so that all ports differ
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def ask(port, target, chunks=1):
    """Sends a request in `chunks` pieces, and returns the status and the body of the answer."""
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


def wait_for(process, answers):
    """Waits until `answers()` raises no OSError."""
    for _ in range(600):
        try:
            answers()
            return process
        except OSError:
            assert process.poll() is None, "the server has ended"
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


def workers(process):
    """Returns the ids of the processes that a server has started."""
    path = "/proc/%d/task/%d/children" % (process.pid, process.pid)
    return [int(pid) for pid in open(path).read().split()]
