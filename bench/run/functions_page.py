# SPDX-License-Identifier: BSL-1.0
"""The page docs/benchmarks/functions.md, which run.py --page functions writes from functions.csv and functions_compile.csv."""
import csv
import os
import pathlib
import subprocess

PYTHON = {"jax": "JAX", "jax_forward": "JAX, forward mode", "torch_compiled": "PyTorch, compiled", "torch_eager": "PyTorch, eager"}
# Each step: what it is, and the floating-point operations of its matrix products, each counted once.
STEPS = {"function_step/gan": ("generator 64-128-64 and discriminator 64-128-1, batch 64, two Adams", 11.7e6),
         "function_step/actor_critic": ("actor and critic 64-64 with slow copies, batch 100, two Adams (DDPG)", 8.65e6),
         "function_step/pinn": ("tanh 32-32-32, second derivative in the loss, 256 points, Adam", 12.6e6)}
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = "docs/examples/gan.cpp"


def versions(python, packages=("torch", "jax", "jaxlib", "numpy")):
    """One line with the versions of Python and of the packages, or None where one of them is missing."""
    code = f"import importlib, sys; print(', '.join(f'{{p}} {{importlib.import_module(p).__version__}}' for p in {packages}), 'in Python', sys.version.split()[0])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False) if python else None
    return done.stdout.strip() if done and done.returncode == 0 else None


def table(head, lines):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(line) + " |" for line in lines), ""]


def time_of(row, build, implementation):
    line = row.best(build, lambda name: name == implementation)
    return float(line["min_ns"]) if line else None


def best_peer(row, builds):
    """The fastest of them in both runs: our compiler is none of theirs."""
    found = [(least(row, builds, peer), name) for peer, name in PYTHON.items()]
    return min((pair for pair in found if pair[0]), default=(None, ""))


def python_steps(rows, builds, compilers, readable):
    by_name = {row.name: row for row in rows if row.name in STEPS}
    if not by_name:
        return []
    out = ["## Steps of several models, beside PyTorch and JAX", "",
           "Each implementation does the same step from the same parameters: after ten steps, losses and parameters agree to 0.001 of the largest. JAX takes the",
           "whole step by `jit` with donated parameters, PyTorch by `torch.compile`; eager PyTorch runs autograd and a fused Adam. All run on one core, in turns of",
           "3 ms, each after a step that is not timed. **Ratio** is the time of the fastest of them, in the runs with either compiler, by that of espalier.", ""]
    lines = []
    for name, row in by_name.items():
        for build in builds:
            own, (peer, peer_name) = time_of(row, build, "espalier"), best_peer(row, builds)
            if own and peer:
                rate = f"{STEPS[name][1] / own:.0f} GFLOP/s"
                lines.append([f"`{name}`", compilers[build], readable(own), f"{peer_name} {readable(peer)}", f"**{peer / own:.2f}**", rate])
    out += table(["step", "compiler", "espalier", "fastest of the others", "ratio", "rate of espalier's products"], lines)
    out += table(["step", "what it is", *PYTHON.values()],
                 [[f"`{name}`", STEPS[name][0], *(readable(t) if t else "" for t in (least(row, builds, peer) for peer in PYTHON))] for name, row in by_name.items()])
    return out


def least(row, builds, implementation):
    return min((t for t in (time_of(row, build, implementation) for build in builds) if t), default=None)


def trainer_steps(rows, builds, compilers, readable):
    lines = []
    for row in rows:
        for build in builds:
            function, trainer = time_of(row, build, "espalier"), time_of(row, build, "trainer")
            if function and trainer:
                lines.append([f"`{row.name}`", compilers[build], readable(function), readable(trainer), f"**{function / trainer:.3f}**"])
    return ["## A step as a function, beside a trainer", "",
            "`compiled` runs a function of a model, an updater and a batch; `trainer.step` does the same. Both give the same loss and parameters, dropout included.",
            "Neither allocates (`test/allocation/compiled.cpp`). `784-128-10` has batch 64 and SGD, `mlp_resnet` is the course's net with batch 100 and Adam.", "",
            *table(["step", "compiler", "`compiled`", "`trainer.step`", "ratio"], lines)] if lines else []


