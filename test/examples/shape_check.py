#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the refusals that the example shape_check shows:  shape_check.py FILE -- COMPILER ARGUMENTS...

Each variant (-DSHOW_ERROR=n) must be refused with one error that holds every text of its `// says:` lines (namespaces left out).
How long a message may be is the business of test/compile_fail.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import compile_fail  # noqa: E402


def main():
    source, command = sys.argv[1], sys.argv[sys.argv.index("--") + 1:]
    text = pathlib.Path(source).read_text()
    variants = re.findall(r"^#(?:el)?if SHOW_ERROR == (\d+).*\n((?://.*\n)+)", text, re.M)
    problems = [] if len(variants) == text.count("SHOW_ERROR == ") and variants else ["a variant has no line that begins with // says:"]
    status, message = compile_fail.compile_(command, source)
    if status != 0:
        problems.append(f"the example itself does not compile:\n{message}")
    for number, comments in variants:
        said = re.findall(r"^// says: (.*)$", comments, re.M)
        status, message = compile_fail.compile_(command, source, f"-DSHOW_ERROR={number}")
        if status == 0:
            problems.append(f"variant {number} compiles")
            continue
        plain = re.sub(r"> >", ">>", re.sub(r"> >", ">>", message.replace("espalier::", "")))
        problems += [f"variant {number} does not say: {part}\n{message}" for part in said if part not in plain]
        errors = sum(1 for line in message.splitlines() if compile_fail.ERROR.search(line))
        if errors != 1:
            problems.append(f"variant {number} gives {errors} errors\n{message}")
    print("\n".join(problems) if problems else "refused as the example says")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
