"""What files of settings connect to and listen on. Of values only kinds, profiles and ports are
read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from stationmaster.catalogue.repositories.versions import versions
from stationmaster.catalogue.table import compiled
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.configured import setting_files
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

_LINE_MAX = 500
_COMMENTS = ("#", "//", ";")
_READ = frozenset({"CACHES", "DATABASES"})
"""What Django reads of settings."""
_CHOICE = re.compile(r"((?:CACHE|DATABASE|DB)\w*)\s*=\s*\{")
_CONNECTING = re.compile(rf"(?:{'|'.join(sorted(_READ))})\s*=")
_PORT = re.compile(
    r"[=:][ \t]{0,20}[\"']?(?:\$\{[\w.-]{1,60}:)?(\d{2,5})\}?[\"']?[ \t]{0,20}(?:#.*)?$"
)


class Store(msgspec.Struct, frozen=True, order=True):
    """A database or the like. `profile` is the one of Spring without which it is not connected to,
    '' for none."""

    name: str
    profile: str
    place: Place


@query
def stores(facts: Facts) -> tuple[Store, ...]:
    """By name, each once, or once for every profile that it needs."""
    first: dict[tuple[str, str], Store] = {}
    for name, place, own in _named(facts):
        profile = "" if _is_active(facts, place.path, own) else own
        first.setdefault((name, profile), Store(name, profile, place))
    return tuple(
        row
        for (name, profile), row in sorted(first.items())
        if not profile or (name, "") not in first
    )


@query
def ports(facts: Facts) -> tuple[tuple[str, Place], ...]:
    """Those of applications of Spring that need no profile chosen, by place. What is for an active
    profile comes before what is for all."""
    rows: dict[str, setting_files.Held] = {}
    for it in sorted(_of_product(facts, "server.port"), key=lambda it: it.profile != ""):
        if _is_active(facts, it.path, it.profile):
            rows[folder_of(it.path)] = it
    lines = [(it, facts.tree.text(it.path).split("\n")[it.line - 1]) for it in rows.values()]
    ports = [(match[1], it) for it, line in lines if (match := _PORT.search(line[:_LINE_MAX]))]
    return _placed(ports)


def application(place: Place) -> str:
    """The folder of the application that a file of settings lies in, '' for the only one."""
    above, found, _ = place.path.partition("/src/main/")
    return above if found else ""


@query
def profiles(facts: Facts) -> tuple[tuple[str, Place], ...]:
    """What files of Spring make active unless another is chosen, by place."""
    held = _of_product(facts, "spring.profiles.active")
    by_path = {it.path: it for it in held if not it.profile}
    return _placed(
        (",".join(names), it) for it in by_path.values() if (names := setting_files.switched_on(it))
    )


def _of_product(facts: Facts, key: str) -> list[setting_files.Held]:
    has = facts.tree.project.products.has
    return [it for it in setting_files.keys(facts, ()).get(key, ()) if has(it.path)]


def _placed(rows: Iterable[tuple[str, setting_files.Held]]) -> tuple[tuple[str, Place], ...]:
    places = ((value, Place(it.path, it.line)) for value, it in rows)
    return tuple(sorted(places, key=lambda row: row[1]))


def _is_active(facts: Facts, path: str, profile: str) -> bool:
    """Needs what one of some profiles has no other profile chosen?"""
    return not profile or not _active(facts, folder_of(path)).isdisjoint(profile.split(", "))


@query
def _active(facts: Facts, folder: str) -> frozenset[str]:
    """The profiles that are active for the files in a folder."""
    own = (name for name, place in profiles(facts) if folder_of(place.path) == folder)
    return frozenset(part for name in own for part in name.split(","))


def _named(facts: Facts) -> Iterator[tuple[str, Place, str]]:
    """Stores with the profiles that they are for."""
    names = versions().store_names
    for row in versions().stores:
        for path in facts.tree.glob(*row.files)[: setting_files.FILES_MAX]:
            if is_test(path) or not facts.tree.project.products.has(path):
                continue
            lines = facts.tree.text(path).split("\n")
            for number, line in enumerate(lines, 1):
                match = compiled(row.pattern).search(line[:_LINE_MAX])
                name = names.get(match[1].lower()) if match else None
                is_comment = line.lstrip().startswith(_COMMENTS)
                if name and not (is_comment or _is_unused(path, lines, number)):
                    yield name, Place(path, number), setting_files.profile(path)
    for key, places in setting_files.keys(facts, names).items():
        if key in names:
            yield from ((names[key], Place(it.path, it.line), it.profile) for it in places)


def _is_unused(path: str, lines: Sequence[str], number: int) -> bool:
    """Is a line of settings of Django in a database or cache that only comments name, as one to
    choose?"""
    above = reversed(lines[:number] if path.endswith(".py") else ())
    first = next((it for it in above if it and it[0] not in " \t}])#"), "")
    choice = _CHOICE.match(first)
    if choice is None or choice[1] in _READ:
        return False
    form = re.compile(rf"\b{choice[1]}\b")
    named = [it for it in lines if form.search(it) and not it.lstrip().startswith(_COMMENTS)]
    return len(named) == 1 and any(_CONNECTING.match(it) for it in lines)
