#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that the version is the same everywhere it stands:  check_version.py ROOT

include/espalier/base/version.hpp (its three numbers and its text), meson.build, the newest heading of CHANGELOG.md, and the tags in what
users are told to write, and vcpkg's port. CMake and Conan read the header.
"""
import pathlib
import re
import sys

HEADER = "include/espalier/base/version.hpp"
WRAP = "test/consumer/subproject/subprojects/espalier.wrap"
PORT = "packaging/vcpkg/espalier/vcpkg.json"
FETCH = "test/consumer/fetch_content/CMakeLists.txt"


def of_header(text):
    numbers = [re.search(rf"^#define ESPALIER_VERSION_{part} (\d+)$", text, re.M) for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(n[1] if n else "?" for n in numbers)


def first(pattern, text):
    match = re.search(pattern, text, re.M)
    return match[1] if match else "none"


def versions(root):
    """Where a version stands -> the version there."""
    root = pathlib.Path(root)
    header = (root / HEADER).read_text(encoding="utf-8")
    return {
        f"{HEADER}, its numbers": of_header(header),
        f"{HEADER}, its text": first(r'^#define ESPALIER_VERSION_STRING "([^"]*)"$', header),
        "meson.build": first(r"^project\([^)]*?\bversion: '([^']*)'", (root / "meson.build").read_text(encoding="utf-8")),
        "CHANGELOG.md, its newest heading": first(r"^## (\S+)", (root / "CHANGELOG.md").read_text(encoding="utf-8")),
        WRAP: first(r"^revision = v(\S+)$", (root / WRAP).read_text(encoding="utf-8")),
        PORT: first(r'"version": "([^"]*)"', (root / PORT).read_text(encoding="utf-8")),
        FETCH: first(r"\bGIT_TAG v([^\s)]+)", (root / FETCH).read_text(encoding="utf-8")),
    }


def violations(root):
    found = versions(root)
    wanted = next(iter(found.values()))
    wrong = [f"{where}: {version}, but {wanted} in {HEADER}" for where, version in found.items() if version != wanted]
    if not re.fullmatch(r"\d+\.\d{1,2}\.\d{1,2}", wanted):
        wrong.append(f"{HEADER}: {wanted} is no version of three numbers, the last two below 100")
    return wrong


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    all_found = violations(sys.argv[1])
    print("\n".join(all_found) or "the version is the same everywhere")
    sys.exit(1 if all_found else 0)
