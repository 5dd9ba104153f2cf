"""English as readers of documents and questions need it: `english.toml`."""

from __future__ import annotations

from stationmaster.catalogue.table import Row, lazy_table


class English(Row, frozen=True):
    """The whole table, which describes each group."""

    endings: tuple[str, ...]
    same: tuple[str, ...]
    acting: tuple[str, ...]
    generic: tuple[str, ...]
    qualifying: tuple[str, ...]
    vague: tuple[str, ...]
    around: tuple[str, ...]
    repeating: tuple[str, ...]
    writing: tuple[str, ...]
    short: tuple[str, ...]
    doing: tuple[str, ...]
    products: tuple[str, ...]
    aiding: tuple[str, ...]
    telling: tuple[str, ...]
    reporting: tuple[str, ...]
    acronyms: frozenset[str]
    function: frozenset[str]


english = lazy_table("repositories/english", English)
