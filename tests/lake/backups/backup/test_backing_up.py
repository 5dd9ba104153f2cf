"""`backup`: a whole installation, taken while it runs, and only what is new."""

from __future__ import annotations

import stat
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stationmaster.access import operator
from stationmaster.db.engine import Database
from stationmaster.lake import status
from stationmaster.lake.backups import archive, parts
from stationmaster.settings import Settings
from tests.lake.backups import installation
from tests.lake.backups.backup.interrupted import MANIFEST, Killed
from tests.lake.backups.conftest import Filled
from tests.support.commands import command
from tests.support.servers import running_server, settings_for

pytestmark = pytest.mark.slow


def test_the_next_backup_brings_only_what_is_new_and_lets_go_of_the_old(
    filled: Filled, backup: Path
) -> None:
    installation.run(filled.settings, "backup", backup)
    (backup / "README.txt").write_text("Every night at three.")
    first = {p: p.stat().st_ctime_ns for p in backup.rglob("part-*")}
    with running_server(filled.settings) as server, server.client(filled.key) as http:
        installation.send(http, "new", day=19)
        server.services.mover.drain()
    installation.run(filled.settings, "backup", backup)

    second = {p: p.stat().st_ctime_ns for p in backup.rglob("part-*")}
    assert first.items() < second.items()
    assert len(second) == len(first) + 2
    assert len(list(backup.glob("*.sqlite3"))) == 2
    assert (backup / "README.txt").exists()
    assert len(archive.verified(backup).files) == len(second) + 3


def test_parts_that_were_erased_leave_the_next_backup(filled: Filled, backup: Path) -> None:
    installation.run(filled.settings, "backup", backup)
    [gone, *_] = sorted(filled.settings.lake_dir.rglob("part-*"))
    with (
        closing(Database.open(filled.settings.state_url)) as state,
        state.transaction() as connection,
    ):
        day = gone.parent.name.removeprefix("day=")
        connection.exec_driver_sql(f"DELETE FROM lake_parts WHERE day = '{day}'")
    gone.unlink()

    installation.run(filled.settings, "backup", backup)

    assert len(list(backup.rglob("part-*"))) == 6


def test_a_part_that_the_lake_has_lost_stays_in_the_next_backup(
    filled: Filled, backup: Path
) -> None:
    installation.run(filled.settings, "backup", backup)
    [lost, changed, *_] = sorted(filled.settings.lake_dir.rglob("part-*"))
    lake = filled.settings.lake_dir
    whole = {path.relative_to(lake): path.read_bytes() for path in (lost, changed)}
    for path in (lost, changed):
        # The backup may share the file's bytes with the lake.
        path.unlink()
    changed.write_bytes(whole[changed.relative_to(lake)][:-1])

    installation.run(filled.settings, "backup", backup)

    assert len(list(backup.rglob("part-*"))) == 7
    assert {path: (backup / "lake" / path).read_bytes() for path in whole} == whole
    archive.verified(backup)


def test_a_first_backup_names_the_parts_that_the_lake_has_lost(
    filled: Filled, backup: Path
) -> None:
    [lost, *_] = sorted(filled.settings.lake_dir.rglob("part-*"))
    lost.unlink()

    said = installation.error(filled.settings, "backup", backup)

    assert "The backup is complete, but 1 part files were missing or changed" in said
    assert lost.name in said
    archive.verified(backup)


@pytest.mark.attack
def test_a_backup_holds_the_secret_key_for_its_owner_alone_and_warns_of_it(
    filled: Filled, backup: Path
) -> None:
    done = command("backup", backup, "--data-dir", filled.settings.data_dir)

    key = backup / archive.SECRET_KEY
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert f"{key} opens the secrets in this backup" in done.stderr


def test_a_backup_without_the_key_says_so_at_both_ends(
    filled: Filled, backup: Path, tmp_path: Path
) -> None:
    taken = command("backup", backup, "--without-key", "--data-dir", filled.settings.data_dir)
    restored = command("restore", backup, "--data-dir", tmp_path / "restored")

    assert not (backup / archive.SECRET_KEY).exists()
    assert "keep it elsewhere" in taken.stderr
    assert "set STATIONMASTER_SECRET_KEY" in restored.stderr


