"""`restore`: to any place and database, and never from a damaged backup."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stationmaster.lake.backups import archive, make, parts
from stationmaster.settings import Settings
from tests.lake.backups import installation
from tests.lake.backups.backup.interrupted import MANIFEST, Killed
from tests.lake.backups.conftest import Filled
from tests.support.commands import command, succeed
from tests.support.servers import running_server, settings_for

pytestmark = pytest.mark.slow


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
    assert "STATIONMASTER_SECRET_KEY, cannot decrypt" in refused.stderr
    assert installation.contents(fresh.data_dir).keys() == {".begun-stationmaster.json"}


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

    for owner, name in ((parts, "_refuse_others"), (make, "sync"), (archive, "copy_key")):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, die)
            with pytest.raises(Killed):
                installation.run(target, "restore", sound_backup)
        assert "not a Stationmaster data folder" in installation.error(target, "doctor")
    installation.run(target, "restore", sound_backup)

    assert installation.answers(target, template.key) == template.answers


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
