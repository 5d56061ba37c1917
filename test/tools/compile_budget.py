#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles a program within a budget of memory, and runs it:  compile_budget.py FILE -- COMPILER ARGUMENTS...

FILE says its budget in megabytes, the largest resident size of the compiler, in a line `// budget: 700 MB`. A compiler that wants more than LIMIT is ended
by the system, so a program whose cost is not linear cannot take the machine with it. Seconds are no part of a test: bench/compile measures them.
"""
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

LIMIT = 6_000_000 * 1024  # bytes of address space: more than any program of this folder needs, less than a small machine has
BUDGET = re.compile(r"^// budget: (\d+) MB$", re.M)


def budget_of(text):
    found = BUDGET.search(text)
    return int(found.group(1)) if found else None


def compile_within(command):
    """The compiler's exit status, what it printed, and its largest resident size in megabytes."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", preexec_fn=limit)
    return done.returncode, done.stdout + done.stderr, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def check(path, command):
    """What is wrong with the program; an empty list where nothing is."""
    budget = budget_of(path.read_text())
    if budget is None:
        return [f"{path} lacks a line // budget: N MB"]
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program"
        status, printed, megabytes = compile_within([*command, str(path), "-o", str(program)])
        if status != 0:
            return [f"{path} does not compile within {LIMIT // 1024 // 1024} MB:", printed[-2000:]]
        problems = [] if megabytes <= budget else [f"{path} took {megabytes:.0f} MB, more than its {budget}"]
        run = subprocess.run([str(program)], capture_output=True, text=True)
        if run.returncode != 0:
            problems.append(f"{path} ends with {run.returncode}: {run.stdout}{run.stderr}")
        print(f"{path}: {megabytes:.0f} MB of {budget}; {run.stdout.strip()}")
        return problems


def main(words):
    if len(words) < 4 or words[2] != "--":
        print(__doc__)
        return 2
    problems = check(pathlib.Path(words[1]), words[3:])
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
