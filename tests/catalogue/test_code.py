"""Names that readers of code know, by their paths."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import stationmaster
from stationmaster.catalogue import code

SOURCE = Path(stationmaster.__file__).parent


def test_sets_words_and_rows_are_asked_by_their_paths() -> None:
    assert "flask.Flask" in code.names("python.entries.apps")
    assert code.words("python.routes.frameworks")["fastapi"] == "FastAPI"
    assert code.ordered("shared.routes.methods")[0] == "GET"


def test_a_value_of_another_shape_is_named() -> None:
    with pytest.raises(ValueError, match=r"python\.routes\.frameworks: Expected `array`"):
        code.names("python.routes.frameworks")
    with pytest.raises(KeyError):
        code.names("python.routes.unknown")


def test_everything_is_asked_by_a_reader() -> None:
    rooms = (SOURCE / "reading", SOURCE / "wiki")
    texts = "".join(path.read_text() for room in rooms for path in room.rglob("*.py"))
    paths = [
        f"{file.stem}.{section}.{key}"
        for file in sorted((SOURCE / "catalogue" / "code").glob("*.toml"))
        for section, members in tomllib.loads(file.read_text()).items()
        for key in members
    ]
    assert [path for path in paths if f'"{path}"' not in texts and f"'{path}'" not in texts] == []
