#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Builds and runs every program of this folder with both compilers, and writes docs/benchmarks/cpu.md, cpu.csv, cpu_*.svg and readme.svg.

    bench/run/run.py [--rows REGEX] [--seconds S] [--meson-option -Drtneural_dir=DIR ...] [--lock FILE] [--no-build] [--only-page]
    bench/run/run.py --page functions [--python PYTHON] ...
    bench/run/run.py --page sequences [--python PYTHON] --meson-option=-Drtneural_dir=DIR --meson-option=-Dneuralaudio_dir=DIR ...
    bench/run/run.py --page nets --python PYTHON ...

With --page functions it measures training steps that are functions, and writes functions.md and functions.csv. PYTHON is an interpreter with PyTorch and JAX
(python3 -m venv DIR && DIR/bin/pip install torch jax); without it these are left out. --page sequences measures streams
and recurrent layers (beside JAX and ONNX Runtime if PYTHON has jax, onnx and onnxruntime), and writes sequences.md and sequences.csv.
--page nets measures whole nets beside PyTorch and ONNX Runtime (PYTHON has torch, onnx and onnxruntime), and writes nets.md and nets.csv.

The build folders are build-bench-gcc and build-bench-clang (g++ and clang++-19, -O3 -march=native). A compiler or a peer that is missing is left out and
named. What limits each row is read from notes.json, where it is written by hand. Standard library only.
"""
import argparse
import contextlib
import csv
import fcntl
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import cpu_charts  # noqa: E402
import functions_page  # noqa: E402
import nets_page  # noqa: E402
import sequences_page  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "benchmarks"
TOPICS = ["normalization", "softmax", "expressions", "matmul", "inference", "training", "conv2d", "elementary", "parallel"]
PAGES = {"cpu": TOPICS, "functions": ["functions", "any_count", "embedding"], "sequences": ["streams", "pedals", "decoding", "recurrent", "attention"],
         "nets": ["nets", "nets_parallel"]}
COMPILERS = {"gcc": "g++", "clang": "clang++-19"}
FROM_FOLDERS = {"RTNeural": "rtneural", "FastAD": "fastad", "RLtools": "rl_tools", "llama2.c": "llama2c"}  # peers by an option with their folder
COLUMNS = ["workload", "implementation", "compiler", "min_ns", "median_ns", "min_bytes", "flops"]
OURS = "espalier"
NO_PEERS = {OURS, "by_hand", "by_hand_shifted", "espalier_1_thread"}


def build_folder(which, options):
    return ROOT / f"{options.builds}{which}"  # an absolute path replaces ROOT


def build(which, options):
    """True where everything was built; what fails is said, and the rest is measured."""
    folder = build_folder(which, options)
    setup = ["meson", "setup", folder, "--buildtype=release", "-Doptimization=3", "-Dtests=disabled", "-Dexamples=disabled", *options.meson_option]
    if (folder / "build.ninja").exists():
        setup.append("--reconfigure")
    done = subprocess.run(setup, cwd=ROOT, env={**os.environ, "CXX": COMPILERS[which]}, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print(done.stdout[-2000:], file=sys.stderr)
        return False
    fine = True
    for topic in PAGES[options.page]:
        done = subprocess.run(["ninja", "-C", folder, f"bench/bench_{topic}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            print(f"{which}: bench_{topic} does not build\n{done.stdout[-1500:]}", file=sys.stderr)
            fine = False
    return fine


@contextlib.contextmanager
def held(path):
    """Holds a lock file that other measurements on this machine respect."""
    if not path:
        yield
        return
    with open(path, "a", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def environment(options):
    return {**os.environ, **({"ESPALIER_BENCH_PYTHON": options.python} if options.python else {})}


def measure(which, options):
    rows = []
    for topic in PAGES[options.page]:
        program, out = build_folder(which, options) / "bench" / f"bench_{topic}", build_folder(which, options) / f"{topic}.csv"
        if not program.exists():
            continue
        out.unlink(missing_ok=True)
        with held(options.lock):
            seconds = options.seconds * (10 if topic in ("functions", "nets", "nets_parallel") else 1)  # turns of these are 3 ms long
            done = subprocess.run([program, "--csv", out, "--seconds", str(seconds), "--rounds", "20000", "--rows", options.rows, *(["--core", options.core] if options.core else [])], env=environment(options))
        if done.returncode:
            print(f"{which}: bench_{topic} ended with {done.returncode}: some row was refused", file=sys.stderr)
        if out.exists():
            rows += [{**row, "build": which} for row in csv.DictReader(out.open())]
    return rows


class Row:
    """All implementations of a workload: for each build the best time of ours, of the best peer in the same run, and of the best hand-written kernel."""

    def __init__(self, name, lines):
        self.name, self.lines = name, lines
        self.builds = {line["build"] for line in lines}

    def best(self, build_name, wanted):
        found = [line for line in self.lines if line["build"] == build_name and wanted(line["implementation"])]
        return min(found, key=lambda line: float(line["min_ns"]), default=None)

    def own(self, build_name):
        return self.best(build_name, lambda name: name == OURS)

    def peer(self, build_name):
        return self.best(build_name, lambda name: name not in NO_PEERS)

    def by_hand(self, build_name):
        return self.best(build_name, lambda name: name == "by_hand")

    def ratio(self, build_name, other):
        """The other's time by ours, in one run: above 1 espalier is faster."""
        a, b = self.own(build_name), other(build_name)
        return float(b["min_ns"]) / float(a["min_ns"]) if a and b else None


