"""What packages of others are known by, and what their functions do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.items import Called
from stationmaster.reading.code.languages.scopes import Scopes
from stationmaster.reading.code.languages.source import Source, literal
from stationmaster.reading.code.model import Import

_TAG = re.compile(r"(?<![\w-])([\w-]++):\"((?:[^\"\\]|\\.){0,2000}+)\"")
"""A part of the tag of a field: a name and a text."""
_MAJOR = re.compile(r"/v\d{1,4}$")


def path_of(given: Import) -> str:
    """The path that a package is imported by, without its major version."""
    return _MAJOR.sub("", given.name)


def bound(imports: tuple[Import, ...]) -> dict[str, str]:
    """Packages by the names that they have in a file."""
    return {import_.bound[0]: path_of(import_) for import_ in imports if import_.bound}


class File(NamedTuple):
    """A file with the packages that it imports, by their names here, and its calls. `fields` are
    those of structs that have tags."""

    source: Source
    scopes: Scopes
    packages: Mapping[str, str]
    called: Sequence[Called]
    fields: Sequence[Node]

    def tags(self, field: Node) -> dict[str, str]:
        """The texts in the tag of a field, by their names."""
        return tags(self.source.part(field, "tag").strip("`"))


def tags(text: str) -> dict[str, str]:
    """The texts in a tag, by their names."""
    return dict(_TAG.findall(text))


def constants(source: Source) -> dict[str, str]:
    """Texts that constants and variables at top level stand for."""
    found: dict[str, str] = {}
    for name, value in values(source).items():
        told = literal(source, value.named_children[0]) if value.named_child_count == 1 else None
        if told is not None:
            found[name] = told
    return found


def values(source: Source) -> dict[str, Node]:
    """What constants and variables at top level are made of."""
    return {
        source.part(spec, "name"): value
        for node in source.root.named_children
        if node.type in ("const_declaration", "var_declaration")
        for listed in node.named_children
        for spec in (listed.named_children if listed.type == "var_spec_list" else [listed])
        if (value := spec.child_by_field_name("value")) is not None
    }
