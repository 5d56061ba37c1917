#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""How steps scale to more processes than one has:  extrapolate.py FOLDER [--network] [--link NAME,MICROSECONDS,GBIT]... [--processes N,N,...]

FOLDER has the programs distributed_step and distributed_link, which meson builds. They measure with two processes of this computer (through memory, or with --network
through virtual cards of 1 Gbit/s, see run.py)

  a    microseconds of an exchange of a few bytes, for each of the other processes
  B    bytes per microsecond of a large exchange
  r_i  when the backward pass has completed range i of the gradients, S_i bytes
  b    when the backward pass ends; u what follows it: the update

and the formula says what a step takes with N processes, each with a batch of its own:

  e_i = max(r_i, e_(i-1)) + c_i          the end of the exchange of range i
  c_i = 2 (N - 1) (a + S_i / (N B))      scatter and gather: each sends and receives a piece of S_i / N from each other one, twice
  c_i = (N - 1) (a + S_i / B)            of a range whose (N - 1) S_i is at most 32 KiB, which is sent whole
  T(N) = max(b, e_last) + u,  efficiency = (b + u) / T(N)

It leaves out what else slows processes down: one that is late, a network that is not free, a computer whose memory is shared. --link adds a link that you have the figures of.
Prints a table in Markdown, the first column beside it what two processes really took.
"""
import argparse
import os
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run as bench  # noqa: E402

SMALL = 32768


def step_time(measured, processes, latency, bandwidth):
    """(microseconds of a step, efficiency) by the formula above. measured: what distributed_step printed; latency in microseconds, bandwidth in bytes per microsecond."""
    update = max(measured["median"] - measured["ended"], 0)
    others, end = processes - 1, 0.0
    for sent, ready, *_ in measured["ranges"]:
        size = sent  # two processes send 2 (N - 1) / N = 1 times a range
        cost = others * (latency + size / bandwidth) if others * size <= SMALL else 2 * others * (latency + size / processes / bandwidth)
        end = max(ready, end) + cost
    time = max(measured["backward_ended"], end) + update
    return time, (measured["backward_ended"] + update) / time


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--network", action="store_true")
    parser.add_argument("--rate", default="1gbit")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--link", action="append", default=[])
    parser.add_argument("--processes", default="2,8,64,512")
    given = parser.parse_args()
    folder = given.folder.resolve()
    counts = [int(n) for n in given.processes.split(",")]
    with bench.Network(given.rate) if given.network else open(os.devnull) as _:
        link = min((bench.two(folder / "distributed_link", [], given.network, folder) for _round in range(given.rounds)), key=lambda r: r["latency"])
        steps = {}
        for net in bench.BATCH:
            steps[net] = min((bench.ours(folder / "distributed_step", net, given.network, folder) for _round in range(given.rounds)), key=lambda r: r["median"])
    links = {"measured": (link["latency"], link["bandwidth"] / 1e6)}
    for words in given.link:
        name, latency, rate = words.split(",")
        links[name] = (float(latency), float(rate) * 1e3 / 8)
    print(f"measured: a = {link['latency']:.2f} us, B = {link['bandwidth'] / 1e9:.3g} GB/s\n")
    print("| net | link | two, really | " + " | ".join(f"N = {n}" for n in counts) + " |\n|" + "---|" * (3 + len(counts)))
    for net, measured in steps.items():
        for name, (latency, bandwidth) in links.items():
            row = [step_time(measured, n, latency, bandwidth) for n in counts]
            really = f"{measured['median']:.0f} us" if name == "measured" else ""
            print(f"| {net} | {name} | {really} | " + " | ".join(f"{time:.0f} us, {efficiency:.2f}" for time, efficiency in row) + " |")


if __name__ == "__main__":
    sys.exit(main())