def recorded(path):
    """The lines of cpu.csv, each with its build: runs follow one another, and espalier's own lines tell the compiler of the run."""
    lines, now = list(csv.DictReader(path.open(encoding="ascii"))), None
    for line in lines:
        if line["implementation"] == OURS:
            now = "gcc" if line["compiler"].startswith("g++") else "clang"
        line["build"] = now
    return lines


def rows_of(lines):
    names = list(dict.fromkeys(line["workload"] for line in lines))
    return [Row(name, [line for line in lines if line["workload"] == name]) for name in names]


def readable(nanoseconds):
    t = float(nanoseconds)
    for unit, size in (("ms", 1e6), ("us", 1e3)):
        if t >= size:
            return f"{t / size:.3g} {unit}" if t < 100 * size else f"{t / size:.0f} {unit}"
    return f"{t:.3g} ns"


def number(ratio):
    return "" if ratio is None else f"{ratio:.2f}"


def geometric_mean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def first_line(command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def package_versions(options):
    names = {"libeigen3-dev": "Eigen", "libdnnl-dev": "oneDNN", "libopenblas-dev": "OpenBLAS", "libxtensor-dev": "xtensor"}
    found = []
    unpacked = [o.split("=", 1)[1] for o in options.meson_option if o.startswith("-Dtorch_dir=")]
    if unpacked:
        version = re.search(r"__version__ = '([^']+)'", (pathlib.Path(unpacked[0]) / "version.py").read_text(encoding="utf-8"))
        found.append(f"PyTorch {version[1] if version else 'of unknown version'}")
    else:
        names["libtorch-dev"] = "libtorch"
    for package, name in names.items():
        done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        found.append(f"{name} {done.stdout}" if done.returncode == 0 and done.stdout else f"{name}: absent")
    return ", ".join(found)


def processor():
    info = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    names = [line.split(":")[1].strip() for line in info.splitlines() if line.startswith("model name")]
    vectors = "AVX-512" if " avx512f " in info else "AVX2" if " avx2 " in info else "SSE2"
    return f"{names[0] if names else 'unknown'}, {vectors}, {len(names)} logical processors"


def described(line):
    return "" if line is None else f"{readable(line['min_ns'])}"


def page(rows, builds, notes, facts):
    out = ["# The CPU: espalier beside its peers", "",
           "Every workload, in float, one thread (two where the name says so). The implementations of a row take turns in one process on the same memory, after",
           "their results were compared; times are minima. Ratios are taken within a run: **best peer / espalier** above 1 means that espalier is faster than",
           "every peer, **espalier / by hand** is its time by that of the best hand-written kernel of `bench/run/by_hand_*.cpp` (either compiler).",
           "Made by `bench/run/run.py`; all implementations and medians stand in [cpu.csv](cpu.csv).", "", *(f"- {fact}" for fact in facts), "",
           *(f"![{title}: best peer's time by espalier's]({name}.svg)" for name, (title, _) in cpu_charts.TOPICS.items()), "",
           "Six rows with their times:", "", "![Six rows: how many times as fast as the fastest other library](readme.svg)", ""]
    head = ["workload"]
    for name in builds:
        head += [COMPILERS[name], "best peer", "peer / espalier", "espalier / by hand"]
    out += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows:
        cells = [row.name]
        for name in builds:
            peer, hand = row.peer(name), row.ratio(name, row.by_hand)
            ratio = row.ratio(name, row.peer)
            cells += [described(row.own(name)), f"{peer['implementation']} {described(peer)}" if peer else "", f"**{ratio:.2f}**" if ratio else "",
                      number(1 / hand if hand else None)]
        out.append("| " + " | ".join(cells) + " |")
    out.append("")
    for name in builds:
        peers, hands = geometric_mean(r.ratio(name, r.peer) for r in rows), geometric_mean(r.ratio(name, r.by_hand) for r in rows)
        if peers:
            out.append(f"- Geometric means with {COMPILERS[name]}: best peer / espalier {peers:.2f}" + (f", espalier / by hand {1 / hands:.2f}" if hands else ""))
    both = [(r, float(r.own("gcc")["min_ns"]) / float(r.own("clang")["min_ns"])) for r in rows if r.own("gcc") and r.own("clang")]
    if both:
        row, worst = max(both, key=lambda pair: pair[1])
        out.append(f"- g++'s time by clang's: geometric mean {geometric_mean(ratio for _, ratio in both):.2f}, at most {worst:.2f} ({row.name})")
    limits = {name: text for name, text in notes["limits"].items() if any(r.name == name for r in rows)}
    if limits:
        out += ["", "## What limits each row", "", "| workload | limit, what was tried and what it gave |", "|---|---|"]
        out += [f"| {row.name} | {limits[row.name]} |" for row in rows if row.name in limits]
    return "\n".join(out + [""])


def facts_of_peers(options, lines):
    if options.page == "functions":
        found = functions_page.versions(options.python)
        return [f"Peers: {found}; one thread, pinned to the same core" if found else "Not measured here: PyTorch, JAX"]
    if options.page == "sequences":
        found = functions_page.versions(options.python, ("jax", "onnxruntime"))
        return [f"Peers: {package_versions(options).split(',')[0]} as it is packaged; RTNeural and NeuralAudio from checkouts, built by clang++-19 at the same flags",
                f"In Python, one thread: {found}" if found else "Not measured here: JAX, ONNX Runtime"]
    if options.page == "nets":
        found = functions_page.versions(options.python, ("torch", "onnxruntime"))
        return [f"Peers: {found}, as they are packaged; ATEN_CPU_CAPABILITY=avx512 where the processor has it; pinned to the same core, with one thread"
                if found else "Not measured here: PyTorch, ONNX Runtime"]
    facts = [f"Peers: {package_versions(options)}; header libraries built by clang++-19 at the same flags (RLtools by g++, with -ffast-math); OPENBLAS_CORETYPE=SkylakeX, ATEN_CPU_CAPABILITY=avx512"]
    seen = {line["implementation"] for line in lines}
    absent = [name for name, implementation in FROM_FOLDERS.items() if implementation not in seen]
    if len(absent) < len(FROM_FOLDERS):
        facts.append("From checkouts: " + ", ".join(name for name in FROM_FOLDERS if name not in absent))
    if absent:
        facts.append("Not measured here: " + ", ".join(absent))
    return facts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", help="only rows whose name matches")
    parser.add_argument("--seconds", type=float, default=0.6, help="for each row and compiler (default 0.6)")
    parser.add_argument("--meson-option", action="append", default=[], help="for meson setup, for example -Drtneural_dir=DIR")
    parser.add_argument("--lock", default="", help="a lock file to hold while a program measures")
    parser.add_argument("--page", choices=PAGES, default="cpu")
    parser.add_argument("--python", default="", help="for --page functions, sequences and nets: an interpreter with PyTorch, JAX and ONNX Runtime")
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("--only-page", action="store_true", help="write the page and the charts again from cpu.csv and notes.json")
    parser.add_argument("--core", default="", help="the core to run on (default the last one)")
    parser.add_argument("--builds", default="build-bench-", help="where the build folders are: this with gcc or clang at its end")
    parser.add_argument("--out", type=pathlib.Path, default=PAGE, help="folder of the page (default docs/benchmarks)")
    options = parser.parse_args()
    stored, facts_file = options.out / f"{options.page}.csv", options.out / f"{options.page}.facts.txt"
    if options.only_page:
        lines, facts = recorded(stored), facts_file.read_text(encoding="utf-8").splitlines()
    else:
        facts = [f"Processor: {processor()}; load {os.getloadavg()[0]:.1f} at the start, {time.strftime('%Y-%m-%d')}"]
        lines = []
        for which, compiler in COMPILERS.items():
            if not shutil.which(compiler):
                print(f"{compiler} is missing: left out", file=sys.stderr)
                continue
            if not options.no_build:
                build(which, options)
            lines += measure(which, options)
            facts.append(f"espalier: {first_line([compiler, '--version'])}: -std=c++20 -O3 -march=native")
        facts += facts_of_peers(options, lines)
        if options.page == "functions":
            functions_page.measure_compile(filter(shutil.which, COMPILERS.values()), options.out / "functions_compile.csv")
        if not lines:
            sys.exit("nothing was measured")
        options.out.mkdir(parents=True, exist_ok=True)
        with stored.open("w", newline="", encoding="ascii") as file:
            writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)
        facts_file.write_text("\n".join(facts) + "\n", encoding="utf-8")
    rows = rows_of(lines)
    builds = [name for name in COMPILERS if any(name in row.builds for row in rows)]
    notes = json.loads((HERE / "notes.json").read_text(encoding="utf-8"))
    if options.page == "functions":
        text = functions_page.page(rows, builds, COMPILERS, notes, facts, readable, options.out / "functions_compile.csv")
        (options.out / "functions.md").write_text(text, encoding="utf-8")
        print(f"{options.out / 'functions.md'}: {len(rows)} rows")
        return
    if options.page == "sequences":
        text = sequences_page.page(rows, builds, COMPILERS, notes, facts, readable, geometric_mean)
        (options.out / "sequences.md").write_text(text, encoding="utf-8")
        print(f"{options.out / 'sequences.md'}: {len(rows)} rows")
        return
    if options.page == "nets":
        text = nets_page.page(rows, builds, COMPILERS, notes, facts, readable, geometric_mean)
        (options.out / "nets.md").write_text(text, encoding="utf-8")
        print(f"{options.out / 'nets.md'}: {len(rows)} rows")
        return
    (options.out / "cpu.md").write_text(page(rows, builds, notes, facts), encoding="utf-8")
    machine = re.sub(r"Processor: |\(R\)|, \d+ logical.*?(?=\d{4}-|$)", lambda found: ", " if found[0].startswith(",") else "", facts[0])
    for name, picture in cpu_charts.charts(rows, builds, COMPILERS, machine).items():
        (options.out / f"{name}.svg").write_text(picture, encoding="utf-8")
    print(f"{options.out / 'cpu.md'}: {len(rows)} rows")


if __name__ == "__main__":
    main()
