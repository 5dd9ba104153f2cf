"""What is configured from outside: names, where they are read, where documents name them.

Of configuration files only those are read for values that a product ships as its defaults; a value
or a default is shown only where it can be no secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from stationmaster.reading.code.model import SettingKind
from stationmaster.reading.code.schemas import env
from stationmaster.wiki.facts import setting_rows
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.configured import (
    documented,
    key_variables,
    listed,
    placeholders,
    reached,
    setting_files,
    shipped,
)
from stationmaster.wiki.facts.configured.environment import by_form
from stationmaster.wiki.facts.configured.go_structs import Key
from stationmaster.wiki.facts.configured.mentioned import (
    above,
    meaning_of,
    mentioned,
    of_another,
    remark,
    sentence,
)
from stationmaster.wiki.facts.model import Facts, Place, query
from stationmaster.wiki.facts.parting import Sheet, parts, sheets
from stationmaster.wiki.facts.setting import (
    BUNDLED,
    DOCUMENTED,
    OF_CRATES,
    TITLES,
    Configured,
)
from stationmaster.wiki.facts.setting_rows import Reads
from stationmaster.wiki.secrets import may_show_default, may_show_value

PLACES_MAX = 8
_OF_PEOPLE = frozenset({"source", "docs"})
"""Kinds of files of which all that may be shown is meant for everybody."""
NAMES_MAX = 5_000
_LEFT_OUT = re.compile(r"[\w.\[\]-]{1,100}[ \t]*+(?:=|:(?:\s|$))")
_BEHIND_SECTION = re.compile(r"(?:\[\]|\.\*)?[.](?=\w)")
_OF_SYSTEM = frozenset({"PATH", "HOME", "USER", "SHELL", "TERM", "TMPDIR", "APPDATA"})
"""Variables that every session has."""
_NOTHING = frozenset({None, "", "None", "null", "nil", "False", "false"})
"""Defaults that are none."""
_WORDS_MIN = 4
"""Words of a meaning before which no longer one is looked for."""
_REMARK_MIN = 2
"""Words of a comment above a key."""


class _Known(NamedTuple):
    """What is known of all settings: by key where code reads each and where shipped files declare
    it, by name what examples, containers, shipped files and documents have. `variables` are those
    of the environment by key, `last` the last words of keys in others."""

    reads: Mapping[Key, Reads]
    declared: Mapping[Key, Reads]
    examples: Mapping[str, tuple[list[Place], str]]
    passed: setting_files.Named
    held: Mapping[str, tuple[setting_files.Held, ...]]
    rows: Mapping[str, tuple[documented.Entry, ...]]
    mentioned: setting_files.Named
    variables: Mapping[str, str]
    last: Set[str]


class _Rows(NamedTuple):
    """What is known of one setting. `variable` also sets it, `written` is that or a name that is
    written like one, '' for neither; `places` are those of what reads it, each once."""

    name: str
    kind: SettingKind
    variable: str
    written: str
    own: Reads
    declared: Reads
    held: Sequence[setting_files.Held]
    entries: tuple[documented.Entry, ...]
    places: tuple[Place, ...]

    @property
    def in_files(self) -> tuple[Place, ...]:
        """Where shipped files have it."""
        own = ((it.path, it.line) for it in self.held)
        return (*own, *((path, it.line) for path, it in self.declared))

    @property
    def shipped(self) -> list[tuple[str, str]]:
        """The values of shipped files that declare it, with their paths: where one leaves a key
        out, what another sets is its own, and what others set too, which are not read for values,
        has no default of all."""
        values = [(path, it.default) for path, it in self.declared if it.default is not None]
        is_whole = len(values) == len(self.declared) == len(set(self.in_files))
        return values if is_whole else []


@query
def settings(facts: Facts) -> tuple[Configured, ...]:
    """By kind and name; those too that only an example or a file of settings names."""
    reads = {key: reached.as_reached(facts, own) for key, own in setting_rows.reads(facts).items()}
    examples, passed = setting_files.examples(facts), setting_files.passed(facts)
    held = setting_files.keys(facts, [name for kind, name in reads if kind == "key"])
    declared = {**setting_rows.shipped_rows(facts)}
    keys = (name for kind, name in {*reads, *declared} if kind == "key")
    declared |= setting_rows.of_samples(facts, [*keys, *held])
    names = {*reads, *declared, *(("env", it) for it in examples), *(("key", it) for it in held)}
    # Settings of Django are often variables of the environment under their own names.
    names -= {("key", name) for kind, name in names if kind == "env"}
    names -= {("key", name) for name in key_variables.overridden(facts)}
    # A section is none where the keys in it are listed.
    names -= {
        key
        for key in {*_sections(names)}
        if not any(it.value for it in held.get(key[1], ()))
        and all(
            it.default is None and not it.doc
            for rows_of in (reads, declared)
            for _, it in rows_of.get(key, ())
        )
    }
    variables = key_variables.variables(facts, reads, {*passed, *examples})
    names -= {("env", it) for it in variables.values()}
    names |= {("env", it) for it in listed.variables(facts, {*variables.values(), *_named(names)})}
    named = frozenset(name for kind, name in names if kind == "env")
    for path, row in by_form.of_others(facts, {it for it in named if ("env", it) not in reads}):
        reads.setdefault(("env", row.name), []).append((path, row))
    rows = dict(documented.entries(facts))
    capital = {name for kind, name in names if kind == "key" and _is_capital(name)}
    named_at = dict(mentioned(facts, {*variables.values(), *named, *capital}, examples))
    # What a pattern stands for is listed with it.
    for name in sorted(filter(env.is_pattern, named)):
        single = {it for it in _standing_for(name, named) if ("env", it) not in reads}
        names -= {("env", it) for it in single}
        rows[name] = tuple(rows[it][0] for it in _standing_for(name, rows))
        places_of = dict.fromkeys(place for it in sorted(single) for place in named_at.get(it, ()))
        named_at[name] = (*(row.place for row in rows[name]), *places_of)
    last = {it.rpartition(".")[2] for it in _named(names) if "." in it}
    known = _Known(reads, declared, examples, passed, held, rows, named_at, variables, last)
    order = list(TITLES)
    chosen = sorted(names, key=lambda key: (order.index(key[0]), key[1]))[:NAMES_MAX]
    return tuple(_configured(facts, known, _rows(known, *key)) for key in chosen)


def _is_capital(name: str) -> bool:
    """Is a key written like a variable?"""
    return name.isupper() and "_" in name


def _sections(names: Iterable[Key]) -> Iterator[Key]:
    """What keys of these names stand in."""
    for name in (name for kind, name in names if kind == "key"):
        signs = re.finditer(":", name) if ":" in name else _BEHIND_SECTION.finditer(name)
        yield from (("key", name[: sign.start()]) for sign in signs)


@query
def active_profiles(facts: Facts) -> tuple[str, ...]:
    """The profiles that shipped files switch on by default."""
    return setting_files.active(setting_files.keys(facts, ()))


def beginnings(facts: Facts) -> tuple[key_variables.Beginning, ...]:
    """How the names of variables begin that set keys, where a program says so of all."""
    return key_variables.beginnings(facts)


@query
def of_framework(facts: Facts) -> tuple[str, str, str] | None:
    """The framework that takes each key from a variable, too, with such a key and its variable."""
    for it in settings(facts):
        for path, _ in (*it.reads[:1], *it.set_at[:1]) if it.kind == "key" else ():
            if rule := key_variables.by_framework(facts, path, it.name, it.type):
                return rule[0], it.name, rule[1]
    return None


def _named(names: Iterable[Key]) -> Iterator[str]:
    return (name for _, name in names)


def _rows(known: _Known, kind: SettingKind, name: str) -> _Rows:
    variable = name if kind == "env" else known.variables.get(name, "") if kind == "key" else ""
    written = variable or (name if kind == "key" and _is_capital(name) else "")
    reads = list(known.reads.get((kind, name), ()))
    if kind == "env":  # A key that is written like its variable and has a value before that.
        last = {path: row.line for path, row in reads}
        keys = known.reads.get(("key", name), ())
        given = [(path, row) for path, row in keys if row.default]
        reads += [it for it in given if not reads or it[1].line <= last.get(it[0], 0)]
    elif variable:
        reads += known.reads.get(("env", variable), ())
    own = list({(path, it.line, it.default): (path, it) for path, it in reads}.values())
    held = known.held.get(name, ()) if kind == "key" else ()
    entries: tuple[documented.Entry, ...] = ()
    if kind != "flag":
        entries = documented.of_setting(known.rows, name, written, is_shared=name in known.last)
        entries = tuple(it for it in entries if kind == "key" or not it.in_section)
    places = tuple(dict.fromkeys((path, read.line) for path, read in own))
    declared = known.declared.get((kind, name), [])
    return _Rows(name, kind, variable, written, own, declared, held, entries, places)


def _configured(facts: Facts, known: _Known, it: _Rows) -> Configured:
    mentions = known.mentioned.get(it.written, tuple(row.place for row in it.entries))
    passed = (*known.passed.get(it.written, ()), *it.in_files)
    doc = meaning_of([*filter(None, _docs(facts, known, it, mentions))])
    default = _default(facts, it)
    values = {row.default for _, row in it.own} - _NOTHING
    has_hidden = default is None and bool(values)
    is_built = it.kind == "env" and by_form.is_bundled(facts, it.name, it.places)
    return Configured(
        it.name, it.kind, default, _is_required(facts, it),
        doc, it.places[:PLACES_MAX], len(it.places),
        mentions[:PLACES_MAX], passed[:PLACES_MAX], "" if it.kind == "env" else it.variable,
        next((row.type for _, row in (*it.own, *it.declared) if row.type), ""), is_built,
        setting_files.values(it.name, it.held) or _shipped_beside(it),
        tuple(place for place in it.places if place in setting_rows.declaring(facts)),
        _condition(it), has_hidden,
        by_form.demanded(facts).get(it.name, "") if it.kind == "env" else "",
        next((row.sample for row in it.entries
              if row.sample and it.kind == "key" and may_show_value(it.name, row.sample)), ""),
    )  # fmt: skip


def _docs(facts: Facts, known: _Known, it: _Rows, mentions: Sequence[Place]) -> Iterator[str]:
    """The meanings of a setting, the nearest to the code first."""
    names = f"{it.name} {it.variable}"
    is_listed = it.kind == "key" and _is_capital(it.name)
    docs = [row.doc for _, row in it.own if is_listed and row.is_declared]
    docs += [row.meaning for row in it.entries if is_listed and row.is_on_settings]
    docs += [row.doc for _, row in (*it.own, *it.declared) if not of_another(row.doc, names)]
    docs += [known.examples[it.variable][1]] if it.variable in known.examples else []
    docs += [row.meaning for row in it.entries]
    if len(next(filter(None, docs), "").split()) < _WORDS_MIN:  # Hardly more than the name.
        docs.sort(key=lambda words: len(words.split()) < _WORDS_MIN)
    docs += _remarks(facts, it.held)
    if key := placeholders.keys(facts).get(it.written):
        docs.append(f"Value of {key}.")
    if it.written and not any(docs):
        docs = [remark(facts, it.written, it.places), sentence(facts, it.written, mentions)]
    more = shipped.filled(facts).get(it.name, "") if it.kind == "env" else ""
    behind = [f"Value of {more}."] if more else []
    of_profiles = sorted({setting_files.profile(path) for path, _ in it.places})
    if of_profiles and all(of_profiles):
        behind.append(f"Only read in the files for {', '.join(of_profiles)}.")
    if behind:
        docs = [" ".join(filter(None, (next(filter(None, docs), ""), *behind)))]
    yield from docs


def _shipped_beside(it: _Rows) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What a shipped file sets, where the code has something that stands in for it."""
    shown = {value for _, value in it.shipped}
    is_beside = any(row.default is not None for _, row in it.own) and len(shown) == 1
    return tuple((v, ()) for v in shown if is_beside and v and may_show_value(it.name, v))


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


