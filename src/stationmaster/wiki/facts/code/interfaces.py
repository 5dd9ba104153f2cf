"""What source files say of ways into them and of what they rest on, in one pass over all."""

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
    """By path; files that say nothing of the kind are left out, and scripts of workflows and other
    hidden folders, which are no part of the product."""
    found = []
    for path, told in facts.code.items():
        if facts.records[path].file_class == "source" and not path.startswith("."):
            members = (told.routes, told.mounts, told.commands, told.settings, told.entities,
                       told.jobs, told.entries, told.wiring)  # fmt: skip
            if any(members[:-1]) or told.wiring != Wiring():
                found.append(FileInterfaces(path, *members))
    return tuple(found)


@query
def wrappers(facts: Facts) -> Mapping[tuple[str, str], Wrapper]:
    """The functions around handlers, by file and name."""
    return {
        (file.path, wrapper.name): wrapper
        for file in interfaces(facts)
        for wrapper in file.wiring.wrappers
    }
