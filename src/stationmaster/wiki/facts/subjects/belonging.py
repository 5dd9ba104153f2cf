"""What belongs to a subject by structure: what its own code answers, runs and reads, and what its
name begins the path, the table or the key of."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import msgspec

from stationmaster.wiki.facts.code.work import Typed, Work, commands, jobs
from stationmaster.wiki.facts.data.entities import Stored, stored
from stationmaster.wiki.facts.interfaces.routes import Endpoint, endpoints
from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.facts.model import Facts, Spot
from stationmaster.wiki.facts.setting import Configured
from stationmaster.wiki.facts.subjects.naming import (
    Key,
    begins_with,
    is_general,
    own_key,
    words_in,
)

_VARIABLE = re.compile(r"[{<:*\[$(@]")
"""A step of a path that stands for a value has such a sign."""
_SECTION = re.compile(r"\[([\w.-]{1,80})\] (\S{1,80})")
"""A key of a file with sections."""
Beginning = Endpoint | Work | Typed


class Belongings(msgspec.Struct, frozen=True):
    routes: tuple[Endpoint, ...] = ()
    jobs: tuple[Work, ...] = ()
    commands: tuple[Typed, ...] = ()
    tables: tuple[Stored, ...] = ()
    settings: tuple[Configured, ...] = ()

    @property
    def beginnings(self) -> tuple[Beginning, ...]:
        """What something is done for: requests, jobs and commands."""
        return (*self.routes, *self.jobs, *self.commands)


def belongings(
    facts: Facts, key: Key, types: Collection[Spot], paths: Collection[str]
) -> Belongings:
    """Of a subject with this name whose code is these types and files. For questions."""
    held = {(spot.path, spot.name) for spot in types}

    def is_own(path: str, name: str) -> bool:
        holders = name.split(".")
        return path in paths or any((path, ".".join(holders[:n + 1])) in held
                                    for n in range(len(holders)))  # fmt: skip

    routes = [
        it for it in endpoints(facts)
        if is_own(it.handler_path, it.handler) or _leads_to(facts, it.route, key)
    ]  # fmt: skip
    tables = tuple(
        it for it in stored(facts)
        if (it.model_path, it.model) in held
        or begins_with(own_key(facts, it.model or it.name), key)
    )  # fmt: skip
    return Belongings(
        tuple(sorted(routes, key=lambda it: _depth(facts, it.route, key))),
        tuple(it for it in jobs(facts) if is_own(it.handler_path or it.path, it.runs)),
        tuple(it for it in commands(facts) if own_key(facts, " ".join(it.words)) == key
              or (it.handler_path in paths and bool(it.words))),
        tables,
        tuple(it for it in settings(facts)
              if is_called_after(facts, it.name, key, is_stored=bool(tables))
              or (it.reads and {path for path, _ in it.reads} <= {*paths})),
    )  # fmt: skip


def _depth(facts: Facts, route: str, key: Key) -> tuple[int, bool]:
    """After how many steps a path names a subject, and whether it stands for one of several."""
    steps = [own_key(facts, it) for it in route.split("/")]
    return steps.index(key) if key in steps else len(steps), _VARIABLE.search(route) is not None


def _leads_to(facts: Facts, route: str, key: Key) -> bool:
    """Is a path that of a subject: does its name begin the first step that tells anything, or is it
    a whole step?"""
    steps = [own_key(facts, it) for it in route.split("/") if it and not _VARIABLE.search(it)]
    telling = [it for it in steps if not is_general(it)] or steps
    return key in steps or any(begins_with(it, key) for it in telling[:1])


def is_called_after(facts: Facts, name: str, key: Key, *, is_stored: bool) -> bool:
    """Is a setting one of a section that is called so, or does its name begin so and go on? The
    outermost section may be a framework's, such as `server`, and not what is stored."""
    if written_in := _SECTION.fullmatch(name):
        name, is_stored = f"{written_in[1]}.{written_in[2]}", False
    *sections, last = name.split(".")
    if sections:
        return any(own_key(facts, it) == key for it in sections[is_stored:])
    return any("".join(begin) == "".join(key) for begin in _beginnings(facts, words_in(last)))


def _beginnings(facts: Facts, name: Key) -> Iterator[Key]:
    """What a name may begin with, but not all of it, after words that may be of any program."""
    own = words_in(facts.commit.name)
    name = name[len(own) :] if name[: len(own)] == own else name
    skipped = next((at for at, it in enumerate(name) if not is_general((it,))), 0)
    for start in {0, skipped}:
        for end in range(start + 1, len(name)):
            yield name[start:end]
