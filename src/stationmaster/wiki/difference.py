"""What changed from one run of a wiki to another."""

from __future__ import annotations

import difflib
from typing import Literal, NamedTuple

from sqlalchemy import Connection

from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.errors import NotFound
from stationmaster.wiki import service, store
from stationmaster.wiki.model import Page

LINES_MAX = 2_000
"""Of one page's difference; and of pages whose lines are compared at all."""

Kind = Literal["added", "removed", "changed"]


class Change(NamedTuple):
    """A page that differs. `lines` is a unified difference without its head, empty for a page that
    is added or removed. `is_cut`: it has more lines than are listed."""

    kind: Kind
    path: str
    title: str
    lines: tuple[str, ...] = ()
    is_cut: bool = False


class Difference(NamedTuple):
    """Pages by path; `same` is how many did not change."""

    changes: tuple[Change, ...]
    same: int


_Side = dict[str, Page]


def between(db: Database, caller: Caller, before: str, after: str) -> Difference:
    """From one run to another one that the caller sees, of the same repository or not.

    Raises NotFound.
    """
    old, new = _side(db, caller, before), _side(db, caller, after)
    difference = _compared(old, new)
    with db.reading() as connection:
        changes = [
            _with_lines(connection, caller, change, old, new) for change in difference.changes
        ]
    return difference._replace(changes=tuple(changes))


def pages(db: Database, caller: Caller, before: str, after: str) -> Difference:
    """`between` without lines, which cost the most."""
    return _compared(_side(db, caller, before), _side(db, caller, after))


def of_page(db: Database, caller: Caller, before: str, after: str, path: str) -> Change:
    """The lines of one page that differ. Raises NotFound where it does not differ."""
    old, new = _side(db, caller, before), _side(db, caller, after)
    for change in _compared(old, new).changes:
        if change.path == path:
            with db.reading() as connection:
                return _with_lines(connection, caller, change, old, new)
    raise NotFound("This page does not differ.")


def _side(db: Database, caller: Caller, run_id: str) -> _Side:
    service.get(db, caller, run_id)
    with db.reading() as connection:
        return {page.path: page for page in store.pages(connection, caller.org_id, run_id)}


def _compared(old: _Side, new: _Side) -> Difference:
    changes = []
    for path in sorted(old.keys() | new.keys()):
        if path not in old:
            changes.append(Change("added", path, new[path].title))
        elif path not in new:
            changes.append(Change("removed", path, old[path].title))
        elif old[path].digest != new[path].digest:
            changes.append(Change("changed", path, new[path].title))
    return Difference(tuple(changes), len(old.keys() | new.keys()) - len(changes))


def _with_lines(
    connection: Connection, caller: Caller, change: Change, old: _Side, new: _Side
) -> Change:
    if change.kind != "changed":
        return change
    bodies = [
        store.body(connection, caller.org_id, side[change.path].digest).decode().splitlines()
        for side in (old, new)
    ]
    return _changed(change, *bodies)


def _changed(change: Change, before: list[str], after: list[str]) -> Change:
    if max(len(before), len(after)) > LINES_MAX:
        return change._replace(is_cut=True)
    lines = list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]
    return change._replace(lines=tuple(lines[:LINES_MAX]), is_cut=len(lines) > LINES_MAX)
