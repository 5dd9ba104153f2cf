"""SSH logins to this machine's own account: OpenSSH's `sshd`, started again for each connection.

It listens nowhere, reads nothing below `~/.ssh` and needs no administrator: its host key and the
keys that it lets in are files of the client's folder, and the latter are there for minutes.
"""

from __future__ import annotations

import asyncio
import getpass
import os
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from stationmaster.client import private_files
from stationmaster.errors import OperatorError
from stationmaster.settings import variable

_PLACES = ":/usr/sbin:/usr/local/sbin:/opt/homebrew/sbin:/sbin"
_PRIVILEGE_SEPARATION = Path("/run/sshd")
_CONFIG = """\
HostKey "{folder}/host_key"
AuthorizedKeysFile "{folder}/authorized_keys"
AllowUsers {user}
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PidFile none
PrintMotd no
X11Forwarding no
AcceptEnv LANG LC_*
Subsystem sftp internal-sftp
LogLevel ERROR
"""
# The folder is this user's alone, which is what StrictModes would find out of all folders above.


_WAITS_S = 60.0
"""How long an `sshd` waits for the login for which it was started: less than it would itself."""
_ENVIRONMENT = "environment.json"
"""Variables that logins get, by name: in the folder above, on computers that the platform made."""


class Missing(Exception):
    """There is no `sshd` on this machine."""


class _Grant(NamedTuple):
    public_key: str
    until_s: float


class _Started(NamedTuple):
    """An `sshd` that waits for its connection, the other end of which is here."""

    connection: socket.socket
    config: bytes
    until_s: float

    def is_ready(self, config: bytes) -> bool:
        """Whether it still runs, with this configuration."""
        if self.config != config or time.monotonic() > self.until_s:
            return False
        with suppress(BlockingIOError):
            return bool(self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        return True


class SshServer:
    """Of one agent. `folder` is made with mode 0700."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._grants: dict[str, _Grant] = {}
        self._written: dict[str, bytes] = {}
        self._next: _Started | None = None

    def prepare(self) -> tuple[str, ...]:
        """The public host keys, made where there are none; empty without `sshd`.

        Keys that an agent let in before are removed.
        """
        if _sshd() is None:
            return ()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        key = self._folder / "host_key"
        if not key.exists():
            make_key(key)
        self._write()
        if os.getuid() == 0:
            _PRIVILEGE_SEPARATION.mkdir(mode=0o755, parents=True, exist_ok=True)
        return (" ".join(key.with_suffix(".pub").read_text().split()[:2]),)

    def let_in(self, grant: str, public_key: str, seconds: int) -> None:
        """Accept a public key for so many seconds. Raises ValueError for what is no key.

        A login is about to arrive, so an `sshd` is started for it: most of the time until its first
        byte is that of its start.
        """
        words = public_key.split()
        if len(words) < 2 or not words[0].startswith(("ssh-", "ecdsa-", "sk-")):
            raise ValueError("this is no public key")
        if not public_key.isprintable() or len(public_key) > 4096:
            raise ValueError("this is no public key")
        self._grants[grant] = _Grant(" ".join(words[:2]), time.monotonic() + seconds)
        config = self._write()
        if self._next is None or not self._next.is_ready(config):
            self.close()
            with suppress(Missing):
                self._next = self._start(config)

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to an `sshd` of its own, which ends with it. Raises Missing."""
        config, started = self._write(), self._next
        if started is None or not started.is_ready(config):
            self.close()
            started = self._start(config)
        self._next = None
        return await asyncio.open_connection(sock=started.connection)

    def close(self) -> None:
        """End the `sshd` that waits, if there is one."""
        if self._next is not None:
            self._next.connection.close()
        self._next = None

    def _start(self, config: bytes) -> _Started:
        program = _sshd()
        if program is None:
            raise Missing
        ours, its = socket.socketpair()
        with its:
            subprocess.Popen(  # noqa: S603 - a program of the system, by its path
                [program, "-i", "-f", str(self._folder / "sshd_config")],
                stdin=its.fileno(),
                stdout=its.fileno(),
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return _Started(ours, config, time.monotonic() + _WAITS_S)

    def _write(self) -> bytes:
        """Write the configuration, which is returned, and the keys that are let in now."""
        text = _CONFIG.format(folder=self._folder, user=getpass.getuser())
        config = (text + _environment(self._folder.parent / _ENVIRONMENT)).encode()
        now = time.monotonic()
        self._grants = {name: g for name, g in self._grants.items() if g.until_s > now}
        lines = [
            f"restrict,pty,port-forwarding {grant.public_key} {name}\n"
            for name, grant in self._grants.items()
        ]
        for name, content in (
            ("sshd_config", config),
            ("authorized_keys", "".join(lines).encode()),
        ):
            # Waiting for the disk is half the time of a login's first byte.
            if self._written.get(name) != content:
                private_files.write(self._folder / name, content)
                self._written[name] = content
        return config


def _environment(path: Path) -> str:
    """The line that sets variables; one of several lines has no form there."""
    try:
        values = msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (FileNotFoundError, msgspec.DecodeError):
        return ""
    words = [f"{name}={value}" for name, value in values.items() if value.isprintable()]
    quoted = [word.replace("\\", "\\\\").replace('"', '\\"') for word in words]
    line = " ".join(f'"{word}"' for word in quoted)
    return f"SetEnv {line}\n" if line else ""


def make_key(path: Path) -> None:
    """Make a pair of Ed25519 keys, the private one for its owner's eyes only.

    Raises OperatorError without OpenSSH.
    """
    program = shutil.which("ssh-keygen")
    if program is None:
        raise OperatorError("`ssh-keygen` is missing: install OpenSSH's client", code="no_ssh")
    subprocess.run(  # noqa: S603 - a program of the system, by its path
        [program, "-q", "-t", "ed25519", "-N", "", "-C", "stationmaster", "-f", str(path)],
        check=True,
        stdin=subprocess.DEVNULL,
    )


def _sshd() -> str | None:
    return shutil.which("sshd", path=(variable("PATH") or "") + _PLACES)
