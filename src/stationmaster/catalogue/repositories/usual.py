"""Commands that are usual where some files are: `usual.toml`."""

from __future__ import annotations

from stationmaster.catalogue.table import Row, lazy_table


class Usual(Row, frozen=True):
    """A command that is usual where `files` are in a folder and none of `without` is; `sign` is
    what the first of them contains, and its group replaces `{}` in the command."""

    command: str
    files: tuple[str, ...]
    without: tuple[str, ...] = ()
    sign: str = ""


usual = lazy_table("repositories/usual", dict[str, tuple[Usual, ...]])
