#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Trains with two processes in two network namespaces, as if they ran on two computers:  namespaces.py MPIRUN PROBE TRAIN

Each check is a function; its sentence says what holds. Exit status 77: no processes or no namespaces can be made here.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "bench/distributed")]
from network import Network  # noqa: E402
from run import Failed, expect  # noqa: E402
from start import ENVIRONMENT, reason_against  # noqa: E402

TCP = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("OMPI_MCA_btl")}


def start(command, environment):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, timeout=120, check=False)
    return done.stdout + done.stderr


def ends(output):
    found = re.findall(r"^rank (\d+) steps (\d+) loss (\S+) parameters (\w+)$", output, re.M)
    expect(sorted(f[0] for f in found) == ["0", "1"], "expected the end of two processes", output)
    return sorted(found)


def same_bits(mpirun, train, folder):
    """Through a network of 100 Mbit/s two processes end with the same bits as through memory."""
    with Network("100mbit"):
        through_network = ends(start(Network.mpirun(folder, train, 20, launcher=mpirun), TCP))
    through_memory = ends(start([mpirun, "-n", "2", train, "20"], ENVIRONMENT))
    expect(through_network == through_memory, "the bits differ", f"{through_network}\n{through_memory}")


def cut_network(mpirun, train, folder):
    """A network that is cut is an error on both processes after the time limit."""
    # OpenMPI's launcher hears nothing of the second process after that, and waits. Each daemon writes what its process prints to files.
    written = folder / "output"
    command = Network.mpirun(folder, train, 1000000, "--limit", 2, launcher=mpirun, options=["--output-filename", str(written)])
    printed = lambda: "".join(p.read_text(errors="replace") for p in written.rglob("std*"))  # noqa: E731
    with Network("100mbit"):
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=TCP, start_new_session=True)
        try:
            time.sleep(4)  # for the start, and some steps
            Network.cut()
            begun = time.monotonic()
            while len(errors := dict(re.findall(r"^rank (\d) error: (.*)$", printed(), re.M))) < 2 and time.monotonic() - begun < 30:
                time.sleep(0.1)
            seconds = time.monotonic() - begun
        finally:
            Network.end_processes()
            running.wait(timeout=30)
    expect(sorted(errors) == ["0", "1"] and all(re.match(rf"process {rank} of 2: another process has not answered for the time limit of 2000 ms at step \d+", text)
                                                for rank, text in errors.items()), "expected an error of the time limit on both", printed())
    expect(seconds < 5, f"the processes noticed after {seconds:.1f} s", printed())


def main(arguments):
    if reason := reason_against(*arguments[:2]) or Network.reason_against():
        print(reason)
        return 77
    failed = 0
    for check in (same_bits, cut_network):
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(arguments[0], arguments[2], pathlib.Path(folder))
                print(f"right: {check.__doc__}")
            except (Failed, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"wrong: {check.__doc__}\n{error}")
        sys.stdout.flush()
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
