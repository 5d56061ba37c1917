#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs the mnist example on made-up pictures of MNIST's size and form:  mnist.py PROGRAM DIGITS_DIR

Class k is a bright row 2k + 3 of noise, so that one epoch of 640 pictures must tell the classes apart.
"""
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

program, digits = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []


def run(*arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=240)
    return done.returncode, done.stdout, done.stderr


def expect(truth, what):
    if not truth:
        failures.append(what)


def write_pair(folder, prefix, count, generator):
    labels = bytes(generator.randrange(10) for _ in range(count))
    pictures = bytearray()
    for label in labels:
        picture = bytearray(generator.randrange(60) for _ in range(28 * 28))
        picture[28 * (2 * label + 3):28 * (2 * label + 4)] = bytes(generator.randrange(180, 256) for _ in range(28))
        pictures += picture
    (folder / f"{prefix}-images-idx3-ubyte").write_bytes(struct.pack(">4B3I", 0, 0, 8, 3, count, 28, 28) + pictures)
    (folder / f"{prefix}-labels-idx1-ubyte").write_bytes(struct.pack(">4BI", 0, 0, 8, 1, count) + labels)


with tempfile.TemporaryDirectory() as name:
    folder, generator = pathlib.Path(name), random.Random(7)
    write_pair(folder, "train", 640, generator)
    write_pair(folder, "t10k", 75, generator)  # two batches and a padded third
    status, printed, error = run("--data", folder, "--epochs", 3, "--out", folder)
    expect(status == 0, f"status {status}: {error}")
    found = re.search(r"\ntraining took \d+\.\d+ s \((?:full build|draft)\)\ntest accuracy: ([01]\.\d{4})\n$", printed)
    expect(found and float(found[1]) > 0.9, f"the made-up classes are learned: {printed}")

    status, printed, error = run()
    expect(status == 1 and "--data: expected the folder of the IDX files" in error, f"without --data: {status} {error}")
    shutil.copy(digits / "optdigits-images-idx3-ubyte", folder / "train-images-idx3-ubyte")
    status, printed, error = run("--data", folder, "--out", folder)
    expect(status == 1 and "expected samples of shape 28 x 28, for which the program was compiled, got 8 x 8" in error,
           f"pictures of another size: {status} {error}")

print("\n".join(failures) if failures else "as expected")
sys.exit(1 if failures else 0)
