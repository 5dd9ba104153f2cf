"""What is configured from outside: names, where they are read, where they are told of.

Of configuration files only those are read for values that a product ships as its defaults; a value
or a default is shown only where it can be no secret.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from stationmaster.reading.code.model import SettingKind
from stationmaster.reading.code.schemas import env
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.configured import (
    cargo_features,
    constants,
    decided,
    documented,
    dotnet,
    go_files,
    key_variables,
    listed,
    of_options,
    placeholders,
    rust_keys,
    schema_keys,
    setting_files,
    shipped,
)
from stationmaster.wiki.facts.configured.classes import enum_keys, go_fields, setters
from stationmaster.wiki.facts.configured.environment import (
    by_form,
    handed,
    js_environments,
    listed_names,
)
from stationmaster.wiki.facts.configured.environment.askers import READ_WHERE
from stationmaster.wiki.facts.configured.go_structs import Place, Read
from stationmaster.wiki.facts.configured.mentioned import above, mentioned, remark, sentence
from stationmaster.wiki.facts.configured.samples import php_constants
from stationmaster.wiki.facts.interfaces.wiring import told_elsewhere
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.parting import Sheet, parts, sheets
from stationmaster.wiki.facts.setting import (
    BUNDLED,
    DOCUMENTED,
    OF_CRATES,
    TITLES,
    Configured,
)
from stationmaster.wiki.secrets import may_show_default, may_show_value

PLACES_MAX = 8
_OF_PEOPLE = frozenset({"source", "docs"})
"""Kinds of files of which all that may be shown is meant for everybody."""
NAMES_MAX = 5_000
Key = tuple[SettingKind, str]
"""A kind and a name."""
Reads = list[Read]
_LEFT_OUT = re.compile(r"[\w.\[\]-]{1,100}[ \t]*+(?:=|:(?:\s|$))")
_REMARK_MIN = 2
"""Words of a comment above a key."""


class _Sources(NamedTuple):
    """Whatever tells of settings. `rows` are those of documents by name, `variables` those of the
    environment by key, `capital` the keys that are written like them."""

    reads: Mapping[Key, Reads]
    examples: Mapping[str, tuple[list[Place], str]]
    passed: setting_files.Named
    declared: Mapping[Key, Reads]
    places: Mapping[Key, list[Place]]
    held: Mapping[str, tuple[setting_files.Held, ...]]
    rows: Mapping[str, tuple[documented.Entry, ...]]
    variables: Mapping[str, str]
    filled: Mapping[str, str]
    mentioned: setting_files.Named
    capital: Set[str]


@query
def settings(facts: Facts) -> tuple[Configured, ...]:
    """By kind and name; those too that only an example or a file of settings names."""
    reads = {key: decided.as_reached(facts, own) for key, own in _reads(facts).items()}
    examples, passed = setting_files.examples(facts), setting_files.passed(facts)
    declared: dict[Key, Reads] = defaultdict(list)
    places: dict[Key, list[Place]] = defaultdict(list)
    held = _held(facts, reads)
    for name, in_files in held.items():
        places["key", name] += ((it.path, it.line) for it in in_files)
    for path, it in (
        *shipped.declared(facts),
        *php_constants.declared(facts),
        *enum_keys.first(facts),
        *cargo_features.features(facts),
    ):
        declared[it.kind, it.name].append((path, it))
        places[it.kind, it.name].append((path, it.line))
    names = {*reads, *(("env", name) for name in examples), *places}
    # Settings of Django are often variables of the environment under their own names.
    names -= {("key", name) for kind, name in names if kind == "env"}
    names -= {("key", name) for name in key_variables.overridden(facts)}
    # A section is none where the keys in it are told.
    names -= {("key", name.rpartition(":")[0]) for kind, name in names if kind == "key"}
    variables = key_variables.variables(facts, reads, {*passed, *examples})
    names -= {("env", name) for name in variables.values() if ("env", name) not in reads}
    names |= {("env", it) for it in listed.variables(facts, {*variables.values(), *_named(names)})}
    named = frozenset(name for kind, name in names if kind == "env")
    rows = dict(documented.entries(facts))
    capital = {name for kind, name in names if kind == "key" and name.isupper() and "_" in name}
    named_at = dict(mentioned(facts, {*variables.values(), *named, *capital}, examples))
    # What a pattern stands for is told of with it.
    for name in sorted(filter(env.is_pattern, named)):
        single = {it for it in _standing_for(name, named) if ("env", it) not in reads}
        names -= {("env", it) for it in single}
        rows[name] = tuple(rows[it][0] for it in _standing_for(name, rows))
        places_of = dict.fromkeys(place for it in sorted(single) for place in named_at.get(it, ()))
        named_at[name] = (*(row.place for row in rows[name]), *places_of)
    filled = placeholders.keys(facts)
    sources = _Sources(
        reads, examples, passed, declared, places, held, rows, variables, filled, named_at, capital
    )
    order = list(TITLES)
    chosen = sorted(names, key=lambda key: (order.index(key[0]), key[1]))[:NAMES_MAX]
    return tuple(_configured(facts, sources, kind, name) for kind, name in chosen)


def _held(facts: Facts, reads: Mapping[Key, Reads]) -> Mapping[str, tuple[setting_files.Held, ...]]:
    return setting_files.keys(facts, [name for kind, name in reads if kind == "key"])


@query
def active_profiles(facts: Facts) -> tuple[str, ...]:
    """The profiles that shipped files switch on by default."""
    return setting_files.active(setting_files.keys(facts, ()))


def _named(names: Iterable[Key]) -> Iterator[str]:
    return (name for _, name in names)


def _configured(facts: Facts, sources: _Sources, kind: SettingKind, name: str) -> Configured:
    variable = name if kind == "env" else sources.variables.get(name, "") if kind == "key" else ""
    written = variable or (name if name in sources.capital else "")
    rows = documented.of_setting(sources.rows, name, written) if kind != "flag" else ()
    mentions = sources.mentioned.get(written, tuple(row.place for row in rows))
    in_files = sources.places.get((kind, name), ())
    declared = sources.declared.get((kind, name), ())
    passed = (*sources.passed.get(written, ()), *in_files)
    docs = [sources.examples[variable][1]] if variable in sources.examples else []
    docs += [row.meaning for row in rows]
    held = sources.held.get(name, ()) if kind == "key" else ()
    docs = [*(it.doc for _, it in declared), *docs, *_remarks(facts, held)]
    if written in sources.filled:
        docs.append(f"Value of {sources.filled[written]}.")
    reads = list(sources.reads.get((kind, name), ()))
    if kind == "env":  # A key that is written like its variable.
        reads += (read for read in sources.reads.get(("key", name), ()) if read[1].default)
    own = list({(path, it.line, it.default): (path, it) for path, it in reads}.values())
    places = tuple(dict.fromkeys((path, read.line) for path, read in own))
    docs = [*(read.doc for _, read in own), *docs]
    docs += [of_options.meaning(facts, *place) for place in places if kind == "env"]
    if written and not any(docs):
        docs = [remark(facts, places), sentence(facts, written, mentions)]
    if kind == "env" and (key := shipped.filled(facts).get(name)):
        docs = [f"{next(filter(None, docs), '')} Value of {key}.".lstrip()]
    of_profiles = sorted({setting_files.profile(path) for path, _ in places})
    if of_profiles and all(of_profiles):
        where = f"Only read in the files for {', '.join(of_profiles)}."
        docs = [f"{next(filter(None, docs), '')} {where}".lstrip()]
    # What a file asks for with a default at another place of it can be left out.
    stood_in = {path for path, it in own if it.default is not None and not it.is_required}
    values = _of_texts(rows, written)
    # What other files set too, which are not read for values, has no default of all.
    beside = []
    if declared and len(declared) == len(set(in_files)):
        # Where one leaves a key out, what another sets is its own.
        whole = [(path, it.default) for path, it in declared if it.default is not None]
        values = beside = whole if len(whole) == len(declared) else []
    is_required = any(it.is_required and path not in stood_in for path, it in own)
    return Configured(
        name, kind, _default(facts, enum_keys.bare(name), own, values),
        is_required and not _is_set(facts, in_files, held),
        _meaning(docs),
        places[:PLACES_MAX], len(places), mentions[:PLACES_MAX], passed[:PLACES_MAX],
        variable="" if kind == "env" else variable,
        type=next((it.type for _, it in (*own, *declared) if it.type), ""),
        built=kind == "env" and js_environments.is_bundled(facts, name, places),
        declared=tuple(it for it in places[:PLACES_MAX] if it in _declaring(facts)),
        values=setting_files.values(name, held) or _shipped_beside(name, own, beside),
    )  # fmt: skip


def _meaning(docs: Iterable[str]) -> str:
    """The first that is told; one that only says when a setting is read stands behind another."""
    told, *others = [*filter(None, docs), ""]
    return f"{others[0]} {told}".strip() if others and told.startswith(READ_WHERE) else told


def _held_by_classes(facts: Facts) -> tuple[Read, ...]:
    """The members of enums and the setters that declare settings."""
    return (*enum_keys.declared(facts), *setters.set_in_code(facts))


@query
def _declaring(facts: Facts) -> frozenset[Place]:
    """The fields and rows that declare keys, and read none."""
    rows = (*dotnet.bound(facts), *go_files.read(facts), *schema_keys.read(facts))
    rows += _held_by_classes(facts)
    fields = {
        (file.path, it.line)
        for file in interfaces(facts)
        for it in (file.settings if file.path.endswith(".rs") else ())
        if it.kind == "key"
    }
    return frozenset(fields | {(path, it.line) for path, it in rows})


def _shipped_beside(
    name: str, own: Reads, values: Sequence[tuple[str, str]]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What a shipped file sets, where the code has something that stands in for it."""
    shown = {value for _, value in values}
    is_beside = any(it.default is not None for _, it in own) and len(shown) == 1
    return tuple((it, ()) for it in shown if is_beside and it and may_show_value(name, it))


