"""The interfaces of source files and what they depend on, read in one pass over all files."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from stationmaster.reading.code import Wrapper
from stationmaster.reading.code.model import (
    CliCommand,
    Entry,
    Job,
    Mount,
    Route,
    Setting,
    Wiring,
)
from stationmaster.reading.code.stored import Entity
from stationmaster.wiki.facts.model import Facts, query


class FileInterfaces(msgspec.Struct, frozen=True, array_like=True):
    """Members of `FileFacts` of the file `path`, which is no test."""

    path: str
    routes: tuple[Route, ...]
    mounts: tuple[Mount, ...]
    commands: tuple[CliCommand, ...]
    settings: tuple[Setting, ...]
    entities: tuple[Entity, ...]
    jobs: tuple[Job, ...]
    entries: tuple[Entry, ...]
    wiring: Wiring


@query
def interfaces(facts: Facts) -> tuple[FileInterfaces, ...]:
    """The interfaces of source files by path; without files that have none, and without scripts of
    workflows and other hidden folders, which are not part of the product."""
    rows = []
    for path, code in facts.code.items():
        if facts.records[path].file_class == "source" and not path.startswith("."):
            members = (code.routes, code.mounts, code.commands, code.settings, code.entities,
                       code.jobs, code.entries, code.wiring)  # fmt: skip
            if any(members[:-1]) or code.wiring != Wiring():
                rows.append(FileInterfaces(path, *members))
    return tuple(rows)


@query
def wrappers(facts: Facts) -> Mapping[tuple[str, str], Wrapper]:
    """The functions around handlers, by file and name."""
    return {
        (file.path, wrapper.name): wrapper
        for file in interfaces(facts)
        for wrapper in file.wiring.wrappers
    }
