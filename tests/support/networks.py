"""Machines of a test in network namespaces of their own, with links that lose, delay and end.

Each namespace has one tunnel device (tun), whose packets pass through a thread of the test: the
kernel's own TCP is on both sides, and what happens to a packet is decided here. The queue `netem`
would do the same, but is missing from many kernels. Needs Linux and root.
"""

from __future__ import annotations

import contextlib
import fcntl
import heapq
import os
import random
import select
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

_TUNSETIFF = 0x400454CA
_IFF_TUN_NO_PI = 0x1001
_PACKET_MAX = 65_536
_HELD = """
import sys
sys.stdout.write("ready\\n"); sys.stdout.flush(); sys.stdin.read()
"""


def why_not() -> str | None:
    """Why there can be no such networks here; None where there can."""
    if os.geteuid() != 0 or not Path("/dev/net/tun").exists():
        return "needs root and /dev/net/tun"
    programs = [each for each in ("unshare", "nsenter", "ip") if shutil.which(each) is None]
    if programs:
        return f"needs {', '.join(programs)}"
    done = subprocess.run(["unshare", "--net", "true"], capture_output=True)
    return None if done.returncode == 0 else "no network namespaces here"


class Link:
    """Between one machine and the network. Changes hold from the next packet on."""

    def __init__(self) -> None:
        self.loss = 0.0
        """The share of packets that are lost, each way."""
        self.delay_s = 0.0
        """Of each packet, each way."""
        self.is_cut = False
        """Nothing passes, and nobody is informed."""


class Station:
    """A machine at `address`. What it runs sees its own network alone."""

    def __init__(self, number: int, hub: bool) -> None:
        self.address = f"10.99.0.{number}"
        self.is_hub = hub
        self.link = Link()
        self._holder = subprocess.Popen(
            ["unshare", "--net", sys.executable, "-c", _HELD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._holder.stdout is not None
        assert self._holder.stdout.readline() == b"ready\n"
        self.device = self._tunnel()
        for words in (
            ("link", "set", "lo", "up"),
            ("addr", "add", f"{self.address}/24", "dev", "tun0"),
            ("link", "set", "tun0", "up"),
        ):
            subprocess.run(self.command(["ip", *words]), check=True)

    def command(self, words: Sequence[str]) -> list[str]:
        """What runs a command on this machine."""
        return ["nsenter", f"--net=/proc/{self._holder.pid}/ns/net", *words]

    def close(self) -> None:
        assert self._holder.stdin is not None
        self._holder.stdin.close()
        self._holder.wait()
        assert self._holder.stdout is not None
        self._holder.stdout.close()
        os.close(self.device)

    def _tunnel(self) -> int:
        """The device, opened by a process of the namespace, which hands it over."""
        ours, its = socket.socketpair()
        with ours, its:
            order = [sys.executable, "-m", "tests.support.networks", str(its.fileno())]
            subprocess.run(self.command(order), pass_fds=[its.fileno()], check=True)
            _, (device, *_), _, _ = socket.recv_fds(ours, 1, 1)
        os.set_blocking(device, False)
        return device


class Network:
    """Machines that reach the hub and the hub alone: no packet passes between two others."""

    def __init__(self, hub: Station, *others: Station) -> None:
        self.stations = (hub, *others)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._late: list[tuple[float, int, Station, bytes]] = []
        self._numbers = count()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        by_device = {station.device: station for station in self.stations}
        by_address = {socket.inet_aton(s.address): s for s in self.stations}
        while not self._ended.is_set():
            wait_s = 0.05
            if self._late:
                wait_s = max(min(wait_s, self._late[0][0] - time.monotonic()), 0)
            for device in select.select([*by_device], [], [], wait_s)[0]:
                packet = os.read(device, _PACKET_MAX)
                target = by_address.get(packet[16:20])
                if packet[0] >> 4 == 4 and target is not None:
                    self._take(by_device[device], target, packet)
            self._deliver()

    def _take(self, source: Station, target: Station, packet: bytes) -> None:
        links = (source.link, target.link)
        if not (source.is_hub or target.is_hub) or any(link.is_cut for link in links):
            return
        if any(random.random() < link.loss for link in links):
            return
        at = time.monotonic() + sum(link.delay_s for link in links)
        heapq.heappush(self._late, (at, next(self._numbers), target, packet))

    def _deliver(self) -> None:
        while self._late and self._late[0][0] <= time.monotonic():
            *_, target, packet = heapq.heappop(self._late)
            with contextlib.suppress(OSError):
                os.write(target.device, packet)


@contextlib.contextmanager
def network(others: int) -> Iterator[tuple[Station, ...]]:
    """A hub and so many machines around it."""
    with contextlib.ExitStack() as stack:
        stations = []
        for number in range(1, others + 2):
            stations.append(Station(number, hub=number == 1))
            stack.callback(stations[-1].close)
        made = Network(*stations)
        made.start()
        stack.callback(made.stop)
        yield tuple(stations)


def _hand_over(number: int) -> None:
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH", b"tun0", _IFF_TUN_NO_PI))
    with socket.socket(fileno=number) as its:
        socket.send_fds(its, [b"."], [device])


if __name__ == "__main__":
    _hand_over(int(sys.argv[1]))
