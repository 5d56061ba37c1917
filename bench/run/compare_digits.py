#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""Compares the digits example with the same training in PyTorch (digits_torch.py), one thread each, on one processor.

    bench/run/compare_digits.py BUILD_DIR [--norm batch|layer] [--seeds 0 1 2 3 4] [--rounds 1] [--write]

The two take turns, run by run, so that a slow minute of the machine hits both. Both report the seconds of their training
steps alone. PyTorch runs with the fastest of several settings, chosen in short runs before. --write puts the result into
docs/benchmarks/digits_NORM.md.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TORCH_PYTHON = "/usr/bin/python3"  # Debian's, the one that python3-torch belongs to
MALLOC = {"MALLOC_TRIM_THRESHOLD_": "268435456", "MALLOC_MMAP_THRESHOLD_": "268435456"}
SETTINGS = [(environment, option) for option in ("--foreach", "--no-foreach")
            for environment in ({}, MALLOC, {**MALLOC, "ATEN_CPU_CAPABILITY": "avx512", "OPENBLAS_CORETYPE": "SkylakeX"})]


def output_of(command, environment=()):
    one_thread = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    done = subprocess.run(command, env={**os.environ, **one_thread, **dict(environment)}, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def run_torch(setting, options, seed, epochs):
    environment, choice = setting
    said = output_of([TORCH_PYTHON, HERE / "digits_torch.py", "--seeds", str(seed), "--epochs", str(epochs), "--norm", options.norm, choice],
                     environment)
    found = re.search(r"seconds (\S+) accuracy (\S+)", said)
    return float(found[1]), float(found[2])


def run_espalier(program, seed, epochs):
    with tempfile.TemporaryDirectory() as out:
        said = output_of([program, "--seed", str(seed), "--epochs", str(epochs), "--out", out])
    return (float(re.search(r"training took (\S+) s", said)[1]), float(re.search(r"test accuracy: (\S+)", said)[1]))


def machine():
    names = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return f"{names[0] if names else 'unknown processor'}, {len(names)} logical processors, load {os.getloadavg()[0]:.1f} at the start"


def compiler(build, program):
    """The compiler and its flags, from the build's own record."""
    source = "docs/examples/digits.cpp"
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if entry["file"].endswith(source) and f"/{program.name}.p/" in entry["output"]:
            words = shlex.split(entry["command"])
            name = [word for word in words if not word.startswith("-")][0]
            name = words[words.index(name) + 1] if name.endswith("ccache") else name
            version = output_of([name, "--version"]).splitlines()[0]
            flags = [word for word in words if re.match(r"-(O|march|mprefer|std|f|m)", word) and not word.startswith("-fdiagnostics")]
            return f"{version}: {' '.join(flags)}"
    return "unknown compiler"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build folder in which `meson compile digits` was run")
    parser.add_argument("--norm", choices=("batch", "layer"), default="batch")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    program = options.build.resolve() / "docs" / "examples" / ("digits" if options.norm == "batch" else "digits_layernorm")
    if not program.exists():
        sys.exit(f"{program}: not built: meson compile -C {options.build} {program.name}")
    header = [f"Processor: {machine()}", f"espalier: {compiler(options.build, program)}",
              "PyTorch: " + output_of([TORCH_PYTHON, "-c", "import torch; print(torch.__version__)"]).strip()]
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

    best = min(SETTINGS, key=lambda setting: min(run_torch(setting, options, 0, 3)[0] for _ in range(2)))
    header[-1] += f", {best[1]} {' '.join(f'{name}={value}' for name, value in best[0].items())}".rstrip()
    print("\n".join(header), flush=True)
    rows = []
    for _ in range(options.rounds):
        for seed in options.seeds:
            ours, theirs = run_espalier(program, seed, options.epochs), run_torch(best, options, seed, options.epochs)
            rows.append((seed, *ours, *theirs, ours[0] / theirs[0]))
            print("seed %d  espalier %.3f s %.4f  PyTorch %.3f s %.4f  ratio %.3f" % rows[-1], flush=True)

    column = list(zip(*rows))
    summary = (f"medians: espalier {statistics.median(column[1]):.3f} s, PyTorch {statistics.median(column[3]):.3f} s, ratio "
               f"{statistics.median(column[5]):.3f}; mean accuracy {statistics.mean(column[2]):.4f} and {statistics.mean(column[4]):.4f}")
    print(summary)
    if options.write:
        place = ROOT / "docs" / "benchmarks" / f"digits_{options.norm}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        table = "\n".join("| %d | %.3f | %.4f | %.3f | %.4f | %.3f |" % row for row in rows)
        place.write_text(f"# Training the digits, {options.norm} normalisation: espalier and PyTorch\n\n"
                         f"{options.epochs} epochs of 44 batches of 32, one thread each, runs taking turns. Seconds are those of the training "
                         f"steps.\nMade by `bench/run/compare_digits.py BUILD_DIR --norm {options.norm} --write`.\n\n"
                         + "".join(f"- {line}\n" for line in header)
                         + "\n| seed | espalier s | accuracy | PyTorch s | accuracy | ratio of times |\n|---|---|---|---|---|---|\n"
                         + f"{table}\n\n{summary[0].upper()}{summary[1:]}.\n")
        print(f"written: {place}")


if __name__ == "__main__":
    main()