def _is_required(facts: Facts, it: _Rows) -> bool:
    """Does code ask for a setting that no file which is part of the program has, or those of some
    profiles alone? What a file asks for with a default at another place can be left out."""
    if it.name in _OF_SYSTEM:
        return False
    if any(row.is_required for _, row in it.declared):
        return not any(row.value and not row.profile for row in it.held)
    stood_in = {path for path, row in it.own if row.default is not None and not row.is_required}
    if not any(row.is_required and path not in stood_in for path, row in it.own):
        return False
    profiles = {row.profile for row in it.held}
    if len(profiles) == 1 and "" not in profiles:
        return profiles.isdisjoint(active_profiles(facts))
    return not it.in_files


def _is_checked(facts: Facts, it: _Rows) -> bool:
    """Does a schema that the environment is checked against demand a variable?"""
    member = re.compile(rf"\s*[\"']?{re.escape(it.name)}[\"']?\s*:")
    demanded = ((path, row.line) for path, row in it.own if row.is_required)
    return any(
        member.match((lines_of(facts, path)[line - 1 :] or ("",))[0]) for path, line in demanded
    )


def _condition(it: _Rows) -> str:
    """The condition under which all code that reads a variable needs it, and nothing sets it."""
    asked = {row.condition for _, row in it.own if row.default is None}
    is_whole = len(asked) == 1 and all(row.default is None for _, row in it.own)
    return asked.pop() if is_whole and it.kind == "env" and not it.in_files else ""


