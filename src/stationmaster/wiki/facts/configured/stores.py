"""What files of settings connect to and listen on. Of values only kinds, profiles and ports are
read."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

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
_PROFILES = re.compile(r"[=:][ \t]{0,20}[\"']?([\w,-]{1,60})[\"']?[ \t]{0,20}(?:#.*)?$")
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
    for name, place in _named(facts):
        own = setting_files.profile(place.path)
        profile = "" if own in _active(facts, place.path) else own
        first.setdefault((name, profile), Store(name, profile, place))
    return tuple(
        row for (name, profile), row in sorted(first.items())
        if not profile or (name, "") not in first
    )  # fmt: skip


@query
def ports(facts: Facts) -> tuple[tuple[str, Place], ...]:
    """Those of applications of Spring that need no profile chosen, by place."""
    rows = {}
    for path, line in {
        it.path: it.line for it in setting_files.keys(facts, ()).get("server.port", ())
    }.items():
        match = _PORT.search(_line(facts, path, line))
        if match and setting_files.profile(path) in ("", *_active(facts, path)):
            rows[folder_of(path)] = (match[1], Place(path, line))
    return tuple(sorted(rows.values(), key=lambda row: row[1]))


def application(place: Place) -> str:
    """The folder of the application that a file of settings lies in, '' for the only one."""
    above, found, _ = place.path.partition("/src/main/")
    return above if found else ""


@query
def profiles(facts: Facts) -> tuple[tuple[str, Place], ...]:
    """What files of Spring make active unless another is chosen, by place."""
    rows = []
    for path, line in {
        it.path: it.line for it in setting_files.keys(facts, ()).get("spring.profiles.active", ())
    }.items():
        match = _PROFILES.search(_line(facts, path, line))
        if match and not setting_files.profile(path):
            rows.append((match[1], Place(path, line)))
    return tuple(sorted(rows, key=lambda row: row[1]))


@query
def _active(facts: Facts, path: str) -> Collection[str]:
    """The profiles that are active for the files in the folder of one."""
    own = (name for name, place in profiles(facts) if folder_of(place.path) == folder_of(path))
    return [part for name in own for part in name.split(",")]


def _line(facts: Facts, path: str, number: int) -> str:
    return facts.tree.text(path).split("\n")[number - 1][:_LINE_MAX]


def _named(facts: Facts) -> Iterator[tuple[str, Place]]:
    names = versions().store_names
    for row in versions().stores:
        for path in facts.tree.glob(*row.files)[: setting_files.FILES_MAX]:
            if is_test(path) or not facts.tree.project.products.has(path):
                continue
            for number, line in enumerate(facts.tree.text(path).split("\n"), 1):
                match = compiled(row.pattern).search(line[:_LINE_MAX])
                if match and match[1] in names and not line.lstrip().startswith(_COMMENTS):
                    yield names[match[1]], Place(path, number)
    for key, places in setting_files.keys(facts, names).items():
        if key in names:
            yield from ((names[key], Place(it.path, it.line)) for it in places)