def _remarks(facts: Facts, held: Sequence[setting_files.Held]) -> Iterator[str]:
    """What comments above a key say in shipped files of settings, but for keys left out there, and
    then which profiles set it."""
    for it in held:
        doc = above(lines_of(facts, it.path), it.line, _REMARK_MIN)
        if not _LEFT_OUT.match(doc):
            yield doc
    if profiles := sorted({it.profile for it in held} - {""}):
        where = f"set for {', '.join(profiles)}."
        yield f"Only {where}" if all(it.profile for it in held) else f"Also {where}"


def _is_set(facts: Facts, places: Sequence[Place], held: Sequence[setting_files.Held]) -> bool:
    """Has a file that is part of the program the key, or has that of each profile?"""
    profiles = {it.profile for it in held}
    if len(profiles) == 1 and "" not in profiles:
        return not profiles.isdisjoint(active_profiles(facts))
    return bool(places)


def _of_texts(rows: Iterable[documented.Entry], written: str) -> list[tuple[str, str]]:
    """The defaults that texts tell, with their paths; none that is a word of the name in capitals,
    which stands where a value belongs."""
    told = [(row.path, row.default) for row in rows if row.default is not None]
    return [it for it in told if not (it[1].isupper() and written.endswith(f"_{it[1]}"))]


