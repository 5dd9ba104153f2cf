"""Commands and options of Swift's ArgumentParser."""

from __future__ import annotations

import re

from tree_sitter import Node

from stationmaster.reading.code.languages.source import (
    Comments,
    Source,
    first_sentence,
    line_of,
    one_line,
)
from stationmaster.reading.code.languages.swift.symbols import (
    Item,
    attribute_name,
    attributes,
    bases,
    kind_of,
    name_of,
)
from stationmaster.reading.code.model import CliCommand, Option

_COMMANDS = frozenset({"ParsableCommand", "AsyncParsableCommand"})
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CUSTOM = re.compile(r"\.custom(Long|Short)\(\s*\"([^\"\n]{1,100})\"")
_HELP = re.compile(r"help:\s*(?:ArgumentHelp\(\s*)?\"((?:[^\"\\\n]|\\.)*)\"")
_NAME = re.compile(r"\bcommandName:\s*\"([^\"\n]{1,100})\"")
_ABSTRACT = re.compile(r"\babstract:\s*\"((?:[^\"\\\n]|\\.)*)\"")
_BELOW = re.compile(r"\bsubcommands:\s*\[([^\]]{0,4000})\]")
_WORDS_MAX = 8
_LITERALS = frozenset(
    {
        "integer_literal",
        "real_literal",
        "boolean_literal",
        "line_string_literal",
    }
)


def commands(source: Source, items: tuple[Item, ...], comments: Comments) -> tuple[CliCommand, ...]:
    """Of a file that imports ArgumentParser."""
    types: dict[str, Node] = {}
    for item in items:
        node = item.node
        is_type = node.type == "class_declaration" and kind_of(source, node) != "extension"
        if is_type and _COMMANDS & {base.rpartition(".")[2] for base in bases(source, node)}:
            types.setdefault(name_of(source, node), node)
    reader = _Reader(source, items, types, comments)
    below = {child for name in types for child in reader.children(name)}
    for name in types:
        if name not in below:
            reader.add(name, ())
    return tuple(reader.found)


class _Reader:
    def __init__(
        self, source: Source, items: tuple[Item, ...], types: dict[str, Node], comments: Comments
    ) -> None:
        self._source = source
        self._items = items
        self._types = types
        self._comments = comments
        self._told = {name: self._configuration(name, node) for name, node in types.items()}
        self.found: list[CliCommand] = []

    def _configuration(self, name: str, node: Node) -> str:
        """What the type, or an extension of it, says of itself."""
        for item in self._items:
            holder = item.holder
            if holder is not None and (holder == node or name_of(self._source, holder) == name):
                text = self._source.text(item.node)[:8_000]
                if "CommandConfiguration(" in text:
                    return text
        return ""

    def children(self, name: str) -> list[str]:
        """Types of the subcommands, as they are called last."""
        match = _BELOW.search(self._told.get(name, ""))
        words = match[1].split(",") if match else []
        told = [word.strip().removesuffix(".self") for word in words]
        return [each.rpartition(".")[2] for each in told if each]

    def add(self, name: str, above: tuple[str, ...]) -> None:
        """Add the command of a type below some words, and its subcommands of this file."""
        waiting = [(name, above, True)]
        seen: set[str] = set()
        while waiting:
            each, words, is_first = waiting.pop()
            if each in seen or len(words) > _WORDS_MAX:
                continue
            seen.add(each)
            node, told = self._types[each], self._told[each]
            called = _NAME.search(told)
            is_root = is_first and any(
                attribute_name(self._source, attribute) == "main" for attribute in attributes(node)
            )
            own = () if is_root else (*words, called[1] if called else kebab(each))
            abstract = _ABSTRACT.search(told)
            children = self.children(each)
            self.found.append(
                CliCommand(
                    own,
                    line_of(node),
                    one_line(abstract[1]) if abstract else "",
                    f"{each}.run",
                    tuple(self._options(node)),
                    "" if is_root or not is_first else each,
                    tuple(child for child in children if child not in self._types),
                )
            )
            waiting += [(child, own, False) for child in reversed(children) if child in self._types]

    def _options(self, node: Node) -> list[Option]:
        options = []
        for item in self._items:
            if item.holder != node or item.node.type != "property_declaration":
                continue
            for attribute in attributes(item.node):
                kind = attribute_name(self._source, attribute)
                if kind in ("Option", "Flag", "Argument"):
                    options.append(self._option(item.node, self._source.text(attribute), kind))
        return options

    def _option(self, node: Node, told: str, kind: str) -> Option:
        pattern = node.child_by_field_name("name")
        name = self._source.text(pattern)
        names = [f"-{name[:1]}"] if re.search(r"\.short(?:AndLong)?\b", told) else []
        custom = _CUSTOM.findall(told)
        if re.search(r"\.(?:long|shortAndLong)\b", told) or not ("name:" in told or custom):
            names.append(f"--{kebab(name)}")
        names += [f"-{text}" if which == "Short" else f"--{text}" for which, text in custom]
        help_ = _HELP.search(told)
        text = help_[1] if help_ else first_sentence(self._comments.before(node, ("///",)))
        value = node.child_by_field_name("value")
        default = self._source.text(value).strip('"') if value is not None else ""
        is_plain = value is not None and value.type in _LITERALS and "[" not in default
        if kind == "Argument":
            names = [kebab(name).upper()]
        line = value or pattern or node
        return Option(tuple(names), line_of(line), one_line(text), default if is_plain else None)


def kebab(name: str) -> str:
    """`dry-run` of `dryRun`."""
    return _WORD.sub("-", name).lower()
