#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Looks at what nvcc made of kernels: registers, stack, spills, barriers and shared memory of each, and the width of its accesses to memory.

    cuda_inspect.py KERNELS.cu -- NVCC ARGUMENTS...             compiles and judges
    cuda_inspect.py --keep LOG PTX -- NVCC ARGUMENTS...         compiles as the arguments say (a step of a build), and keeps what there is to judge
    cuda_inspect.py [--record PAGE --title NAME] LOG PTX        judges what was kept; --record writes the registers into a page of the documentation

A kernel fails if it needs stack or spills a register. One that computes in double may need up to 64 bytes: nvcc divides doubles, and takes their
exponentials and logarithms, in subroutines, and keeps registers on the stack across such a call. One with sines may need 32 bytes: the toolkit's take
large arguments by an array of digits. espalier::on_cuda::entry<K, L, S, C> promises loads of L and stores of S bytes, and fails if no load from
global memory or no store to it is that wide. One of clusters (C blocks, more than one) is launched on sm_90 and later alone, and only a trap elsewhere:
below sm_90 it is not judged.
"""
import argparse
import collections
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

DOUBLE = re.compile(r"\w+_kernel<(?:\(espalier::plan::extent_class\)\d+, )?(?:\d+, )?double,")
SINE = re.compile(r"espalier::(?:sin|cos)_\b")
ENTRY = re.compile(r"Compiling entry function '(\S+)' for 'sm_(\w+)'")
PROPERTIES = re.compile(r"Function properties for (\S+)")
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
BARRIERS = re.compile(r"used (\d+) barriers")
SHARED = re.compile(r"(\d+) bytes smem")
PTXAS = re.compile(r"^ptxas info|^    \d+ bytes stack frame|^\s*$")

TARGET = re.compile(r"^\.target sm_(\w+)")
BODY = re.compile(r"^(?:\.visible |\.weak |\.extern )*\.(entry|func)\s*(?:\([^)]*\)\s*)?([\w$.]+)")
ACCESS = re.compile(r"^\s*(?:@!?%\w+ )?(ld|st)((?:\.[\w:]+)+)\s")
PROMISE = re.compile(r"^(?:void )?espalier::on_cuda::entry<.*, (\d+), (\d+), (\d+)>\(", re.S)
CLUSTERS_SINCE = 90  # sm_90: compute capability 9.0


class Kernel:
    """What ptxas says of one function for one architecture; load and store: the widest accesses to global memory in its PTX, in bytes."""
    def __init__(self, name, arch, entry=True):
        self.name, self.arch, self.entry = name, arch, entry
        self.registers = self.stack = self.spill_stores = self.spill_loads = self.barriers = self.shared = 0
        self.load = self.store = 0


def demangled(names):
    """Each name on its own, so that one of tens of thousands of characters stays whole."""
    result = {}
    for name in names:
        try:
            done = subprocess.run(["c++filt", "--no-recurse-limit", name], capture_output=True, text=True, errors="replace")
            result[name] = done.stdout.strip() if done.returncode == 0 else name
        except OSError:
            result[name] = name
    return result


def parse_log(text):
    """The functions of ptxas -v, in order. Functions that are not inlined have no registers of their own."""
    found, arch, name, current = [], "", "", None
    for line in text.splitlines():
        if match := ENTRY.search(line):
            name, arch = match[1], match[2]
        elif match := PROPERTIES.search(line):
            current = Kernel(match[1], arch, match[1] == name)
            found.append(current)
        elif current and (match := FRAME.search(line)):
            current.stack, current.spill_stores, current.spill_loads = map(int, match.groups())
        elif current and (match := USED.search(line)):
            of = current if current.entry else next(k for k in reversed(found) if k.entry)
            of.registers = int(match[1])
            of.barriers = int(m[1]) if (m := BARRIERS.search(line)) else 0
            of.shared = int(m[1]) if (m := SHARED.search(line)) else 0
    return found


def bytes_of(kinds):
    """The bytes of an access by the parts of its instruction's name: ['global', 'v4', 'f32'] are 16; 0 if it is none to global memory."""
    if "global" not in kinds:
        return 0
    count = next((int(k[1:]) for k in kinds if re.fullmatch(r"v\d", k)), 1)
    bits = next((int(k[1:]) for k in reversed(kinds) if re.fullmatch(r"[bufs]\d+", k)), 0)
    return count * bits // 8


def parse_ptx(text):
    """(name, architecture) -> [widest load, widest store]."""
    found, arch, current = collections.defaultdict(lambda: [0, 0]), "", None
    for line in text.splitlines():
        if match := TARGET.match(line):
            arch = match[1].split(",")[0]
        elif match := BODY.match(line):
            current = found[match[2], arch]
        elif current is not None and (match := ACCESS.match(line)):
            k = match[1] == "st"
            current[k] = max(current[k], bytes_of(match[2].split(".")))
    return found


def kernels_of(log, ptx):
    widths = parse_ptx(ptx)
    kernels = parse_log(log)
    names = demangled(sorted({k.name for k in kernels}))
    for k in kernels:
        k.load, k.store = widths.get((k.name, k.arch), (0, 0))
        k.name = names[k.name]
    return [k for k in kernels if is_launched(k)]


def promised(name):
    """The bytes of the widest load and store that a kernel promises by the last template arguments of entry<K, L, S, C>; 0: nothing."""
    match = PROMISE.match(name)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def is_launched(kernel):
    """Whether a kernel can be launched on its architecture: one of clusters needs sm_90."""
    match = PROMISE.match(kernel.name)
    return not match or int(match[3]) == 1 or int(re.match(r"\d+", kernel.arch)[0]) >= CLUSTERS_SINCE


