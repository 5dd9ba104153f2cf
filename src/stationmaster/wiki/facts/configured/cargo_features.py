"""Features that crates declare in their manifests, with what they turn on and whether a build has
them without being asked. Those of a crate below another one are called as cargo does:
`shop-core/maps`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from stationmaster.reading.code.explaining import comment_above
from stationmaster.reading.code.model import Setting
from stationmaster.reading.projects.manifests.common import mapping, strings
from stationmaster.reading.projects.model import Manifest
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.configured.go_structs import Read
from stationmaster.wiki.facts.model import Facts, query

_HEAD = re.compile(r"\s*\[features\]\s*(?:#.*)?")
_ROW = re.compile(r"\s*\"?([\w-]{1,60})\"?\s*=([^#]*)(?:#\s*(.*))?")
_MARK = re.compile(r"^\s*#+\s*")
_DEFAULT = "default"
_OF_TESTS = frozenset({"fixture", "test"})
"""Kinds of files."""
_TURNED_ON_MAX = 8


@query
def features(facts: Facts) -> tuple[Read, ...]:
    """With the manifests that declare them."""
    return tuple(_declared(facts))


def _declared(facts: Facts) -> Iterator[Read]:
    for manifest in _crates(facts).values():
        turned_on = _turned_on(manifest)
        on = _on(turned_on)
        for name, line, comment in _rows(lines_of(facts, manifest.path)):
            if turned_on.get(name) or (name in turned_on and name != _DEFAULT):
                others = [it.removeprefix("dep:") for it in turned_on[name]][:_TURNED_ON_MAX]
                more = ", …" if len(turned_on[name]) > _TURNED_ON_MAX else ""
                words = [comment.rstrip(". ")] if comment else []
                words += [f"Turns on {', '.join(others)}{more}"] if others else []
                doc = " ".join(f"{it}." for it in words)
                whole, default = _whole(facts, manifest, name), "on" if name in on else "off"
                yield manifest.path, Setting(whole, "feature", line, default, doc=doc)


def of_crate(facts: Facts, path: str, setting: Setting) -> Setting:
    """A feature that a file asks for, called after its crate."""
    crates = _crates(facts)
    crate = next((crates[it] for it in parents(folder_of(path)) if it in crates), None)
    name = _whole(facts, crate, setting.name) if crate else setting.name
    return msgspec.structs.replace(setting, name=name)


@query
def _crates(facts: Facts) -> Mapping[str, Manifest]:
    """The manifests of those of the product, by folder."""
    return {
        it.folder: it
        for it in facts.tree.project.manifests
        if it.ecosystem == "rust"
        and mapping(it.data.get("package"))
        and facts.records[it.path].file_class not in _OF_TESTS
    }


def _whole(facts: Facts, manifest: Manifest, name: str) -> str:
    is_inner = manifest.folder != "." and len(_crates(facts)) > 1
    return f"{manifest.name}/{name}" if is_inner else name


def _turned_on(manifest: Manifest) -> dict[str, tuple[str, ...]]:
    return {name: tuple(strings(it)) for name, it in mapping(manifest.data.get("features")).items()}


def _on(turned_on: Mapping[str, tuple[str, ...]]) -> set[str]:
    """The features that the one of the defaults turns on, and these again."""
    on, waiting = set[str](), [_DEFAULT]
    while waiting:
        name = waiting.pop()
        if name in turned_on and name not in on:
            on.add(name)
            waiting += turned_on[name]
    return on


def _rows(lines: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    """The features with their lines and comments: behind them, else above the only one below."""
    start = next((at for at, line in enumerate(lines, 1) if _HEAD.fullmatch(line)), len(lines))
    for number, line in enumerate(lines[start:], start + 1):
        if line.lstrip().startswith("["):
            return
        if row := _ROW.fullmatch(line):
            yield row[1], number, row[3] or _above(lines, number, row[2])


def _above(lines: Sequence[str], line: int, value: str) -> str:
    """A comment above a feature that says nothing of others below it."""
    below = lines[line].strip() if line < len(lines) else ""
    is_alone = not below or below.startswith(("#", "[")) or value.count("[") > value.count("]")
    span = comment_above(lines, line) if is_alone else None
    return " ".join(_MARK.sub("", it) for it in lines[span[0] - 1 : span[1]]) if span else ""
