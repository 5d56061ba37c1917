#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs docs/examples/data_parallel by two processes, interrupted after two epochs, and by two without a stop:  data_parallel.py PROGRAM DATA

Exit status 77: there is no mpirun.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "self,vader",
                            "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_mpi_yield_when_idle": "1"}


def run(processes, program, *arguments):
    done = subprocess.run(["mpirun", "-n", str(processes), program, *arguments], capture_output=True, text=True, errors="replace", env=ENVIRONMENT, check=False, timeout=200)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.splitlines()


def main(program):
    if not shutil.which("mpirun"):
        print("there is no mpirun")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        whole = run(2, program, str(pathlib.Path(folder) / "whole"), "4")
        file = str(pathlib.Path(folder) / "interrupted")
        parts = run(2, program, file, "2") + run(2, program, file, "4")
    print("\n".join(whole))
    if [line.split(":")[0] for line in whole] != [f"2 processes, epoch {k}" for k in range(1, 5)]:
        sys.exit("expected four epochs of two processes")
    if [line.split(", test")[0] for line in whole] != [line.split(", test")[0] for line in parts]:
        sys.exit("an interrupted training has other losses:\n" + "\n".join(parts))
    if float(whole[-1].split()[-1]) < 0.85:
        sys.exit("expected an accuracy of at least 0.85")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
