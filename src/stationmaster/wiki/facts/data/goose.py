"""Migrations of goose that are written in Go: SQL in the texts of a program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.model import Facts

_NAME = re.compile(r"(?:.*/)?\d{3,14}_\w+(?<!_test)\.go")
_REGISTERED = re.compile(r"\bgoose\.Add(?:Named)?Migration\w*\(")
_FUNCTION = re.compile(r"^func [^\n]{0,200}", re.MULTILINE)
_BACKWARD = re.compile(r"(?i)func (?:\([^)]*\) )?(?:\w{0,60}_)?(?:down|rollback)")
_TEXTS = re.compile(r"`([^`]*)`|\"((?:[^\"\\\n]|\\.)*+)\"?|//[^\n]*|'(?:[^'\\\n]|\\.){1,10}'")
_SHAPES = re.compile(r"(?i)\s*(?:create|alter|drop)\s")


def is_migration(facts: Facts, path: str) -> bool:
    """Does a file of Go hand a migration to goose?"""
    return _NAME.fullmatch(path) is not None and (
        _REGISTERED.search(facts.tree.text(path)) is not None
    )


def statements(facts: Facts, folder: str) -> Iterator[tuple[str, str]]:
    """The migrations of a folder by path: what the way up of each says to the database, on its own
    lines."""
    for path in facts.tree.paths:
        if folder_of(path) == folder and is_migration(facts, path):
            text = "".join(map(_statements, _parts(facts.tree.text(path))))
            if text.strip():
                yield path, text


def _parts(text: str) -> Iterator[str]:
    """A program cut before each of its functions."""
    starts = [0, *(match.start() for match in _FUNCTION.finditer(text)), len(text)]
    yield from (text[start:end] for start, end in pairwise(starts))


def _statements(part: str) -> str:
    """The texts of a function that change tables, each ended; all else blank. What a program puts
    together or fills in is none."""
    if _BACKWARD.match(part):
        return _blank(part)
    told: list[str] = []
    at = 0
    for match in _TEXTS.finditer(part):
        written = match[1] or match[2] or ""
        start = match.start(match.lastindex or 0)
        around = (
            part[max(0, match.start() - 3) : match.start()],
            part[match.end() : match.end() + 3],
        )
        is_joined = any("+" in sign for sign in around)
        is_told = _SHAPES.match(written) and "%" not in written and not is_joined
        told += _blank(part[at:start]), f"{written};" if is_told else _blank(written)
        at = start + len(written)
    return "".join([*told, _blank(part[at:])])


def _blank(text: str) -> str:
    return "\n" * text.count("\n")
