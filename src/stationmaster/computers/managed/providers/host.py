"""Accounts on machines of a pool, over SSH: a computer is an account there, with its home."""

from __future__ import annotations

import hashlib
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from stationmaster.computers.managed import shell
from stationmaster.computers.managed.providers import base, programs

_CONNECT_S = 10
_SSH_FAILED = 255
_FULL = 75
_ELEVATED = 'if [ "$(id -u)" = 0 ]; then exec sh -s; else exec sudo -n sh -s; fi'
"""What reads the script on the machine: a shell of its administrator."""


class Host(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A machine of a pool. `user` is root or may `sudo` without a password; `host_key` is the line
    of its public SSH host key, such as `ssh-ed25519 AAAA…`.
    """

    address: str
    host_key: str
    port: int = 22
    user: str = "root"
    computers_max: int = 20


class Pool(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="provider",
    tag="host",
    forbid_unknown_fields=True,
):
    """A template of the provider `host`. `key_file` is a private SSH key of this server's."""

    key_file: Path
    hosts: tuple[Host, ...]
    agent: str | None = None


class HostProvider:
    """A reference is the address and port of a machine of the pool."""

    can_stop = False

    def __init__(self, template: Pool) -> None:
        self._template = template

    def create(self, machine: base.Machine, doing: base.Doing) -> base.NewMachine:
        account = account_of(machine.key)
        faults = []
        for host in self._in_order(machine):
            try:
                script = shell.text(
                    "create-account", account=account, computers_max=host.computers_max, full=_FULL
                )
                status = self._script(host, script, doing)
            except base.ProviderError as fault:
                faults.append(fault.detail)
                continue
            if status == 0:
                return base.NewMachine(_reference(host), account, self._template.agent)
            why = "is full" if status == _FULL else "could not make the account"
            faults.append(f"{host.address} {why}.")
        raise base.ProviderError(
            " ".join(faults) or "The pool has no machines.", code="pool_failed"
        )

    def state(self, machine: base.Machine, doing: base.Doing) -> base.State:
        host = self._host(machine)
        if host is None:
            return "absent"
        status = self._script(host, f"id {account_of(machine.key)} >/dev/null 2>&1", doing)
        return "running" if status == 0 else "absent"

    def start(self, _machine: base.Machine, _doing: base.Doing) -> None:
        """An account is always there."""

    def stop(self, _machine: base.Machine, _doing: base.Doing) -> None:
        raise base.ProviderError(
            "An account on a machine of a pool cannot be stopped.", code="no_command"
        )

    def destroy(self, machine: base.Machine, doing: base.Doing) -> None:
        script = shell.text("destroy-account", account=account_of(machine.key))
        last_host = self._host(machine)
        for host in self._template.hosts:
            try:
                status = self._script(host, script, doing)
            except base.ProviderError:
                # An attempt to make it may have left an account on any machine that answers.
                if last_host is None or host is last_host:
                    raise
                continue
            if status:
                raise base.ProviderError(f"The account on {host.address} could not be deleted.")

    def run(self, machine: base.Machine, script: str, doing: base.Doing) -> int:
        host = self._host(machine)
        if host is None:
            raise base.ProviderError("This machine is not in the pool any more.", code="no_machine")
        account = account_of(machine.key)
        marker = hashlib.sha256(script.encode()).hexdigest()
        # The account's own shell reads the script: nothing of a caller's is run as administrator.
        whole = f"su -l -s /bin/sh {account} -c 'exec sh -s' <<'{marker}'\n{script}\n{marker}\n"
        return self._script(host, whole, doing)

    def _in_order(self, machine: base.Machine) -> list[Host]:
        """The machine that is known first, then all, so that computers spread over the pool and an
        account that an earlier call has made is found before another is made.
        """
        hosts = self._template.hosts
        first = int(hashlib.sha256(machine.key.encode()).hexdigest(), 16) % max(len(hosts), 1)
        last_host = self._host(machine)
        return [last_host] if last_host is not None else [*hosts[first:], *hosts[:first]]

    def _host(self, machine: base.Machine) -> Host | None:
        """The machine of a reference."""
        return next((h for h in self._template.hosts if _reference(h) == machine.reference), None)

    def _script(self, host: Host, script: str, doing: base.Doing) -> int:
        """Run a script as the administrator of a machine. Raises ProviderError when it cannot be
        reached."""
        program = shutil.which("ssh")
        if program is None:
            raise base.ProviderError("`ssh` is missing on the server.", code="no_program")
        with _known_hosts(host) as known_hosts:
            options = {
                "BatchMode": "yes",
                "IdentityFile": f'"{self._template.key_file}"',
                "IdentitiesOnly": "yes",
                "UserKnownHostsFile": f'"{known_hosts}"',
                "GlobalKnownHostsFile": "/dev/null",
                "HostKeyAlias": "machine",
                "StrictHostKeyChecking": "yes",
                "ConnectTimeout": str(_CONNECT_S),
                "ServerAliveInterval": "15",
                "ServerAliveCountMax": "3",
                "LogLevel": "ERROR",
            }
            arguments = [word for pair in options.items() for word in ("-o", "=".join(pair))]
            command = [program, "-T", "-F", "none", *arguments, "-p", str(host.port)]
            elevated = f"timeout -k 5 {int(doing.left_s) + 5} sh -c {shlex.quote(_ELEVATED)}"
            whole = f"main() {{\nset -e\n{script}\n}}\nmain\nexit\n".encode()
            address = [f"{host.user}@{host.address}", elevated]
            status = programs.run([*command, *address], doing, content=whole).status
        if status == _SSH_FAILED:
            raise base.ProviderError(f"{host.address} cannot be reached.", code="unreachable")
        return status


def account_of(key: str) -> str:
    """The name of a computer's account: no more than letters, digits and a hyphen."""
    return key.replace("_", "-")


def _reference(host: Host) -> str:
    return f"{host.address}:{host.port}"


@contextmanager
def _known_hosts(host: Host) -> Iterator[Path]:
    with tempfile.NamedTemporaryFile("w", prefix="stationmaster-host-") as file:
        file.write(f"machine {host.host_key}\n")
        file.flush()
        yield Path(file.name)
