#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Trains with several processes of MPI:  run.py MPIRUN PROBE TRAIN TRAIN_LARGER TRAIN_OTHER TRAIN_SYNC TRAIN_SYNC_LARGER TRAIN_SHARDED
TRAIN_SIMULATED

TRAIN is train.cpp, TRAIN_LARGER the same with batches twice as large, TRAIN_OTHER one with another activation; TRAIN_SYNC and TRAIN_SYNC_LARGER have
the statistics of all processes, TRAIN_SHARDED states divided among the processes, and processes of TRAIN_SIMULATED
have a simulated graphics processor each. Each check is a function; its sentence says what holds.
Exit status 77: no processes can be started here.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from start import ENVIRONMENT, reason_against  # noqa: E402


class Failed(Exception):
    """A sentence."""


def expect(truth, sentence, output=""):
    if not truth:
        raise Failed(f"{sentence}\n{output}")


class Runs:
    def __init__(self, mpirun, train, larger, other, sync, sync_larger, sharded, simulated):
        self.mpirun, self.train, self.larger, self.other = mpirun, train, larger, other
        self.sync, self.sync_larger, self.sharded, self.simulated = sync, sync_larger, sharded, simulated

    def run(self, *parts, recover=False):
        """parts: (processes, program, arguments). Returns what was printed, and the seconds."""
        command = [self.mpirun] + (["--enable-recovery"] if recover else [])
        for i, (count, program, arguments) in enumerate(parts):
            command += ([":"] if i else []) + ["-n", str(count), program, *map(str, arguments)]
        begun = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=ENVIRONMENT, timeout=120, check=False)
        return done.stdout + done.stderr, time.monotonic() - begun

    def ends(self, output, count):
        """The end of each rank: (steps, loss, hash)."""
        found = {int(m[1]): (int(m[2]), float(m[3]), m[4]) for m in re.finditer(r"^rank (\d+) steps (\d+) loss (\S+) parameters (\w+)$", output, re.M)}
        expect(sorted(found) == list(range(count)), f"expected the end of {count} processes", output)
        return [found[k] for k in range(count)]

    def errors(self, output):
        return {int(m[1]): m[2] for m in re.finditer(r"^rank (\d+) error: (.*)$", output, re.M)}


def same_bits(runs, _):
    """All processes end with the same bits, in every run; two with batches of 16 learn what one does with 32."""
    for count in (2, 3, 4):
        ends = runs.ends(runs.run((count, runs.train, [30]))[0], count)
        expect(len(set(ends)) == 1, f"{count} processes end differently", ends)
        again = runs.ends(runs.run((count, runs.train, [30]))[0], count)
        expect(ends == again, f"{count} processes end differently in another run", f"{ends}\n{again}")
    # BatchNorm's statistics are those of each process, so this holds approximately.
    two, one = runs.ends(runs.run((2, runs.train, [30]))[0], 2)[0], runs.ends(runs.run((1, runs.larger, [30]))[0], 1)[0]
    expect(abs(two[1] - one[1]) < 0.15, "two processes do not learn what one learns", f"{two}\n{one}")


def statistics_of_all(runs, _):
    """With statistics of all, two processes with batches of 16 compute what one does with 32; running statistics have the same bits."""
    ends = {count: runs.ends(runs.run((count, runs.sync, [30]))[0], count) for count in (2, 3, 4)}
    for count, end in ends.items():
        expect(len(set(end)) == 1, f"{count} processes end differently", end)
        again = runs.ends(runs.run((count, runs.sync, [30]))[0], count)
        expect(end == again, f"{count} processes end differently in another run", f"{end}\n{again}")
    one = runs.ends(runs.run((1, runs.sync_larger, [30]))[0], 1)[0]
    expect(abs(ends[2][0][1] - one[1]) < 1e-3, "two processes do not compute what one computes", f"{ends[2]}\n{one}")


def killed_process(runs, folder):
    """A killed process is an error in words on all others within 5 seconds, and training goes on from the checkpoint with the same bits."""
    whole = runs.ends(runs.run((2, runs.train, [40]))[0], 2)
    file = folder / "checkpoint"
    output, seconds = runs.run((2, runs.train, [40, "--checkpoint", file, 10, "--end", 1, 27]), recover=True)
    errors = runs.errors(output)
    expect(errors == {0: "process 0 of 2: process 1 has ended at step 27"}, "expected an error that names the process", output)
    expect(seconds < 8, f"the others noticed after {seconds:.1f} s")
    expect([p.name for p in folder.iterdir()] == ["checkpoint"], "something half-written is left", str(list(folder.iterdir())))
    resumed = runs.ends(runs.run((2, runs.train, [40, "--checkpoint", file, 10]))[0], 2)
    expect([e[2] for e in resumed] == [e[2] for e in whole], "the resumed training ends with other bits", f"{resumed}\n{whole}")


