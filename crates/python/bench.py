"""Nanoseconds a call beside urllib and, where it is installed, yarl. Run it on a quiet machine."""

import statistics
import time
import urllib.parse

import percent_simd

ORIGINALS = {name: getattr(urllib.parse, name) for name in percent_simd._REPLACED}
TEXTS = {
    "7 bytes, clean": ("product", "product"),
    "44 bytes": ("/search/caf%C3%A9%20au%20lait?q=%E2%82%AC%205&x", "/search/café au lait & more sugar?q=€ 5&x=1"),
    "44 bytes, clean": ("/search/coffee/with/milk/and/sugar/and/more/", "/search/coffee/with/milk/and/sugar/and/more/"),
    "1 MB": ("/caf%C3%A9%20au%20lait" * 47_000, "/café au lait" * 70_000),
}


def nanoseconds(function, argument):
    """The median of eleven runs, in nanoseconds a call."""
    start = time.perf_counter_ns()
    function(argument)
    count = max(1, 2_000_000 // max(1, time.perf_counter_ns() - start))
    runs = []
    for _ in range(11):
        start = time.perf_counter_ns()
        for _ in range(count):
            function(argument)
        runs.append((time.perf_counter_ns() - start) / count)
    return statistics.median(runs)


def main():
    columns = ["percent_simd", "urllib"]
    yarl = {}
    try:
        from yarl._quoting import _Quoter, _Unquoter

        yarl = {"quote": _Quoter(safe="/"), "unquote": _Unquoter()}
        columns.append("yarl")
    except ImportError:
        print("yarl is not installed: not compared")
    print(f"| ns per call | {' | '.join(columns)} |")
    print("| --- |" + " ---: |" * len(columns))
    for name in ("unquote", "unquote_plus", "quote", "quote_plus", "parse_qsl"):
        for what, (encoded, decoded) in TEXTS.items():
            argument = decoded if name.startswith("quote") else encoded
            row = [nanoseconds(getattr(percent_simd, name), argument), nanoseconds(ORIGINALS[name], argument)]
            if yarl:
                row.append(nanoseconds(yarl[name], argument) if name in yarl else None)
            print(f"| {name}, {what} | " + " | ".join("" if ns is None else f"{ns:,.0f}" for ns in row) + " |")
    columns()


def columns():
    """Nanoseconds a row of columns of a million rows; the best of five runs."""
    try:
        import pyarrow as pa
    except ImportError:
        print("pyarrow is not installed: columns are not measured")
        return
    count = 1_000_000
    print("\n| ns per row of a column | strings | views | bytes |\n| --- | ---: | ---: | ---: |")
    for what in ("44 bytes", "44 bytes, clean"):
        row = []
        for data_type in (pa.string(), pa.string_view(), pa.binary()):
            column = pa.array([TEXTS[what][0]] * count, data_type)
            best = float("inf")
            for _ in range(5):
                start = time.perf_counter_ns()
                percent_simd.decode_array(column)
                best = min(best, time.perf_counter_ns() - start)
            row.append(best / count)
        print(f"| decode_array, {what} | " + " | ".join(f"{ns:.1f}" for ns in row) + " |")


if __name__ == "__main__":
    main()
