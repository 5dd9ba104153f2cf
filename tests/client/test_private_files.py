"""Files that are replaced whole, and what a killed process leaves of that."""

from __future__ import annotations

from pathlib import Path

from stationmaster.client import private_files


def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    state, other = tmp_path / "a[1].json", tmp_path / "a1.json"
    for path in (state, other):
        private_files.write(path, b"{}")
        path.with_name(f".{path.name}.0123456789abcdef").write_bytes(b"{")

    private_files.remove_drafts(state)

    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [".a1.json.0123456789abcdef", "a1.json", "a[1].json"]
