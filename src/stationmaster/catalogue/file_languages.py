"""What files' names show of languages, in addition to the data set of GitHub's:
`file_languages.toml`."""

from __future__ import annotations

from stationmaster.catalogue.table import Row, lazy_table


class Languages(Row, frozen=True):
    """Counted as programming languages are those of some `types`, and some by name (`counted`).
    `extensions` and `files` name languages; both are in lower case, as `stems` are."""

    types: frozenset[str]
    counted: frozenset[str]
    stems: frozenset[str]
    extensions: dict[str, str]
    files: dict[str, str]


languages = lazy_table("file_languages", Languages)
"""All of it."""
