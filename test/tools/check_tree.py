#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Whether the repository holds only what belongs there:  check_tree.py ROOT

The top level has the folders and files listed below, and the others have no file that a program writes where it runs: curves of a training, parameters,
objects, profiles. Prints each file that does not belong. Exit status 1 where something was found.
"""
import fnmatch
import subprocess
import sys

TOP_LEVEL = {
    ".ci", ".clang-format", ".editorconfig", ".git-blame-ignore-revs", ".gitignore", "bench", "CHANGELOG.md", "cmake", "CMakeLists.txt", "CONTRIBUTING.md",
    "docs", "include", "LICENSE", "meson.build", "meson_options.txt", "packaging", "README.md", "SECURITY.md", "test", "tools",
}
WRITTEN = ("*.o", "*.a", "*.so", "*.gch", "*.pch", "*.elf", "*.wasm", "*.exe", "*.d", "*.gcda", "*.gcno", "*.profraw", "*.log", "*.orig", "*.rej", "*.swp",
           "*_curve.csv", "*_curve.svg", "core", "core.[0-9]*", "vgcore.*", "*~")


def tracked(root):
    """The files that git tracks: what a program wrote and nobody added may stay. No files where there is no checkout."""
    done = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return sorted(name for name in done.stdout.split("\0") if name)


def faults_of(names):
    for name in names:
        first, file = name.split("/")[0], name.split("/")[-1]
        if first not in TOP_LEVEL:
            yield f"{name}: the top level holds only what TOP_LEVEL of test/tools/check_tree.py lists"
        elif any(fnmatch.fnmatchcase(file, pattern) for pattern in WRITTEN):
            yield f"{name}: is written by a program; keep it out of the repository"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    all_faults = list(faults_of(tracked(sys.argv[1])))
    print("\n".join(all_faults) or "every file has its place")
    sys.exit(1 if all_faults else 0)
