#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs the digits example as a user would:  digits.py PROGRAM DATA_DIR

What it prints and writes, that a seed repeats a run, and that wrong arguments and files are refused with a sentence and exit status 1.
"""
import csv
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom

program, data = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []


def run(*arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=240)
    return done.returncode, done.stdout, done.stderr


def expect(truth, what):
    if not truth:
        failures.append(what)


def expect_error(said, *arguments):
    status, printed, error = run(*arguments)
    expect(status == 1 and re.search(said, error) and "accuracy" not in printed, f"{arguments}: status {status}, {error!r} instead of /{said}/")


def without_times(text):
    return re.sub(r" *\d+ samples/s.*|training took.*|learning curve.*", "", text)


with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder)
    status, printed, error = run("--epochs", 2, "--seed", 3, "--out", out)
    lines = printed.splitlines()
    expect(status == 0 and error == "", f"status {status}: {error}")
    progress = [line for line in lines if re.fullmatch(
        r"epoch +\d+/2  loss \d+\.\d{4}  accuracy [01]\.\d{4}  test [01]\.\d{4}  +\d+ samples/s  \d+\.\d s left", line)]
    expect(len(progress) == 2, f"no progress line per epoch: {lines}")
    expect(re.fullmatch(r"test accuracy: [01]\.\d{4}", lines[-1]), f"last line: {lines[-1]}")
    expect(re.fullmatch(r"training took \d+\.\d+ s \((full build|draft)\)", lines[-2]), f"line before the last: {lines[-2]}")
    accuracy = float(lines[-1].split()[-1])
    expect(accuracy > 0.6, f"two epochs learn more than {accuracy}")

    name = pathlib.Path(program).stem
    rows = list(csv.DictReader((out / f"{name}_curve.csv").open()))
    expect([row["epoch"] for row in rows] == ["1", "2"] and float(rows[-1]["test_accuracy"]) == accuracy, f"CSV: {rows}")
    expect(float(rows[1]["loss"]) < float(rows[0]["loss"]), f"the loss does not fall: {rows}")
    picture = xml.dom.minidom.parse(str(out / f"{name}_curve.svg"))
    expect(len(picture.getElementsByTagName("polyline")) == 3, "SVG: three curves")

    expect(without_times(run("--epochs", 2, "--seed", 3, "--out", out)[1]) == without_times(printed), "a seed repeats a run")
    expect(without_times(run("--epochs", 2, "--seed", 4, "--out", out)[1]) != without_times(printed), "another seed is another run")

    expect_error("--epochs: expected a whole number from 1 to 100000, got '0'", "--epochs", 0)
    expect_error("--epochs: expected a whole number .* got '2x'", "--epochs", "2x")
    expect_error("--seed: expected a whole number .* got '-1'", "--seed", "-1")
    expect_error("--seed: expected a value", "--seed")
    expect_error("got '--sed'", "--sed", 1)
    expect_error("cannot be written", "--epochs", 1, "--out", out / "none")
    expect_error("expected a file, got: ", "--data", out / "none")

    if "--save" in run("--help")[1]:
        straight, half, rest = (out / f"{name}.safetensors" for name in ("straight", "half", "rest"))
        status, printed, error = run("--epochs", 3, "--seed", 5, "--out", out, "--save", straight)
        expect(status == 0 and error == "", f"--save: status {status}: {error}")
        run("--epochs", 1, "--seed", 5, "--out", out, "--save", half)
        status, continued, error = run("--epochs", 3, "--seed", 9, "--out", out, "--load", half, "--save", rest)
        expect(status == 0 and error == "", f"--load: status {status}: {error}")
        expect(without_times(continued).split() == without_times(printed[printed.index("epoch   2/3"):]).split(), f"the rest of a training is another one: {continued}")
        expect(straight.read_bytes() == rest.read_bytes(), "training that is continued from a file gives other bits")
        done = run("--epochs", 3, "--load", rest)[1]
        expect(done == "3 epochs are done already\n" + printed.splitlines()[-1] + "\n", f"nothing is left to train: {done}")
        expect([row["epoch"] for row in csv.DictReader((out / f"{name}_curve.csv").open())] == ["2", "3"], "the curve of the rest of a training counts on")
        half.write_bytes(half.read_bytes()[:-1])
        expect_error("half.safetensors: .*truncated", "--load", half)
        expect_error("expected a file, got: No such file", "--load", out / "none")
        status, _, error = run("--epochs", 1, "--out", out, "--save", out / "none" / "a.safetensors")
        expect(status == 1 and "none/a.safetensors: cannot be written" in error, f"--save into no folder: status {status}, {error}")
    else:
        expect_error("got '--save'", "--save", out / "a")

    images, labels = "optdigits-images-idx3-ubyte", "optdigits-labels-idx1-ubyte"
    for file in (images, labels):
        shutil.copy(data / file, out / file)
    whole = (data / images).read_bytes()
    (out / images).chmod(0o644), (out / labels).chmod(0o644)
    (out / images).write_bytes(whole[:-1])
    expect_error("expected 115024 bytes .* got 115023: truncated", "--data", out)
    (out / images).write_bytes(whole[:8] + bytes((0, 0, 0, 4, 0, 0, 0, 16)) + whole[16:])
    expect_error("expected samples of shape 8 x 8, for which the program was compiled, got 4 x 16", "--data", out)
    (out / images).write_bytes(whole[:6] + bytes((1000 >> 8, 1000 & 255)) + whole[8:16 + 64 * 1000])
    expect_error("expected 1000 labels, as many as images in .*, got 1797", "--data", out)
    (out / labels).write_bytes((data / labels).read_bytes()[:6] + bytes((1000 >> 8, 1000 & 255)) + (data / labels).read_bytes()[8:8 + 1000])
    expect_error("split: expected between 0 and 1000 samples in the first part, got 1437", "--data", out)
    (out / images).write_bytes(whole)
    (out / labels).write_bytes((data / labels).read_bytes()[:-1] + b"\x0a")
    expect_error("expected labels from 0 to 9, got 10 at position 1796", "--data", out)

print("\n".join(failures) if failures else "as expected")
sys.exit(1 if failures else 0)