def hanging_process(runs, _):
    """A process that does not answer is an error on all others after the time limit."""
    output, seconds = runs.run((3, runs.train, [40, "--hang", 2, 5, "--limit", 1]), recover=False)
    errors = runs.errors(output)
    expect(errors and all(re.fullmatch(r"process [01] of 3: (another process has not answered for the time limit of 1000 ms|process \d has ended) at step 5.*", e) for e in errors.values()),
           "expected errors of the time limit", output)
    expect(seconds < 20, f"the others noticed after {seconds:.1f} s")


def rejected_batch(runs, _):
    """A label outside the classes is an error on all processes: its own on one, that the batch was rejected on the others."""
    errors = runs.errors(runs.run((2, runs.train, [40, "--reject", 1, 5]))[0])
    expect(errors.get(0, "").startswith("process 1 of 2 rejected its batch at step 5"), "process 0", str(errors))
    expect("expected 0 to 9, got 10" in errors.get(1, ""), "process 1", str(errors))


def exception_of_one(runs, _):
    """An exception of one process alone ends it with its own text, and the others within seconds."""
    output, seconds = runs.run((3, runs.train, [40, "--throw", 1, 5]))
    errors = runs.errors(output)
    expect(errors.get(1) == "of this process alone", "expected the text of process 1", output)
    expect(all("rank %d steps" % k not in output for k in range(3)) and seconds < 10, f"the others did not end ({seconds:.1f} s)", output)


def other_program(runs, _):
    """Two executables are an error on all processes before the first step."""
    output = runs.run((1, runs.train, [10]), (1, runs.other, [10]))[0]
    errors = runs.errors(output)
    expect(len(errors) == 2 and all("process 1 of 2 runs another program than process 0" in e for e in errors.values()), "expected two errors", output)


def sharded_states(runs, folder):
    """With states divided among the processes, trainings end with the same bits, files are the same, and another number of processes goes on from them."""
    files = {name: folder / name for name in ("whole", "sharded")}
    programs = {"whole": runs.train, "sharded": runs.sharded}
    for count, steps in ((2, 20), (3, 30), (4, 40), (1, 50)):
        ends = {name: runs.ends(runs.run((count, programs[name], [steps, "--checkpoint", files[name], 10]))[0], count) for name in files}
        expect(ends["whole"] == ends["sharded"], f"{count} processes end differently", ends)
        expect(files["whole"].read_bytes() == files["sharded"].read_bytes(), f"{count} processes write other files")
    before = files["sharded"].read_bytes()
    output, seconds = runs.run((2, runs.sharded, [90, "--checkpoint", files["sharded"], 30, "--end", 1, 57]), recover=True)
    expect(runs.errors(output) == {0: "process 0 of 2: process 1 has ended at step 57"}, "expected an error that names the process", output)
    expect(seconds < 8 and files["sharded"].read_bytes() == before, f"another file, after {seconds:.1f} s")


def devices(runs, folder):
    """Processes with a graphics processor each: the same bits on all, near those of processors; a killed process is an error in words, and training goes on from the checkpoint."""
    whole = runs.ends(runs.run((2, runs.simulated, [8]))[0], 2)
    expect(len(set(whole)) == 1, "two processes end differently", whole)
    # Dropout has other numbers there.
    processor = runs.ends(runs.run((2, runs.train, [8]))[0], 2)
    expect(abs(whole[0][1] - processor[0][1]) < 0.3, "devices do not learn what processors learn", f"{whole}\n{processor}")
    file = folder / "checkpoint"
    output, seconds = runs.run((2, runs.simulated, [8, "--checkpoint", file, 4, "--end", 1, 6]), recover=True)
    expect(runs.errors(output) == {0: "process 0 of 2: process 1 has ended at step 6"}, "expected an error that names the process", output)
    expect(seconds < 20, f"the other one noticed after {seconds:.1f} s")
    resumed = runs.ends(runs.run((2, runs.simulated, [8, "--checkpoint", file, 4]))[0], 2)
    expect(resumed[0][2] == resumed[1][2] == whole[0][2], "the resumed training ends with other bits", f"{resumed}\n{whole}")


def main(arguments):
    if reason := reason_against(*arguments[:2]):
        print(reason)
        return 77
    runs, failed = Runs(arguments[0], *arguments[2:]), 0
    for check in (same_bits, statistics_of_all, killed_process, hanging_process, rejected_batch, exception_of_one, other_program, sharded_states, devices):
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(runs, pathlib.Path(folder))
                print(f"right: {check.__doc__}")
            except (Failed, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"wrong: {check.__doc__}\n{error}")
        sys.stdout.flush()
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
