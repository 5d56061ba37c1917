#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Whether a compiler accepts sources that another one has run:  examples_syntax.py BUILD FOLDER...

Each command of BUILD/compile_commands.json for a source below a FOLDER runs with -fsyntax-only, so templates are instantiated and nothing is optimised or
written: a third of the time. Prints what the compiler says of those that fail; a compiler that warns has failed, too.
"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

LEFT_OUT = {"-c", "-MD", "-MMD", "-MP"}
LEFT_OUT_WITH_NEXT = {"-o", "-MQ", "-MF", "-MT"}


def syntax_only(words):
    """The words of a compiler's command, without what it would write."""
    kept, drop_next = [], False
    for word in words:
        if drop_next:
            drop_next = False
        elif word in LEFT_OUT_WITH_NEXT:
            drop_next = True
        elif word not in LEFT_OUT:
            kept.append(word)
    return kept + ["-fsyntax-only", "-Werror"]


def commands(build, folders):
    """[(source, words, folder)]: what is to be read, each once."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    roots = [os.path.realpath(folder) + os.sep for folder in folders]
    found = {}
    for entry in entries:
        source = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
        if any(source.startswith(root) for root in roots):
            words = syntax_only(shlex.split(entry["command"]))
            own = {word for word in words if word.startswith("-I") and ".p" in word}  # a folder of each target's own
            found.setdefault((source, *(word for word in words if word not in own)), (source, words, entry["directory"]))
    return list(found.values())


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    wanted = commands(arguments[0], arguments[1:])
    if not wanted:
        sys.exit("no command of compile_commands.json has a source below " + " or ".join(arguments[1:]))

    def read(item):
        source, words, directory = item
        done = subprocess.run(words, cwd=directory, capture_output=True, text=True, check=False)
        return source, done.returncode, done.stdout + done.stderr

    failed = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, status, said in pool.map(read, wanted):
            if status:
                failed.append(source)
                print(f"{source}: status {status}\n{said[:4000]}")
    print(f"{len(wanted)} sources, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
