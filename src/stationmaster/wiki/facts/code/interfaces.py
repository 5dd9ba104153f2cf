"""The interfaces of source files and what they depend on, read in one pass over all files."""

from __future__ import annotations

import re
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
from stationmaster.wiki.facts.code.bindings import meant
from stationmaster.wiki.facts.model import Facts, query

_MADE = re.compile(r"(?m)^(\w{1,80})(?::[^=\n]{1,80})? ?= ?([\w.]{1,120})\(")
"""What a variable of a module is made by, at its top level."""


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
                       jobs_in(facts, path), code.entries, code.wiring)  # fmt: skip
            if any(members[:-1]) or code.wiring != Wiring():
                rows.append(FileInterfaces(path, *members))
    return tuple(rows)


@query
def jobs_in(facts: Facts, path: str) -> tuple[Job, ...]:
    """The jobs of a file, without those of objects of other files which are not known to be made
    by a framework of jobs."""
    return tuple(
        job
        for job in facts.code[path].jobs
        if not job.by or any(_is_of_celery(facts, *it) for it in meant(facts, path, job.by))
    )


def _is_of_celery(facts: Facts, path: str, name: str) -> bool:
    """Does a file make an object of Celery under a name?"""
    imported = (it.name.lower() for it in facts.code[path].imports)
    if not path.endswith(".py") or not any("celery" in it for it in imported):
        return False
    made = (it for it in _MADE.finditer(facts.tree.text(path)) if it[1] == name)
    return any("celery" in it[2].lower() for it in made)


@query
def wrappers(facts: Facts) -> Mapping[tuple[str, str], Wrapper]:
    """The functions around handlers, by file and name."""
    return {
        (file.path, wrapper.name): wrapper
        for file in interfaces(facts)
        for wrapper in file.wiring.wrappers
    }
