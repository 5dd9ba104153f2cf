"""What an installation writes is for its user alone, whatever the umask says."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import httpx

from tests.support import processes
from tests.support.patience import PATIENCE_S
from tests.support.processes import PROGRAM


def under_umask(*arguments: str) -> None:
    """Run a command under the most generous umask."""
    subprocess.run([*PROGRAM, *arguments], check=True, capture_output=True, umask=0)


def open_to_others(folder: Path) -> list[str]:
    return [str(p) for p in [folder, *folder.rglob("*")] if p.lstat().st_mode & 0o077]


def test_a_new_data_folder_and_all_that_a_server_writes(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    key = _init(folder)
    server = processes.ServerProcess(folder)
    umask = os.umask(0)
    try:
        server.start()
    finally:
        os.umask(umask)
    try:
        bearer = {"Authorization": f"Bearer {key}"}
        httpx.post(
            f"{server.url}/v1/logs", json={}, headers=bearer, timeout=PATIENCE_S
        ).raise_for_status()
        shown = open_to_others(folder)
    finally:
        server.stop()

    assert shown == []
    assert open_to_others(folder) == []


def test_a_folder_that_others_could_read_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    _init(folder)
    folder.chmod(0o755)

    under_umask("doctor", "--data-dir", str(folder))

    assert folder.stat().st_mode & 0o777 == 0o700


def _init(folder: Path) -> str:
    made = subprocess.run(
        [*PROGRAM, "init", "--data-dir", str(folder), "--org", "Acme", "--owner", "a@example.com",
         "--json"],
        check=True, capture_output=True, umask=0,
    )  # fmt: skip

    return str(json.loads(made.stdout)["api_key"])
