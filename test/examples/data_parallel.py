#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs docs/examples/data_parallel by two processes, interrupted after two epochs, and by two without a stop; and docs/examples/data_parallel_loop:
data_parallel.py MPIRUN PROBE PROGRAM LOOP

Exit status 77: no processes can be started here.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "mpi"))
from start import ENVIRONMENT, reason_against  # noqa: E402


def run(mpirun, program, *arguments):
    done = subprocess.run([mpirun, "-n", "2", program, *arguments], capture_output=True, text=True, errors="replace", env=ENVIRONMENT, check=False, timeout=200)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.splitlines()


def main(mpirun, probe, program, loop):
    if reason := reason_against(mpirun, probe):
        print(reason)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        whole = run(mpirun, program, str(pathlib.Path(folder) / "whole"), "4")
        file = str(pathlib.Path(folder) / "interrupted")
        parts = run(mpirun, program, file, "2") + run(mpirun, program, file, "4")
    print("\n".join(whole))
    if [line.split(":")[0] for line in whole] != [f"2 processes, epoch {k}" for k in range(1, 5)]:
        sys.exit("expected four epochs of two processes")
    if [line.split(", test")[0] for line in whole] != [line.split(", test")[0] for line in parts]:
        sys.exit("an interrupted training has other losses:\n" + "\n".join(parts))
    if float(whole[-1].split()[-1]) < 0.85:
        sys.exit("expected an accuracy of at least 0.85")
    lines = run(mpirun, loop)
    print("\n".join(lines))
    if len(lines) != 1 or not lines[0].startswith("2 processes: loss ") or not 0 < float(lines[0].split()[-1]) < 0.5:
        sys.exit("expected a loss below 0.5 of two processes")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
