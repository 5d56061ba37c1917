#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Builds and runs the programs of test/everywhere for every processor whose compiler and emulator are installed.

    everywhere.py FOLDER [TARGET...]     TARGET: a name of the list below; without any, all
    everywhere.py --list                 the names, one a line
    everywhere.py --sizes FOLDER         bytes of flash and static memory of test/everywhere/size.cpp on a Cortex-M4 and M7, without and with ESPALIER_SMALL, beyond those of an empty program
    everywhere.py --instructions FOLDER  instructions of test/everywhere/instructions.cpp on a Cortex-M7 in qemu

Each program runs in the library's default settings, where its numbers are compared within a tolerance, or with ESPALIER_SEPARATE_ROUNDING, where the hash of
their bits is compared. The exit status is 0 if all are right, 77 if no target could run because tools are missing, 1 otherwise.

Packages: gcc-arm-none-eabi libstdc++-arm-none-eabi-newlib qemu-system-arm; wasi-libc libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32
lld-19 nodejs; g++-{aarch64,arm,powerpc64le,riscv64,s390x,i686}-linux-gnu... qemu-user; g++-mingw-w64-x86-64-posix wine64; libc++-19-dev libc++abi-19-dev.
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "test/everywhere"
WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror".split()
SAME = ["-DESPALIER_SEPARATE_ROUNDING", "-ffp-contract=off"]
BARE = ["-fno-exceptions", "-fno-rtti"]


@dataclass
class Target:
    name: str
    compiler: str
    flags: list
    runner: list
    programs: list  # (program, same bits?)
    link: list = field(default_factory=list)
    objects: list = field(default_factory=list)  # further sources
    linker: str = ""  # another driver that links
    suffix: str = ""
    tools: list = field(default_factory=list)
    quiet: list = field(default_factory=list)
    seconds: int = 240


def cortex(headers, name, cpu, machine, programs, fpu="", clang="", folder="", rom=0, ram=0x20000000, level="-O2", more=()):
    arch = [f"-mcpu={cpu}", "-mthumb"] + (["-mfloat-abi=hard"] + ([f"-mfpu={fpu}"] if fpu != "auto" else []) if fpu else [])
    link = arch + ["--specs=rdimon.specs", "-Wl,--no-warn-mismatch", f"-Wl,--section-start=.vectors={rom:#x}", f"-Wl,-Ttext-segment={rom + 0x10000:#x}", f"-Wl,-Tdata={ram:#x}"]
    flags = ["-isystem", str(headers)] + BARE + [level, *more, f"-DEVERYWHERE_FIRST_STACK={ram + 0x10000:#x}"]
    target = Target(name, "arm-none-eabi-g++", flags + arch, [], programs, link=link, objects=["cortex_m.cpp"], tools=["qemu-system-arm"])
    if clang:
        include = newlib()
        target.compiler, target.linker = "clang++-19", "arm-none-eabi-g++"
        target.flags = flags + [f"--target={clang}", f"-mcpu={cpu}", "-mthumb", "-fshort-enums", "-nostdinc++", "-nostdlibinc"] + ([f"-mfpu={fpu}"] if fpu not in ("", "auto") else [])
        for path in include and (f"{include[0]}", f"{include[0]}/arm-none-eabi/{folder}", include[1]):
            target.flags += ["-isystem", path]
        target.tools.append("arm-none-eabi-g++")
    target.runner = ["qemu-system-arm", "-M", machine, "-display", "none", "-monitor", "none", "-serial", "none", "-semihosting-config", "enable=on,target=native", "-kernel"]
    return target


def newlib():
    """The folders of libstdc++ and newlib for ARM, as g++ finds them; none without it."""
    if not shutil.which("arm-none-eabi-g++"):
        return ()
    told = subprocess.run(["arm-none-eabi-g++", "-E", "-v", "-x", "c++", os.devnull], capture_output=True, text=True).stderr
    paths = [line.strip() for line in told[told.index("<...>"):].splitlines()[1:] if line.startswith(" ")]
    return paths[0], paths[-1]