@pytest.mark.attack
def test_a_backup_and_what_is_restored_of_it_are_for_their_user_alone(
    filled: Filled, tmp_path: Path
) -> None:
    backup, fresh = tmp_path / "backups" / "nightly", settings_for(tmp_path / "new", "sqlite")
    installation.run(filled.settings, "backup", backup)
    installation.run(fresh, "restore", backup)

    for folder in (backup, fresh.data_dir):
        modes = {path: path.stat().st_mode & 0o077 for path in [folder, *folder.rglob("*")]}
        # The lake's parts may be the very files of the data folder, which was made by other means.
        assert [str(p) for p, mode in modes.items() if mode and "part-" not in p.name] == []


def test_a_folder_of_other_things_is_no_place_for_a_backup(filled: Filled, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ada")

    assert "other files" in installation.error(filled.settings, "backup", tmp_path)
    assert "other files" in installation.error(filled.settings, "backup", filled.settings.data_dir)


def test_a_backup_is_no_data_folder(sound_backup: Path) -> None:
    assert "not a Stationmaster data folder" in command("doctor", "--data-dir", sound_backup).error


@pytest.mark.attack
def test_a_backup_that_is_killed_leaves_the_one_before_and_the_next_one_is_whole(
    filled: Filled, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: Any) -> None:
        raise Killed

    def kill(owner: Any, name: str) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, die)
            with pytest.raises(Killed):
                installation.run(filled.settings, "backup", backup)

    kill(parts, "_bring")
    fresh = settings_for(backup.parent / "restored", "sqlite")
    refused = installation.error(fresh, "restore", backup)
    assert "does not contain a finished backup" in refused
    installation.run(filled.settings, "backup", backup)
    before = archive.verified(backup)
    kill(parts, "save")
    assert archive.verified(backup) == before
    installation.run(filled.settings, "backup", backup)
    archive.verified(backup)
    named = {*archive.verified(backup).files, MANIFEST}
    assert installation.contents(backup).keys() == named


def test_backups_under_load_hold_what_was_acknowledged_before_them_once(
    source: Settings, filled: Filled, tmp_path: Path
) -> None:
    target = settings_for(tmp_path / "restored", "sqlite")
    acknowledged: list[str] = []
    sent = 0
    stop = threading.Event()

    with running_server(source, with_worker=True) as server:
        drain = server.services.mover.drain

        def load() -> None:
            nonlocal sent
            with server.client(filled.key) as http:
                while not stop.is_set():
                    names = [f"load-{sent + n}" for n in range(5)]
                    sent += 5
                    acknowledged.extend(installation.send(http, *names, day=14 + sent % 7))

        def work() -> None:
            while not stop.wait(0.02):
                drain()
                with server.client(filled.key) as http:
                    http.get("/api/v1/analytics/tokens?startDate=2026-11-14&endDate=2026-11-20")

        threads = [threading.Thread(target=each) for each in (load, work)]
        for thread in threads:
            thread.start()
        try:
            while len(acknowledged) < 40 and all(each.is_alive() for each in threads):
                stop.wait(0.01)
            before = set(acknowledged)
            installation.run(source, "backup", tmp_path / "backup")
            sent_by_then = sent
        finally:
            stop.set()
            for thread in threads:
                thread.join()

    installation.run(target, "restore", tmp_path / "backup")
    kept, tokens, stored = counted(target, filled.key)
    assert len(before) >= 40
    assert before <= stored
    # 22 events were there before the load. Parts of events that came after the moment of the backup
    # may be in it; they are counted when they are sent again, or their day is looked at.
    assert 22 + len(before) <= kept <= 22 + sent_by_then
    assert 7 * kept <= tokens <= 7 * len(stored)


def counted(settings: Settings, key: str) -> tuple[int, int, set[str]]:
    """Records kept, input tokens reported, and the events in the lake, once all has moved."""
    installation.run(settings, "rollup")
    with running_server(settings) as server, server.client(key) as http:
        answer = http.get("/api/v1/analytics/tokens?startDate=2026-11-14&endDate=2026-11-20")
        db = server.services.db
        [tenant] = operator.tenants(db)
        kept = sum(row[3] for row in status.intake_totals(db, tenant.org_id) if row[2] == "kept")
    tokens = sum(row["input_tokens"] for row in answer.json()["data"])
    return kept, tokens, installation.stored_ids(settings)


def test_two_backups_at_once_are_one(
    filled: Filled, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[str] = []
    real = parts.save

    def meanwhile(*given: Any) -> Any:
        refused.append(installation.error(filled.settings, "backup", backup))
        return real(*given)

    monkeypatch.setattr(parts, "save", meanwhile)
    installation.run(filled.settings, "backup", backup)

    assert refused == ["Another backup of this installation is being taken."]
