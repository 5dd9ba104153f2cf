"""What packages of others are known by, and what their functions do."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from tree_sitter import Node

from stationmaster.reading.code.languages.go import symbols
from stationmaster.reading.code.languages.source import Source, child, line_of
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import Import

_TAG = re.compile(r"(?<![\w-])([\w-]++):\"((?:[^\"\\]|\\.){0,2000}+)\"")
"""A part of the tag of a field: a name and a text."""
_MAJOR = re.compile(r"/v\d{1,4}$")
_MAJOR_STEP = re.compile(r"v(?!1$)\d{1,4}")
"""Of a module, which has none in its first version: a last `v1` is a package."""
_VERSIONED = re.compile(r"(.{1,200})\.v\d{1,4}")


def path_of(given: Import) -> str:
    """The path that a package is imported by, without its major version."""
    return _MAJOR.sub("", given.name)


def bound(imports: tuple[Import, ...]) -> dict[str, str]:
    """Packages by the names that they have in a file."""
    return {import_.bound[0]: path_of(import_) for import_ in imports if import_.bound}


class File(Unit):
    """A file of Go."""

    CALLS = None

    @property
    def package(self) -> str:
        """The name of its package."""
        return super().package.removeprefix("package").strip()

    @property
    def doc(self) -> str:
        """What stands above the name of its package."""
        package = next(iter(self.nodes["package"]), None)
        return self.comments.sentence(package) if package else ""

    declared = symbols.declared

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The packages that are imported, with what is used of each."""
        return tuple(_imports(self))

    @cached_property
    def packages(self) -> dict[str, str]:
        """The packages that the file imports, by their names here."""
        return bound(self.imports)

    def tags(self, field: Node) -> dict[str, str]:
        """The texts in the tag of a field, by their names."""
        return tags(self.part(field, "tag").strip("`"))


def tags(text: str) -> dict[str, str]:
    """The texts in a tag, by their names."""
    return dict(_TAG.findall(text))


def constants(source: Source) -> dict[str, str]:
    """Texts that constants and variables at top level stand for."""
    found: dict[str, str] = {}
    for name, value in values(source).items():
        told = source.literal(value.named_children[0]) if value.named_child_count == 1 else None
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
        if (value := child(spec, "value")) is not None
    }


def _imports(file: File) -> Iterator[Import]:
    used: dict[str, set[str]] = defaultdict(set)
    for member in file.nodes["member"]:
        of, _, name = file.text(member).partition(".")
        used[of].add(name)
    for node in file.nodes["import"]:
        path = file.part(node, "path").strip('"`')
        alias = file.part(node, "name")
        if alias == ".":
            yield Import(path, line_of(node), names=("*",), bound=("*",))
        else:
            name = alias or _package(path)
            yield Import(path, line_of(node), bound=(name,), used=tuple(sorted(used[name])))


def _package(path: str) -> str:
    """The name that a package most likely has, by the path it is imported from."""
    steps = path.split("/")
    if len(steps) > 1 and _MAJOR_STEP.fullmatch(steps[-1]):
        steps.pop()
    versioned = _VERSIONED.fullmatch(steps[-1])
    name = versioned[1] if versioned else steps[-1]
    return name.removeprefix("go-").removesuffix("-go").removesuffix(".go").replace("-", "")