def targets(headers):
    """headers: a folder with links to the headers of boost, xsimd, flatbuffers and nlohmann alone, for compilers of other processors."""
    of_library = ["-isystem", str(headers)]
    native = Target("", "g++", ["-O1"], [], [])

    def user(name, prefix, qemu, programs, more=(), clang=""):
        flags = [*of_library, *more]
        compiler = f"{prefix}-g++"
        if clang:
            compiler, flags = "clang++-19", [f"--target={clang}", *flags]
        return Target(name, compiler, ["-O1", *flags], [qemu] if qemu else [], programs, link=["-static"], quiet=["-Wno-psabi"], tools=[f"{prefix}-g++"] + ([qemu] if qemu else []))

    both, same, usual = [("steps", False), ("steps", True)], [("steps", True)], [("steps", False)]
    digits, integers = [("digits", True)], [("quantized", True)]
    files = [("files", False)]
    del native
    made = [
        Target("x86_64", "g++", ["-O1", "-msse2"], [], same + digits + integers + files + [("threads", True)]),
        Target("x86_64_v3", "g++", ["-O1", "-march=x86-64-v3"], [], both + digits + [("threads", False)]),
        Target("x86_64_v3_clang", "clang++-19", ["-O1", "-march=x86-64-v3"], [], same),
        *[Target(f"x86_64_clang_{version}", f"clang++-{version}", ["-O1", "-march=x86-64-v3"], [], same + digits + integers + files if version == 14 else digits) for version in (14, 15, 16)],
        Target("x86_64_libcxx", "clang++-19", ["-O1", "-stdlib=libc++", "-isystem", str(headers)], [], both + digits + files, tools=["/usr/lib/llvm-19/include/c++/v1/vector"]),
        user("i686", "i686-linux-gnu", "", both, ["-msse2", "-mfpmath=sse"]),
        user("aarch64", "aarch64-linux-gnu", "qemu-aarch64", both + digits + integers + files),
        user("aarch64_clang", "aarch64-linux-gnu", "qemu-aarch64", same, clang="aarch64-linux-gnu"),
        user("armhf", "arm-linux-gnueabihf", "qemu-arm", both),
        user("ppc64le", "powerpc64le-linux-gnu", "qemu-ppc64le", both),
        user("riscv64", "riscv64-linux-gnu", "qemu-riscv64", both + integers),
        user("s390x", "s390x-linux-gnu", "qemu-s390x", both + digits + integers),
        cortex(headers, "cortex_m3", "cortex-m3", "mps2-an385", both, level="-Os"),
        cortex(headers, "cortex_m4", "cortex-m4", "mps2-an386", usual + integers, "fpv4-sp-d16"),
        cortex(headers, "cortex_m7", "cortex-m7", "mps2-an500", both + digits + integers, "fpv5-d16"),
        cortex(headers, "cortex_m7_small", "cortex-m7", "mps2-an500", both + digits + integers, "fpv5-d16", level="-Os", more=["-DESPALIER_SMALL"]),
        cortex(headers, "cortex_m33", "cortex-m33", "mps2-an505", usual, "fpv5-sp-d16", rom=0x10000000, ram=0x38000000),
        cortex(headers, "cortex_m7_clang", "cortex-m7", "mps2-an500", same + integers, "fpv5-d16", clang="thumbv7em-none-eabihf", folder="thumb/v7e-m+dp/hard"),
        cortex(headers, "cortex_m55_clang", "cortex-m55", "mps3-an547", both + integers, "auto", clang="thumbv8.1m.main-none-eabihf", folder="thumb/v8-m.main+dp/hard"),
        Target("wasm32", "clang++-19",
               ["--target=wasm32-wasi", "--sysroot=/usr", "-nostdinc++", "-isystem", "/usr/include/wasm32-wasi/c++/v1", "-O2", "-msimd128", *BARE, *of_library],
               ["node", "--no-warnings", str(HERE / "run_wasm.mjs")], both + digits + integers, link=["-stdlib=libc++"], suffix=".wasm",
               tools=["node", "wasm-ld-19", "/usr/include/wasm32-wasi/c++/v1/vector"]),
        Target("windows", "x86_64-w64-mingw32-g++-posix", ["-O1", *of_library], ["wine"], both + [("digits", True), ("files", False), ("threads", False)], link=["-static"],
               suffix=".exe", tools=["wine"]),
    ]
    return made


def missing(target):
    """The first tool that is not there, or none."""
    for tool in [target.compiler, *target.tools]:
        if not (Path(tool).exists() if tool.startswith("/") else shutil.which(tool)):
            return tool
    return None


def run(command, seconds, **options):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds, **options)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return 124, f"no end after {seconds} seconds"


def build(target, program, same, folder):
    """Returns the program's path, or the compiler's words."""
    out = folder / f"{target.name}_{program}{'_same' if same else ''}{target.suffix}"
    flags = ["-std=c++20", f"-I{ROOT / 'include'}", f"-I{folder}", *target.flags, *(SAME if same else []), *WARNINGS, *target.quiet]
    objects = []
    for source in [f"{program}.cpp", *target.objects]:
        objects.append(f"{out}_{Path(source).stem}.o")
        status, said = run([target.compiler, *flags, "-c", str(HERE / source), "-o", objects[-1]], target.seconds)
        if status != 0:
            return None, said
    linker = [target.linker or target.compiler] + ([] if target.linker else target.flags)
    status, said = run([*linker, *objects, *target.link, "-o", str(out)], target.seconds)
    return (out, said) if status == 0 else (None, said)


