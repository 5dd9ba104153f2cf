"""Settings of Java that are constants of a type of their own: `new LongConfigKey("web.wait", 80)`.

Such a type is recognized by its name. Its other arguments contain the default, where only one of
them can be it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import docs
from stationmaster.reading.code.languages.annotations import head_of
from stationmaster.reading.code.languages.inflections import snake
from stationmaster.reading.code.languages.source import (
    child,
    given_to,
    line_of,
    one_line,
    uncommented,
)
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import Setting

_TYPES = re.compile("|".join(code.ordered("jvm.settings.types")))
_DEFAULTS = code.names("jvm.settings.defaults")
_MEANINGS = code.names("jvm.settings.meanings")
_KEY = re.compile(r"\.?[A-Za-z][\w-]*(?:[.:/][\w-]+)*")
_GENERIC = re.compile(r"<\s*([\w.]+(?:<[\w., ]{1,60}>)?)\s*>")
_PLAIN = re.compile(r"-?[\d_.]+(?:\s*[*+/-]\s*[\d_.]+)*|true|false")
_SIZE = re.compile(r"(?<=\d)[lLfFdD]\b")
_CLASS = re.compile(r"([\w.]+)\.class")
_CHAIN_MAX = 20
_FIXED = frozenset({"static", "final"})


class _Value(NamedTuple):
    """The value of a constant: the name of the type or function that makes it, its arguments, and
    the calls on it, by name."""

    maker: str
    given: list[Node]
    chain: Mapping[str, list[Node]]


def settings(unit: Unit) -> Iterator[Setting]:
    """A setting for each such constant, with its type, default and comment."""
    if unit.language != "Java":
        return
    for node in unit.nodes["declared"]:
        if node.type in ("field_declaration", "constant_declaration"):
            yield from _constant(unit, node)


def doc_above(source: Unit, node: Node) -> str:
    """The first sentences of the Javadoc directly above a declaration."""
    before = node.prev_named_sibling
    text = source.text(before) if before is not None and before.type == "block_comment" else ""
    return docs.sentences(uncommented(text)) if text.startswith("/**") else ""


def plain(source: Unit, node: Node | None) -> str | None:
    """A literal text, number or truth value; None for anything else."""
    literal = source.literal(node)
    if literal is None and node is not None:
        text = _SIZE.sub("", source.line(node))
        literal = text if _PLAIN.fullmatch(text) else None
    return literal


def _constant(source: Unit, node: Node) -> Iterator[Setting]:
    if node.type == "field_declaration" and not head_of(source, node).words >= _FIXED:
        return
    declarator = child(node, "declarator")
    value = child(declarator, "value")
    made = _value(source, value) if value is not None else None
    type_ = source.part(node, "type")
    if made is None or not made.given or not (_is_key(type_) or _is_key(made.maker)):
        return
    key = next(iter(source.texts(made.given[0])), "")
    if not _KEY.fullmatch(key):
        return
    generic = _GENERIC.search(type_)
    default = _of_chain(source, made.chain, _DEFAULTS)
    yield Setting(
        _whole(key, source.part(declarator, "name")),
        "key",
        line_of(node),
        _default(source, made.given[1:]) if default is None else default,
        doc=_of_chain(source, made.chain, _MEANINGS) or doc_above(source, node),
        type=one_line(generic[1]) if generic else _class(source, made.given),
    )


def _is_key(type_: str) -> bool:
    return _TYPES.fullmatch(type_.partition("<")[0].rpartition(".")[2].strip()) is not None


def _value(source: Unit, node: Node) -> _Value | None:
    """`new Key("x")`, `Keys.of("x")`, and either with calls behind it."""
    chain: dict[str, list[Node]] = {}
    for _ in range(_CHAIN_MAX):
        if node.type == "object_creation_expression":
            return _Value(source.part(node, "type"), given_to(node), chain)
        if node.type != "method_invocation":
            return None
        on = child(node, "object")
        if on is None or on.type not in ("method_invocation", "object_creation_expression"):
            return _Value(source.text(on), given_to(node), chain)
        chain[source.part(node, "name")] = given_to(node)
        node = on
    return None


def _of_chain(source: Unit, chain: Mapping[str, list[Node]], names: frozenset[str]) -> str | None:
    arguments = next((chain[name] for name in chain if name in names), [])
    return plain(source, arguments[0]) if arguments else None


def _default(source: Unit, arguments: list[Node]) -> str | None:
    """The only argument that is a plain value, or the only one that is not a text."""
    values = [
        (text, source.literal(argument))
        for argument in arguments
        if (text := plain(source, argument)) is not None
    ]
    if len(values) > 1:
        values = [argument for argument in values if argument[1] is None]
    return values[0][0] if len(values) == 1 else None


def _class(source: Unit, arguments: list[Node]) -> str:
    """The type in `String.class`."""
    matches = (_CLASS.fullmatch(source.line(argument)) for argument in arguments)
    return next((argument[1] for argument in matches if argument), "")


def _whole(key: str, constant: str) -> str:
    """A key that begins with a sign follows another key, which is in the constant's name."""
    if not key.startswith("."):
        return key
    end = snake(re.sub(r"\W", "_", key[1:])).upper()
    before = constant.removesuffix(end).strip("_") if constant.endswith(end) else ""
    return f"<{(before or constant.partition('_')[0]).lower()}>{key}"
