"""The readers of settings: each gives rows of one form, with the file of each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.configured import (
    cargo_features,
    constants,
    dotnet,
    go_files,
    listed,
    placeholders,
    rust_keys,
    schema_keys,
    setters,
    shipped,
)
from stationmaster.wiki.facts.configured.environment import (
    by_form,
    environments,
    flagged,
    handed,
)
from stationmaster.wiki.facts.configured.go_structs import Key, Read
from stationmaster.wiki.facts.configured.literals import default_value
from stationmaster.wiki.facts.configured.samples import inserted, php_constants, remarked
from stationmaster.wiki.facts.interfaces.wiring import told_elsewhere
from stationmaster.wiki.facts.model import Facts, Place, query

Reads = list[Read]
_EXPRESSION = re.compile(r"\{\$(.+)\}\Z")
_VARIABLE = re.compile(r"\{\$\w+\}")
"""No constant of the repository."""
_BETWEEN_WORDS = re.compile(r"[. :]")
_Reader = Callable[[Facts], Iterable[Read]]
_DECLARING = (dotnet.bound, dotnet.begun, go_files.read, schema_keys.read, setters.set_in_code)
"""Readers of what declares settings in code."""
_READING = (
    constants.declared,
    by_form.read,
    go_files.asked,
    handed.read,
    environments.read,
    placeholders.read,
    constants.tables,
    shipped.reads,
    php_constants.reads,
    php_constants.asked,
    listed.uses,
)
"""Readers of what asks for settings."""
_SHIPPED = (
    shipped.declared,
    php_constants.declared,
    cargo_features.features,
    inserted.declared,
    remarked.declared,
)
"""Readers of shipped files that declare settings."""


def _by_key(facts: Facts, readers: Iterable[_Reader]) -> dict[Key, Reads]:
    rows: dict[Key, Reads] = defaultdict(list)
    for path, it in (row for reader in readers for row in reader(facts)):
        rows[it.kind, it.name].append((path, it))
    return rows


def reads(facts: Facts) -> Mapping[Key, Reads]:
    """What code declares and asks for, by key."""
    rows = _by_key(facts, (_of_files, *_DECLARING, *_READING))
    known = {*rows}
    for path, setting in by_form.of_shells(facts):
        if ("env", setting.name) not in known:
            if by_form.demanded(facts).get(setting.name):  # No program does so.
                setting = msgspec.structs.replace(setting, is_required=False)
            rows["env", setting.name].append((path, setting))
    wholes = _wholes(facts)
    for path, setting in listed.keys(facts, {name for _, name in rows}):
        name = wholes.get(setting.name, setting.name)
        rows[setting.kind, name].append((path, msgspec.structs.replace(setting, name=name)))
    for path, names in by_form.built_in(facts):
        for name in names:
            if all(place != path for place, _ in rows.get(("env", name), ())):
                rows.pop(("env", name), None)
    for name in by_form.of_build_scripts(facts):
        if all(place.endswith(".rs") for place, _ in rows.get(("env", name), ())):
            rows.pop(("env", name), None)
    return {key: flagged.meant(facts, own) if key[0] == "env" else own for key, own in rows.items()}


def shipped_rows(facts: Facts) -> Mapping[Key, Reads]:
    """What shipped files declare, by key."""
    return _by_key(facts, _SHIPPED)


def _wholes(facts: Facts) -> Mapping[str, str]:
    """The whole names of the keys of files to be copied, by the last words that one alone has."""
    names: dict[str, set[str]] = defaultdict(set)
    for _, it in shipped.samples(facts):
        names[_BETWEEN_WORDS.split(it.name)[-1]].add(it.name)
    return {last: whole.pop() for last, whole in names.items() if len(whole) == 1}


def of_samples(facts: Facts, names: Iterable[str]) -> Mapping[Key, Reads]:
    """What files to be copied have, where the code tells less than half of it under these names."""
    last = {_BETWEEN_WORDS.split(it)[-1].lower() for it in names}
    by_path: dict[str, Reads] = defaultdict(list)
    for path, it in shipped.samples(facts):
        by_path[path].append((path, it))
    rows: dict[Key, Reads] = defaultdict(list)
    for some in by_path.values():
        new = [row for row in some if _BETWEEN_WORDS.split(row[1].name)[-1].lower() not in last]
        for row in new if 2 * len(new) > len(some) else ():
            rows["key", row[1].name].append(row)
    return rows


@query
def declaring(facts: Facts) -> frozenset[Place]:
    """The fields and rows that declare keys, and read none."""
    rows = [
        (file.path, it)
        for file in interfaces(facts)
        for it in (file.settings if file.path.endswith(".rs") else ())
        if it.kind == "key"
    ]
    rows += (row for reader in _DECLARING for row in reader(facts))
    rows += [*listed.defined(facts), *((it[0], it[1]) for it in php_constants.cases(facts))]
    return frozenset((path, it.line) for path, it in rows)


def _of_files(facts: Facts) -> Iterator[Read]:
    """What single files ask for, and the keys of Rust that several make."""
    of_rust = []
    flask, made = constants.users(facts), constants.made(facts)
    for file in interfaces(facts):
        for setting in file.settings:
            if setting.kind == "key" and file.path.endswith(".rs"):
                of_rust.append((file.path, setting))
            elif setting.kind != "key" or (
                flask.get(file.path, True) and not (file.path in flask and setting.name in made)
            ):
                if setting.kind == "feature":
                    setting = cargo_features.of_crate(facts, file.path, setting)
                name = told_elsewhere(facts, file.path, setting.name)
                name = default_value(facts, file.path, name) or name
                if "{" not in name:
                    default = default_value(facts, file.path, setting.default)
                    if default and file.path.endswith(".go") and _VARIABLE.fullmatch(default):
                        default = None
                    default = default and _EXPRESSION.sub(r"\1", default)
                    yield file.path, msgspec.structs.replace(setting, name=name, default=default)
    yield from rust_keys.joined(facts, of_rust)
