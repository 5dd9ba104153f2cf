from __future__ import annotations

from pathlib import Path

from stationmaster.access.signing_in.signing_keys import SigningKeys
from stationmaster.access.vault import Vault
from stationmaster.cli import folder
from stationmaster.settings import Settings
from tests.support.commands import command, succeed


def test_a_new_key_signs_after_it_was_asked_for(tmp_path: Path) -> None:
    data = tmp_path / "data"
    succeed("init", "--data-dir", data)
    kids = [succeed("keys", "rotate-signing", "--data-dir", data)["kid"] for _ in range(2)]
    assert len(set(kids)) == 2
    settings = Settings(data_dir=data)
    with folder.database(settings) as db:
        assert SigningKeys(db, Vault.open(settings)).current().kid == kids[1]


def test_no_key_is_made_where_nothing_is_stored(tmp_path: Path) -> None:
    done = command("keys", "rotate-signing", "--data-dir", tmp_path / "nothing")
    assert "not a Stationmaster data folder" in done.error
    assert not (tmp_path / "nothing").exists()
