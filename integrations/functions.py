"""The functions that the engines share: one table, an independent oracle for each function, and the rows to compare.

The suites of the engines import this file. `python3 integrations/functions.py` prints two tables of docs/columns.md. With
`--results`, it prints the result of each function for each row, for suites that aren't in Python. With `--wrong`, it prints queries
whose option is wrong, each after a part of its error and a tab.
"""

import random
import re
import sys
import urllib.parse

TRIPLET = re.compile("%([0-9A-Fa-f]{2})")


def malformed(text):
    return "%" in TRIPLET.sub("", text)


def units(text):
    """Yields each byte of the decoded text, with the text that it came from."""
    at = 0
    while at < len(text):
        triplet = TRIPLET.match(text, at)
        if triplet:
            yield int(triplet[1], 16), triplet[0]
            at += 3
        else:
            for byte in text[at].encode():
                yield byte, ""
            at += 1


def decode(text):
    """Decodes, and leaves escapes that are malformed, or whose bytes aren't UTF-8."""
    bytes_of, origins = zip(*units(text)) if text else ((), ())
    out, at = [], 0
    for character in bytes(bytes_of).decode("utf-8", "surrogateescape"):
        is_byte = "\udc80" <= character <= "\udcff"
        out.append(origins[at] if is_byte else character)
        at += 1 if is_byte else len(character.encode())
    return "".join(out)


def try_decode(text):
    blob = urllib.parse.unquote_to_bytes(text)
    try:
        return None if malformed(text) else blob.decode()
    except UnicodeDecodeError:
        return None


def pairs(text):
    query = text.partition("#")[0].partition("?")[2]
    return urllib.parse.parse_qsl(query, keep_blank_values=True)


def first_values(text):
    """Returns the first value of each name, in the order in which the names first appear."""
    values = {}
    for name, value in pairs(text):
        values.setdefault(name, value)
    return values


def param(text, name):
    return first_values(text).get(name)


def layers(text, most):
    for _ in range(most):
        text = decode(text)
    return text


def try_layers(text, most):
    """Decodes several layers, and then reads the bytes as UTF-8."""
    if malformed(text):
        return None
    blob = text.encode()
    for _ in range(most):
        blob = urllib.parse.unquote_to_bytes(blob)
    try:
        return blob.decode()
    except UnicodeDecodeError:
        return None


def decode_but(text, kept):
    """Decodes, and leaves the escapes of the characters in `kept`."""
    escapes = "|".join(f"%{ord(character):02X}" for character in kept)
    parts = re.split(f"({escapes})", text, flags=re.IGNORECASE)
    return "".join(part if number % 2 else decode(part) for number, part in enumerate(parts))


# RFC 3986 Appendix B, and 3.2.
URL = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
AUTHORITY = re.compile(r"(?:(.*)@)?(\[.*\]|[^:]*)(?::(.*))?")
# The domains of the hosts below, by the public suffix list.
DOMAINS = {"www.Example.co.uk": "example.co.uk", "EXAMPLE.com": "example.com", "a.b.example.org": "example.org", "www.Bücher.DE": "bücher.de"}


def parse(text):
    scheme, authority, path, query, fragment = URL.fullmatch(text).groups()
    user, host, port = AUTHORITY.fullmatch(authority).groups() if authority is not None else (None, None, None)
    user = user and user.partition(":")[0]
    parts = {"scheme": scheme, "user": user, "host": host, "domain": DOMAINS.get(host), "port": port}
    return {**parts, "path": path, "query": query, "fragment": fragment}


STRAY = re.compile("%(?![0-9A-Fa-f]{2})")


def normalize(text):
    """Normalizes by RFC 3986 6.2.2. No row has dot segments."""

    def normal(found):
        character = chr(int(found[1], 16))
        return character if re.match("[A-Za-z0-9._~-]", character) else found[0].upper()

    parts = parse(text)
    for part in filter(None, (parts["host"], parts["scheme"])):
        text = text.replace(part, part.lower(), 1)
    return TRIPLET.sub(normal, STRAY.sub("%25", text))


