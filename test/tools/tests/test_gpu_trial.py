#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Rehearses tools/gpu_trial with programs that are scripts: with no device, with one, and where programs fail or take too long."""
import importlib.machinery
import importlib.util
import io
import json
import lzma
import pathlib
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("gpu_trial", str(ROOT / "tools/gpu_trial"))
trial = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_trial", loader))
loader.exec_module(trial)

FAKES = {"cuda_smoke": "exit 0", "cuda_rows": "echo wrong; exit 3", "cuda_tensor": "sleep 30", "graphics_processor_cuda": "exit 77",
         "bench_cuda": 'while [ "$1" != --csv ]; do shift; done; printf "family,median_us\\nadam,3.5\\n" > "$2"'}


def pack(folder):
    with lzma.open(folder / trial.ARCHIVE, "wb") as file, tarfile.open(fileobj=file, mode="w") as archive:
        for name, text in FAKES.items():
            script = f"#!/bin/sh\n{text}\n".encode()
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(script), 0o755
            archive.addfile(entry, io.BytesIO(script))


def run(folder, found, *arguments):
    """The exit status, and the lines that the call adds."""
    trial.devices = lambda: found
    output = folder / f"output{len(list(folder.iterdir()))}"
    sys.argv = ["gpu_trial", "run", *arguments, "--folder", str(folder), "--output", str(output), "--item-limit", "2"]
    status = trial.main()
    return status, trial.lines_of(output / "results.jsonl"), output


def statuses(lines):
    return {line["item"]: line["status"] for line in lines if line["kind"] == "item"}


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name).resolve()
    pack(folder)
    status, lines, _ = run(folder, 0, "first", "sanitize", "speed", "compiled")
    assert status == 0 and set(statuses(lines).values()) == {"skipped"}, statuses(lines)
    assert {"cuda_smoke", "cuda_smoke under racecheck", "bench_cuda, 31 rounds", "PyTorch, graphs and compiled, train"} <= set(statuses(lines))
    assert [line["stage"] for line in lines if line["kind"] == "facts"] == [s for stage in ("first", "sanitize", "speed", "compiled") for s in (stage, stage)]

    status, lines, output = run(folder, 1, "first")
    expected = {"cuda_smoke": "passed", "cuda_rows": "failed (3)", "cuda_tensor": "time limit", "graphics_processor_cuda": "skipped", "bench_cuda, 5 rounds": "passed"}
    assert status == 1 and statuses(lines) == expected, statuses(lines)
    assert [line["median_us"] for line in lines if line["kind"] == "row"] == ["3.5"], lines
    assert "wrong" in next(line["said"] for line in lines if line.get("item") == "cuda_rows")

    # What passed before is left out.
    status, lines, _ = run(folder, 1, "first", "--done", str(output / "results.jsonl"))
    assert set(statuses(lines)) == {"cuda_rows", "cuda_tensor", "graphics_processor_cuda"}, statuses(lines)
    status, lines, _ = run(folder, 1, "first", "--limit", "0")
    assert status == 1 and set(statuses(lines).values()) == {"no time"}, statuses(lines)
    assert all(json.dumps(line) for line in lines)
print("gpu_trial: as expected")
