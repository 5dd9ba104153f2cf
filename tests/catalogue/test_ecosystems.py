"""Ecosystems of packages and their lock files."""

from __future__ import annotations

from typing import get_args

from stationmaster.catalogue.ecosystems import Ecosystem, ecosystem_row, ecosystems, lock_names
from stationmaster.catalogue.table import compiled


def test_rows_are_called_as_readers_of_manifests_call_ecosystems() -> None:
    assert set(ecosystems()) - {"nix"} <= set(get_args(Ecosystem))


def test_patterns_of_inexact_versions_compile() -> None:
    assert all(compiled(row.dynamic) for row in ecosystems().values())
    assert compiled(ecosystem_row("maven").dynamic).fullmatch("[1.0,2.0)")


def test_a_lock_file_is_written_by_programs_of_one_ecosystem() -> None:
    names = [name for row in ecosystems().values() for name in row.locks]
    assert len(set(names)) == len(names)


def test_a_file_that_only_fixes_versions_is_no_lock_file() -> None:
    pins = {name for row in ecosystems().values() for name in row.pinned_by}
    assert {"vcpkg.json", ".gitmodules"} <= pins
    assert not {"vcpkg.json", ".gitmodules"} & lock_names()
    assert {"pipfile.lock", "flake.lock", "yarn.lock"} <= lock_names()


def test_nothing_is_known_of_an_ecosystem_without_a_row() -> None:
    assert ecosystem_row("other").locks == {}
