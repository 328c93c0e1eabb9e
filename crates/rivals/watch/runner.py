"""The Python runner of crates/rivals/scripts/watch. The head of that script describes the requests and the answers of a runner. The
arguments of this runner are modules."""

import importlib
import sys
import time
from collections import deque

for module in sys.argv[1:]:
    importlib.import_module(module)
    package = module.partition(".")[0]
    globals()[package] = sys.modules[package]

loaded, inputs = "", []
for request in sys.stdin:
    name, file, passes = request.rstrip("\n").split("\t")
    call = eval(name)  # a function in peers.toml
    if loaded != file:
        with open(file, encoding="utf-8", newline="\n") as source:
            loaded, inputs = file, source.read().split("\n")
    if passes == "0":
        with open(f"{file}.out", "w", encoding="utf-8", newline="\n") as out:
            out.write("\n".join(map(call, inputs)))
    start = time.thread_time_ns()
    for _ in range(int(passes)):
        # `deque` consumes the results without a loop in Python.
        deque(map(call, inputs), 0)
    print(time.thread_time_ns() - start, flush=True)