def repair(text):
    """Repairs the faults that the rows have: blanks around the link, hosts above ASCII, and characters that no URL contains."""
    host = parse(text.strip())["host"] or ""
    if not host.isascii():
        text = text.replace(host, host.lower().encode("idna").decode(), 1)
    front, mark, fragment = STRAY.sub("%25", text.strip()).partition("#")
    text = front + mark + fragment.replace("#", "%23")
    return re.sub(r"[^!-~]", lambda found: urllib.parse.quote(found[0], safe=""), text)


def sort_query(text):
    """Sorts the pairs by name, as URLSearchParams.sort() does: by the code units of UTF-16, with U+FFFD for invalid UTF-8."""
    front, mark, query = text.partition("#")[0].partition("?")
    pairs = sorted(filter(None, query.split("&")), key=lambda pair: urllib.parse.unquote_plus(pair.partition("=")[0]).encode("utf-16-be"))
    return front + (mark if pairs or not query else "") + "&".join(pairs) + text[len(front + mark + query) :]


# Each function has: its call in SQL, its call in Python, the result for a malformed escape, the result for escapes of invalid
# UTF-8, the result for `+`, and the oracle. A null row gives a null.
FUNCTIONS = [
    ("pct_decode(s)", "`decode_array(s)`", "the escape stays", "the escapes stay", "a plus sign", decode),
    (
        "pct_decode(s, 'plus replace')",
        '`decode_array(s, plus=True, errors="replace")`',
        "the escape stays",
        "U+FFFD",
        "a space",
        urllib.parse.unquote_plus,
    ),
    ("pct_decode(s, 'null')", '`decode_array(s, errors="null")`', "null", "null", "a plus sign", try_decode),
    (
        "pct_decode(s, 'layers=3')",
        "`decode_array(s, layers=3)`",
        "the escape stays",
        "the escapes stay",
        "a plus sign",
        lambda text: layers(text, 3),
    ),
    (
        "pct_decode(s, 'null layers=3')",
        '`decode_array(s, errors="null", layers=3)`',
        "null",
        "null",
        "a plus sign",
        lambda text: try_layers(text, 3),
    ),
    (
        "pct_decode(s, 'keep=/&')",
        '`decode_array(s, keep="/&")`',
        "the escape stays",
        "the escapes stay",
        "a plus sign",
        lambda text: decode_but(text, "/&"),
    ),
    ("try_pct_decode(s)", '`decode_array(s, errors="null")`', "null", "null", "a plus sign", try_decode),
    ("pct_decode_blob(s)", "`decode_array(binary)`", "the escape stays", "the bytes", "a plus sign", urllib.parse.unquote_to_bytes),
    ("pct_encode(s)", "`encode_array(s)`", "`%` becomes `%25`", "encoded again", "`%2B`", lambda text: urllib.parse.quote(text, safe="")),
    (
        "pct_encode(s, 'rfc3986-path')",
        '`encode_array(s, set="rfc3986-path")`',
        "`%` becomes `%25`",
        "encoded again",
        "stays",
        lambda text: urllib.parse.quote(text, safe="/!$&'()*+,;=:@"),
    ),
    ("pct_normalize(s)", "`normalize_array(s)`", "`%` becomes `%25`", "the escapes stay", "stays", normalize),
    ("pct_repair(s)", "`repair_array(s)`", "`%` becomes `%25`", "the escapes stay", "stays", repair),
    ("pct_redact(s)", "`redact_array(s)`", "stays", "stay", "stays", lambda text: text.replace("u:secret@", "u:***@")),
    ("url_parse(s)", "`parse_url(s)`", "stays", "stay", "stays", parse),
    ("url_host(s)", "the field `host` of `parse_url(s)`", "stays", "stay", "stays", lambda text: parse(text)["host"]),
    ("url_domain(s)", "the field `domain` of `parse_url(s)`", "stays", "stay", "stays", lambda text: parse(text)["domain"]),
    ("url_param(s, 'q')", '`query_param(s, "q")`', "the escape stays", "U+FFFD", "a space", lambda text: param(text, "q")),
    ("url_params(s)", "`parse_query(s)`", "the escape stays", "U+FFFD", "a space", pairs),
    (
        "url_query(s)",
        "`parse_query(s)`, with the first value of each name",
        "the escape stays",
        "U+FFFD",
        "a space",
        first_values,
    ),
    ("url_sort_query(s)", "`sort_query_array(s)`", "stays", "stay", "stays", sort_query),
]

