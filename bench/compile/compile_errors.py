#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Whether a wrong program is refused no slower than the right one compiles: for each file of test/compile_fail the processor's seconds of the program as it stands, and with
-DSHOULD_FAIL, both without code (-fsyntax-only), each in the least of several runs. Prints the slowest refusals and the median of all; --csv FILE writes the numbers, and
the machine and the settings into FILE's neighbour of the ending .facts.txt (docs/benchmarks/compile_errors.csv is the folder's own). Exits with 1 where a refusal takes more than
1.1 times the right program's time and 0.05 s.

Both programs of a file have the same headers and, but for the mistake, the same text, so the ratio is a fair one. Two kinds of files say less: those whose right program is no
more than its headers (cuda_by_nvcc), and those whose right program makes a plan, which the wrong one never comes to (the ratio is small then, and no merit of the refusal).
"""
import argparse
import csv
import datetime
import os
import pathlib
import re
import shutil
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run  # noqa: E402

FOLDER = run.ROOT / "test/compile_fail"
COLUMNS = ["refusal", "compiler", "right_seconds", "wrong_seconds", "ratio"]
FACTOR, SLACK = 1.1, 0.05
FLAGS = ["-std=c++20", "-fsyntax-only"]


def is_slow(right, wrong):
    return wrong > FACTOR * right + SLACK


def measured(command, source, repeat, limit):
    """(seconds of the right program, seconds of the wrong one). The runs take turns, so that a busy machine is busy for both."""
    least = [float("inf"), float("inf")]
    for _ in range(repeat):
        for i, (flags, refused) in enumerate([([], 0), (["-DSHOULD_FAIL"], 1)]):
            status, (seconds, _), said = run.spent([*command, *flags, str(source)], limit)
            if status != refused:
                raise RuntimeError(f"{' '.join([source.name, *flags])} ends with {status}, not {refused}: {said[:500]}")
            least[i] = min(least[i], seconds)
    return least


def flags_of(options):
    return [*FLAGS, *([] if options.arch == "none" else [f"-march={options.arch}"])]


def rows_of(compiler, names, options):
    """A row for each refusal, and how many are none. What looks slow is measured again: some runs more decide between a slow refusal and a busy machine."""
    command = [compiler, *flags_of(options), f"-I{run.ROOT / 'include'}"]
    rows, failed = [], 0
    for name in names:
        try:
            right, wrong = measured(command, FOLDER / f"{name}.cpp", options.repeat, options.limit)
            if wrong > 1.05 * right:
                again = measured(command, FOLDER / f"{name}.cpp", 3 * options.repeat, options.limit)
                right, wrong = min(right, again[0]), min(wrong, again[1])
        except RuntimeError as error:
            failed += 1
            print(f"FAILED {error}", flush=True)
            continue
        rows.append({"refusal": name, "compiler": compiler, "right_seconds": round(right, 3), "wrong_seconds": round(wrong, 3), "ratio": round(wrong / right, 3)})
        if is_slow(right, wrong):
            print(f"SLOW   {name}: {wrong:.2f} s, the right program {right:.2f} s", flush=True)
    return rows, failed


def report(compiler, rows, most=10):
    """Prints the slowest refusals and the median; returns how many are too slow."""
    if not rows:
        return 0
    print(f"{compiler}: {len(rows)} refusals; the median takes {statistics.median(r['ratio'] for r in rows):.2f} times as long as the right program, "
          f"all of them together {sum(r['wrong_seconds'] for r in rows) / sum(r['right_seconds'] for r in rows):.2f} times. The slowest:")
    for row in sorted(rows, key=lambda r: -r["ratio"])[:most]:
        print(f"  {row['refusal']:<40}{row['wrong_seconds']:>7.2f} s{row['right_seconds']:>8.2f} s{row['ratio']:>7.2f}")
    return sum(is_slow(r["right_seconds"], r["wrong_seconds"]) for r in rows)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--compilers", default="g++,clang++-19", help="comma separated; those not installed are left out")
    options.add_argument("--only", default="", help="comma separated names of refusals; empty: all")
    options.add_argument("--repeat", type=int, default=3, help="the least of so many runs counts")
    options.add_argument("--arch", default="native", help="-march=; none: the compiler's default")
    options.add_argument("--limit", type=int, default=120, help="seconds after which a compilation counts as failed")
    options.add_argument("--csv", type=pathlib.Path, help="write the numbers here, too")
    chosen = options.parse_args()

    names = sorted(filter(None, chosen.only.split(","))) or sorted(p.stem for p in FOLDER.glob("*.cpp"))
    unknown = [n for n in names if not re.fullmatch(r"\w+", n) or not (FOLDER / f"{n}.cpp").exists()]
    if unknown:
        sys.exit("there is no refusal " + ", ".join(unknown))
    compilers = [c for c in chosen.compilers.split(",") if shutil.which(c)]
    facts = [f"Processor: {run.processor()}, {os.cpu_count()} logical processors; load {os.getloadavg()[0]:.1f} at the start, {datetime.date.today()}",
             *(f"{c}: {run.version(c)}: {' '.join(flags_of(chosen))}; the least of {chosen.repeat} runs, and of {4 * chosen.repeat} where the refusal took 5 % more" for c in compilers)]
    bad, rows = 0, []
    print("\n".join(facts))
    for compiler in compilers:
        found, failed = rows_of(compiler, names, chosen)
        bad += failed + report(compiler, found)
        rows += found
    if chosen.csv:
        chosen.csv.parent.mkdir(parents=True, exist_ok=True)
        with open(chosen.csv, "w", newline="", encoding="utf-8") as file:
            out = csv.DictWriter(file, COLUMNS)
            out.writeheader()
            out.writerows(rows)
        chosen.csv.with_suffix(".facts.txt").write_text("\n".join(facts) + "\n", encoding="utf-8")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
