#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Two network namespaces of this computer, as if they were two computers: a benchmark and a test start one process in each. It takes root and iproute2."""
import shutil
import subprocess

NAMES = ("espalier1", "espalier2")
CARDS = ("espalier_a", "espalier_b")
# OpenMPI starts its daemon on the other computer by this instead of ssh. Each namespace needs a host name of its own, or the daemon takes both for one computer.
AGENT = """#!/bin/sh
host=$1; shift
exec ip netns exec espalier${host##*.} unshare --uts sh -c "hostname espalier${host##*.}; $*"
"""


def words(*parts):
    return [str(p) for p in parts]


def run(*parts):
    done = subprocess.run(words(*parts), capture_output=True, text=True, errors="replace", check=False, timeout=60)
    if done.returncode != 0:
        raise OSError(f"{' '.join(words(*parts))}: exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


class Network:
    """Two namespaces with a pair of virtual cards between them, of so many bits per second, and of a latency where the kernel has netem. It is removed at the end."""

    def __init__(self, rate, latency="100us"):
        self.rate, self.latency = rate, latency

    @staticmethod
    def reason_against():
        """Why there can be none here, or ""."""
        if not (shutil.which("ip") and shutil.which("tc") and shutil.which("unshare")):
            return "there is no ip, tc or unshare (iproute2, util-linux)"
        try:
            with Network("1gbit"):
                pass
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"no network namespaces can be made here: {error}"
        return ""

    def __enter__(self):
        self.__exit__()
        try:
            for name in NAMES:
                run("ip", "netns", "add", name)
            run("ip", "link", "add", CARDS[0], "netns", NAMES[0], "type", "veth", "peer", "name", CARDS[1], "netns", NAMES[1])
            for i, (name, card) in enumerate(zip(NAMES, CARDS)):
                inside = ("ip", "netns", "exec", name)
                run(*inside, "ip", "addr", "add", f"10.7.0.{i + 1}/24", "dev", card)
                run(*inside, "ip", "link", "set", card, "up")
                run(*inside, "ip", "link", "set", "lo", "up")
                try:
                    run(*inside, "tc", "qdisc", "add", "dev", card, "root", "netem", "rate", self.rate, "delay", self.latency)
                except OSError:  # a kernel without netem
                    run(*inside, "tc", "qdisc", "add", "dev", card, "root", "tbf", "rate", self.rate, "burst", "256kb", "latency", "50ms")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in NAMES:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)

    @staticmethod
    def cut():
        """No packet comes through any more, as with a cable that is pulled."""
        run("ip", "netns", "exec", NAMES[0], "ip", "link", "set", CARDS[0], "down")

    @staticmethod
    def end_processes():
        """Of both namespaces, whatever they wait for."""
        for name in NAMES:
            pids = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False).stdout.split()
            subprocess.run(["kill", "-9", *pids], capture_output=True, check=False)

    @staticmethod
    def mpirun(folder, *command, launcher="mpirun", options=()):
        """A command line that starts a process in each namespace. folder: for a file that OpenMPI needs."""
        agent = folder / "agent.sh"
        agent.write_text(AGENT)
        agent.chmod(0o755)
        inside = [launcher, "--mca", "plm_rsh_agent", str(agent), "-H", "10.7.0.1,10.7.0.2", "--mca", "btl", "self,tcp", "--mca", "btl_tcp_if_include", "10.7.0.0/24", "--mca",
                  "oob_tcp_if_include", "10.7.0.0/24", *options, "-n", "2", *words(*command)]
        return ["ip", "netns", "exec", NAMES[0], "unshare", "--uts", "sh", "-c", f"hostname {NAMES[0]}; {' '.join(inside)}"]
