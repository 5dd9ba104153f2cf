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

from stationmaster.computers.managed.providers import programs
from stationmaster.computers.managed.providers.base import (
    Doing,
    Machine,
    Made,
    ProviderError,
    State,
)

_CONNECT_S = 10
_SSH_FAILED = 255
_FULL = 75
_ELEVATED = 'if [ "$(id -u)" = 0 ]; then exec sh -s; else exec sudo -n sh -s; fi'
"""What reads the script on the machine: a shell of its administrator."""

_CREATE = """\
mkdir -p /run/lock
exec 9>/run/lock/stationmaster-accounts
flock 9
if ! id {account} >/dev/null 2>&1; then
  if [ "$(getent passwd | grep -c '^cmp-')" -ge {computers_max} ]; then exit {full}; fi
  shell=$(command -v bash || echo /bin/sh)
  useradd --create-home --user-group --shell "$shell" --comment '' {account}
fi
home=$(getent passwd {account} | cut -d: -f6)
mkdir -p "$home"
chown {account}: "$home"
chmod 700 "$home"
"""
_DESTROY = """\
id {account} >/dev/null 2>&1 || exit 0
usermod --expiredate 1 {account} || true
tries=0
while pkill -KILL -u {account}; do
  tries=$((tries + 1)); [ "$tries" -lt 50 ] || exit 1; sleep 0.1
done
find /tmp /var/tmp /dev/shm -xdev -user {account} -exec rm -rf {{}} + 2>/dev/null || true
crontab -r -u {account} 2>/dev/null || true
userdel --remove {account} 2>/dev/null || userdel --force --remove {account} || true
! id {account} >/dev/null 2>&1
"""


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

    def create(self, machine: Machine, doing: Doing) -> Made:
        account = account_of(machine.key)
        faults = []
        for host in self._in_order(machine):
            try:
                status = self._script(host, _create(account, host), doing)
            except ProviderError as fault:
                faults.append(fault.detail)
                continue
            if status == 0:
                return Made(_reference(host), account, self._template.agent)
            why = "is full" if status == _FULL else "could not make the account"
            faults.append(f"{host.address} {why}.")
        raise ProviderError(" ".join(faults) or "The pool has no machines.", code="pool_failed")

    def state(self, machine: Machine, doing: Doing) -> State:
        host = self._host(machine)
        if host is None:
            return "absent"
        status = self._script(host, f"id {account_of(machine.key)} >/dev/null 2>&1", doing)
        return "running" if status == 0 else "absent"

    def start(self, _machine: Machine, _doing: Doing) -> None:
        """An account is always there."""

    def stop(self, _machine: Machine, _doing: Doing) -> None:
        raise ProviderError("An account on a machine of a pool is not stopped.", code="no_command")

    def destroy(self, machine: Machine, doing: Doing) -> None:
        script = _DESTROY.format(account=account_of(machine.key))
        known = self._host(machine)
        for host in self._template.hosts:
            try:
                status = self._script(host, script, doing)
            except ProviderError:
                # An attempt to make it may have left an account on any machine that answers.
                if known is None or host is known:
                    raise
                continue
            if status:
                raise ProviderError(f"The account on {host.address} could not be deleted.")

    def run(self, machine: Machine, script: str, doing: Doing) -> int:
        host = self._host(machine)
        if host is None:
            raise ProviderError("This machine is not in the pool any more.", code="no_machine")
        account = account_of(machine.key)
        marker = hashlib.sha256(script.encode()).hexdigest()
        # The account's own shell reads the script: nothing of a caller's is run as administrator.
        whole = f"su -l -s /bin/sh {account} -c 'exec sh -s' <<'{marker}'\n{script}\n{marker}\n"
        return self._script(host, whole, doing)

    def _in_order(self, machine: Machine) -> list[Host]:
        """The machine that is known first, then all, so that computers spread over the pool and an
        account that an earlier call has made is found before another is made.
        """
        hosts = self._template.hosts
        first = int(hashlib.sha256(machine.key.encode()).hexdigest(), 16) % max(len(hosts), 1)
        known = self._host(machine)
        return [known] if known is not None else [*hosts[first:], *hosts[:first]]

    def _host(self, machine: Machine) -> Host | None:
        """The machine of a reference."""
        return next((h for h in self._template.hosts if _reference(h) == machine.reference), None)

    def _script(self, host: Host, script: str, doing: Doing) -> int:
        """Run a script as the administrator of a machine. Raises ProviderError when it cannot be
        reached."""
        program = shutil.which("ssh")
        if program is None:
            raise ProviderError("`ssh` is missing on the server.", code="no_program")
        with _known_hosts(host) as known:
            options = {
                "BatchMode": "yes",
                "IdentityFile": f'"{self._template.key_file}"',
                "IdentitiesOnly": "yes",
                "UserKnownHostsFile": f'"{known}"',
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
            raise ProviderError(f"{host.address} cannot be reached.", code="unreachable")
        return status


def account_of(key: str) -> str:
    """The name of a computer's account: no more than letters, digits and a hyphen."""
    return key.replace("_", "-")


def _create(account: str, host: Host) -> str:
    return _CREATE.format(account=account, computers_max=host.computers_max, full=_FULL)


def _reference(host: Host) -> str:
    return f"{host.address}:{host.port}"


@contextmanager
def _known_hosts(host: Host) -> Iterator[Path]:
    with tempfile.NamedTemporaryFile("w", prefix="stationmaster-host-") as file:
        file.write(f"machine {host.host_key}\n")
        file.flush()
        yield Path(file.name)
