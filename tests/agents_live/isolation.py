"""The network of real agents: loopback and nothing else."""

from __future__ import annotations

import fcntl
import socket
import struct

_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1


def is_alone() -> bool:
    """Is loopback the only network of this process?"""
    return [name for _, name in socket.if_nameindex()] == ["lo"]


def switch_loopback_on() -> None:
    """Let a new network of a process have its loopback, which is off at first."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sh", b"lo", 0)
        _, flags = struct.unpack("16sh", fcntl.ioctl(control, _GET_FLAGS, request)[:18])
        fcntl.ioctl(control, _SET_FLAGS, struct.pack("16sh", b"lo", flags | _UP))
