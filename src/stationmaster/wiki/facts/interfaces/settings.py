"""What is configured from outside: names, where they are read, where they are told of.

Values of configuration files are never read; a default is a literal of the code, and shown only
where it can be no secret.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

import msgspec

from stationmaster.reading.code.model import Setting, SettingKind
from stationmaster.reading.code.schemas import env
from stationmaster.reading.projects.applications.deploys import is_compose_file, is_container_file
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos import yaml_nodes
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.configured import (
    decided,
    dotnet,
    flask_settings,
    rails,
    rust_keys,
    setting_tables,
    viper,
)
from stationmaster.wiki.facts.interfaces.wiring import told_elsewhere
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.parting import Sheet, parts, sheets
from stationmaster.wiki.secrets import may_show_default

PLACES_MAX = 8
NAMES_MAX = 5_000
FILES_MAX = 200
"""Of each kind of file that names settings."""
TITLES: Mapping[SettingKind, str] = {
    "env": "Environment variables", "flag": "Flags", "key": "Keys", "feature": "Features",
}  # fmt: skip
_NAME = re.compile(r"\b_{0,3}[A-Z][A-Z0-9_]{2,99}\b")
_PROPERTY = re.compile(r"^[ \t]*([A-Za-z][\w.\-\[\]]{1,200})[ \t]*[=:]")
_SPRING = re.compile(r"(?:.*/)?(?:application|bootstrap)(?:-[\w-]{1,40})?\.(properties|ya?ml)")
_DOTNET = re.compile(r"(?:.*/)?appsettings(?:\.[\w-]{1,40})?\.json")
_ENV = re.compile(r"(?i)[ \t]*ENV[ \t]+(?:([A-Za-z_]\w{0,100})[ \t]+[^ \t=\\])?")
_GIVEN = re.compile(r"(?<![^ \t])([A-Za-z_]\w{0,100})=")
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.){0,500}+\"|'[^']{0,500}+'")
_COMMENT = re.compile(r"^((?:[^\"/]|\"(?:[^\"\\]|\\.)*\"|/(?!/))*)//.*")
"""Of JSON with comments: before it are texts, and slashes that begin none."""
_NO_GUIDE = re.compile(r"(?i)(?:.*/)?[^/]*(?:change|news|history|release|licen[cs]e)[^/]*")
_NEXT = re.compile(r"(?:.*/)?next\.config\.[cm]?[jt]s")
_BUILT_IN = re.compile(r"\benv\s*:\s*\{([^{}]{0,5000})\}")
_COMPILED = re.compile(r"\bcargo::?rustc-env=(\w{1,100})")
_MEMBER = re.compile(r"(?:^|[,\n])[^\S\n]*[\"']?(\w{1,100})[\"']?[^\S\n]*(?=[,:\n]|$)")
_DEPTH_MAX = 8

Place = tuple[str, int]
"""A path and a line."""
Named = Mapping[str, tuple[Place, ...]]


class Configured(msgspec.Struct, frozen=True):
    """One setting. `reads` are where code reads it, in `count` places; `told` where a document or
    an example names it, `given` where containers are given it or a file of settings has it.
    `default` is None where there is none, or none that is to be shown. `variable` is the variable
    of the environment that a key can be set by, '' for none, and `type` '' where the code declares
    none."""

    name: str
    kind: SettingKind
    default: str | None
    is_required: bool
    doc: str
    reads: tuple[Place, ...]
    count: int
    told: tuple[Place, ...]
    given: tuple[Place, ...]
    variable: str = ""
    type: str = ""


@query
def settings(facts: Facts) -> tuple[Configured, ...]:
    """By kind and name; those too that only an example or a file of settings names."""
    reads = _reads(facts)
    examples, passed, keys = _examples(facts), _passed(facts), _keys(facts)
    names = {*reads, *(("env", name) for name in examples), *(("key", name) for name in keys)}
    # Settings of Django are often variables of the environment under their own names.
    names -= {("key", name) for kind, name in names if kind == "env"}
    # A section is none where the keys in it are told.
    names -= {("key", name.rpartition(":")[0]) for kind, name in names if kind == "key"}
    variables = _variables(facts, reads, {*passed, *examples})
    names -= {("env", name) for name in variables.values() if ("env", name) not in reads}
    named = frozenset(name for kind, name in names if kind == "env")
    tables = dict(setting_tables.meanings(facts))
    capital = {name for kind, name in names if kind == "key" and name.isupper() and "_" in name}
    mentioned = dict(_mentioned(facts, {*variables.values(), *named, *capital}, examples))
    # What a pattern stands for is told of with it.
    for name in sorted(filter(env.is_pattern, named)):
        single = {it for it in _standing_for(name, named) if ("env", it) not in reads}
        names -= {("env", it) for it in single}
        rows_of = [tables[it] for it in _standing_for(name, setting_tables.meanings(facts))]
        tables.update((name, row) for row in rows_of[:1])
        places_of = dict.fromkeys(place for it in sorted(single) for place in mentioned.get(it, ()))
        mentioned[name] = (*(row[1:] for row in rows_of), *places_of)
    order = list(TITLES)
    rows = []
    for kind, name in sorted(names, key=lambda key: (order.index(key[0]), key[1]))[:NAMES_MAX]:
        variable = name if kind == "env" else variables.get(name, "") if kind == "key" else ""
        written = variable or (name if name in capital else "")
        told = mentioned.get(written, ())
        given = (*passed.get(written, ()), *(keys.get(name, ()) if kind == "key" else ()))
        docs = [examples[variable][1]] if variable in examples else []
        if written in tables:
            docs.append(tables[written][0])
        docs.append(decided.sentence(facts, written, told) if written else "")
        own = decided.as_reached(facts, reads.get((kind, name), []))
        made = _setting(kind, name, own, docs, (told, given))
        rows.append(
            msgspec.structs.replace(
                made,
                variable="" if kind == "env" else variable,
                # A file of settings that is part of the program has the key.
                is_required=made.is_required and not keys.get(name, ()),
            )
        )
    return tuple(rows)


def _standing_for(name: str, names: Iterable[str]) -> list[str]:
    """The names that a pattern matches."""
    is_one = env.pattern(name).fullmatch
    return sorted(it for it in names if is_one(it) and it != name)


@query
def setting_sheets(facts: Facts) -> tuple[Sheet[Configured], ...]:
    """Settings as they are told of together: by kind, and by the first word of their names."""
    listed: list[Sheet[Configured]] = []
    taken: set[str] = set()
    for kind, title in TITLES.items():
        of_kind = [setting for setting in settings(facts) if setting.kind == kind]
        made = parts(
            of_kind, lambda setting: _word(setting.name), lambda setting: setting.name, title
        )
        listed += sheets(made, taken, title)
    return tuple(listed)


@query
def setting_sheet(facts: Facts, name: str) -> Sheet[Configured]:
    return next(sheet for sheet in setting_sheets(facts) if sheet.slug == name)


@query
def files_of_settings(facts: Facts) -> tuple[str, ...]:
    """Files that are made to be copied or edited: examples of environments, files of settings."""
    return tuple(sorted({*_example_files(facts), *_key_files(facts)}))


def _setting(
    kind: SettingKind,
    name: str,
    own: list[tuple[str, Setting]],
    docs: list[str],
    places: tuple[tuple[Place, ...], tuple[Place, ...]],
) -> Configured:
    own = list({(path, read.line, read.default): (path, read) for path, read in own}.values())
    defaults = {read.default: read.is_choice for _, read in own if read.default is not None}
    default, is_choice = next(iter(defaults.items())) if len(defaults) == 1 else ("", False)
    # Places that stand in differently for the same name tell no default of all.
    is_shown = len(defaults) == 1 and may_show_default(name, default, is_choice=is_choice)
    shown = default if is_shown else None
    reads = tuple(dict.fromkeys((path, read.line) for path, read in own))
    return Configured(
        name, kind, shown, any(read.is_required for _, read in own),
        next((doc for doc in [*(read.doc for _, read in own), *docs] if doc), ""),
        reads[:PLACES_MAX], len(reads),
        places[0][:PLACES_MAX], places[1][:PLACES_MAX],
        type=next((read.type for _, read in own if read.type), ""),
    )  # fmt: skip


def _word(name: str) -> str:
    return re.split(r"[_.:\-]", name.lstrip("-_"), maxsplit=1)[0]


def _reads(facts: Facts) -> Mapping[tuple[SettingKind, str], list[tuple[str, Setting]]]:
    reads: dict[tuple[SettingKind, str], list[tuple[str, Setting]]] = defaultdict(list)
    of_rust = []
    flask = flask_settings.users(facts)
    for file in interfaces(facts):
        for setting in file.settings:
            if setting.kind == "key" and file.path.endswith(".rs"):
                of_rust.append((file.path, setting))
            elif setting.kind != "key" or flask.get(file.path, True):
                name = told_elsewhere(facts, file.path, setting.name)
                if "{" not in name:
                    reads[setting.kind, name].append((file.path, setting))
    for path, setting in (
        *rust_keys.joined(facts, of_rust),
        *flask_settings.declared(facts),
        *dotnet.bound(facts),
        *rails.read(facts),
    ):
        reads[setting.kind, setting.name].append((path, setting))
    for path, names in _built_in(facts):
        for name in names:
            if all(place != path for place, _ in reads.get(("env", name), ())):
                reads.pop(("env", name), None)
    for name in _of_build_scripts(facts):
        if all(place.endswith(".rs") for place, _ in reads.get(("env", name), ())):
            reads.pop(("env", name), None)
    return reads


def _variables(
    facts: Facts,
    reads: Mapping[tuple[SettingKind, str], list[tuple[str, Setting]]],
    listed: Set[str],
) -> Mapping[str, str]:
    """The variables that keys in programs of Go can be set by, by key. One that is not certain
    needs a file that names it: `listed` are those of examples and containers."""
    by_key = {
        name: viper.variables(facts, own[0][0], name)
        for (kind, name), own in reads.items()
        if kind == "key" and own[0][0].endswith(".go")
    }
    unsure = {it for made in by_key.values() if not made.is_certain for it in made.names}
    sure = {it for made in by_key.values() if made.is_certain for it in made.names}
    sure |= {it for it in unsure if it in listed or ("env", it) in reads}
    sure |= _mentioned(facts, unsure - sure, {}).keys()
    chosen = {key: [it for it in made.names if it in sure] for key, made in by_key.items()}
    return {key: names[0] for key, names in chosen.items() if names}


def _built_in(facts: Facts) -> Iterator[tuple[str, list[str]]]:
    """Names that a file of settings of Next.js puts into the code when it is built."""
    for path in filter(_NEXT.fullmatch, facts.tree.paths):
        for block in _BUILT_IN.finditer(facts.tree.text(path)):
            yield path, _MEMBER.findall(block[1])


def _of_build_scripts(facts: Facts) -> Iterator[str]:
    """Names that a build script of Rust gives the compiler."""
    for path in facts.tree.paths:
        if path.rpartition("/")[2] == "build.rs":
            yield from _COMPILED.findall(facts.tree.text(path))


# Files that name settings


def _example_files(facts: Facts) -> list[str]:
    return [path for path in facts.tree.paths if env.is_example(path)][:FILES_MAX]


def _key_files(facts: Facts) -> list[str]:
    return [
        path
        for path in facts.tree.paths
        if (_SPRING.fullmatch(path) or _DOTNET.fullmatch(path)) and not is_test(path)
    ][:FILES_MAX]


def _examples(facts: Facts) -> Mapping[str, tuple[list[Place], str]]:
    """Variables of example files: their places, and what is said of them."""
    examples: dict[str, tuple[list[Place], str]] = {}
    for path in _example_files(facts):
        for line in env.read(facts.tree.text(path)):
            places, doc = examples.get(line.name, ([], ""))
            examples[line.name] = ([*places, (path, line.line)], doc or line.doc)
    return examples


def _passed(facts: Facts) -> Named:
    """Variables that containers are given."""
    by_name: dict[str, list[Place]] = defaultdict(list)
    for path in facts.tree.paths:
        if is_compose_file(path):
            for name, line in _of_compose(facts.tree.yaml(path)):
                by_name[name].append((path, line))
        elif is_container_file(path):
            for name, line in _of_container(facts.tree.text(path)):
                by_name[name].append((path, line))
    return {name: tuple(places) for name, places in by_name.items()}


def _of_container(text: str) -> Iterator[Place]:
    is_env = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("#"):
            continue  # Also between the lines of an instruction.
        first = _ENV.match(line)
        if first and first[1]:
            yield first[1], number  # `ENV NAME value`
        elif first or is_env:
            rest = _QUOTED.sub("", line[first.end() if first else 0 :])
            yield from ((name, number) for name in _GIVEN.findall(rest))
        is_env = (is_env or first is not None) and line.rstrip().endswith("\\")


def _of_compose(root: yaml_nodes.Node | None) -> Iterator[Place]:
    for service in yaml_nodes.members(yaml_nodes.get(root, "services")).values():
        environment = yaml_nodes.get(service, "environment")
        if isinstance(environment, yaml_nodes.Mapping):
            yield from ((name, line) for name, (line, _) in environment.keys.items())
        for item in yaml_nodes.items(environment):
            if text := yaml_nodes.text(item):
                yield text.partition("=")[0].strip(), item.line


def _keys(facts: Facts) -> Named:
    """Keys in files of settings, as their frameworks spell them."""
    by_name: dict[str, list[Place]] = defaultdict(list)
    for path in _key_files(facts):
        for name, line in _keys_of(facts, path):
            by_name[name].append((path, line))
    return {name: tuple(places) for name, places in by_name.items()}


def _keys_of(facts: Facts, path: str) -> Iterator[Place]:
    if path.endswith(".properties"):
        for number, line in enumerate(facts.tree.text(path).split("\n"), 1):
            if key := _PROPERTY.match(line):
                yield key[1], number
        return
    # JSON is YAML too, and YAML's nodes know their lines.
    if path.endswith(".json"):
        for root in _of_json(facts.tree.text(path)):
            yield from _leaves(root, ":")
        return
    for root in facts.tree.yaml_all(path):
        yield from _leaves(root, ".")


def _of_json(text: str) -> Sequence[yaml_nodes.Node]:
    """The document of a file that may have comments."""
    lines = (_COMMENT.sub(r"\1", line) for line in text.lstrip("\ufeff").split("\n"))
    try:
        return yaml_nodes.read("\n".join(lines).encode(), merges=False).roots
    except yaml_nodes.Fault:
        return ()


def _leaves(root: yaml_nodes.Node, sign: str) -> Iterator[Place]:
    waiting = [("", 0, root)]
    while waiting:
        prefix, depth, node = waiting.pop()
        for name, below in yaml_nodes.members(node).items():
            key = f"{prefix}{sign}{name}" if prefix else name
            if yaml_nodes.members(below) and depth < _DEPTH_MAX:
                waiting.append((key, depth + 1, below))
            elif isinstance(node, yaml_nodes.Mapping):
                yield key, node.keys.get(name, (below.line, 0))[0]


def _mentioned(
    facts: Facts, names: Iterable[str], examples: Mapping[str, tuple[list[Place], str]]
) -> Named:
    """Where examples and guides name a variable. A plain word such as `DEBUG` counts in a guide
    only as code or with a value, and changelogs tell of other times."""
    wanted = frozenset(names)
    by_name: dict[str, list[Place]] = defaultdict(list)
    for name, (places, _) in examples.items():
        by_name[name] += places
    rows = setting_tables.meanings(facts)
    for name in sorted(wanted.intersection(rows)):
        by_name[name].append(rows[name][1:])
    for document in facts.tree.documents if wanted else ():
        if _NO_GUIDE.fullmatch(document.path):
            continue
        text = document.text
        seen: set[str] = set()
        for match in _NAME.finditer(text):
            name = match[0]
            if name not in wanted or name in seen:
                continue
            if name in rows and rows[name][1] == document.path:
                continue
            around = text[max(match.start() - 1, 0) : match.end() + 1]
            if "_" in name or around[:1] in "`${" or around[-1:] == "=":
                seen.add(name)
                by_name[name].append((document.path, text.count("\n", 0, match.start()) + 1))
    return {name: tuple(places) for name, places in by_name.items()}