# This call fails for most rows, so it has no results to compare. The suites of Python and DataFusion test its errors.
STRICT = ("pct_decode(s, 'strict')", '`decode_array(s, errors="strict")`', "the call fails", "the call fails", "a plus sign", None)

# Calls with a wrong option. Each has: its call in SQL, the name and the options of its call in Python, and a part of the error. A
# wrong option is an error whatever the value is.
WRONG = [
    ("pct_decode(s, 'loud')", "decode", {"errors": "loud"}, 'errors is "keep", "null", "strict" or "replace", not "loud"'),
    ("pct_encode(s, 'loud')", "encode", {"set": "loud"}, "no set is "),
]


def wrong_queries(of_no_rows=False):
    """Yields queries of SQL whose option is wrong and whose values are null, each with a part of its error. With `of_no_rows`, also
    yields queries without rows, for an engine that checks options when it plans a query. The queries read `s` in a table `shared`."""
    for sql, _, _, error in WRONG:
        name, option = sql.rstrip(")").split("(s, ")
        yield f"SELECT {name}(NULL, {option})", error
        yield f"SELECT {sql} FROM shared WHERE s IS NULL", error
        yield f"SELECT {name}(s, CASE WHEN s IS NULL THEN {option} END) FROM shared", error
        yield f"SELECT {name}(NULL, CASE WHEN s IS NULL THEN {option} END) FROM shared", error
        if of_no_rows:
            yield f"SELECT {sql} FROM shared WHERE s = 'no such row'", error


def assert_wrong(run):
    """Checks that `run` fails for each of these queries, with the right error."""
    for query, part in wrong_queries():
        try:
            run(query)
        except Exception as error:
            assert part in str(error), (query, error)
        else:
            raise AssertionError(f"{query}: no error")


STARTS = ["", "/?", "http://u:secret@www.Example.co.uk:8080/", "HTTP://EXAMPLE.com/?", "//a.b.example.org/", "ftp://127.0.0.1/", "http://[::1]/", "http://www.Bücher.DE/", "mailto:a@b?"]
PIECES = ["%41", "%C3%A9", "%e2%82%ac", "%", "%4", "%zz", "%FF", "%c3", "%F0%9F", "+", "%2B", "%2f", "a" * 20, "é", "/", "?", "&", "#", "q=", "q=1", "%71=", "b=2&", "=", ";", " ", "%20", "%00", "😀", "%%32", "%25", "%2541", "%C3%25A9", "%2525E2%E2%25%38%32%AC"]


def rows(count=1000):
    """Returns rows of the kinds that differ among implementations, with nulls. They are the same in each run."""
    rng = random.Random(39)
    texts = [rng.choice(STARTS) + "".join(rng.choices(PIECES, k=rng.randrange(9))) for _ in range(count)]
    return [None if rng.random() < 0.05 else text for text in texts]


def expected(oracle):
    """Returns the result of each row."""
    return [None if row is None else oracle(row) for row in rows()]