def _default(facts: Facts, name: str, own: Reads, others: Sequence[tuple[str, str]]) -> str | None:
    """What stands in for a setting in the code, or else in one way in all other texts; None where
    places differ, for what may be secret, and for whom or what machine a file of settings names."""
    values = [(path, it.default, it.is_choice) for path, it in own if it.default is not None]
    values = values or [(path, default, False) for path, default in others]
    defaults = {default: is_choice for _, default, is_choice in values}
    if len(defaults) != 1:
        return None
    default, is_choice = next(iter(defaults.items()))
    is_of_people = all(facts.records[path].file_class in _OF_PEOPLE for path, _, _ in values)
    if not is_of_people and not may_show_value(name, default):
        return None
    return default if may_show_default(name, default, is_choice=is_choice) else None


def _standing_for(name: str, names: Iterable[str]) -> list[str]:
    """The names that a pattern matches."""
    is_one = env.pattern(name).fullmatch
    return sorted(it for it in names if is_one(it) and it != name)


@query
def setting_sheets(facts: Facts) -> tuple[Sheet[Configured], ...]:
    """Settings as they are told of together: by kind, and by the first word of their names."""
    sheets_: list[Sheet[Configured]] = []
    taken: set[str] = set()
    for title in (*TITLES.values(), OF_CRATES, BUNDLED, DOCUMENTED):
        of_kind = [setting for setting in settings(facts) if setting.title == title]
        made = parts(
            of_kind, lambda setting: _word(setting.name), lambda setting: setting.name, title
        )
        sheets_ += sheets(made, taken, title)
    return tuple(sheets_)


