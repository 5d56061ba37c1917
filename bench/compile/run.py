#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What compiling costs: an empty file, the headers of xsimd and Boost.Hana alone, each floor, the umbrella header, the digits program, ResNet9, networks of 4 to 64 blocks, and layers of 64 to 4096 units.

Seconds of the processor and memory of the compiler; the object's size and longest symbol; with clang, how many templates are instantiated. Prints a table; --csv FILE writes
the same numbers (docs/benchmarks/compile.csv is the folder's own), --chart FILE draws both series. No flags beyond the optimisation level are given.

With --examples, each program of docs/examples instead: as it is, as a draft (-O0), and both with the packaged precompiled header
(docs/benchmarks/compile_examples.csv).
"""
import argparse
import csv
import multiprocessing
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/tools"))
import chart  # noqa: E402
import imported_examples  # noqa: E402
import instantiations  # noqa: E402
from check_floors import FLOORS  # noqa: E402

DEPTHS = [4, 8, 16, 32, 64]
WIDTHS = [64, 512, 4096]
PRECOMPILED = ROOT / "cmake/espalier_precompiled.hpp"  # the packaged one
COLUMNS = ["case", "compiler", "debug", "seconds", "megabytes", "object_bytes", "longest_symbol", "instantiations"]

# What is promised at -O2 without -g: case -> (how it is counted, seconds, megabytes with g++); 'over empty' counts from the empty file.
PROMISES = {"floor shape": ("over empty", 0.25, None), "floor expression": ("over empty", 0.25, None), "floor nn": ("over empty", 0.25, None),
            "espalier.hpp": ("in all", 0.9, None), "digits": ("in all", 2.0, 330), "resnet9": ("in all", 8.0, 1000), "depth 64": ("in all", 12.0, 1000)}
OF_SEVERAL_SOURCES = ["dispatch"]
DEPTH_PROMISE = 4.5  # 64 blocks against 16, in time and memory


def floor_source(floor):
    folder = ROOT / "include/espalier" / floor
    # Left out: other processors' kernels, and what stands in for the instructions of x86.
    headers = sorted(p for p in folder.rglob("*.hpp") if "cuda" not in p.parts and p.name != "instructions_portable.hpp")
    return "".join(f"#include <{p.relative_to(ROOT / 'include')}>\n" for p in headers)


def cases(scratch):
    """Yields (name, source file, extra arguments)."""
    def written(name, text):
        path = scratch / (name.replace(" ", "_").replace(".", "_") + ".cpp")
        path.write_text(text, encoding="utf-8")
        return name, path, []

    yield written("empty", "int main() {}\n")
    yield written("xsimd and Hana", "#include <xsimd/xsimd.hpp>\n#include <boost/hana.hpp>\n")  # to compare machines by
    for floor in FLOORS:
        text = floor_source(floor)
        if text:
            yield written(f"floor {floor}", text)
    if (ROOT / "include/espalier.hpp").exists():
        yield written("espalier.hpp", "#include <espalier.hpp>\n")
        yield written("espalier.hpp without xsimd", "#define ESPALIER_COMPILER_VECTORS\n#include <espalier.hpp>\n")
    digits = ROOT / "docs/examples/digits.cpp"
    if digits.exists():
        yield "digits", digits, ['-DESPALIER_DATA="data"']
        yield "digits without xsimd", digits, ['-DESPALIER_DATA="data"', "-DESPALIER_COMPILER_VECTORS"]
        yield "digits precompiled", digits, ['-DESPALIER_DATA="data"', "-include", copied(scratch, "full")]
    readme = ROOT / "docs/examples/readme.cpp"
    yield "readme", readme, ['-DESPALIER_DATA="data"']
    name, path, _ = written("readme imported", imported_examples.imports(readme.read_text(encoding="utf-8"), {}, ["cstdint"]))
    yield name, path, ['-DESPALIER_DATA="data"', f"-fmodule-file=espalier={scratch / 'espalier.pcm'}"]
    yield "resnet9", ROOT / "bench/compile/resnet9.cpp", []
    for depth in DEPTHS:
        yield f"depth {depth}", ROOT / "bench/compile/depth.cpp", [f"-DBLOCKS={depth}"]
    yield f"depth {DEPTHS[-1]} without xsimd", ROOT / "bench/compile/depth.cpp", [f"-DBLOCKS={DEPTHS[-1]}", "-DESPALIER_COMPILER_VECTORS"]
    for width in WIDTHS:
        yield f"width {width}", ROOT / "bench/compile/width.cpp", [f"-DWIDTH={width}"]


def copied(scratch, kind):
    """The packaged precompiled header, to be made for one kind of builds."""
    path = scratch / f"{kind}_{PRECOMPILED.name}"
    if not path.exists():  # clang refuses a header that is newer than what was made of it
        shutil.copy(PRECOMPILED, path)
    return str(path)


def example_cases(scratch):
    """Each example in four ways; those of MPI and CUDA have headers of others, and a program of several sources has flags of its own."""
    for source in sorted((ROOT / "docs/examples").glob("*.cpp")):
        text = source.read_text(encoding="utf-8")
        if "int main(" not in text or "<espalier/mpi.hpp>" in text or "<espalier/cuda.hpp>" in text or source.stem in OF_SEVERAL_SOURCES:
            continue
        data = [f'-DESPALIER_DATA="{ROOT / "docs/examples/data"}"']  # stories has a file of that folder in its object
        yield source.stem, source, data
        yield f"{source.stem} draft", source, [*data, "-O0"]
        yield f"{source.stem} precompiled", source, [*data, "-include", copied(scratch, "full")]
        yield f"{source.stem} draft precompiled", source, [*data, "-O0", "-include", copied(scratch, "draft")]


def precompile(compiler, command, extra, made, limit):
    """Makes the header that extra includes first, once for all cases of a compiler's options; that is not counted."""
    header = extra[extra.index("-include") + 1]
    flags = [a for a in command[1:command.index("-c")] if a not in ("-include", header)]
    if (compiler, *flags) not in made:
        status, _, said = spent([compiler, *flags, "-x", "c++-header", header, "-o", header + (".pch" if "clang" in compiler else ".gch")], limit)
        if status:
            sys.exit(f"the header is not precompiled: {said}")
        made.add((compiler, *flags))


def precompile_module(compiler, command, module, made, limit):
    """The same for the module that a program imports."""
    flags = [a for a in command[1:command.index("-c")] if not a.startswith("-fmodule-file")]
    if (compiler, "module", *flags) not in made:
        status, _, said = spent([compiler, *flags, "--precompile", str(ROOT / "include/espalier.cppm"), "-o", module], limit)
        if status:
            sys.exit(f"the module is not compiled: {said}")
        made.add((compiler, "module", *flags))


def spent(command, limit):
    """The exit status of one command, the processor's seconds and the peak megabytes of its largest process, and what it said."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(["timeout", str(limit), *command], stdout=said, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        return process.returncode, (usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024), said.read().decode(errors="replace")


def measure(command, limit):
    """Seconds and megabytes of one command, or None with what it said."""
    status, result, said = spent(command, limit)
    return (None, said) if status else (result, "")


def best_of(repeat, command, limit):
    best = None
    for _ in range(repeat):
        result, said = measure(command, limit)
        if result is None:
            return None, said
        best = result if best is None else (min(best[0], result[0]), min(best[1], result[1]))
    return best, ""


def count_instantiations(source, extra):
    """In a process of its own: a compiler that is started later would count this one's memory as its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return sum(pool.apply(instantiations.count, (source, extra)))


def longest_symbol(path):
    """Characters of the longest symbol of an object."""
    names = subprocess.run(["nm", "--format=posix", str(path)], capture_output=True, text=True).stdout.splitlines()
    return max((len(line.split(" ", 1)[0]) for line in names), default=0)


def version(compiler):
    return subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout.splitlines()[0]


def processor():
    try:
        return next(line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def report_promises(rows):
    """Compares the promised numbers with the measured ones; returns the number of broken promises."""
    seen = {(r["case"], r["compiler"], r["debug"]): r for r in rows if r["seconds"] is not None}
    broken = 0

    def line(text, good):
        nonlocal broken
        broken += not good
        print(f"{'kept  ' if good else 'BROKEN'} {text}")

    for compiler, debug in sorted({(r["compiler"], r["debug"]) for r in rows}):
        small, large = seen.get(("depth 16", compiler, debug)), seen.get(("depth 64", compiler, debug))
        if small and large:
            time_ratio, memory_ratio = large["seconds"] / small["seconds"], large["megabytes"] / small["megabytes"]
            line(f"{compiler} {'-g ' if debug else ''}64 blocks against 16: {time_ratio:.2f} times the time, {memory_ratio:.2f} times the memory (at most "
                 f"{DEPTH_PROMISE})", max(time_ratio, memory_ratio) <= DEPTH_PROMISE)
        if debug:
            continue
        for case, (kind, seconds, megabytes) in PROMISES.items():
            row, empty = seen.get((case, compiler, debug)), seen.get(("empty", compiler, debug))
            if not row or (kind == "over empty" and not empty):
                continue
            spent = row["seconds"] - (empty["seconds"] if kind == "over empty" else 0)
            good = spent <= seconds and (megabytes is None or row["megabytes"] <= megabytes)
            line(f"{compiler} {case}: {spent:.2f} s {kind}, {row['megabytes']:.0f} MB (at most {seconds} s"
                 f"{f', {megabytes} MB' if megabytes else ''})", good)
    return broken


def draw_again(chosen):
    page = ROOT / "docs/benchmarks"
    with (chosen.csv or page / "compile.csv").open(newline="", encoding="ascii") as file:
        rows = [{**row, "seconds": float(row["seconds"]), "megabytes": float(row["megabytes"])} for row in csv.DictReader(file) if row["seconds"]]
    (chosen.chart or page / "compile.svg").write_text(chart.drawn(rows), encoding="utf-8")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--compilers", default="g++,clang++-19", help="comma separated; those not installed are left out")
    options.add_argument("--cases", default="", help="comma separated beginnings of case names; empty: all")
    options.add_argument("--debug", default="both", choices=["both", "yes", "no"], help="with -g, without, or both")
    options.add_argument("--examples", action="store_true", help="the programs of docs/examples, in place of the series")
    options.add_argument("--repeat", type=int, default=3, help="the least of so many runs is reported")
    options.add_argument("--arch", default="native", help="-march=; none: the compiler's default")
    options.add_argument("--xsimd-include", default="", help="folder of other xsimd headers")
    options.add_argument("--limit", type=int, default=300, help="seconds after which a compilation counts as failed")
    options.add_argument("--csv", type=pathlib.Path, help="write the table here, too")
    options.add_argument("--chart", type=pathlib.Path, help="draw seconds and memory over depth and width here, as SVG")
    options.add_argument("--only-page", action="store_true", help="draw the chart again from the file of --csv (default docs/benchmarks/compile.csv)")
    chosen = options.parse_args()
    if chosen.only_page:
        draw_again(chosen)
        return 0

    wanted = tuple(filter(None, chosen.cases.split(",")))
    compilers = [c for c in chosen.compilers.split(",") if shutil.which(c)]
    rows, failed, made = [], 0, set()
    print(f"{processor()}; " + "; ".join(version(c) for c in compilers))
    print(f"{'case':<38}{'compiler':<14}{'-g':<5}{'seconds':>8}{'MB':>8}{'s over empty':>14}{'object kB':>11}{'symbol':>8}{'instantiations':>16}")
    with tempfile.TemporaryDirectory() as folder:
        built = pathlib.Path(folder) / "built.o"
        for compiler in compilers:
            for debug in {"both": [False, True], "yes": [True], "no": [False]}[chosen.debug]:
                empty = None
                for name, source, extra in (example_cases if chosen.examples else cases)(pathlib.Path(folder)):
                    modules = [a.split("=")[2] for a in extra if a.startswith("-fmodule-file")]
                    if modules and "clang" not in compiler:
                        continue
                    if wanted and name != "empty" and not name.startswith(wanted):
                        continue
                    command = [compiler, "-std=c++20", "-O2", *(["-g"] if debug else []), *([] if chosen.arch == "none" else [f"-march={chosen.arch}"]),
                               *(["-isystem", chosen.xsimd_include] if chosen.xsimd_include else []), f"-I{ROOT / 'include'}", *extra,
                               "-c", str(source), "-o", str(built)]
                    if "-include" in extra:
                        precompile(compiler, command, extra, made, chosen.limit)
                    for module in modules:
                        precompile_module(compiler, command, module, made, chosen.limit)
                    result, said = best_of(chosen.repeat, command, chosen.limit)
                    if result is None:
                        failed += 1
                        rows.append({"case": name, "compiler": compiler, "debug": debug, "seconds": None})
                        print(f"{name:<38}{compiler:<14}{'-g' if debug else '':<5}  failed: {' '.join(said.split())[:120]}")
                        continue
                    seconds, megabytes = result
                    empty = seconds if name == "empty" else empty
                    as_it_is = not debug and "-include" not in extra and not modules and not chosen.examples
                    counted = count_instantiations(source, extra) if compiler == instantiations.COMPILER and as_it_is else None
                    row = {"case": name, "compiler": compiler, "debug": debug, "seconds": round(seconds, 3), "megabytes": round(megabytes, 1),
                           "object_bytes": built.stat().st_size, "longest_symbol": longest_symbol(built), "instantiations": counted}
                    rows.append(row)
                    print(f"{name:<38}{compiler:<14}{'-g' if debug else '':<5}{seconds:>8.2f}{megabytes:>8.0f}{seconds - (empty or 0):>14.2f}"
                          f"{row['object_bytes'] / 1000:>11.0f}{row['longest_symbol']:>8}{counted or '':>16}", flush=True)
    broken = 0 if chosen.examples else report_promises(rows)
    if chosen.csv:
        chosen.csv.parent.mkdir(parents=True, exist_ok=True)
        with open(chosen.csv, "w", newline="", encoding="utf-8") as file:
            out = csv.DictWriter(file, COLUMNS)
            out.writeheader()
            out.writerows({**r, "debug": "-g" if r["debug"] else ""} for r in rows)
    if chosen.chart:
        chosen.chart.write_text(chart.drawn(rows), encoding="utf-8")
    return 1 if failed or broken else 0


if __name__ == "__main__":
    sys.exit(main())