# The engines' own functions. Each has: the engine, the function, its results for these three rows, and our nearest call, with the
# difference if the results differ.
THREE = ["a+b", "%FF", "%zz"]
BUILTINS = [
    ("Spark 4.3", "url_decode", "`a b`", "U+FFFD", "fails", '`decode(plus=True, errors="replace")`, which leaves `%zz`'),
    ("Spark 4.3", "try_url_decode", "`a b`", "U+FFFD", "null", '`decode(plus=True, errors="null")`, which also makes `%FF` null'),
    ("Spark 4.3", "url_encode", "`a%2Bb`", "`%25FF`", "`%25zz`", '`encode(set="java-urlencoder")`'),
    ("DuckDB 2.0", "url_decode", "stays", "fails", "stays", "`pct_decode(s)`, which leaves `%FF`"),
    ("DuckDB 2.0", "url_encode", "`a%2Bb`", "`%25FF`", "`%25zz`", "`pct_encode(s)`"),
    ("ClickHouse 26.9", "decodeURLComponent", "stays", "the byte FF", "stays", "`pct_decode_blob(s)`, which also decodes `%41` in `%%41`"),
    ("ClickHouse 26.9", "decodeURLFormComponent", "`a b`", "the byte FF", "stays", "`pct_decode_blob(replace(s, '+', ' '))`"),
    ("ClickHouse 26.9", "encodeURLComponent", "`a%2Bb`", "`%25FF`", "`%25zz`", "`pct_encode(s)`"),
    ("Python", "unquote", "stays", "U+FFFD", "stays", '`decode_array(column, errors="replace")`'),
    ("Python", "unquote_plus", "`a b`", "U+FFFD", "stays", '`decode_array(column, plus=True, errors="replace")`'),
    ("Python", 'quote(safe="")', "`a%2Bb`", "`%25FF`", "`%25zz`", "`encode_array(column)`"),
]


def assert_builtins(engine, call):
    """Compares the engine's own functions with the table. `call` returns the result of a function for a row, as text or bytes."""
    fixed = {"null": None, "U+FFFD": "\ufffd", "the byte FF": b"\xff"}
    for name, function, *cells, _ in BUILTINS:
        for row, cell in zip(THREE, cells if name.split()[0] == engine else []):
            try:
                found = call(function, row)
            except Exception:
                assert cell == "fails", (function, row)
                continue
            expected = row if cell == "stays" else fixed.get(cell, cell.strip("`"))
            assert found == expected or isinstance(expected, str) and found == expected.encode(), (function, row, found)


def builtins():
    """Returns the engines' own functions as a table in Markdown."""
    head = " | ".join(f"result for `{row}`" for row in THREE)
    lines = [f"| Engine | Function | {head} | Our call |", "| --- | --- | --- | --- | --- | --- |"]
    lines += [f"| {engine} | `{function}` | {' | '.join(cells)} |" for engine, function, *cells in BUILTINS]
    return "\n".join(lines) + "\n"


def table():
    """Returns the functions as a table in Markdown."""
    lines = ["| SQL | Python | a malformed escape | escapes of invalid UTF-8 | `+` |", "| --- | --- | --- | --- | --- |"]
    lines += [f"| `{sql}` | {python} | {bad} | {invalid} | {plus} |" for sql, python, bad, invalid, plus, _ in [*FUNCTIONS[:3], STRICT, *FUNCTIONS[3:]]]
    return "\n".join(lines) + "\n"


def cells(value):
    """Returns a result as a flat list of texts, bytes and nulls: the values of a struct, or the names and values of a map."""
    if isinstance(value, dict):
        return [cell for pair in value.items() for cell in pair] if value.keys() != parse("").keys() else list(value.values())
    return [cell for pair in value for cell in pair] if isinstance(value, list) else [value]


def results():
    """Yields lines: for each function its call in SQL, and then a line for each row. This line has words for the row and for the
    cells of its result. A null is `-`. For text and bytes, `=` begins their hexadecimal digits."""

    def word(cell):
        return "-" if cell is None else "=" + (cell if isinstance(cell, bytes) else cell.encode()).hex()

    for sql, *_, oracle in FUNCTIONS:
        yield sql
        for row, value in zip(rows(), expected(oracle)):
            yield " ".join(map(word, [row, *cells(value)]))


if __name__ == "__main__":
    if "--results" in sys.argv:
        print("\n".join(results()))
    elif "--wrong" in sys.argv:
        print("\n".join(f"{error}\t{query}" for query, error in wrong_queries(of_no_rows=True)))
    else:
        print(table() + "\n" + builtins(), end="")
