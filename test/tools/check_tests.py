#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Whether each header of the library has a test.

    check_tests.py ROOT

The test of include/espalier/FOLDER/NAME.hpp is test/FOLDER/NAME.cpp. Headers without one are in test/tools/tested_elsewhere.txt, with the tests that
exercise them: 'FOLDER/NAME.hpp: TEST TEST', relative to include/espalier and test. A listed test must include the header, directly or through others.
Exit status 1 where a header is neither tested nor listed, or where an entry is wrong or not needed any more.
"""
import pathlib
import posixpath
import re
import sys

from tree import files_of

LIST = "test/tools/tested_elsewhere.txt"
HEADERS, TESTS = "include/espalier/", "test/"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<(espalier[^>\n]+)>)', re.M)


def includes_of(root, name, known):
    """The files of the tree that a file names in its #include lines."""
    found = set()
    for match in INCLUDE.finditer((root / name).read_text(encoding="utf-8")):
        path = match[1] or match[2]
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        found |= {beside, "include/" + path, TESTS + path} & known
    return found


def reached_from(root, name, known, includes):
    """The files that a file includes, directly or through others. includes: those of the files read so far."""
    reached, unread = {name}, [name]
    while unread:
        at = unread.pop()
        if at not in includes:
            includes[at] = includes_of(root, at, known)
        unread += includes[at] - reached
        reached |= includes[at]
    return reached


def entries_of(root):
    """[(line number, header, tests)]; tests is None where the line has another form."""
    path, entries = root / LIST, []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.exists() else [], 1):
        if line.strip() and not line.startswith("#"):
            header, colon, tests = line.partition(":")
            entries.append((number, header.strip(), tests.split() if colon and tests.split() else None))
    return entries


def faults_of(root):
    known = {name for name, _ in files_of(root, {".hpp", ".cpp"})}
    headers = [name[len(HEADERS):] for name in sorted(known) if name.startswith(HEADERS)]
    own = {header: TESTS + header.rsplit(".", 1)[0] + ".cpp" for header in headers}
    listed, reached, includes = {}, {}, {}
    for number, header, tests in entries_of(root):
        where = f"{LIST.rsplit('/', 1)[1]}:{number}"
        if tests is None:
            yield f"{where}: is not 'header: tests'"
            continue
        if header in listed:
            yield f"{where}: {header} is also in line {listed[header]}"
            continue
        listed[header] = number
        if header not in own:
            yield f"{where}: there is no {HEADERS}{header}"
            continue
        if own[header] in known:
            yield f"{where}: {header} has a test of its own, {own[header]}"
        for test in tests:
            name = TESTS + test
            if name not in known:
                yield f"{where}: there is no {name}"
                continue
            if name not in reached:
                reached[name] = reached_from(root, name, known, includes)
            if HEADERS + header not in reached[name]:
                yield f"{where}: {name} does not include {header}"
    for header in headers:
        if own[header] not in known and header not in listed:
            yield f"{HEADERS}{header}: has no test; write {own[header]}, or list it in {LIST}"


def main():
    faults = list(faults_of(pathlib.Path(sys.argv[1])))
    for fault in faults:
        print(fault)
    print(f"{len(faults)} faults" if faults else "every header has a test, or is listed with those that exercise it")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