@query
def setting_sheet(facts: Facts, name: str) -> Sheet[Configured]:
    return next(sheet for sheet in setting_sheets(facts) if sheet.slug == name)


@query
def files_of_settings(facts: Facts) -> tuple[str, ...]:
    """Files that are made to be copied or edited: examples of environments, files of settings."""
    return tuple(setting_files.files(facts))


def _word(name: str) -> str:
    if name.startswith("["):
        return name.partition("]")[0].lstrip("[")
    return re.split(r"[_.:\-]", name.lstrip("-_"), maxsplit=1)[0]


def _reads(facts: Facts) -> Mapping[Key, Reads]:
    reads: dict[Key, Reads] = defaultdict(list)
    of_rust = []
    flask = constants.users(facts)
    for file in interfaces(facts):
        for setting in file.settings:
            if setting.kind == "key" and file.path.endswith(".rs"):
                of_rust.append((file.path, setting))
            elif setting.kind != "key" or flask.get(file.path, True):
                if setting.kind == "feature":
                    setting = cargo_features.of_crate(facts, file.path, setting)
                name = told_elsewhere(facts, file.path, setting.name)
                if "{" not in name:
                    reads[setting.kind, name].append((file.path, setting))
    for path, setting in (
        *rust_keys.joined(facts, of_rust),
        *constants.declared(facts),
        *by_form.read(facts),
        *dotnet.bound(facts),
        *go_files.read(facts),
        *go_fields.reads(facts),
        *_held_by_classes(facts),
        *enum_keys.asked(facts),
        *handed.handed(facts).reads,
        *js_environments.read(facts),
        *placeholders.read(facts),
        *schema_keys.read(facts),
        *constants.tables(facts),
        *shipped.reads(facts),
        *php_constants.fallbacks(facts),
        *php_constants.reads(facts),
    ):
        reads[setting.kind, setting.name].append((path, setting))
    for path, setting in listed_names.read(facts):
        own = reads[setting.kind, setting.name]
        own += [(path, setting)] if all(place != path for place, _ in own) else []
    known = {*reads}
    for path, setting in by_form.of_shells(facts):
        if ("env", setting.name) not in known:
            reads["env", setting.name].append((path, setting))
    for path, setting in listed.keys(facts, {*_named(reads)}):
        reads[setting.kind, setting.name].append((path, setting))
    for path, names in by_form.built_in(facts):
        for name in names:
            if all(place != path for place, _ in reads.get(("env", name), ())):
                reads.pop(("env", name), None)
    for name in by_form.of_build_scripts(facts):
        if all(place.endswith(".rs") for place, _ in reads.get(("env", name), ())):
            reads.pop(("env", name), None)
    return reads
