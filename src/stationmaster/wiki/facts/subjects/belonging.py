"""What belongs to a subject by structure: what its own code answers, runs and reads, and what its
name begins the path, the table or the key of."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence, Set
from functools import lru_cache

import msgspec

from stationmaster.wiki.facts.code.work import Typed, Work, commands, jobs
from stationmaster.wiki.facts.data.entities import Stored, stored
from stationmaster.wiki.facts.interfaces.routes import Endpoint, endpoints
from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.facts.model import Facts, Place, Spot, query
from stationmaster.wiki.facts.setting import Configured
from stationmaster.wiki.facts.subjects.naming import (
    Key,
    begins_with,
    is_general,
    own_key,
    without,
    words_in,
)

_VARIABLE = re.compile(r"[{<:*\[$(@]")
"""A step of a path that stands for a value has such a sign."""
_SECTION = re.compile(r"\[([\w.-]{1,80})\] (\S{1,80})")
"""A key of a file with sections."""
_SECTIONS_MIN = 3
"""Of a file that is about the settings of all."""
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
        return path in paths or any(
            (path, ".".join(holders[: n + 1])) in held for n in range(len(holders))
        )

    routes = [
        it
        for it in endpoints(facts)
        if is_own(*_answering(facts, it)) or _leads_to(facts, it.route, key)
    ]
    tables = tuple(
        it
        for it in stored(facts)
        if (it.model_path, it.model) in held
        or begins_with(own_key(facts, it.model or it.name), key)
    )
    return Belongings(
        tuple(sorted(routes, key=lambda it: _depth(facts, it.route, key))),
        tuple(it for it in jobs(facts) if is_own(it.handler_path or it.path, it.runs)),
        tuple(
            it
            for it in commands(facts)
            if own_key(facts, " ".join(it.words)) == key
            or (it.handler_path in paths and bool(it.words))
        ),
        tables,
        tuple(
            it
            for it in settings(facts)
            if any(
                is_called_after(facts, name, key, is_stored=bool(tables))
                for name in filter(None, (_own_name(it), it.variable))
            )
            or (it.reads and all(_is_of(facts, path, paths) for path, _ in _code_of(it)))
        ),
    )


def _answering(facts: Facts, route: Endpoint) -> tuple[str, str]:
    """The file and name of the handler of a route, or of the function that holds it."""
    if route.handler or not route.path:
        return route.handler_path, route.handler
    return route.path, _around(facts, route.path, route.line)


@query
def _around(facts: Facts, path: str, line: int) -> str:
    """The qualified name of the innermost symbol around a line; '' at top level."""
    symbols = facts.code[path].symbols if path in facts.code else ()
    holding = [it for it in symbols if it.line <= line <= it.end]
    return max(holding, key=lambda it: it.line).qualified if holding else ""


def _own_name(setting: Configured) -> str:
    """The name of a setting: of a feature without that of its crate."""
    return setting.name.rpartition("/")[2] if setting.kind == "feature" else setting.name


def _is_of(facts: Facts, path: str, paths: Collection[str]) -> bool:
    """Is a file that reads a setting one of a subject's own, and none of the settings of all?"""
    name = path.rpartition("/")[2].partition(".")[0]
    is_of_all = is_general(own_key(facts, name)) or path in _schemas(facts)
    return path in paths and not is_of_all


@query
def _schemas(facts: Facts) -> Set[str]:
    """The files that declare settings of several sections."""
    sections = defaultdict[str, set[str]](set)
    for it in settings(facts):
        for path, _ in it.declared if "." in it.name else ():
            sections[path].add(it.name.partition(".")[0])
    return {path for path, some in sections.items() if len(some) >= _SECTIONS_MIN}


def _code_of(setting: Configured) -> tuple[Place, ...]:
    """Where the code that a setting belongs to is: of a variable rather what declares it."""
    is_variable = setting.kind == "env" or setting.variable
    return setting.declared if is_variable and setting.declared else setting.reads


def _depth(facts: Facts, route: str, key: Key) -> tuple[int, bool]:
    """After how many steps a path names a subject, and whether it stands for one of several."""
    steps, whole = ["".join(it) for it in _steps(facts.commit.name, route)], "".join(key)
    depth = steps.index(whole) if whole in steps else len(steps)
    return depth, _VARIABLE.search(route) is not None


def _leads_to(facts: Facts, route: str, key: Key) -> bool:
    """Is a path that of a subject: does its name begin the first step with a meaning, or is it
    a whole step, also written as one word? What is below one of it, `/shops/:id/orders/:id`, is of
    that."""
    steps, whole = _steps(facts.commit.name, route), "".join(key)
    telling = (it for it in steps if not is_general(it))
    first = next(telling, steps[0] if steps else ())
    depths = [at for at, it in enumerate(steps) if "".join(it) == whole]
    depths += [steps.index(first)] if first and begins_with(first, key) else []
    several = _several(facts, route) if depths else ()
    return bool(depths) and (max(depths) not in several or max(depths) == several[-1])


def _several(facts: Facts, route: str) -> Sequence[int]:
    """Which of the steps of a path that stand for themselves are called as what there are several
    of, each with a value behind it."""
    every = route.split("/")
    plain = [at for at, it in enumerate(every) if it and not _VARIABLE.search(it)]
    kinds = _resources(facts)
    return [n for n, at in enumerate(plain) if _form(every[: at + 1]) in kinds]


@query
def _resources(facts: Facts) -> Set[str]:
    """The beginnings of paths behind which a value stands."""
    paths = (it.route.split("/") for it in endpoints(facts))
    return {
        _form(every[:at])
        for every in paths
        for at, step in enumerate(every)
        if at and _VARIABLE.search(step) and not _VARIABLE.search(every[at - 1])
    }


def _form(steps: Sequence[str]) -> str:
    return "/".join(":" if _VARIABLE.search(it) else it for it in steps)


@lru_cache(20_000)
def _steps(product: str, route: str) -> tuple[Key, ...]:
    """The words of the steps of a path that stand for themselves."""
    plain = (it for it in route.split("/") if it and not _VARIABLE.search(it))
    return tuple(without(product, it) for it in plain)


def is_called_after(facts: Facts, name: str, key: Key, *, is_stored: bool) -> bool:
    """Is a setting one of a section that is called so, or does its name begin so and go on? The
    outermost section may be a framework's, such as `server`, and not what is stored."""
    if written_in := _SECTION.fullmatch(name):
        name, is_stored = f"{written_in[1]}.{written_in[2]}", False
    *sections, last = name.split(".")
    if sections:
        return any(own_key(facts, it) == key for it in sections[is_stored:])
    return "".join(key) in _beginnings(facts.commit.name, last)


@lru_cache(20_000)
def _beginnings(product: str, name: str) -> frozenset[str]:
    """What a name may begin with, but not all of it, after words that may be of any program."""
    own, every = words_in(product), words_in(name)
    every = every[len(own) :] if every[: len(own)] == own else every
    skipped = next((at for at, it in enumerate(every) if not is_general((it,))), 0)
    return frozenset(
        "".join(every[start:end]) for start in {0, skipped} for end in range(start + 1, len(every))
    )