def _default(facts: Facts, it: _Rows) -> str | None:
    """What stands in for a setting in the code, or else in one way in shipped files or in all
    texts; None where places differ, for what may be secret, and for whom or what machine a file of
    settings names. A word of the name in capitals stands where a value belongs."""
    values = [(path, row.default, row.is_choice) for path, row in it.own if row.default is not None]
    if values and not any(default for _, default, _ in values):
        # An empty text is no secret, and no default of what a program does not start without.
        return None if _is_checked(facts, it) else ""
    texts = [(row.path, row.default) for row in it.entries if row.default is not None]
    texts = [
        text for text in texts if not (text[1].isupper() and it.written.endswith(f"_{text[1]}"))
    ]
    is_declared = it.declared and len(it.declared) == len(set(it.in_files))
    others = it.shipped if is_declared else texts
    values = values or [(path, default, False) for path, default in others]
    defaults = {default: is_choice for _, default, is_choice in values}
    if len(defaults) != 1:
        return None
    default, is_choice = next(iter(defaults.items()))
    is_of_people = all(facts.records[path].file_class in _OF_PEOPLE for path, _, _ in values)
    if not is_of_people and not may_show_value(it.name, default):
        return None
    return default if may_show_default(it.name, default, is_choice=is_choice) else None


def _standing_for(name: str, names: Iterable[str]) -> list[str]:
    """The names that a pattern matches."""
    is_one = env.pattern(name).fullmatch
    return sorted(it for it in names if is_one(it) and it != name)


@query
def setting_sheets(facts: Facts) -> tuple[Sheet[Configured], ...]:
    """Settings as they are listed together: by kind, and by the first word of their names."""
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
