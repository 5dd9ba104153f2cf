"""Files that name settings: examples of environments, what containers are given, files of settings
that frameworks know. Only the last are read for values: what a product ships by default."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, takewhile
from typing import NamedTuple

from stationmaster.reading.code.explaining import is_of_all
from stationmaster.reading.code.schemas import env
from stationmaster.reading.projects.applications.deploys import is_container_file
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos import yaml_nodes
from stationmaster.wiki.facts.model import Facts, Place, query
from stationmaster.wiki.facts.tooling.deploys import compose_files
from stationmaster.wiki.secrets import may_show_value

FILES_MAX = 200
"""Of each kind of file that names settings."""
_PROPERTY = re.compile(
    r"[ \t]*+(?:%([\w,-]{1,80})\.)?([A-Za-z][\w.\-\[\]]{1,200})[ \t]*+[=:][ \t]*+([^\n]{0,200})"
)
"""A key with its value; Quarkus has the profile before it."""
_KEYS = re.compile(
    r"(?:.*/)?(?:(?:application|bootstrap)(?:-([\w-]{1,40}))?\.(?:properties|ya?ml)"
    r"|appsettings(?:\.([\w-]{1,40}))?\.json)"
)
"""Files of Spring and .NET, with the profile or environment that they are for."""
_SAMPLE = re.compile(
    r"(?i)(?:.*/)?(?:[\w-]{0,40}(?:conf|config|configuration|settings|app|defaults)[._-]"
    r"(?:sample|example|default|dist|template)\.(?:php|ini|conf|cfg|toml|ya?ml)"
    r"|(?:sample|example|default)[._-][\w-]{0,40}(?:conf|config|settings)[\w-]{0,9}\.(?:ini|cfg|toml|ya?ml)"
    r"|[\w-]{1,40}\.(?:ini|conf|cfg|toml|ya?ml)[._-](?:sample|example|default|dist|template)"
    r"|[\w-]{0,40}(?:conf|config|settings)[._-](?:sample|example|dist)"
    r"|conf(?:ig)?/(?:app|default|config)\.(?:ini|conf|cfg|toml)"
    r"|examples?/config\.(?:ini|conf|toml|ya?ml)"
    r"|[\w-]{0,40}(?:config|configuration|settings)/(?:docs?|samples?)/[\w-]{1,60}\.(?:ini|toml|ya?ml))"
)
_YAML = re.compile(r"\.ya?ml\b")
_OF_SEVERAL = re.compile(r"(?i)\w+\Z|.{0,300}?\bthese\b")
"""What is on several variables: a heading of one word, or a sentence."""
_TITLE_WORDS = 6
_GROUP_MIN = 3
"""Variables right below the first, to which a longer comment belongs too, whatever it says."""
_OF_OTHERS = re.compile(
    r"(?i)compose|nginx|apache|httpd|supervisor|systemd|caddy|haproxy|(?:^|/)\."
)
_EMBEDDED = re.compile(r"^//go:embed[ \t]+([^\n]{1,200})$", re.MULTILINE)
_ENV = re.compile(r"(?i)[ \t]*ENV[ \t]+(?:([A-Za-z_]\w{0,100})[ \t]+[^ \t=\\])?")
_GIVEN = re.compile(r"(?<![^ \t])([A-Za-z_]\w{0,100})=")
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.){0,500}+\"|'[^']{0,500}+'")
_COMMENT = re.compile(r"^((?:[^\"/]|\"(?:[^\"\\]|\\.)*\"|/(?!/))*)//.*")
"""Of JSON with comments: before it are texts, and slashes that begin none."""
_DEPTH_MAX = 8
_FILLED = re.compile(r"[$%#@]\{|%env\(|<%|^@|^\s*$")
"""In a value that something else fills in, or that is empty."""
_ACTIVE = re.compile(r"\$\{[\w.-]{1,80}:([\w,-]{1,80})\}|([\w, -]{1,80})")
_ACTIVATING = ("spring.profiles.active", "micronaut.environments", "quarkus.profile")
_ON_PROFILE = ("spring.config.activate.on-profile", "spring.profiles")

_BETWEEN = ("#---", "!---")

Named = Mapping[str, tuple[Place, ...]]
Row = tuple[str, int, yaml_nodes.Node]
"""A key, its line and what it holds."""


class Held(NamedTuple):
    """A key as a file of settings has it; `profile` of Spring or environment of .NET is that which
    it is for alone, '' for none."""

    path: str
    line: int
    value: str | None
    profile: str


def files(facts: Facts) -> list[str]:
    """Files that are made to be copied or edited: examples of environments, files of settings."""
    return sorted({*_example_files(facts), *_key_files(facts)})


def samples(facts: Facts) -> list[str]:
    """Files of settings that a project ships to be copied, or that have its defaults."""
    apart = facts.tree.glob("example/config.*", "examples/config.*", everywhere=True)
    return [
        path
        for path in (*facts.tree.paths, *apart)
        if _SAMPLE.fullmatch(path) and not _OF_OTHERS.search(path) and not is_test(path)
    ][:FILES_MAX]


def is_yaml(path: str) -> bool:
    """Is a file one of YAML, also as a sample?"""
    return _YAML.search(path) is not None


def is_embedded(facts: Facts, path: str) -> bool:
    """Does a program of Go embed a file by its name?"""
    folder, _, name = path.rpartition("/")
    embedding = (
        facts.tree.text(it)
        for it in facts.code
        if it.endswith(".go") and it.rpartition("/")[0] == folder
    )
    return any(name in it.split() for text in embedding for it in _EMBEDDED.findall(text))


def profile(path: str) -> str:
    """The profile of Spring or environment of .NET that a file is for alone, '' for none."""
    match = _KEYS.fullmatch(path)
    return (match[1] or match[2] or "") if match else ""


def _example_files(facts: Facts) -> list[str]:
    return [path for path in facts.tree.paths if env.is_example(path)][:FILES_MAX]


def _key_files(facts: Facts) -> list[str]:
    paths = [it for it in facts.tree.paths if _KEYS.fullmatch(it) and not is_test(it)]
    return paths[:FILES_MAX]


def examples(facts: Facts) -> Mapping[str, tuple[list[Place], str]]:
    """Variables of example files: their places, and what is said of each alone."""
    examples: dict[str, tuple[list[Place], str]] = {}
    for path in _example_files(facts):
        variables = env.read(facts.tree.text(path))
        by_line = {it.line: it.name for it in variables}
        for it in variables:
            below = takewhile(bool, (by_line.get(line, "") for line in count(it.line + 1)))
            most = 1 if len(it.doc.split()) <= _TITLE_WORDS else _GROUP_MIN
            is_of_several = is_of_all(it.doc, it.name, [*below], most) or _OF_SEVERAL.match(it.doc)
            places, doc = examples.get(it.name, ([], ""))
            doc = doc or ("" if is_of_several else it.doc)
            examples[it.name] = ([*places, (path, it.line)], doc)
    return examples


def passed(facts: Facts) -> Named:
    """Variables that containers are given."""
    by_name: dict[str, list[Place]] = defaultdict(list)
    composed = compose_files(facts)
    for path in (it for it in facts.tree.paths if not is_test(it)):
        if path in composed:
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


def keys(facts: Facts, spelled: Iterable[str]) -> Mapping[str, tuple[Held, ...]]:
    """Keys in files of settings. One that differs from one of `spelled`, or from one before, only
    in its case and hyphens is the same, as frameworks take it."""
    spellings = {_bare(name): name for name in sorted(spelled)}
    names = frozenset(spellings.values())
    by_name: dict[str, list[Held]] = defaultdict(list)
    for name, held in _keys(facts):
        own = name if name in names else spellings.setdefault(_bare(name), name)
        by_name[own].append(held)
    return {name: tuple(held) for name, held in by_name.items()}


@query
def _keys(facts: Facts) -> tuple[tuple[str, Held], ...]:
    """All keys of all files. For other questions."""
    return tuple(row for path in _key_files(facts) for row in _keys_of(facts, path))


def _bare(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


def _keys_of(facts: Facts, path: str) -> Iterator[tuple[str, Held]]:
    own = profile(path)
    for rows in _documents(facts, path):
        texts = (yaml_nodes.texts(node) for name, _, node in rows if name in _ON_PROFILE)
        only = ", ".join(it.strip() for it in ",".join(next(texts, [own])).split(","))
        for name, number, node in rows:
            # Quarkus has profiles before keys, several with commas between.
            first, rest = name.split(".", 1) if name.startswith("%") and "." in name else ("", name)
            value = yaml_nodes.text(node)
            yield rest, Held(path, number, value, first[1:].replace(",", ", ") or only)


def _documents(facts: Facts, path: str) -> list[list[Row]]:
    if path.endswith(".properties"):
        return _of_properties(facts.tree.text(path))
    sign = ":" if path.endswith(".json") else "."
    return [[*_rows(root, sign)] for root in roots(facts, path)]


def _of_properties(text: str) -> list[list[Row]]:
    """The documents of a file, between which Spring has lines of their own."""
    documents: list[list[Row]] = [[]]
    for number, line in enumerate(text.split("\n"), 1):
        if line.rstrip() in _BETWEEN:
            documents.append([])
        elif key := _PROPERTY.match(line):
            value = yaml_nodes.Scalar(key[3].strip(), False, None, number, 1)
            documents[-1].append((f"%{key[1]}.{key[2]}" if key[1] else key[2], number, value))
    return documents


def active(keys: Mapping[str, tuple[Held, ...]]) -> tuple[str, ...]:
    """The profiles that files switch on by default."""
    held = (it for name in _ACTIVATING for it in keys.get(name, ()) if not it.profile)
    return tuple(dict.fromkeys(name for it in held for name in switched_on(it)))


def switched_on(held: Held) -> list[str]:
    """The profiles that a key switches on, which is for that."""
    match = _ACTIVE.fullmatch(held.value or "")
    return [name.strip() for name in (match[1] or match[2]).split(",")] if match else []


def values(name: str, held: Sequence[Held]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The values that files give a key and that may be shown, each with the profiles that it is
    for, () for none. Where programs in several folders differ, there is none."""
    folders: dict[str, list[Held]] = defaultdict(list)
    for it in held:
        folders[it.path.rpartition("/")[0]].append(it)
    found = {_values(name, of_folder) for of_folder in folders.values()}
    return found.pop() if len(found) == 1 else ()


