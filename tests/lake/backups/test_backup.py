"""`backup` and `restore`: a whole installation, taken while it runs and put anywhere."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stationmaster.access import operator
from stationmaster.db.engine import Database
from stationmaster.lake import status
from stationmaster.lake.backups import archive, parts
from stationmaster.settings import Settings
from tests.lake.backups import installation
from tests.lake.backups.conftest import Filled
from tests.support import databases
from tests.support.commands import command, succeed
from tests.support.servers import running_server, settings_for

pytestmark = pytest.mark.slow

MANIFEST = archive.MANIFEST


@pytest.fixture(params=databases.KINDS)
def source(request: pytest.FixtureRequest, filled: Filled) -> Iterator[Settings]:
    """A filled installation on each kind of database."""
    if request.param == "sqlite":
        yield filled.settings
        return
    url = request.getfixturevalue("empty_postgresql")
    installation.run(filled.settings, "migrate-store", "--to", url)
    for name in ("stationmaster", "inbox"):
        (filled.settings.data_dir / f"{name}.sqlite3").unlink()
    yield filled.on(url)


@pytest.fixture(params=databases.KINDS)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """Where nothing is yet, of each kind."""
    if request.param == "sqlite":
        yield settings_for(tmp_path / "restored", "sqlite")
        return
    with request.getfixturevalue("postgresql").database(template="template0") as url:
        yield settings_for(tmp_path / "restored", url)


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    return tmp_path / "backup"


def test_a_restored_backup_gives_every_answer_whatever_databases_it_came_from_and_went_to(
    source: Settings, target: Settings, backup: Path, filled: Filled
) -> None:
    taken = installation.run(source, "backup", backup)
    restored = installation.run(target, "restore", backup)

    assert restored == taken
    assert taken["files"] == len(json.loads((backup / MANIFEST).read_text())["files"])
    assert installation.waiting(target) == 1
    assert installation.answers(target, filled.key) == filled.answers
    assert installation.waiting(target) == 0


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


def test_restore_names_the_moment_since_which_people_have_to_be_erased_again(
    sound_backup: Path, tmp_path: Path
) -> None:
    restored = command("restore", sound_backup, "--data-dir", tmp_path / "restored")

    manifest = archive.find(sound_backup)
    assert manifest is not None
    since = datetime.fromtimestamp(manifest.made_at / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
    assert f"People who were erased after {since} are in this backup" in restored.stderr


@pytest.mark.attack
@pytest.mark.parametrize(
    ("pattern", "harm"),
    [
        ("state-*", "one bit"),
        ("inbox-*", "cut"),
        ("secret.key", "one bit"),
        ("lake/org=*/*/part-*", "one bit"),
        ("lake/org=*/*/part-*", "gone"),
    ],
)
def test_a_damaged_backup_is_refused_with_the_file_before_anything_is_written(
    filled: Filled, tmp_path: Path, sound_backup: Path, pattern: str, harm: str
) -> None:
    backup = Path(shutil.copytree(sound_backup, tmp_path / "backup"))
    [victim, *_] = sorted(backup.glob(pattern))
    content = bytearray(victim.read_bytes())
    content[len(content) // 2] ^= 1
    if harm == "one bit":
        victim.write_bytes(content)
    elif harm == "cut":
        victim.write_bytes(content[:-1])
    else:
        victim.unlink()

    fresh = settings_for(tmp_path / "restored", "sqlite")
    refused = installation.error(fresh, "restore", backup)

    assert str(victim.relative_to(backup)) in refused
    assert installation.contents(fresh.data_dir).keys() == {".begun-stationmaster.json"}
    assert "1 of 10 files" in command("backup", backup, "--verify").error


@pytest.mark.attack
@pytest.mark.parametrize(
    "path",
    [
        "lake/org=acme/day=yesterday/part-1.parquet",
        "lake/org=acme/day=2026-13-41/part-1.parquet",
        "lake/org=acme/part-1.parquet",
        "lake/../../outside/part-1.parquet",
        "lake/org=../day=2026-11-20/part-1.parquet",
        "/etc/passwd",
        "notes.txt",
    ],
)
def test_a_manifest_that_names_other_files_is_refused_before_anything_is_written(
    tmp_path: Path, sound_backup: Path, path: str
) -> None:
    backup = Path(shutil.copytree(sound_backup, tmp_path / "backup"))
    manifest = json.loads((backup / MANIFEST).read_text())
    manifest["files"][path] = {"size": 0, "sha256": hashlib.sha256().hexdigest()}
    (backup / MANIFEST).write_text(json.dumps(manifest))

    fresh = settings_for(tmp_path / "restored", "sqlite")
    refused = installation.error(fresh, "restore", backup)

    assert "names files that no backup has" in refused
    assert installation.contents(fresh.data_dir).keys() == {".begun-stationmaster.json"}


def test_a_manifest_without_the_databases_is_refused(tmp_path: Path, sound_backup: Path) -> None:
    backup = Path(shutil.copytree(sound_backup, tmp_path / "backup"))
    manifest = json.loads((backup / MANIFEST).read_text())
    manifest["files"] = {"secret.key": manifest["files"]["secret.key"]}
    (backup / MANIFEST).write_text(json.dumps(manifest))

    refused = installation.error(settings_for(tmp_path / "fresh", "sqlite"), "restore", backup)

    assert "lacks inbox-" in refused


@pytest.mark.attack
def test_a_secret_key_that_does_not_fit_is_named_before_anything_is_written(
    tmp_path: Path, sound_backup: Path
) -> None:
    fresh = settings_for(tmp_path / "restored", "sqlite")
    other = base64.b64encode(bytes(range(32))).decode()

    refused = command(
        "restore", sound_backup, "--data-dir", fresh.data_dir,
        env={"STATIONMASTER_SECRET_KEY": other},
    )  # fmt: skip

    assert refused.code == 1
    assert "STATIONMASTER_SECRET_KEY, does not open" in refused.stderr
    assert installation.contents(fresh.data_dir).keys() == {".begun-stationmaster.json"}


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


@pytest.fixture(scope="module")
def sound_backup(template: Filled, tmp_path_factory: pytest.TempPathFactory) -> Path:
    twin = settings_for(tmp_path_factory.mktemp("sound"), "sqlite")
    shutil.copytree(template.settings.data_dir, twin.data_dir)
    folder = twin.data_dir.parent / "backup"
    installation.run(twin, "backup", folder)
    return folder


def test_a_sound_backup_is_told_to_be_one(sound_backup: Path) -> None:
    told = succeed("backup", sound_backup, "--verify")

    assert told["files"] == 10


def test_a_folder_that_holds_anything_is_no_place_to_restore_to(
    filled: Filled, sound_backup: Path, tmp_path: Path
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("Dear Ada")
    before = installation.contents(filled.settings.data_dir)

    for folder in (filled.settings.data_dir, tmp_path / "full"):
        refused = command("restore", sound_backup, "--data-dir", folder)
        assert "is not empty" in refused.error
    assert installation.contents(filled.settings.data_dir) == before


def test_a_postgresql_that_holds_other_data_is_no_place_to_restore_to(
    sound_backup: Path, tmp_path: Path, empty_postgresql: str
) -> None:
    other = settings_for(tmp_path / "other", empty_postgresql)
    key = installation.run(other, "init")["api_key"]

    fresh = settings_for(tmp_path / "restored", empty_postgresql)
    refused = installation.error(fresh, "restore", sound_backup)

    assert "name an empty one" in refused
    with running_server(other) as server, server.client(key) as http:
        assert http.get("/api/platform/v1/me").status_code == 200


@pytest.mark.parametrize("wrong", ["missing", "empty", "data folder"])
def test_what_is_no_backup_is_refused(filled: Filled, tmp_path: Path, wrong: str) -> None:
    folder = filled.settings.data_dir if wrong == "data folder" else tmp_path / "none"
    if wrong == "empty":
        folder.mkdir()

    refused = installation.error(settings_for(tmp_path / "new", "sqlite"), "restore", folder)

    assert "backup" in refused


def test_a_folder_of_other_things_is_no_place_for_a_backup(filled: Filled, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ada")

    assert "other files" in installation.error(filled.settings, "backup", tmp_path)
    assert "other files" in installation.error(filled.settings, "backup", filled.settings.data_dir)


def test_a_backup_is_no_data_folder(sound_backup: Path) -> None:
    assert "not a Stationmaster data folder" in command("doctor", "--data-dir", sound_backup).error


class Killed(BaseException):
    pass


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


@pytest.mark.attack
def test_a_restore_that_is_killed_is_begun_again(
    filled: Filled,
    sound_backup: Path,
    target: Settings,
    template: Filled,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def die(*_given: Any) -> None:
        raise Killed

    for owner, name in ((parts, "_refuse_others"), (archive, "sync"), (archive, "copy_key")):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, die)
            with pytest.raises(Killed):
                installation.run(target, "restore", sound_backup)
        assert "not a Stationmaster data folder" in installation.error(target, "doctor")
    installation.run(target, "restore", sound_backup)

    assert installation.answers(target, template.key) == template.answers


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


def test_a_backup_of_an_older_schema_is_brought_to_this_one(
    filled: Filled, sound_backup: Path, tmp_path: Path
) -> None:
    older = Path(shutil.copytree(sound_backup, tmp_path / "older"))
    manifest = archive.verified(older)
    installation.downgrade(older / manifest.state)
    files = manifest.files | {manifest.state: archive.file_of(older / manifest.state)}
    archive.write(older, msgspec.structs.replace(manifest, files=files))

    restored = settings_for(tmp_path / "restored", "sqlite")
    installation.run(restored, "restore", older)

    assert installation.answers(restored, filled.key) == filled.answers
