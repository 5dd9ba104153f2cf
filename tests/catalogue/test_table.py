"""Rows are checked when they are read."""

from __future__ import annotations

import pytest

from stationmaster.catalogue import table
from stationmaster.catalogue.ci import System


def test_a_file_of_another_shape_is_named() -> None:
    with pytest.raises(ValueError, match=r"ci\.toml: .*\$\[\.\.\.\]"):
        table.read("ci", dict[str, int])


def test_rows_are_structs_by_their_names() -> None:
    assert table.read("ci", dict[str, System])["travis"].title == "Travis CI"
