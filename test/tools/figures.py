#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Figures in prose come from recorded measurements:  figures.py ROOT [--write]

README.md and docs/**/*.md may have

    <!-- = ratio(exp/4096, g++) -->2.14<!-- / -->

whose text between the marks is what the function gives:

    time(ROW, COMPILER)        espalier's time in docs/benchmarks/cpu.csv or functions.csv: "461 ns"
    peer(ROW, COMPILER)        the fastest peer of the same run and its time: "xsimd 989 ns"
    peer_time(ROW, PEER, COMPILER) the time of that peer: "989 ns"
    ratio(ROW, COMPILER)       the peer's time by espalier's; above 1 espalier is faster
    compared(COMPILER)         how many rows of cpu.csv have a peer
    at_least(RATIO, COMPILER)  how many of them have such a ratio or a higher one
    below(RATIO, COMPILER)     how many have a lower one
    worst(COMPILER)            the lowest ratio
    seconds(CASE, COMPILER)    what compiling takes, from docs/benchmarks/compile.csv: "4.6 s", "0.52 s"
    megabytes(CASE, COMPILER)  and the compiler's peak: "383 MB"
    growth(CASE, CASE, COMPILER)   the seconds of the first by those of the second
    error_ratio(median|most)   compiling a wrong program by compiling the right one, from docs/benchmarks/compile_errors.csv
    invalid_programs()         how many programs of test/compile_fail are tested to fail

COMPILER is g++ or clang++. --write puts the figures into the pages; without it, each must be there already.
"""
import csv
import functools
import pathlib
import re
import statistics
import sys

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parents[2] / "bench/run"))
import run as cpu  # noqa: E402
from check_docs import pages  # noqa: E402

FIGURE = re.compile(r"(<!-- = (\w+)\((.*?)\) -->)(.*?)(<!-- / -->)")
PEERS = {"eigen": "Eigen", "onednn": "oneDNN", "onednn_winograd": "oneDNN (Winograd)", "openblas": "OpenBLAS", "torch": "PyTorch", "xtensor": "xtensor",
         "rtneural": "RTNeural", "rl_tools": "RLtools", "fastad": "FastAD", "xsimd": "xsimd", "memcpy": "memcpy",
         "jax": "JAX", "jax_forward": "JAX", "torch_compiled": "PyTorch", "torch_eager": "PyTorch"}
BUILDS = {"g++": "gcc", "clang++": "clang"}


@functools.cache
def table(root, name):
    with (root / "docs/benchmarks" / name).open(encoding="ascii") as file:
        return list(csv.DictReader(file))


@functools.cache
def rows(root):
    return {row.name: row for name in ("functions.csv", "cpu.csv") for row in cpu.rows_of(cpu.recorded(root / "docs/benchmarks" / name))}


def row_of(root, name):
    if name not in rows(root):
        raise ValueError(f"no row {name} in cpu.csv and functions.csv")
    return rows(root)[name]


def build_of(compiler):
    if compiler not in BUILDS:
        raise ValueError(f"{compiler} is neither g++ nor clang++")
    return BUILDS[compiler]


def case_of(root, name, compiler):
    build_of(compiler)
    found = [line for line in table(root, "compile.csv") if line["case"] == name and line["compiler"].startswith(compiler) and line["debug"] in ("", "no")]
    if len(found) != 1:
        raise ValueError(f"compile.csv has {len(found)} lines of {name} with {compiler}")
    return found[0]


def peer(root, name, compiler):
    line = row_of(root, name).peer(build_of(compiler))
    return f"{PEERS[line['implementation']]} {cpu.readable(line['min_ns'])}"


def ratio(root, name, compiler):
    row = row_of(root, name)
    return f"{row.ratio(build_of(compiler), row.peer):.2f}"


def ratios(root, compiler):
    found = (row.ratio(build_of(compiler), row.peer) for row in cpu.rows_of(cpu.recorded(root / "docs/benchmarks/cpu.csv")))
    return [r for r in found if r is not None]


def seconds(root, name, compiler):
    found = float(case_of(root, name, compiler)["seconds"])
    return f"{found:.2f} s" if found < 2 else f"{found:.1f} s"


def peer_time(root, name, peer_name, compiler):
    line = row_of(root, name).best(build_of(compiler), lambda found: PEERS.get(found) == peer_name)
    if line is None:
        raise ValueError(f"{name} has no peer {peer_name}")
    return cpu.readable(line["min_ns"])


def error_ratio(root, which):
    of_errors = [float(line["ratio"]) for line in table(root, "compile_errors.csv")]
    return f"{ {'median': statistics.median, 'most': max}[which](of_errors):.2f}"


FUNCTIONS = {
    "time": lambda root, name, compiler: cpu.readable(row_of(root, name).own(build_of(compiler))["min_ns"]),
    "peer": peer,
    "peer_time": peer_time,
    "ratio": ratio,
    "compared": lambda root, compiler: str(len(ratios(root, compiler))),
    "at_least": lambda root, least, compiler: str(sum(r >= float(least) for r in ratios(root, compiler))),
    "below": lambda root, most, compiler: str(sum(r < float(most) for r in ratios(root, compiler))),
    "worst": lambda root, compiler: f"{min(ratios(root, compiler)):.2f}",
    "seconds": seconds,
    "megabytes": lambda root, name, compiler: f"{float(case_of(root, name, compiler)['megabytes']):.0f} MB",
    "growth": lambda root, name, other, compiler: f"{float(case_of(root, name, compiler)['seconds']) / float(case_of(root, other, compiler)['seconds']):.1f}",
    "error_ratio": error_ratio,
    "invalid_programs": lambda root: str(len(list((root / "test/compile_fail").glob("*.cpp")))),
}


def figure(root, name, arguments):
    """The text of a figure; raises ValueError with a sentence."""
    if name not in FUNCTIONS:
        raise ValueError(f"{name} is no figure ({', '.join(FUNCTIONS)})")
    try:
        return FUNCTIONS[name](root, *[a.strip() for a in arguments.split(",") if a.strip()])
    except (TypeError, KeyError) as fault:
        raise ValueError(f"{name}({arguments}): {fault}") from fault


def violations(root, write=False):
    found = []
    for page in pages(root):
        lines = page.read_text(encoding="utf-8").split("\n")
        for at, line in enumerate(lines):
            def renewed(match, at=at):
                try:
                    wanted = figure(root, match[2], match[3])
                except ValueError as sentence:
                    found.append(f"{page.relative_to(root)}:{at + 1}: {sentence}")
                    return match[0]
                if wanted != match[4] and not write:
                    found.append(f"{page.relative_to(root)}:{at + 1}: {match[2]}({match[3]}) is {wanted}, not {match[4]}: figures.py ROOT --write")
                return match[1] + wanted + match[5]
            lines[at] = FIGURE.sub(renewed, line)
            if "<!-- =" in FIGURE.sub("", line):
                found.append(f"{page.relative_to(root)}:{at + 1}: a figure is '<!-- = NAME(ARGUMENTS) -->TEXT<!-- / -->' in one line")
        if write:
            page.write_text("\n".join(lines), encoding="utf-8")
    return found


if __name__ == "__main__":
    rest = [a for a in sys.argv[1:] if a != "--write"]
    if len(rest) != 1:
        sys.exit(__doc__)
    all_found = violations(pathlib.Path(rest[0]), "--write" in sys.argv)
    print("\n".join(all_found) or "figures are those that were recorded")
    sys.exit(1 if all_found else 0)