def frame_allowed(name):
    """Bytes of stack, and of spills, that subroutines of the toolkit may cost a kernel."""
    return (64, 64) if DOUBLE.search(name) else (32, 0) if SINE.search(name) else (0, 0)


def faults(kernels):
    found = []
    for k in kernels:
        where = f"{k.name} for sm_{k.arch}"
        stack, spills = frame_allowed(k.name)
        if k.stack > stack:
            found.append(f"{k.stack} bytes of stack: {where}")
        if max(k.spill_stores, k.spill_loads) > spills:
            found.append(f"{k.spill_stores} bytes spilled, {k.spill_loads} read back: {where}")
        for what, width, wanted in zip(("load", "store"), (k.load, k.store), promised(k.name)):
            if width < wanted:
                found.append(f"the widest {what} has {width} bytes, not {wanted}: {where}")
    return found


def short(name, most=88):
    """A name for a table: without what all have in common, and cut, with six digits that tell it from others."""
    text = re.sub(r"^void ", "", name)
    text = re.sub(r"\((?:[^()]|\([^()]*\))*\)$", "", text)
    text = re.sub(r"espalier::(?:on_cuda::|fused::)?", "", text)
    text = re.sub(r"\([\w:]+\)(-?\d)", r"\1", text)
    text = re.sub(r"^entry<(.*?) ?, \d+, \d+, \d+>$", r"\1", text, flags=re.S)
    if len(text) <= most:
        return text
    return text[:most - 10] + "... " + hashlib.sha1(name.encode()).hexdigest()[:6]


def table(kernels):
    """Rows of a markdown table: kernel, registers for each architecture, shared memory, barriers, widest load and store."""
    arches = sorted({k.arch for k in kernels}, key=lambda a: (len(a.rstrip('af')), a))
    rows = collections.defaultdict(dict)
    for k in kernels:
        if k.entry:
            rows[k.name][k.arch] = k
    lines = ["| kernel | " + " | ".join(f"sm_{a}" for a in arches) + " | shared memory | barriers | load | store |", "|---|" + "---:|" * (len(arches) + 4)]
    for name, of in sorted(rows.items(), key=lambda row: short(row[0])):
        some = list(of.values())
        most = [max(getattr(k, what) for k in some) for what in ("shared", "barriers", "load", "store")]
        lines.append(f"| `{short(name)}` | " + " | ".join(str(of[a].registers) if a in of else "" for a in arches) + " | " + " | ".join(map(str, most)) + " |")
    return lines


HEAD = """# Registers of the CUDA kernels

Written by `test/tools/cuda_inspect.py --record` ([how kernels are built](../design/cuda_build.md)): for each program, its kernels with the registers of a thread for each
architecture, the bytes of static shared memory and the barriers of a block, and the bytes of the widest load and store. None has stack, none spills.
"""


def record(page, title, lines):
    """Puts the table of one program into the page, in place of what stood there; programs by name."""
    page = pathlib.Path(page)
    text = page.read_text(encoding="utf-8") if page.is_file() else HEAD
    parts = re.split(r"^## (.+)$", text, flags=re.M)
    sections = dict(zip(parts[1::2], parts[2::2]))
    sections[title] = "\n\n" + "\n".join(lines) + "\n\n"
    text = parts[0].rstrip() + "\n\n" + "".join(f"## {name}{sections[name]}" for name in sorted(sections))
    page.write_text(text.rstrip() + "\n", encoding="utf-8")


def compile_and_keep(command):
    """Runs nvcc; returns its status, what ptxas said, and the PTX. Everything else that it says goes to standard error."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*command, "-Xptxas", "-v", "--keep", "--keep-dir", folder], stderr=subprocess.PIPE, text=True, errors="replace")
        log = [line for line in done.stderr.splitlines() if PTXAS.match(line)]
        said = [line for line in done.stderr.splitlines() if not PTXAS.match(line)]
        if said:
            print("\n".join(said), file=sys.stderr)
        ptx = [p.read_text(errors="replace") for p in sorted(pathlib.Path(folder).glob("*.ptx"))]
        return done.returncode, "\n".join(log) + "\n", "\n".join(ptx)


def judge(log, ptx, page=None, title=None):
    kernels = kernels_of(log, ptx)
    found = faults(kernels)
    lines = table(kernels)
    print("\n".join(lines))
    for fault in found:
        print(f"FAULT: {fault}")
    entries = {k.name for k in kernels if k.entry}
    print(f"{len(entries)} kernels, {len({k.arch for k in kernels})} architectures, {len(found)} faults")
    if page and not found:
        record(page, title, lines)
    return 1 if found else 0


def main(arguments):
    command = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, command = arguments[:at], arguments[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", action="store_true", help="only compile, and keep the two files")
    parser.add_argument("--record", help="the page that the registers are written into")
    parser.add_argument("--title", default="kernels", help="the heading of the table there")
    parser.add_argument("files", nargs="+")
    given = parser.parse_args(arguments)
    if given.keep:
        status, log, ptx = compile_and_keep(command)
        for path, text in zip(given.files, (log, ptx)):
            pathlib.Path(path).write_text(text, encoding="utf-8")
        return status
    if command:
        with tempfile.NamedTemporaryFile(suffix=".o") as out:
            status, log, ptx = compile_and_keep([*command, "-c", given.files[0], "-o", out.name])
        return status or judge(log, ptx, given.record, given.title)
    texts = [pathlib.Path(name).read_text(encoding="utf-8") for name in given.files]
    return judge(texts[0], texts[1], given.record, given.title)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
