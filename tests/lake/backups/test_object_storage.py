"""Backups of a lake on object storage, and back onto it."""

from __future__ import annotations

from pathlib import Path

from tests.lake.backups import installation
from tests.lake.backups.conftest import Filled
from tests.support.object_storage import ObjectStorage
from tests.support.servers import settings_for


def test_a_lake_goes_onto_object_storage_and_back_by_way_of_backups(
    filled: Filled, object_storage: ObjectStorage, tmp_path: Path
) -> None:
    url = f"{object_storage.bucket('restored')}/lake"
    there = settings_for(tmp_path / "there", "sqlite", lake_url=url)
    back = settings_for(tmp_path / "back", "sqlite")

    installation.run(filled.settings, "backup", tmp_path / "first")
    installation.run(there, "restore", tmp_path / "first")
    assert not there.lake_dir.exists()
    installation.run(there, "backup", tmp_path / "second")
    installation.run(back, "restore", tmp_path / "second")

    assert installation.contents(back.lake_dir) == installation.contents(filled.settings.lake_dir)
    assert installation.answers(there, filled.key) == filled.answers
