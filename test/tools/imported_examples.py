#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The examples with `import espalier;` in place of their includes:  imported_examples.py ROOT [NAME...] -- COMPILER ARGUMENTS...

Makes the module of include/espalier.cppm, rewrites the examples NAME (all that need no other library than the module has, if none is named) to import it, compiles
them, and runs those that compare what they print with a file. Everything else of them stays as it is.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

INCLUDE = re.compile(r"^#include <(espalier[^>]*)>\n", re.M)
OWN = re.compile(r'^#include "([^"]+)"\n', re.M)
OTHERS = re.compile(r"^#include <(?!espalier)[^>]+>\n", re.M)
# What the module has not: graphics processors, MPI and single kernels.
NOT_IMPORTED = re.compile(r"cuda|mpi|nvtx|device/")
LEFT_OUT = {"dispatch": "it is compiled for several instruction sets, by xsimd's list", "own_reduction": "a sentence of its error is a macro of the library"}
RECORD = "finish(count, words)"  # in a program that compares what it prints with the file that it is given
# A file that has included the library got these from it.
STANDARD = ["algorithm", "array", "atomic", "bit", "boost/hana/tuple.hpp", "chrono", "cmath", "cstddef", "cstdint", "cstdio", "cstdlib", "cstring", "limits", "memory", "numeric", "optional", "random",
            "stdexcept", "string", "string_view", "thread", "tuple", "utility", "vector"]


def imports(text, headers, standard=STANDARD):
    """The text of a program that imports; headers: the texts of its own headers, by name; standard: what it includes besides. None: it includes what the module has not."""
    def all_of(text):
        yield text
        for name in OWN.findall(text):
            if name in headers:
                yield from all_of(headers[name])

    everything = "".join(all_of(text))
    if NOT_IMPORTED.search("\n".join(INCLUDE.findall(everything))):
        return None
    standard = sorted({f"#include <{name}>\n" for name in standard} | set(OTHERS.findall(everything)))
    without = OTHERS.sub("", INCLUDE.sub("", text))
    return "".join(standard) + "#include <espalier/macros.hpp>\nimport espalier;\n" + without


def main(arguments):
    if "--" not in arguments[1:]:
        sys.exit(__doc__)
    split = arguments.index("--")
    root, names, command = pathlib.Path(arguments[0]).resolve(), arguments[1:split], arguments[split + 1:]
    folder = root / "docs/examples"
    own = [p for p in (*folder.rglob("*.hpp"), *(root / "test/support").glob("allocation_counter.hpp")) if "data" not in p.parts]
    headers = {os.path.relpath(p, folder): p.read_text(encoding="utf-8") for p in own}
    headers |= {p.name: headers[os.path.relpath(p, folder)] for p in own}  # as they include each other
    sources = {p.stem: p.read_text(encoding="utf-8") for p in sorted(folder.glob("*.cpp"))}
    programs = {name: imports(text, headers) for name, text in sources.items() if re.search(r"^int main\(", text, re.M) and name not in LEFT_OUT}
    unknown = [name for name in names if programs.get(name) is None]
    if unknown:
        sys.exit(f"no examples that can import: {', '.join(unknown)}")
    command += [f"-I{root / 'include'}", f'-DESPALIER_DATA="{folder / "data"}"']
    with tempfile.TemporaryDirectory() as work:
        there = pathlib.Path(work) / "docs/examples"
        there.mkdir(parents=True)
        for header, text in headers.items():
            to = there / header
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text(OTHERS.sub("", INCLUDE.sub("", text)), encoding="utf-8")
        counter = subprocess.run([*command, "-c", root / "test/support/allocation_counter.cpp", "-o", there / "allocation_counter.o"], check=False)
        began = time.time()
        made = subprocess.run([*command, "--precompile", root / "include/espalier.cppm", "-o", there / "espalier.pcm"], check=False)
        if counter.returncode or made.returncode or subprocess.run([*command[:-2], "-c", there / "espalier.pcm", "-o", there / "espalier.o"], check=False).returncode:
            sys.exit("the module does not compile")
        print(f"module: {time.time() - began:.1f} s, {(there / 'espalier.pcm').stat().st_size >> 20} MiB")

        def build_and_run(name):
            (there / f"{name}.cpp").write_text(programs[name], encoding="utf-8")
            began = time.time()
            done = subprocess.run([*command, f"-fmodule-file=espalier={there / 'espalier.pcm'}", "-c", there / f"{name}.cpp", "-o", there / f"{name}.o"],
                                  capture_output=True, text=True, check=False)
            seconds = time.time() - began
            objects = [there / f"{name}.o", there / "espalier.o"] + ([there / "allocation_counter.o"] if "allocation_counter" in programs[name] else [])
            if not done.returncode and RECORD in programs[name]:
                done = subprocess.run([*command, *objects, "-pthread", "-lz", "-o", there / name], capture_output=True, text=True, check=False)
                if not done.returncode:
                    done = subprocess.run([there / name, folder / f"{name}.txt"], cwd=there, capture_output=True, text=True, check=False)
                    return name, seconds, "run" if not done.returncode else "does not print its record:\n" + done.stdout[-2000:] + done.stderr[-2000:], done.returncode
            return name, seconds, "compiled" if not done.returncode else "does not compile:\n" + done.stderr[:4000], done.returncode

        wanted = names or [name for name, text in programs.items() if text is not None and not (folder / f"{name}_net.cpp").exists()]
        failed = []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, seconds, said, wrong in pool.map(build_and_run, wanted):
                print(f"{name}: {seconds:.1f} s, {said}", flush=True)
                if wrong:
                    failed.append(name)
    if failed:
        sys.exit(f"{len(failed)} of {len(wanted)} failed: {', '.join(failed)}")
    print(f"{len(wanted)} examples import the library")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
