"""What a machine remembers of its registration: for its owner alone, all or nothing."""

from __future__ import annotations

import stat
from pathlib import Path

import msgspec
import pytest

from stationmaster.client import computer
from stationmaster.client.computer import Machine, Registration
from stationmaster.errors import OperatorError

KNOWN = Machine("h1", "0" * 64, Registration("cmp_x", "build", "smc_secret"))


@pytest.fixture
def machine_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which this machine's system keeps its id."""
    file = tmp_path / "machine-id"
    file.write_text("3f1e\n")
    monkeypatch.setattr(computer, "MACHINE_ID_FILES", (tmp_path / "none", file))
    return file


def test_what_is_saved_is_found_again(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert computer.load(folder) is None

    for known in (Machine("h1", None), KNOWN):
        computer.save(folder, known)
        assert computer.load(folder) == known


def test_folder_and_file_are_the_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / "client"
    folder.mkdir(mode=0o755)

    computer.save(folder, KNOWN)

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    [file] = folder.iterdir()
    assert (file.name, stat.S_IMODE(file.stat().st_mode)) == ("computer.json", 0o600)


def test_what_cannot_be_saved_leaves_what_was_there(tmp_path: Path) -> None:
    computer.save(tmp_path, KNOWN)
    unsavable = msgspec.structs.replace(KNOWN, host_id=object())

    with pytest.raises(TypeError):
        computer.save(tmp_path, unsavable)

    assert computer.load(tmp_path) == KNOWN
    assert [path.name for path in tmp_path.iterdir()] == ["computer.json"]


def test_forgetting_leaves_nothing_and_may_be_repeated(tmp_path: Path) -> None:
    computer.save(tmp_path, KNOWN)

    for _ in range(2):
        computer.unregister(tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff", b"[]", b'{"host_id": 7}'])
def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "computer.json").write_bytes(damage)

    with pytest.raises(OperatorError, match=r"computer\.json is damaged; delete it"):
        computer.load(tmp_path)


def test_a_credential_is_in_no_repr() -> None:
    assert "smc_secret" not in repr(KNOWN)
    assert "build" in repr(KNOWN)


def test_a_new_machine_has_an_id_of_its_own(machine_id: Path) -> None:
    first, second = computer.this_machine(), computer.this_machine()

    assert first.host_id != second.host_id
    assert first.registration is None
    assert first.machine_hash == computer.machine_hash(first.host_id)


def test_the_hash_of_a_machine_holds_for_one_host_id_and_hides_its_id(machine_id: Path) -> None:
    one, two = (computer.machine_hash(host) for host in ("h1", "h2"))

    assert one is not None
    assert len(one) == 64
    assert one != two
    assert one == computer.machine_hash("h1")
    assert "3f1e" not in one


@pytest.mark.parametrize("content", [None, "", "\n"])
def test_without_an_id_of_the_system_there_is_no_hash(
    machine_id: Path, content: str | None
) -> None:
    machine_id.unlink()
    if content is not None:
        machine_id.write_text(content)

    assert computer.machine_hash("h1") is None


def test_a_copied_disk_is_noticed_by_the_machine_that_runs_it(machine_id: Path) -> None:
    known = computer.this_machine()
    assert not computer.is_copy(known)

    machine_id.write_text("other\n")
    assert computer.is_copy(known)

    machine_id.unlink()
    assert not computer.is_copy(known)
    assert not computer.is_copy(Machine("h1", None))
