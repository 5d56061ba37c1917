#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Whether code, comments and documentation keep to the vocabulary of docs/design/glossary.md.

    check_words.py ROOT

test/tools/words.txt lists words that are no longer used: a regular expression (whole words, any case), what to write instead, and where it may stand, as
globs. Prints each line that has one. CHANGELOG.md may name old words, and Shakespeare may use his. Exit status 1 where something was found.
"""
import fnmatch
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from tree import files_of  # noqa: E402

SUFFIXES = {".hpp", ".cpp", ".cu", ".md", ".py", ".txt", ".build", ".sh", ".json"}
NOT_READ = {"CHANGELOG.md", "test/tools/words.txt", "docs/examples/data/shakespeare.txt"}
NOT_READ_FOLDERS = ("docs/benchmarks/", "docs/pictures/", "test/conformance/cases/")


def rules_of(text):
    """Yields (line number, pattern, what to write instead, globs of files where it may stand)."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split("|||")]
        if len(parts) not in (2, 3):
            raise SystemExit(f"words.txt:{number}: is not 'pattern ||| instead' or 'pattern ||| instead ||| globs'")
        yield number, re.compile(rf"\b(?:{parts[0]})\b", re.IGNORECASE), parts[1], parts[2].split() if len(parts) == 3 else []


def faults_of(root):
    rules = list(rules_of((root / "test/tools/words.txt").read_text(encoding="utf-8")))
    used = {}
    for name, path in files_of(root, SUFFIXES):
        if name in NOT_READ or name.startswith(NOT_READ_FOLDERS):
            continue
        mine = [(pattern, instead) for _, pattern, instead, globs in rules if not any(fnmatch.fnmatch(name, g) for g in globs)]
        excepted = [(number, pattern, g) for number, pattern, _, globs in rules for g in globs if fnmatch.fnmatch(name, g)]
        text = path.read_text(encoding="utf-8", errors="replace")
        for number, pattern, g in excepted:
            used[number, g] = used.get((number, g), False) or bool(pattern.search(text))
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, instead in mine:
                if found := pattern.search(line):
                    yield f"{name}:{number}: '{found[0]}': write {instead}"
    for number, _, _, globs in rules:
        for g in globs:
            if not used.get((number, g), False):
                yield f"test/tools/words.txt:{number}: no file needs the exception {g}"


def main():
    faults = list(faults_of(pathlib.Path(sys.argv[1])))
    for fault in faults:
        print(fault)
    print(f"{len(faults)} old words" if faults else "no old words")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
