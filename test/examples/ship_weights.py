#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the header of weights that the examples ship:  ship_weights.py PROGRAM DATA_DIR  (docs/examples/data; the header is in support/ beside it)

PROGRAM writes the header again. Its text must be that of the one which is there, and its numbers the same up to what a compiler's or a processor's own order
of rounding makes of them in 20 epochs. With --renew, the header is replaced.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"(?<=[ ])(-?)0x([0-9a-f]+)p(-?\d+)f(?=,)|(?<=[ ])-?\d\.0f(?=,)")
MOST = 1e-3


def numbers(text):
    return [float(m[0][:-1]) if m[2] is None else (-1 if m[1] else 1) * int(m[2], 16) * 2.0 ** int(m[3]) for m in NUMBER.finditer(text)]


def without_numbers(text):
    return re.sub(r"\s+", " ", NUMBER.sub("0", text))


if __name__ == "__main__":
    program, header = sys.argv[1], pathlib.Path(sys.argv[2]).parent / "support" / "digits_weights.hpp"
    with tempfile.TemporaryDirectory() as folder:
        written = pathlib.Path(folder) / "written.hpp"
        done = subprocess.run([program, str(written)], capture_output=True, text=True, timeout=240)
        if done.returncode != 0:
            sys.exit(f"exit status {done.returncode}: {done.stdout}{done.stderr}")
        new = written.read_text()
    if "--renew" in sys.argv[3:]:
        header.write_text(new)
    old = header.read_text()
    if without_numbers(new) != without_numbers(old):
        sys.exit(f"{header} has other tensors than {program} writes")
    farthest = max(abs(a - b) for a, b in zip(numbers(new), numbers(old), strict=True))
    print(f"{len(numbers(new))} numbers, none farther than {farthest:.2g} from those of {header.name}")
    sys.exit(0 if farthest <= MOST else 1)
