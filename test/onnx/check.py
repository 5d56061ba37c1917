#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs a program that exports nets, and holds every file to the library's own results:  check.py PROGRAM [ARGUMENTS...]

The program is given a new folder, where it writes for each net NAME.onnx, NAME_23.onnx (operator set 23), NAME.x (an input) and NAME.y (the library's output for it), numbers in the order
of memory; for several inputs or outputs NAME.x0, NAME.x1 and so on, after their names in the file. Each file is evaluated by evaluate.py, must agree to 1e-5 of its largest number and of each number, and must pass onnx.checker where that package
is installed. Exit status 77: there is no numpy.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):  # the packages of the system
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print("skipped: numpy is not installed")
    sys.exit(77)
try:
    import onnx
except Exception:  # noqa: BLE001 (the package may be there without what it needs)
    onnx = None

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import evaluate  # noqa: E402

TOLERANCE = 1e-5


def difference(found, expected):
    """The largest difference, as a part of what is allowed; more than 1: too much. What is no number must be the same."""
    if not np.array_equal(np.isfinite(found), np.isfinite(expected)):
        return float("inf")
    where = np.isfinite(expected)
    found, expected = found[where].astype(np.float64), expected[where].astype(np.float64)
    if found.size == 0:
        return 0.0
    allowed = TOLERANCE * (np.abs(expected) + min(1.0, np.abs(expected).max())) + 1e-30
    return float((np.abs(found - expected) / allowed).max())


def check(path):
    model = evaluate.read(path)
    wrong = []
    newer = path.stem.endswith("_23")
    values = path.with_name(path.stem.removesuffix("_23") + path.suffix)  # of both operator sets
    if (model["ir_version"], model["sets"], model["producer"]) != ((11, {"": 23}, "espalier") if newer else (8, {"": 17}, "espalier")):
        wrong.append(f"{path.name}: {model['ir_version']}, {model['sets']}, {model['producer']}")
    if onnx is not None:
        try:
            onnx.checker.check_model(onnx.load(str(path)), full_check=True)
        except Exception as sentence:  # noqa: BLE001
            wrong.append(f"{path.name}: {sentence}")
    inputs = [np.fromfile(values.with_suffix("." + name), dtype).reshape([-1 if isinstance(d, str) else d for d in dims]) for name, dtype, dims in model["inputs"]]
    for (name, dtype, _), y in zip(model["outputs"], evaluate.evaluate(model, inputs)):
        expected = np.fromfile(values.with_suffix("." + name), dtype)
        if expected.size != y.size:
            wrong.append(f"{path.name}: {name}: {y.size} numbers instead of {expected.size}")
        else:
            part = difference(y.reshape(-1), expected)
            print(f"{path.name}: {name}: {len(model['nodes'])} operations, {part:.3f} of what is allowed")
            if not part <= 1:
                wrong.append(f"{path.name}: {name} differs")
    wanted = values.with_suffix(".nodes")
    if wanted.exists():
        for line in wanted.read_text().splitlines():
            kind, count = line.removeprefix("23:").split()
            if line.startswith("23:") and not newer:
                continue
            came = sum(n["type"] == kind for n in model["nodes"])
            if came != int(count):
                wrong.append(f"{path.name}: {came} times {kind} instead of {count}")
    return wrong


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        status = subprocess.run([*sys.argv[1:], folder], check=False).returncode
        files = sorted(pathlib.Path(folder).glob("*.onnx"))
        wrong = [] if status == 0 else [f"the program ended with {status}"]
        if not files:
            wrong.append("the program wrote no file")
        for path in files:
            try:
                wrong += check(path)
            except Exception as sentence:  # noqa: BLE001
                wrong.append(f"{path.name}: {type(sentence).__name__}: {sentence}")
    print("\n".join(wrong) or f"{len(files)} files agree" + ("" if onnx is not None else " (without onnx.checker)"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
