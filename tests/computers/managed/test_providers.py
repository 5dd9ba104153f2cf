"""Every provider keeps one contract; the pool is a real sshd on the loopback address."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster import ids
from stationmaster.computers.managed import templates
from stationmaster.computers.managed.providers.base import (
    Doing,
    Machine,
    Provider,
    ProviderError,
)
from stationmaster.computers.managed.providers.host import Host, HostProvider, Pool, account_of
from stationmaster.computers.managed.providers.namespace import Here, NamespaceProvider
from tests.support.clouds import USER, Cloud
from tests.support.sshd import SSHD

IS_ROOT = os.getuid() == 0


def can_unshare() -> bool:
    command = ["unshare", "--user", "--map-user=1000", "--keep-caps", "--mount", "--pid", "--fork"]
    try:
        done = subprocess.run(
            [*command, "mount", "-t", "proc", "proc", "/proc"], capture_output=True
        )
    except OSError:
        return False
    return done.returncode == 0


def a_pool(folder: Path) -> Iterator[HostProvider]:
    """A machine of a pool: this one, reached by an sshd of its own."""
    for name in ("host", "key"):
        subprocess.run(["ssh-keygen", "-qt", "ed25519", "-N", "", "-f", folder / name], check=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    Path("/run/sshd").mkdir(exist_ok=True)
    config = folder / "sshd_config"
    config.write_text(
        f"ListenAddress 127.0.0.1:{port}\nHostKey {folder}/host\nPidFile none\nStrictModes no\n"
        f"AuthorizedKeysFile {folder}/key.pub\nUsePAM no\nPermitRootLogin prohibit-password\n"
    )
    server = subprocess.Popen([str(SSHD), "-D", "-e", "-f", config], stderr=subprocess.DEVNULL)
    host_key = " ".join((folder / "host.pub").read_text().split()[:2])
    host = Host(address="127.0.0.1", port=port, host_key=host_key, computers_max=50)
    until = time.monotonic() + 20
    while not _listens(port):
        assert time.monotonic() < until
        time.sleep(0.05)
    try:
        yield HostProvider(Pool(key_file=folder / "key", hosts=(host,)))
    finally:
        server.kill()
        server.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(params=["command", "host", "namespace"])
def provider(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Provider]:
    if request.param == "command":
        offered = templates.read(Cloud(tmp_path).templates)
        yield templates.provider_of(offered.templates["default"])
    elif request.param == "host":
        if not IS_ROOT or SSHD is None:
            pytest.skip("accounts are made by root, on a machine with sshd")
        yield from a_pool(tmp_path)
    else:
        if not can_unshare():
            pytest.skip("this system does not let this user make namespaces")
        yield NamespaceProvider(Here(folder=tmp_path))


@pytest.fixture
def machine(provider: Provider) -> Iterator[Machine]:
    wanted = Machine(ids.new("cmp"), None, USER)
    made = provider.create(wanted, doing())
    machine = wanted._replace(reference=made.reference, user=made.user or USER)
    yield machine
    provider.destroy(machine, doing())


def doing(seconds: float = 60) -> Doing:
    return Doing(time.monotonic() + seconds)


def output(provider: Provider, machine: Machine, script: str) -> tuple[int, str]:
    chunks: list[bytes] = []
    made = Doing(time.monotonic() + 60, lambda: None, chunks.append)
    return provider.run(machine, script, made), b"".join(chunks).decode()


def test_the_same_key_gives_the_same_machine(provider: Provider, machine: Machine) -> None:
    output(provider, machine, "echo stays > $HOME/file")

    again = provider.create(machine._replace(reference=None), doing())

    assert again.reference == machine.reference
    assert output(provider, machine, "cat $HOME/file") == (0, "stays\n")
    assert provider.state(machine, doing()) == "running"


def test_a_script_gets_no_input_and_ends_with_its_status(
    provider: Provider, machine: Machine
) -> None:
    status, text = output(provider, machine, "echo one; echo two >&2; exit 7")

    assert (status, sorted(text.split())) == (7, ["one", "two"])


def test_output_of_ten_mebibytes_passes(provider: Provider, machine: Machine) -> None:
    status, text = output(provider, machine, "head -c 10485760 /dev/zero | tr '\\0' x")

    assert (status, len(text)) == (0, 10 * 2**20)


def test_a_script_that_takes_too_long_is_ended(provider: Provider, machine: Machine) -> None:
    began = time.monotonic()
    with pytest.raises(ProviderError, match="too long"):
        provider.run(machine, "sleep 30", doing(1.5))
    assert time.monotonic() - began < 10


def test_what_was_stopped_keeps_its_files(provider: Provider, machine: Machine) -> None:
    if not provider.can_stop:
        pytest.skip("an account on a machine of a pool is always there")
    output(provider, machine, "echo stays > $HOME/file")
    for _ in range(2):
        provider.stop(machine, doing())
        assert provider.state(machine, doing()) == "stopped"
    for _ in range(2):
        provider.start(machine, doing())
        assert provider.state(machine, doing()) == "running"

    assert output(provider, machine, "cat $HOME/file") == (0, "stays\n")


def test_destroying_works_twice_and_without_a_reference(
    provider: Provider, machine: Machine
) -> None:
    output(provider, machine, "setsid sleep 300 >/dev/null 2>&1 </dev/null &")
    for known in (machine._replace(reference=None), machine):
        provider.destroy(known, doing())

    assert provider.state(machine, doing()) == "absent"


def test_a_pool_that_is_full_or_shows_another_host_key_makes_no_account(tmp_path: Path) -> None:
    if not IS_ROOT or SSHD is None:
        pytest.skip("accounts are made by root, on a machine with sshd")
    for provider in a_pool(tmp_path):
        pool = provider._template
        full = Host(**{**_fields(pool.hosts[0]), "computers_max": 0})
        other = Host(**{**_fields(pool.hosts[0]), "host_key": f"ssh-ed25519 {'A' * 68}"})
        for host, why in ((full, "full"), (other, "cannot be reached")):
            machine = Machine(ids.new("cmp"), None, USER)
            with pytest.raises(ProviderError, match=why):
                HostProvider(Pool(key_file=pool.key_file, hosts=(host,))).create(machine, doing())
            account = account_of(machine.key)
            assert subprocess.run(["id", account], capture_output=True).returncode


def _fields(host: Host) -> dict[str, object]:
    return {name: getattr(host, name) for name in Host.__struct_fields__}
