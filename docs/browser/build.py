#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes the page of the browser:  build.py [-o digits.html] [--compiler CLANG] [--inference | --check]

digits.cpp is compiled to WebAssembly, and digits.html gets it with the pictures inside: one file, which needs no server. Equal sources and compilers give equal
bytes. --inference writes the module of inference.cpp instead, a trained net alone. --check only compiles a small program: exit status 77 and a sentence where what is needed is missing (Debian: clang-19 lld-19 wasi-libc
libc++-19-dev-wasm32 libclang-rt-19-dev-wasm32).
"""
import argparse
import base64
import gzip
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DATA = ROOT / "docs/examples/data"
COMPILERS = ("clang++-19", "clang++-20", "clang++-18", "clang++")
LIBRARY = pathlib.Path("/usr/include/wasm32-wasi/c++/v1")
SKIPPED = 77
# No exceptions: an error prints its sentence and aborts. Functions that nothing calls go.
FLAGS = ["--target=wasm32-wasi", "--sysroot=/usr", "-std=c++20", "-fno-exceptions", "-fno-rtti", "-msimd128", "-mexec-model=reactor", "-Wall", "-Wextra",
         "-ffunction-sections", "-Wl,--gc-sections,--strip-all"]


class Missing(Exception):
    """A sentence about what is not installed."""


def compile_to(output, source, compiler, work, *more):
    """Compiles one file. The folder of Boost is given by a link: beside it lie the headers of this machine's own C library."""
    boost = next((folder for folder in (pathlib.Path("/usr/include"), pathlib.Path("/usr/local/include")) if (folder / "boost/hana.hpp").is_file()), None)
    if not boost:
        raise Missing("there is no Boost.Hana (libboost-dev)")
    (work / "others").mkdir(exist_ok=True)
    if not (work / "others/boost").exists():
        (work / "others/boost").symlink_to(boost / "boost")
    # clang would find the C++ library of this machine first, where one is installed.
    library = ["-nostdinc++", "-isystem", str(LIBRARY)] if LIBRARY.is_dir() else []
    return subprocess.run([compiler, *FLAGS, *library, "-isystem", str(ROOT / "include"), "-isystem", str(work / "others"), f"-I{ROOT / 'docs/examples'}",
                           str(source), "-o", str(output), *more], capture_output=True, text=True, errors="replace")


def compiler_for(named, work):
    """A compiler that makes WebAssembly here."""
    (work / "small.cpp").write_text('#include <cmath>\n#include <optional>\nextern "C" [[clang::export_name("f")]] float f(float x) { return std::exp(x); }\n', encoding="utf-8")
    found = [name for name in ([named] if named else COMPILERS) if shutil.which(name)]
    for name in found:
        done = compile_to(work / "small.wasm", work / "small.cpp", name, work)
        if done.returncode == 0:
            return name
    if not found:
        raise Missing(f"there is no {named or 'clang'}")
    raise Missing("clang does not make WebAssembly here: install lld-19 wasi-libc libc++-19-dev-wasm32 libclang-rt-19-dev-wasm32")


def pictures():
    """The pixels, then the labels, without the headers of the two files."""
    images, labels = ((DATA / f"optdigits-{name}-ubyte").read_bytes() for name in ("images-idx3", "labels-idx1"))
    count = int.from_bytes(labels[4:8], "big")
    if images[:16] != b"\0\0\x08\3" + b"".join(n.to_bytes(4, "big") for n in (count, 8, 8)) or len(images) != 16 + 64 * count or len(labels) != 8 + count:
        raise ValueError(f"{DATA}: these are no pictures of 8x8 pixels with their labels")
    return images[16:] + labels[8:]


def packed(data):
    return gzip.compress(data, 9, mtime=0)


def page(module):
    version = re.search(r'^#define ESPALIER_VERSION_STRING "([^"]*)"$', (ROOT / "include/espalier/base/version.hpp").read_text(encoding="utf-8"), re.M)[1]
    parts = {"version": version, "module": base64.b64encode(packed(module)).decode(), "module_bytes": str(len(packed(module))),
             "pictures": base64.b64encode(packed(pictures())).decode()}
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], (HERE / "digits.html").read_text(encoding="utf-8"))


def module_of(source, compiler, *more):
    """The WebAssembly of a file of this folder. Raises Missing where none can be made here."""
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        done = compile_to(work / "module.wasm", HERE / source, compiler_for(compiler, work), work, "-O2", *more)
        if done.returncode or done.stderr:
            raise RuntimeError(f"{source} does not compile without a warning:\n{done.stderr[-8000:]}")
        return (work / "module.wasm").read_bytes()


def build(output, compiler=None, inference=False):
    """Writes the page or the small module: its bytes of WebAssembly, and how many they are in a gzip file."""
    # The optimiser of the linker sees that nothing prints, and leaves the C library's output out.
    module = module_of("inference.cpp", compiler, "-flto") if inference else module_of("digits.cpp", compiler)
    pathlib.Path(output).write_bytes(module if inference else page(module).encode())
    return len(module), len(packed(module))


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", dest="output", default="digits.html", help="the file to write")
    parser.add_argument("--compiler", help="a clang")
    parser.add_argument("--inference", action="store_true", help="the module of a trained net instead of the page")
    parser.add_argument("--check", action="store_true", help="only says whether the page can be made here")
    given = parser.parse_args(arguments)
    try:
        if given.check:
            with tempfile.TemporaryDirectory() as work:
                print(compiler_for(given.compiler, pathlib.Path(work)))
            return 0
        size, compressed = build(given.output, given.compiler, given.inference)
    except Missing as sentence:
        print(f"skipped: {sentence}")
        return SKIPPED
    except (RuntimeError, ValueError) as sentence:
        return f"build.py: {sentence}"
    print(f"{given.output}: {size} bytes of WebAssembly, {compressed} compressed")
    return 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main(sys.argv[1:]))
