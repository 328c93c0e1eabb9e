# python3 rival.py FOLDER ROUNDS: src/runtimes.rs describes the arguments and the output
import platform
import sys
import time
from urllib.parse import quote, unquote

folder, rounds = sys.argv[1], int(sys.argv[2])
calls = {"encode": ("quote", lambda text: quote(text, safe="")), "decode": ("unquote", unquote)}
for op, (name, call) in calls.items():
    for size in "short", "long":
        with open(f"{folder}/{op}-{size}.txt") as file:
            inputs = file.read().splitlines()
        with open(f"{folder}/python-{op}-{size}.out", "w") as file:
            file.writelines(call(text) + "\n" for text in inputs)
        times = []
        for _ in range(rounds):
            start = time.thread_time_ns()
            for text in inputs:
                call(text)
            times.append((time.thread_time_ns() - start) / len(inputs))
        label = f"Python {platform.python_version()} urllib.parse.{name}"
        print("python", label, op, size, sorted(times)[rounds // 2], sep="\t")
