"""Exporting and erasing a person on the command line, on a data folder and on a server."""

from __future__ import annotations

import json
import stat
import zipfile
from pathlib import Path

import pytest

from tests.support.commands import command, succeed


def test_a_person_is_exported_into_a_folder_and_into_an_archive(
    made: dict[str, str], tmp_path: Path
) -> None:
    person = ("people", "export", made["user_id"], "--data-dir", made["data"])
    counts = succeed(*person, "--out", tmp_path / "out")["records"]
    succeed(*person, "--out", tmp_path / "out.zip")

    files = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert {name: body.count(b"\n") for name, body in files.items()} == {
        f"{section}.ndjson": count for section, count in counts.items()
    }
    assert json.loads(files["person.ndjson"])["user_ids"] == [made["user_id"]]
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == files
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "out.zip").stat().st_mode) == 0o600
    assert command(*person, "--out", tmp_path / "out").code == 1


def test_a_refused_export_leaves_no_file(made: dict[str, str], tmp_path: Path) -> None:
    person = ("people", "export", "nobody@example.com", "--data-dir", made["data"])
    done = command(*person, "--out", tmp_path / "out")
    assert (done.code, "There is no such person." in done.stderr) == (1, True)
    assert not (tmp_path / "out").exists()


def test_an_erasure_is_requested_once_it_is_confirmed(made: dict[str, str]) -> None:
    where = ("--data-dir", made["data"])
    succeed("members", "add", "leaving@example.com", *where)

    refused = command("people", "erase", "leaving@example.com", *where)
    assert (refused.code, "--yes" in refused.stderr) == (1, True)
    asked = succeed("people", "erase", "leaving@example.com", "--yes", *where)

    assert asked["reports"] == "anonymise"
    [listed] = succeed("people", "erasures", *where)["erasures"]
    assert listed["erasureId"] == asked["erasureId"]
    assert "in progress" in command("people", "erasures", *where).stdout.decode()


@pytest.mark.parametrize("reports", ["restated", ""])
def test_an_unknown_way_with_reports_is_refused(made: dict[str, str], reports: str) -> None:
    where = ("--yes", "--data-dir", made["data"])
    assert command("people", "erase", "ada@example.com", "--reports", reports, *where).code != 0
