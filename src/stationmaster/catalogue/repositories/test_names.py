"""What tests of a language are called: `test_names.toml`."""

from __future__ import annotations

from functools import cache

from stationmaster.catalogue.table import Row, read


class Convention(Row, frozen=True):
    """Names of a family of languages: expressions, which match nothing where they are left out."""

    language: str
    endings: tuple[str, ...]
    names: str = r"(?!)"
    perhaps: str = r"(?!)"
    folders: str = r"(?!)"


@cache
def conventions() -> tuple[Convention, ...]:
    """All rows; a language may have several, of which any one fits."""
    return read("repositories/test_names", dict[str, tuple[Convention, ...]])["conventions"]
