"""Logging in to computers with the `ssh` of this machine: its own key, known hosts, options."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from stationmaster.client import private_files
from stationmaster.client.relay.ssh_server import make_key

_KEY = "id_ed25519"
_KNOWN_HOSTS = "known_hosts"
_BEGIN, _END = "# stationmaster computers: begin", "# stationmaster computers: end"


class Login:
    """The files of one person on one machine, in a folder of mode 0700."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "ssh"

    def public_key(self) -> str:
        """The line of this machine's public key, made where there is none. Raises OperatorError."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        key = self._folder / _KEY
        if not key.exists():
            make_key(key)
        return key.with_suffix(".pub").read_text().strip()

    def know(self, computer_id: str, host_keys: Sequence[str]) -> None:
        """Have `ssh` accept these host keys of a computer, and no others."""
        path = self._folder / _KNOWN_HOSTS
        lines = path.read_text().splitlines() if path.exists() else []
        kept = [line for line in lines if line.split(" ", 1)[0] != computer_id]
        kept += [f"{computer_id} {key}" for key in host_keys]
        private_files.write(path, "".join(f"{line}\n" for line in kept).encode())

    def options(self, computer_id: str) -> dict[str, str]:
        """The settings of `ssh` for a computer (see ssh_config(5))."""
        proxy = [sys.executable, "-m", "stationmaster", "computers", "ssh", "--proxy", computer_id]
        return {
            "ProxyCommand": shlex.join(proxy).replace("%", "%%"),
            "HostKeyAlias": computer_id,
            "UserKnownHostsFile": _quoted(self._folder / _KNOWN_HOSTS),
            "GlobalKnownHostsFile": "/dev/null",
            "StrictHostKeyChecking": "yes",
            "UpdateHostKeys": "no",
            "IdentityFile": _quoted(self._folder / _KEY),
            "IdentitiesOnly": "yes",
            "PreferredAuthentications": "publickey",
            "ControlMaster": "no",
            "ControlPath": "none",
            "ServerAliveInterval": "15",
            "ServerAliveCountMax": "3",
        }

    def arguments(self, computer_id: str) -> list[str]:
        """The same as arguments of `ssh` and `scp`."""
        return [
            word for item in self.options(computer_id).items() for word in ("-o", "=".join(item))
        ]

    def block(self, host: str, computer_id: str, user: str) -> str:
        """The same as an entry of `~/.ssh/config`."""
        lines = [f"Host {host}", f"  User {user}", f"  HostName {computer_id}"]
        lines += [f"  {name} {value}" for name, value in self.options(computer_id).items()]
        return "\n".join(lines)


def install(config: Path, blocks: Sequence[str]) -> None:
    """Put entries between our two marks of an SSH configuration, and leave all else as it is.

    Without entries the marks go as well.
    """
    before, _, rest = (config.read_text() if config.exists() else "").partition(_BEGIN)
    after = rest.partition(_END)[2].lstrip("\n")
    ours = "\n".join([_BEGIN, *blocks, _END]) + "\n" if blocks else ""
    # Entries of ours are first: of what is set twice, `ssh` takes the first.
    text = ours + before.rstrip("\n") + ("\n" if before.strip() else "") + after
    config.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = config.stat().st_mode & 0o777 if config.exists() else 0o600
    private_files.write(config, text.encode(), mode)


def _quoted(path: Path) -> str:
    return '"' + str(path).replace("%", "%%") + '"'
