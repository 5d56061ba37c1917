#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Makes what docs/browser has for a browser, and tries it:  run.py digits|inference ROOT [--pictures DIR]

digits: the page, in Chromium (digits.py). inference: the module of a trained net, in node (inference.mjs). Made twice, it has to have the same bytes. Exit status
77: a program is missing, which is said.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
MOST_BYTES = 8 * 1024  # of the trained net, compressed


def made(root, work, name, *more):
    """Two files of the same sources."""
    for copy in ("first", "second"):
        (work / copy).mkdir()
        done = subprocess.run([sys.executable, root / "docs/browser/build.py", "-o", work / copy / name, *more])
        if done.returncode:
            sys.exit(done.returncode)
    if (work / "first" / name).read_bytes() != (work / "second" / name).read_bytes():
        sys.exit(f"{name}: the same sources gave other bytes")
    return work / "first" / name


def main(arguments):
    if len(arguments) < 2 or arguments[0] not in ("digits", "inference"):
        sys.exit(__doc__)
    what, root, more = arguments[0], pathlib.Path(arguments[1]).resolve(), arguments[2:]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        if what == "digits":
            return subprocess.run([sys.executable, HERE / "digits.py", made(root, work, "digits.html"), *more]).returncode
        node = shutil.which("node")
        if not node:
            print("skipped: there is no node")
            return SKIPPED
        return subprocess.run([node, HERE / "inference.mjs", made(root, work, "inference.wasm", "--inference"), root / "docs/examples/data", str(MOST_BYTES)]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