def _values(name: str, held: Sequence[Held]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    by_profile: dict[str, set[str | None]] = defaultdict(set)
    for it in held:
        by_profile[it.profile].add(it.value)
    found: dict[str, tuple[str, ...]] = {}
    for profile_, texts in sorted(by_profile.items()):
        text = texts.pop() if len(texts) == 1 else None
        # That of all profiles comes first, and holds for one that repeats it.
        if text is None or found.get(text) == () or _FILLED.search(text):
            continue
        if may_show_value(name, text):
            found[text] = (*found.get(text, ()), *filter(None, [profile_]))
    return tuple(found.items())


def roots(facts: Facts, path: str) -> Sequence[yaml_nodes.Node]:
    """The documents of a file of YAML or JSON."""
    text = facts.tree.text(path)
    # JSON is YAML too, and YAML's nodes know their lines.
    if path.endswith(".json"):
        return _of_json(text)
    # A build that fills files in has a sign before what it shall leave.
    return _of_text(text.replace("\\$", "$")) if "\\$" in text else facts.tree.yaml_all(path)


def _of_json(text: str) -> Sequence[yaml_nodes.Node]:
    """The document of a file that may have comments."""
    lines = (_COMMENT.sub(r"\1", line) for line in text.lstrip("\ufeff").split("\n"))
    return _of_text("\n".join(lines))


def _of_text(text: str) -> Sequence[yaml_nodes.Node]:
    try:
        return yaml_nodes.read(text.encode(), merges=False).roots
    except yaml_nodes.Fault:
        return ()


def leaves(root: yaml_nodes.Node, sign: str) -> Iterator[tuple[str, int, str | None]]:
    """The keys that hold no others, with their lines and texts."""
    return ((name, line, yaml_nodes.text(node)) for name, line, node in _rows(root, sign))


def _rows(root: yaml_nodes.Node, sign: str) -> Iterator[Row]:
    waiting = [("", 0, root)]
    while waiting:
        prefix, depth, node = waiting.pop()
        for name, below in yaml_nodes.members(node).items():
            key = f"{prefix}{sign}{name}" if prefix else name
            if yaml_nodes.members(below) and depth < _DEPTH_MAX:
                waiting.append((key, depth + 1, below))
            elif isinstance(node, yaml_nodes.Mapping):
                line, _ = node.keys.get(name, (below.line, 0))
                yield key, line, below
