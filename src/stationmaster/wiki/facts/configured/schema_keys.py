"""Keys of the file of settings that a project's own JSON Schema describes.

A schema of settings is known by its name, or is embedded in a program by a package that is called
after settings; of several, those nearest to the root are read. What others refer to by an address
is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from stationmaster.reading.code.model import Setting
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos import yaml_nodes
from stationmaster.wiki.facts.configured.go_structs import Read
from stationmaster.wiki.facts.configured.setting_files import is_embedded
from stationmaster.wiki.facts.model import Facts

FILES_MAX = 4
KEYS_MAX = 2_000
"""Of one schema, with what is looked at on the way."""
_BYTES_MAX = 500_000
_DEPTH_MAX = 8
_TEXT_MAX = 300
_CHOICES_MAX = 120
"""Letters of the texts that a key allows."""
_FOLDERS = frozenset({".schema", ".schemas"})
_PACKAGES = frozenset({"config", "configuration", "schema", "spec"})
_ASIDE = re.compile(r"(?:^|/)(?:stubs?|testdata|fixtures?|examples?|node_modules)/")


def read(facts: Facts) -> Iterator[Read]:
    """Keys with types, defaults and meanings, at their lines of the schema."""
    return ((path, setting) for path in _files(facts) for setting in _keys(facts, path))


def _files(facts: Facts) -> list[str]:
    """Those that a program embeds, or else those that are named so nearest to the root."""
    paths = [
        path
        for path in facts.tree.paths
        if path.endswith(".json") and not _ASIDE.search(path) and _says_what(path)
    ]
    named = [path for path in paths if _is_embedded(facts, path)]
    named = named or [path for path in paths if _is_named_so(path) and not is_test(path)]
    depth = min((path.count("/") for path in named), default=0)
    return sorted(path for path in named if path.count("/") == depth)[:FILES_MAX]


def _says_what(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return "config" in name or "schema" in name


def _is_named_so(path: str) -> bool:
    folder, _, name = path.lower().rpartition("/")
    is_apart = folder.rpartition("/")[2] in _FOLDERS and name.startswith("config")
    return is_apart or ("config" in name and name.endswith(".schema.json"))


def _is_embedded(facts: Facts, path: str) -> bool:
    folder = path.rpartition("/")[0].rpartition("/")[2]
    return folder.lower() in _PACKAGES and is_embedded(facts, path)


class _Key(NamedTuple):
    """A place in a schema. `is_required` says that a file without it is refused."""

    name: str
    node: yaml_nodes.Node
    line: int
    depth: int
    is_required: bool


def _keys(facts: Facts, path: str) -> Iterator[Setting]:
    source = facts.tree.text(path)
    if len(source) > _BYTES_MAX:
        return
    try:
        # JSON is YAML too, but for tabs before a line's text, and YAML's nodes know their lines.
        roots = yaml_nodes.read(source.replace("\t", " ").encode(), merges=False).roots
    except yaml_nodes.Fault:
        return
    if roots and yaml_nodes.members(roots[0], "properties"):
        yield from _of_schema(roots[0])


def _of_schema(root: yaml_nodes.Node) -> Iterator[Setting]:
    waiting, seen = [_Key("", root, 1, 0, True)], 0
    while waiting and seen < KEYS_MAX:
        key = waiting.pop()
        seen += 1
        parts = _parts(root, key.node)
        room = KEYS_MAX - len(waiting) if key.depth < _DEPTH_MAX else 0
        inner = [*islice(_inside(parts, key), room)]
        waiting += reversed(inner)
        if key.name and not inner:
            yield _setting(parts, key)


def _inside(parts: list[yaml_nodes.Node], key: _Key) -> Iterator[_Key]:
    """The keys below one; those of what a list holds behind `[]`."""
    for part in parts:
        required = set(yaml_nodes.texts(part, "required"))
        below = yaml_nodes.get(part, "properties")
        places = below.keys if isinstance(below, yaml_nodes.Mapping) else {}
        for name, node in yaml_nodes.members(below).items():
            line = places.get(name, (node.line, 0))[0]
            whole = f"{key.name}.{name}" if key.name else name
            is_required = key.is_required and name in required
            yield _Key(whole, node, line, key.depth + 1, is_required)
        listed = yaml_nodes.get(part, "items")
        if listed is not None and yaml_nodes.members(listed, "properties"):
            yield from _inside([listed], key._replace(name=f"{key.name}[]", is_required=False))


def _parts(root: yaml_nodes.Node, node: yaml_nodes.Node) -> list[yaml_nodes.Node]:
    """A schema with those that it is put together from: what it refers to in its own file, and what
    it combines."""
    parts: list[yaml_nodes.Node] = []
    waiting = [node]
    while waiting and len(parts) < _DEPTH_MAX:
        part = waiting.pop(0)
        if any(part is it for it in parts):
            continue
        parts.append(part)
        target = yaml_nodes.text(part, "$ref") or ""
        if target.startswith("#/"):
            steps = [step.replace("~1", "/").replace("~0", "~") for step in target[2:].split("/")]
            pointed = yaml_nodes.get(root, *steps)
            waiting += [pointed] if pointed is not None else []
        waiting += [
            it for word in ("allOf", "anyOf", "oneOf") for it in yaml_nodes.items(part, word)
        ]
    return parts


def _setting(parts: list[yaml_nodes.Node], key: _Key) -> Setting:
    is_free = any(
        yaml_nodes.text(part, "type") and not yaml_nodes.items(part, "enum") for part in parts
    )
    choices = (
        [] if is_free else [choice for part in parts for choice in yaml_nodes.texts(part, "enum")]
    )
    default = next(
        (it for part in parts if (it := yaml_nodes.text(part, "default")) is not None), None
    )
    doc = next((it for part in parts if (it := yaml_nodes.text(part, "description"))), "")
    doc = doc or yaml_nodes.text(parts[0], "title") or ""
    return Setting(
        key.name,
        "key",
        key.line,
        default,
        key.is_required and default is None,
        " ".join(doc.split())[:_TEXT_MAX],
        bool(choices),
        _type(parts, choices),
    )


def _type(parts: list[yaml_nodes.Node], choices: list[str]) -> str:
    """The types of values, or the texts that are allowed where they are few."""
    values = " | ".join(dict.fromkeys(choices))
    if values and len(values) <= _CHOICES_MAX:
        return values
    types = dict.fromkeys(
        it for part in parts for it in yaml_nodes.texts(part, "type") if it != "null"
    )
    of = next((it for part in parts if (it := yaml_nodes.text(part, "items", "type"))), "")
    return " or ".join(f"list of {of}" if it == "array" and of else it for it in types)
