# python3 rival.py FOLDER ROUNDS SIZE...: src/runtimes.rs describes the arguments and the output
import platform
import sys
import time
from urllib.parse import quote, unquote

folder, rounds, sizes = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
calls = {"encode": ("quote", lambda text: quote(text, safe="")), "decode": ("unquote", unquote)}
for op, (name, call) in calls.items():
    for size in sizes:
        with open(f"{folder}/{op}-{size}.txt", encoding="utf-8", newline="\n") as file:
            inputs = file.read().split("\n")[:-1]
        with open(f"{folder}/python-{op}-{size}.out", "w", encoding="utf-8", newline="\n") as file:
            file.writelines(call(text) + "\n" for text in inputs)
        times = []
        for _ in range(rounds):
            start = time.thread_time_ns()
            for text in inputs:
                call(text)
            times.append((time.thread_time_ns() - start) / len(inputs))
        label = f"Python {platform.python_version()} urllib.parse.{name}"
        print("python", label, op, size, sorted(times)[rounds // 2], sep="\t")