def any_counts(rows, builds, compilers):
    found = {}
    for row in rows:
        if row.name.startswith("any_count/"):
            kind, count = row.name.split("/")[1], int(row.name.split("/")[2])
            for build in builds:
                fixed, any_number = time_of(row, build, "espalier"), time_of(row, build, "up to 64")
                if fixed and any_number:
                    found.setdefault((kind, build), []).append((any_number / fixed, count))
    lines = [[kind.replace("_", ", "), compilers[build], str(len(pairs)), f"**{max(pairs)[0]:.3f}**", f"at {max(pairs)[1]}",
              f"{sorted(ratio for ratio, _ in pairs)[len(pairs) // 2]:.3f}"] for (kind, build), pairs in found.items()]
    return ["## Batches of up to 64 samples, beside programs of each number", "",
            "One program for `up_to<64>`, by the program that is compiled for exactly the number of samples.", "",
            *table(["net", "compiler", "numbers measured", "largest ratio", "samples", "median ratio"], lines)] if lines else []


def embedding(rows, builds, compilers, readable):
    lines = []
    for row in rows:
        for build in builds if row.name.startswith("embedding_step/") else ():
            own, hand = time_of(row, build, "espalier"), time_of(row, build, "by_hand")
            if own and hand:
                lines.append([f"`{row.name}`", compilers[build], readable(own), readable(hand), f"{own / hand:.2f}"])
    return ["## A step of an embedding", "", "Forward pass, backward pass and update of 256 rows of a table of 32,000 rows of 288 numbers; other rows each time.", "",
            *table(["step", "compiler", "espalier", "by hand", "espalier / by hand"], lines)] if lines else []


def measure_compile(compilers, path, repeat=3):
    """What the example costs to compile: seconds of the processor and peak memory, the least of so many runs."""
    with path.open("w", newline="", encoding="ascii") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["case", "compiler", "optimization", "seconds", "megabytes"])
        for compiler in compilers:
            for level in ("-O2", "-O3"):
                command = [compiler, "-std=c++20", level, "-march=native", "-Iinclude", '-DESPALIER_DATA="data"', "-c", EXAMPLE, "-o", "/dev/null"]
                usages = []
                for _ in range(repeat):
                    process = subprocess.Popen(command, cwd=ROOT)
                    _, process.returncode, usage = os.wait4(process.pid, 0)
                    usages.append((usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))
                out.writerow([EXAMPLE, compiler, level, *(f"{min(column):.2f}" for column in zip(*usages))])


def compile_times(path):
    if not path.exists():
        return []
    lines = [[f"`{row['case']}`", row["compiler"], row["optimization"], f"**{float(row['seconds']):.1f} s**", f"{float(row['megabytes']):.0f} MB"]
             for row in csv.DictReader(path.open(encoding="ascii"))]
    return ["## What the GAN example costs to compile", "", "Seconds of the processor, the least of several runs, with `-march=native`.", "",
            *table(["program", "compiler", "level", "time", "memory"], lines)]


def page(rows, builds, compilers, notes, facts, readable, compile_csv):
    out = ["# Functions of models: measurements", "",
           "Training steps that are functions of models, batches of a number known at run time, and an embedding's step. `float`, one thread; times are minima of",
           "one run in which the implementations of a row take turns. Made by `bench/run/run.py --page functions --python PYTHON`, from",
           "[functions.csv](functions.csv).", "", *(f"- {fact}" for fact in facts), ""]
    out += python_steps(rows, builds, compilers, readable)
    out += [*notes["functions"]["limits"], ""]
    out += trainer_steps(rows, builds, compilers, readable) + any_counts(rows, builds, compilers)
    out += embedding(rows, builds, compilers, readable) + compile_times(compile_csv)
    return "\n".join(out)
