#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Training by two processes beside PyTorch's DistributedDataParallel:  run.py FOLDER [--python PYTHON] [--rounds N] [--network] [--svg FILE]

FOLDER has three programs, which meson builds (meson compile -C build distributed_step distributed_step_sharded distributed_step_alone). PYTHON has torch; without it, the peer
is left out. Each round runs all programs in turn, and of each the least of all rounds counts, so that other work on the computer counts least.

loopback   both processes on this computer
--network  (needs root and iproute2) each in a network namespace of its own, between which a pair of virtual cards carries 1 Gbit/s (network.py)
--svg      draws the timeline of a step of mlp: when each range of gradients was complete, sent, received and summed

Prints a table in Markdown: the least and the median microseconds of a step; efficiency against one process with the work of both; how much of the exchange took place
during the backward pass; and bytes.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from network import CARDS, NAMES, Network  # noqa: E402

BATCH = {"mlp": 128, "resnet": 100}
STEPS = {"mlp": 150, "resnet": 400}
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# Copies through shared memory cost two processes less than the system's copy from process to process does.
LOOPBACK = ["--mca", "btl", "self,vader", "--mca", "btl_vader_single_copy_mechanism", "none"]


def command(*words, **options):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, errors="replace", check=False, timeout=300, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-3000:]}")
    return done.stdout


def last_json(text):
    return json.loads([line for line in text.splitlines() if line.startswith("{")][-1])


def two(program, arguments, network, folder):
    """What a program of two processes prints."""
    words = ["mpirun", "-n", "2", *LOOPBACK, str(program), *arguments]
    if network:
        words = Network.mpirun(folder, program, *arguments)
    return last_json(command(*words, env=os.environ | OPEN_MPI))


def ours(program, net, network, folder):
    return two(program, [net, str(STEPS[net])], network, folder)


def alone(program, net):
    return last_json(command(program, net, STEPS[net], env=os.environ | OPEN_MPI))


def torch(python, net, network, processes):
    running = []
    for rank in range(processes):
        words = [python, str(HERE / "step_torch.py"), net, str(BATCH[net] * (2 if processes == 1 else 1)), str(STEPS[net])]
        if network and processes > 1:
            words = ["ip", "netns", "exec", NAMES[rank], *words]
        environment = os.environ | {"RANK": str(rank), "WORLD_SIZE": str(processes), "MASTER_ADDR": "10.7.0.1" if network else "127.0.0.1", "MASTER_PORT": "29577", "OMP_NUM_THREADS": "1"}
        environment |= {"GLOO_SOCKET_IFNAME": CARDS[rank]} if network and processes > 1 else {"GLOO_SOCKET_IFNAME": "lo"}
        running.append(subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    printed = [p.communicate(timeout=300) for p in running]
    # gloo's threads now and then end a process with an error when its figures have been printed.
    if "{" not in printed[0][0]:
        raise SystemExit("PyTorch: " + "".join(p[1][-1000:] for p in printed))
    return last_json(printed[0][0])


def timeline(result, file):
    """Rows of a picture: the backward pass, and each range of gradients from its completion to its mean."""
    end = max(result["ended"], result["backward_ended"])
    left, width, row = 150, 640, 26
    x = lambda t: left + width * t / end
    bars = [("forward and backward", 0, result["backward_ended"], "#8aa", "")]
    for i, (size, _, started, summed, finished) in enumerate(result["ranges"]):
        bars.append((f"range {i + 1}, {size // 1024} KiB", started, summed, "#e7a33e", "parts travel"))
        bars.append(("", summed, finished, "#b5651d", "sums travel"))
    rows, at, lines = [], 0, []
    for name, begin, last, colour, meaning in bars:
        if name:
            at += 1
        y = 10 + (at - 1) * row
        if name:
            lines.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{name}</text>')
        lines.append(f'<rect x="{x(begin):.1f}" y="{y}" width="{max(x(last) - x(begin), 1):.1f}" height="18" fill="{colour}"><title>{meaning or name}: {begin:.0f} to {last:.0f} us</title></rect>')
        rows.append(y)
    height = 10 + at * row + 58
    for k in range(5):
        t = end * k / 4
        lines.append(f'<line x1="{x(t):.1f}" y1="6" x2="{x(t):.1f}" y2="{height - 54}" stroke="#999" stroke-dasharray="2 3"/><text x="{x(t):.1f}" y="{height - 38}" text-anchor="middle">{t / 1000:.2f} ms</text>')
    for k, (colour, meaning) in enumerate((("#e7a33e", "parts travel to the processes that sum them"), ("#b5651d", "sums travel to all"))):
        lines.append(f'<rect x="{left + 320 * k}" y="{height - 22}" width="12" height="12" fill="{colour}"/><text x="{left + 320 * k + 18}" y="{height - 12}">{meaning}</text>')
    file.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 40} {height}" font-family="sans-serif" font-size="12" fill="#555">\n' + "\n".join(lines) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--python")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--network", action="store_true")
    parser.add_argument("--rate", default="1gbit")
    parser.add_argument("--svg", type=pathlib.Path)
    given = parser.parse_args()
    step, sharded, single = (given.folder.resolve() / f"distributed_{name}" for name in ("step", "step_sharded", "step_alone"))
    results = {}
    with Network(given.rate) if given.network else open(os.devnull) as _:
        for _round in range(given.rounds):
            for net in BATCH:
                runs = {"espalier, 2 processes": lambda: ours(step, net, given.network, given.folder.resolve()),
                        "espalier, 2 processes, sharded states": lambda: ours(sharded, net, given.network, given.folder.resolve()),
                        "espalier, 1 process, twice the batch": lambda: alone(single, net)}
                if given.python:
                    runs |= {"PyTorch, 2 processes": lambda: torch(given.python, net, given.network, 2), "PyTorch, 1 process, twice the batch": lambda: torch(given.python, net, False, 1)}
                for name, run in runs.items():
                    results.setdefault((net, name), []).append(run())
    print("| net | program | least us | median us | efficiency | hidden | bytes sent |\n|---|---|---|---|---|---|---|")
    for (net, name), found in results.items():
        least = min(r["least"] for r in found)
        reference = results.get((net, name.replace("2 processes", "1 process, twice the batch").replace(", sharded states", "")))
        efficiency = f"{min(r['least'] for r in reference) / 2 / least:.2f}" if "2 processes" in name else ""
        hidden = f"{statistics.median(r['hidden'] for r in found):.2f}" if "hidden" in found[0] else ""
        print(f"| {net} | {name} | {least:.0f} | {min(r['median'] for r in found):.0f} | {efficiency} | {hidden} | {found[0].get('bytes', '')} |")
    if given.svg:
        timeline(min(results[("mlp", "espalier, 2 processes")], key=lambda r: r["median"]), given.svg)


if __name__ == "__main__":
    sys.exit(main())
