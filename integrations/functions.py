"""The functions that the engines share: one table, an independent oracle for each function, and the rows to compare.

The suites of the engines import this file. `python3 integrations/functions.py` prints the table of docs/columns.md.
"""

import random
import re
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


def param(text, name):
    return dict(reversed(pairs(text))).get(name)


# Each function has: its call in SQL, its call in Python, the result for a malformed escape, the result for escapes of invalid
# UTF-8, the result for `+`, and the oracle. A null row gives a null.
FUNCTIONS = [
    ("pct_decode(s)", "decode_array(s)", "the escape stays", "the escapes stay", "a plus sign", decode),
    ("try_pct_decode(s)", 'decode_array(s, errors="null")', "null", "null", "a plus sign", try_decode),
    ("pct_decode_blob(s)", "decode_array(binary)", "the escape stays", "the bytes", "a plus sign", urllib.parse.unquote_to_bytes),
    ("pct_encode(s)", "encode_array(s)", "`%` becomes `%25`", "encoded again", "`%2B`", lambda text: urllib.parse.quote(text, safe="")),
    (
        "pct_encode(s, 'rfc3986-path')",
        'encode_array(s, set="rfc3986-path")',
        "`%` becomes `%25`",
        "encoded again",
        "stays",
        lambda text: urllib.parse.quote(text, safe="/!$&'()*+,;=:@"),
    ),
    ("url_param(s, 'q')", 'query_param(s, "q")', "the escape stays", "U+FFFD", "a space", lambda text: param(text, "q")),
    ("url_query(s)", "parse_query(s)", "the escape stays", "U+FFFD", "a space", lambda text: dict(reversed(pairs(text)))),
]

PIECES = ["%41", "%C3%A9", "%e2%82%ac", "%", "%4", "%zz", "%FF", "%c3", "%F0%9F", "+", "%2B", "a" * 20, "é", "/", "?", "&", "#", "q=", "q=1", "%71=", "=", ";", " ", "%20", "%00", "😀", "%%32", "%25"]


def rows(count=1000):
    """Returns rows of the kinds that differ among implementations, with nulls. They are the same in each run."""
    rng = random.Random(39)
    texts = [rng.choice(["", "/?"]) + "".join(rng.choices(PIECES, k=rng.randrange(9))) for _ in range(count)]
    return [None if rng.random() < 0.05 else text for text in texts]


def expected(oracle):
    """Returns the result of each row."""
    return [None if row is None else oracle(row) for row in rows()]


def table():
    """Returns the functions as a table in Markdown."""
    lines = ["| SQL | Python | a malformed escape | escapes of invalid UTF-8 | `+` |", "| --- | --- | --- | --- | --- |"]
    lines += [f"| `{sql}` | `{python}` | {bad} | {invalid} | {plus} |" for sql, python, bad, invalid, plus, _ in FUNCTIONS]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
