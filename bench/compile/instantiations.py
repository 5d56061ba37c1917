#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What clang does for a program that, unlike seconds, is the same on every machine: how many templates it instantiates, and the steps of the largest constant that it computes.

  instantiations.py --check BASELINE     compares the programs of the baseline with it; exit status 1 where one differs too much, 77 without clang
  instantiations.py --record BASELINE    writes the numbers there, to be looked at before they are committed
  instantiations.py FILE [ARGUMENT...]   counts for one file, and prints the templates with the most instantiations

A baseline's line: source, its arguments, classes, functions, steps. More than MOST of a number fails, and so does less than LEAST of the first two, so that what was
gained is kept. Steps are those that -fconstexpr-steps limits, to a twentieth: a program is compiled with the limit, and --record looks for it.
"""
import collections
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILER = "clang++-19"
MOST, LEAST = 1.03, 0.90
MANY_STEPS = 2**31 - 1
SKIPPED = 77
# The same instruction set everywhere: kernels are chosen by it.
# Without xsimd, whose number of templates is another one in each version.
FLAGS = ["-std=c++20", "-DESPALIER_COMPILER_VECTORS", "-DESPALIER_DRAFT=0", "-march=x86-64-v3", f"-I{ROOT / 'include'}", "-ftime-trace-granularity=0", "-Xclang", "-fsyntax-only", "-c"]


class DoesNotCompile(Exception):
    """With so many steps: where a constant takes more, the library may say in its own words that a net does not fit."""


def events(source, arguments, steps=MANY_STEPS):
    """The names and details of the instantiations of one compilation."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        command = [COMPILER, *FLAGS, f"-fconstexpr-steps={steps}", f"-ftime-trace={trace}", *arguments, str(source), "-o", str(pathlib.Path(folder) / "none.o")]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise DoesNotCompile(f"{source} does not compile:\n{done.stderr[:4000]}")
        found = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    return [(e["name"], e.get("args", {}).get("detail", "")) for e in found if e["name"] in ("InstantiateClass", "InstantiateFunction")]


def count(source, arguments=(), steps=MANY_STEPS):
    """(classes, functions)"""
    names = collections.Counter(name for name, _ in events(source, arguments, steps))
    return names["InstantiateClass"], names["InstantiateFunction"]


def steps_of(source, arguments=()):
    """A limit with which the program compiles, and would not with a twentieth less."""
    low, high = 0, 1024
    while not compiles(source, arguments, high):
        low, high = high, 2 * high
    while high - low > high // 20:
        middle = (low + high) // 2
        low, high = (low, middle) if compiles(source, arguments, middle) else (middle, high)
    return high


def compiles(source, arguments, steps):
    try:
        events(source, arguments, steps)
    except DoesNotCompile:
        if steps == MANY_STEPS:
            raise
        return False
    return True


def read(baseline):
    rows = []
    for line in pathlib.Path(baseline).read_text(encoding="utf-8").splitlines():
        words = line.split()
        if words and not line.startswith("#"):
            rows.append((words[0], words[1:-3], *map(int, words[-3:])))
    return rows


def faults(seen, allowed, name):
    """What is wrong with two numbers against the baseline's two."""
    said = []
    for what, now, then in zip(("classes", "functions"), seen, allowed):
        if now > then * MOST:
            said.append(f"{name}: {now} {what} are instantiated, the baseline says {then}: find out what costs more (instantiations.py FILE), or record it")
        elif now < then * LEAST:
            said.append(f"{name}: {now} {what} are instantiated, fewer than the baseline's {then}: record that, so that it stays")
    return said


def check(baseline):
    said = []
    for source, arguments, classes, functions, steps in read(baseline):
        name, limit = " ".join([source, *arguments]), math.ceil(steps * MOST)
        try:
            seen = count(source, arguments, limit)
        except DoesNotCompile:
            compiles(source, arguments, MANY_STEPS)
            said.append(f"{name}: a constant takes more than {limit} steps, the baseline says {steps}: find out what costs more, or record it")
            continue
        print(f"{name}: {seen[0]} classes ({classes}), {seen[1]} functions ({functions}), at most {limit} steps")
        said += faults(seen, (classes, functions), name)
    print("\n".join(said))
    return 1 if said else 0


def record(baseline):
    path = pathlib.Path(baseline)
    head = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    for source, arguments, *_ in read(baseline):
        compiles(source, arguments, MANY_STEPS)
    rows = [" ".join([source, *arguments, *map(str, (*count(source, arguments), steps_of(source, arguments)))]) for source, arguments, *_ in read(baseline)]
    path.write_text("\n".join(head + rows) + "\n", encoding="utf-8")
    return 0


def main(words):
    if not words:
        print(__doc__)
        return 2
    if shutil.which(COMPILER) is None:
        print(f"skipped: there is no {COMPILER}")
        return SKIPPED
    if words[0] in ("--check", "--record"):
        return (check if words[0] == "--check" else record)(words[1])
    seen = collections.Counter((name[len("Instantiate"):].lower(), re.sub("<.*", "", detail)) for name, detail in events(words[0], words[1:]))
    print(f"{sum(seen.values())} instantiations")
    for (kind, template), number in seen.most_common(40):
        print(f"{number:7} {kind:9} {template}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except DoesNotCompile as said:
        sys.exit(str(said))
