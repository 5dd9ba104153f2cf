"""What a module holds beside plain code: ways in, settings, tables, jobs.

As its files alone tell it: what is put together across files is told by the pages of its kind.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from stationmaster.reading.code.model import FileFacts
from stationmaster.wiki.facts.code.modules import module
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place


class Held(msgspec.Struct, frozen=True, array_like=True):
    """`kind` is what it is called in a table (`Route`), `key` the page that tells all of them."""

    kind: str
    name: str
    place: Place
    key: str


@query
def inside(facts: Facts, key: str) -> tuple[Held, ...]:
    """By kind and name; what several files say counts once, at the first of them."""
    found: dict[tuple[str, str], Held] = {}
    for path in module(facts, key).files:
        if path in facts.code:
            for each in _held(path, facts.code[path]):
                found.setdefault((each.kind, each.name), each)
    return tuple(found[pair] for pair in sorted(found))


def _held(path: str, said: FileFacts) -> Iterator[Held]:
    for route in said.routes:
        name = f"{route.method} {route.path}"
        yield Held("Route", name, Place(path, route.line), "api/http")
    for command in said.commands:
        if command.words:
            yield Held("Command", " ".join(command.words), Place(path, command.line), "cli")
    for setting in said.settings:
        yield Held("Setting", setting.name, Place(path, setting.line), "configuration")
    for entity in said.entities:
        if entity.kind not in ("change", "base", "joint"):
            yield Held("Entity", entity.name, Place(path, entity.line, entity.end), "data-model")
    for job in said.jobs:
        yield Held("Job", job.name, Place(path, job.line), "jobs-and-events")
    for entry in said.entries:
        yield Held("Entry point", entry.name, Place(path, entry.line), "architecture")
