#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tries the library for Arduino and PlatformIO:  arduino.py ROOT

It is written twice, with the same bytes; its descriptions name files that exist. Both examples are compiled for a Cortex-M4, with an Arduino.h that defines
Arduino's macros, and run in an emulator: the trained net has to read its picture, the other one has to learn. Exit status 77: there is no arm-none-eabi-g++.
"""
import filecmp
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent / "arduino"
MACHINE = ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]
FLAGS = ["-std=gnu++20", "-Os", "-fno-exceptions", "-fno-rtti", "-ffunction-sections", "-fdata-sections", "-Wall", "-Wextra", "-Werror"]
LINK = ["--specs=rdimon.specs", "-Wl,--gc-sections,--section-start=.vectors=0,--undefined=vectors"]
EMULATOR = ["qemu-system-arm", "-M", "mps2-an386", "-cpu", "cortex-m4", "-display", "none", "-monitor", "none", "-serial", "none",
            "-semihosting-config", "enable=on,target=native", "-kernel"]
LOOPS = {"digits": 3, "training": 2000}


class Failed(Exception):
    """A sentence."""


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace", timeout=200)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def files_of(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def check_descriptions(library, version):
    described = json.loads((library / "library.json").read_text(encoding="utf-8"))
    properties = dict(line.split("=", 1) for line in (library / "library.properties").read_text(encoding="utf-8").splitlines())
    for name in ("name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures"):
        if not properties.get(name):
            raise Failed(f"library.properties has no {name}")
    if {described["version"], properties["version"]} != {version}:
        raise Failed(f"the library describes the versions {described['version']} and {properties['version']}, not {version}")
    for example in described["examples"]:
        listed = {f"{example['base']}/{name}" for name in example["files"]}
        if listed != {name for name in files_of(library) if name.startswith(example["base"] + "/")}:
            raise Failed(f"library.json lists {sorted(listed)}, which are not the files of {example['base']}")
    if {pathlib.Path(example["base"]).name for example in described["examples"]} != set(LOOPS):
        raise Failed("library.json has other examples than this test")
    for name in (described["headers"], properties["includes"]):
        if not (library / "src" / name).is_file():
            raise Failed(f"there is no src/{name}")


def written(root, work):
    """The library, written twice."""
    for name in ("espalier", "again"):
        run(sys.executable, root / "tools/arduino_package.py", "-o", work / name)
    names = files_of(work / "espalier")
    if names != files_of(work / "again") or filecmp.cmpfiles(work / "espalier", work / "again", names, shallow=False)[0] != names:
        raise Failed("the same headers gave other files")
    return work / "espalier"


def build(library, example, work):
    """The program of an example for a Cortex-M4."""
    compiler = "arm-none-eabi-g++"
    sketch = library / f"examples/{example}/{example}.ino"
    program, start, objects = work / f"{example}.elf", work / "start.o", work / f"{example}.o"
    run(compiler, *FLAGS, *MACHINE, "-c", HERE / "start.cpp", "-o", start)
    run(compiler, *FLAGS, *MACHINE, f"-I{HERE}", "-isystem", library / "src", f'-DSKETCH="{sketch}"', f"-DLOOPS={LOOPS[example]}", "-include", "Arduino.h",
        "-c", HERE / "main.cpp", "-o", objects)
    run(compiler, *MACHINE, *LINK, start, objects, "-o", program)
    return program


def check_output(example, said):
    if example == "digits":
        if said != "digit 3\n" * LOOPS[example]:
            raise Failed(f"digits: the program said {said!r}")
        return
    losses = [float(found) for found in re.findall(r"^loss (\d+\.\d{5})$", said, re.M)]
    if len(losses) != LOOPS[example] // 200 or not losses[-1] < 0.01 or not losses[-1] < losses[0] / 4:
        raise Failed(f"training: the losses are {losses}")


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    root = pathlib.Path(arguments[0]).resolve()
    sys.path.insert(0, str(root / "tools"))
    from amalgamate import version_of
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        try:
            library = written(root, work)
            check_descriptions(library, version_of(root / "include"))
            if not shutil.which("arm-none-eabi-g++"):
                print("skipped: there is no arm-none-eabi-g++; the files are written as they should be")
                return SKIPPED
            programs = {example: build(library, example, work) for example in LOOPS}
            if not shutil.which(EMULATOR[0]):
                print(f"compiled; not run, for there is no {EMULATOR[0]}")
                return 0
            for example, program in programs.items():
                check_output(example, run(*EMULATOR, program))
        except Failed as sentence:
            return f"arduino: {sentence}"
    print("compiled for a Cortex-M4 and run")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
