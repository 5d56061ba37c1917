#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The examples with `import espalier;` in place of their includes:

  imported_examples.py ROOT [NAME...] -- COMPILER ARGUMENTS...

Makes the module of include/espalier.cppm, rewrites the examples NAME (if none is named, all that the module has everything for)
to import it, compiles them, and runs those that have a record of what they print: most compare it themselves. Everything else of
them stays as it is.
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
MAIN = re.compile(r"^int main\(", re.M)
# What the module has not: graphics processors, MPI and single kernels.
NOT_IMPORTED = re.compile(r"cuda|mpi|nvtx|device/")
LEFT_OUT = {"dispatch": "it is compiled for several instruction sets, by xsimd's list",
            "own_reduction": "a sentence of its error is a macro of the library"}
RECORD = "finish(count, words)"  # in a program that compares what it prints with the record that it is given
COUNTER = "allocation_counter"  # what some are linked with
# A file that has included the library got these from it.
STANDARD = ["algorithm", "array", "atomic", "bit", "boost/hana/tuple.hpp", "chrono", "cmath", "cstddef", "cstdint", "cstdio", "cstdlib",
            "cstring", "limits", "memory", "numeric", "optional", "random", "stdexcept", "string", "string_view", "thread", "tuple",
            "utility", "vector"]


class Failed(Exception):
    """What a command said."""


def imports(text, headers, standard=STANDARD):
    """The text of a program that imports. headers: the texts of its own headers, by name; standard: what it includes besides.

    None: it includes what the module has not.
    """
    def all_of(text):
        yield text
        for name in OWN.findall(text):
            if name in headers:
                yield from all_of(headers[name])

    everything = "".join(all_of(text))
    if NOT_IMPORTED.search("\n".join(INCLUDE.findall(everything))):
        return None
    standard = sorted({f"#include <{name}>\n" for name in standard} | set(OTHERS.findall(everything)))
    return "".join(standard) + "#include <espalier/macros.hpp>\nimport espalier;\n" + without_headers(text)


def without_headers(text):
    """What is left of a file whose reader has the library and the headers of others."""
    return OTHERS.sub("", INCLUDE.sub("", text))


def run(*command, at=None):
    done = subprocess.run([*map(str, command)], cwd=at, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed((done.stdout + done.stderr)[:4000])


class Imported:
    """A folder with the module, the examples' headers and what examples are linked with."""

    def __init__(self, root, there, command):
        self.folder, self.there, self.command = root / "docs/examples", there, command
        self.own = [f"-I{root / 'include'}", f'-DESPALIER_DATA="{self.folder / "data"}"']
        (there / "data").symlink_to(self.folder / "data")  # for a program that is started in the root
        counter = root / "test/support" / f"{COUNTER}.hpp"
        paths = [p for p in (*self.folder.rglob("*.hpp"), counter) if "data" not in p.parts]
        headers = {os.path.relpath(p, self.folder): p.read_text(encoding="utf-8") for p in paths}
        for name, text in headers.items():
            (there / name).parent.mkdir(parents=True, exist_ok=True)
            (there / name).write_text(without_headers(text), encoding="utf-8")
        headers |= {pathlib.Path(name).name: text for name, text in headers.items()}  # as they include each other
        sources = {p.stem: p.read_text(encoding="utf-8") for p in sorted(self.folder.glob("*.cpp")) if p.stem not in LEFT_OUT}
        found = {name: imports(text, headers) for name, text in sources.items() if MAIN.search(text)}
        self.programs = {name: text for name, text in found.items() if text is not None}
        self.of_two_files = {name for name in self.programs if (self.folder / f"{name}_net.cpp").exists()}
        self.module = there / "espalier.pcm"
        run(*command, *self.own, "-c", counter.with_suffix(".cpp"), "-o", self.object(COUNTER))
        run(*command, *self.own, "--precompile", root / "include/espalier.cppm", "-o", self.module)
        run(*command, "-c", self.module, "-o", self.object("espalier"))

    def object(self, name):
        return self.there / f"{name}.o"

    def build(self, name):
        """(name, seconds of the compiler, what happened, whether all is well)"""
        text, source, began = self.programs[name], self.there / f"{name}.cpp", time.time()
        source.write_text(text, encoding="utf-8")
        try:
            run(*self.command, *self.own, f"-fmodule-file=espalier={self.module}", "-c", source, "-o", self.object(name))
            seconds = time.time() - began
            record = self.folder / f"{name}.txt"
            if not record.exists():
                return name, seconds, "compiled", True
            objects = [self.object(part) for part in (name, "espalier", *([COUNTER] if COUNTER in text else []))]
            run(*self.command, *objects, "-pthread", "-lz", "-o", self.there / name)
            run(self.there / name, *([record] if RECORD in text else []), at=self.there.parents[1])
            return name, seconds, "run", True
        except Failed as said:
            return name, time.time() - began, f"failed:\n{said}", False


def main(arguments):
    if "--" not in arguments[1:]:
        sys.exit(__doc__)
    split = arguments.index("--")
    with tempfile.TemporaryDirectory() as work:
        there = pathlib.Path(work) / "docs/examples"
        there.mkdir(parents=True)
        began = time.time()
        try:
            imported = Imported(pathlib.Path(arguments[0]).resolve(), there, arguments[split + 1:])
        except Failed as said:
            sys.exit(f"the module does not compile:\n{said}")
        print(f"module: {time.time() - began:.1f} s, {imported.module.stat().st_size >> 20} MiB")
        wanted = arguments[1:split] or [name for name in imported.programs if name not in imported.of_two_files]
        if unknown := [name for name in wanted if name not in imported.programs]:
            sys.exit(f"no examples that can import: {', '.join(unknown)}")
        failed = []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, seconds, said, good in pool.map(imported.build, wanted):
                print(f"{name}: {seconds:.1f} s, {said}", flush=True)
                failed += [] if good else [name]
    if failed:
        sys.exit(f"{len(failed)} of {len(wanted)} failed: {', '.join(failed)}")
    print(f"{len(wanted)} examples import the library")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
