#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Whether C++ files are formatted as .clang-format says, in lines of at most 120 columns.

    check_format.py ROOT [--write]

The version is that of Debian 12, since others format differently: without clang-format 14 only the length of lines is checked, and that is said. --write formats the
files. A line may be longer where it is a string literal, a table or aligned code in a comment, or an expectation of a test that must not compile. Headers
that io::write_header wrote stay as they are. Exit status 1 where a file differs.
"""
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from tree import files_of  # noqa: E402

VERSION, MOST = "14", 120
FOLDERS = ("include/", "test/", "bench/", "docs/")
WRITTEN = "// The weights of a net, written by espalier."  # how such a header begins
MAY_BE_LONG = re.compile(r'"|\w{100}|^\s*//+ ?\||^\s*//+ {3,}\S|// (expect|code|net:|https?:)')


def formatter():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        if found := shutil.which(name):
            said = subprocess.run([found, "--version"], stdout=subprocess.PIPE, text=True).stdout
            if f"version {VERSION}." in said:
                return found
    return None


def sources_of(root):
    return [name for name, path in files_of(root, {".hpp", ".cpp", ".cu", ".cuh"})
            if name.startswith(FOLDERS) and not path.read_text(encoding="utf-8").startswith(WRITTEN)]


def long_lines(root, names):
    for name in names:
        for number, line in enumerate((root / name).read_text(encoding="utf-8").split("\n"), 1):
            if len(line) > MOST and not MAY_BE_LONG.search(line):
                yield f"{name}:{number}: {len(line)} columns, at most {MOST} are allowed"


def differing(root, names, tool):
    for at in range(0, len(names), 200):
        done = subprocess.run([tool, "--dry-run", "--ferror-limit=1", *names[at:at + 200]], cwd=root, stderr=subprocess.PIPE, text=True)
        for file in dict.fromkeys(re.findall(r"^([^:\n]+):\d+:\d+: warning: code should be clang-formatted", done.stderr, re.M)):
            yield f"{file}: is not formatted; check_format.py ROOT --write formats it"


def main():
    root = pathlib.Path(sys.argv[1])
    names, tool = sources_of(root), formatter()
    if "--write" in sys.argv:
        if not tool:
            sys.exit(f"there is no clang-format {VERSION}")
        for at in range(0, len(names), 200):
            subprocess.run([tool, "-i", *names[at:at + 200]], cwd=root, check=True)
    faults = list(long_lines(root, names)) + (list(differing(root, names, tool)) if tool else [])
    for fault in faults:
        print(fault)
    checked = f"{len(names)} files" if tool else f"{len(names)} files, lengths of lines only: there is no clang-format {VERSION}"
    print(f"{len(faults)} faults in {checked}")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
