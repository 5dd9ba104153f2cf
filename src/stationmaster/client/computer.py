"""What a registered machine knows of itself, in one file: `computer.json`.

The folder is its owner's alone, as the file is: it holds the machine's credential. It is replaced
whole, so a crash leaves the old one or the new one.
"""

from __future__ import annotations

import getpass
import hmac
import socket
from hashlib import sha256
from pathlib import Path

import msgspec

from stationmaster import ids
from stationmaster.client import private_files
from stationmaster.errors import OperatorError

FILE = "computer.json"
MACHINE_ID_FILES = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))
"""Where Linux keeps an id of the installation: machine-id(5)."""


class Registration(msgspec.Struct, frozen=True):
    """What the server gave this machine."""

    computer_id: str
    name: str
    credential: str
    url: str | None = None
    """The address of the server; None where it was registered without one."""

    def __repr__(self) -> str:
        return f"Registration({self.computer_id!r}, {self.name!r}, …)"


class Machine(msgspec.Struct, frozen=True):
    """This machine; without a `registration` it has tried to register and knows of no success.

    `host_id` is a UUID that it made for itself. `machine_hash` distinguishes it from a machine that
    runs a copy of its disk; None where the system has nothing that distinguishes machines.
    """

    host_id: str
    machine_hash: str | None
    registration: Registration | None = None


def this_machine() -> Machine:
    """This machine, never registered before."""
    host_id = ids.new_uuid()
    return Machine(host_id, machine_hash(host_id))


def machine_hash(host_id: str) -> str | None:
    """A hash of the system's machine id, which itself is never sent; None without one.

    It is of use for one host id only: two registrations cannot be found to be of one machine.
    """
    for file in MACHINE_ID_FILES:
        try:
            machine_id = file.read_bytes().strip()
        except OSError:
            continue
        if machine_id:
            return hmac.new(machine_id, f"computer {host_id}".encode(), sha256).hexdigest()
    return None


def is_copy(machine: Machine) -> bool:
    """Whether the file is on this machine as part of a copy of another one's disk."""
    here = machine_hash(machine.host_id)
    return None not in (here, machine.machine_hash) and here != machine.machine_hash


def hostname() -> str:
    """This machine's name in its network, as the system has it."""
    return socket.gethostname()


def user() -> str:
    """Who runs this program. Raises OperatorError where the system does not report it."""
    try:
        return getpass.getuser()
    except (KeyError, OSError) as fault:
        raise OperatorError(
            "the system does not report your user name: name the account", code="no_user"
        ) from fault


def load(folder: Path) -> Machine | None:
    """The content of the file; None without one. Raises OperatorError for a damaged one."""
    remedy = "delete it, and remove the computer by its name"
    return private_files.read(folder / FILE, Machine, remedy)


def save(folder: Path, machine: Machine) -> None:
    """Remember, durably, what this machine knows of itself."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    private_files.write(folder / FILE, msgspec.json.encode(machine))


def unregister(folder: Path) -> None:
    """Remove the file with the machine's credential; no file is no error."""
    (folder / FILE).unlink(missing_ok=True)