def prove(target, program, same, folder):
    title = f"{target.name}: {program}{', same bits' if same else ''}"
    begun = time.monotonic()
    out, said = build(target, program, same, folder)
    if out is None:
        return False, f"FAILED: {title} does not compile\n" + "\n".join(said.splitlines()[:12])
    built = time.monotonic() - begun
    work = folder / f"{out.name}.d"
    work.mkdir(exist_ok=True)
    environment = dict(os.environ, WINEDEBUG="-all")
    status, said = run([*target.runner, str(out)], target.seconds, cwd=work, env=environment)
    # A bare processor has no exit status that every emulator hands on, so the last line counts, too.
    right = status == 0 and "everywhere: all right" in said and "WRONG" not in said
    text = f"{'passed' if right else 'FAILED'}: {title} (compiled in {built:.0f} s, ran {time.monotonic() - begun - built:.0f} s)"
    return right, text if right else text + f", exit status {status}\n" + "\n".join(said.splitlines()[-12:])


def write_digits(to):
    """The pictures and labels of docs/examples/data as arrays: their headers have 16 and 8 bytes."""
    data = ROOT / "docs/examples/data"
    text = "#pragma once\nnamespace digits_data {\n"
    for name, file, header in ("pixels", "optdigits-images-idx3-ubyte", 16), ("labels", "optdigits-labels-idx1-ubyte", 8):
        numbers = (data / file).read_bytes()[header:]
        lines = "\n".join("    " + ", ".join(map(str, numbers[i:i + 32])) + "," for i in range(0, len(numbers), 32))
        text += f"inline constexpr unsigned char {name}[] = {{\n{lines}\n}};\n"
    to.write_text(text + "}  // namespace digits_data\n")


def sizes(folder, headers):
    for target in targets(headers):
        if target.name in ("cortex_m4", "cortex_m7") and not missing(target):
            for small in False, True:
                if not sizes_of(target, small, folder):
                    return 1
    return 0


def instructions(folder, headers):
    for target in targets(headers):
        if target.name not in ("cortex_m7", "cortex_m7_clang") or missing(target):
            continue
        for level in "-O2", "-Os":
            one = Target(**{**target.__dict__, "name": f"instructions_{target.name}{level}", "flags": [f for f in target.flags if not f.startswith("-O")] + [level, "-DNDEBUG"]})
            out, said = build(one, "instructions", False, folder)
            status, said = (1, said) if out is None else run([*target.runner[:-1], "-icount", "shift=0", target.runner[-1], str(out)], target.seconds)
            print(f"{target.name} {level}\n{said}")
            if status != 0 or "everywhere: all right" not in said:
                return 1
    return 0


def sizes_of(target, small, folder):
    """Prints the sizes of the programs for one target; False if one does not compile."""
    parts = ["an empty program", "a predictor", "a frozen net", "training with SGD", "training with Adam"]
    flags = [flag for flag in target.flags if not flag.startswith("-O")] + ["-Os", "-DNDEBUG", "-ffunction-sections", "-fdata-sections"] + ["-DESPALIER_SMALL"] * small
    name = target.name + "_small" * small
    empty = None
    for part, title in enumerate(parts):
        one = Target(**{**target.__dict__, "name": f"size_{name}_{part}", "flags": flags + [f"-DPART={part}"], "link": target.link + ["-Wl,--gc-sections"]})
        out, said = build(one, "size", False, folder)
        if out is None:
            print(said)
            return False
        text, data, bss = map(int, run(["arm-none-eabi-size", str(out)], 60)[1].splitlines()[1].split()[:3])
        empty = empty or (text + data, data + bss)
        print(f"{name}: {title}: {text + data - empty[0]} bytes of flash, {data + bss - empty[1]} of static memory")
    return True


def main(words):
    if words == ["--list"]:
        print("\n".join(t.name for t in targets(Path())))
        return 0
    measures = {"--sizes": sizes, "--instructions": instructions}
    measure = measures.get(words[0]) if words else None
    words = words[measure is not None:]
    if not words or words[0].startswith("-"):
        print(__doc__)
        return 2
    folder, names = Path(words[0]).resolve(), words[1:]
    headers = folder / "headers"
    headers.mkdir(parents=True, exist_ok=True)
    for library in "boost", "xsimd", "flatbuffers", "nlohmann":
        link, place = headers / library, Path("/usr/include") / library
        if place.is_dir() and not link.exists():
            link.symlink_to(place)
    write_digits(folder / "digits_data.hpp")
    if measure:
        return measure(folder, headers)
    known = targets(headers)
    unknown = set(names) - {t.name for t in known}
    if unknown:
        print(f"everywhere: no such target: {' '.join(sorted(unknown))}; there are {' '.join(t.name for t in known)}")
        return 2
    works, skipped = [], 0
    for target in known:
        if names and target.name not in names:
            continue
        absent = missing(target)
        if absent:
            skipped += 1
            print(f"skipped: {target.name}: there is no {absent}")
            continue
        works += [(target, program, same) for program, same in target.programs]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as workers:
        for right, text in workers.map(lambda work: prove(*work, folder), works):
            print(text, flush=True)
            wrong += not right
    return 1 if wrong else 0 if works else 77


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
