"""The temporary folder of a child process: there while its parent lives, and not for longer."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stationmaster.children import calling

_HOLDS = """
import sys, time
from stationmaster.children.calling import folder
with folder() as path:
    print(path, flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def old(path: Path) -> Path:
    past = time.time() - 3600
    os.utime(path, (past, past))
    return path


def test_it_goes_with_its_content(place: Path) -> None:
    with calling.folder() as path:
        (Path(path) / "file").write_text("text")
    assert list(place.iterdir()) == []


def test_what_a_killed_process_left_is_removed_and_nothing_else(place: Path) -> None:
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    link = place / f"{calling.PREFIX}link"
    link.symlink_to(elsewhere)
    with subprocess.Popen([sys.executable, "-c", _HOLDS], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        left = Path(process.stdout.readline().decode().strip())
        (left / "file").touch()
        old(left)
        with calling.folder():
            assert left.exists(), "its process lives"
        process.kill()
    calling._remove_abandoned.cache_clear()
    with calling.folder():
        assert not left.exists()
    assert (elsewhere / "kept").exists()
