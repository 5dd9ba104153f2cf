"""Settings that Python code declares as the fields of classes of pydantic."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.meanings import Meanings
from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.python.declared import doc_below
from stationmaster.reading.code.languages.python.module import Assigned, Module
from stationmaster.reading.code.languages.source import (
    Arguments,
    child,
    first_sentence,
    inside,
    line_of,
)
from stationmaster.reading.code.model import Setting

_BASES = code.names("python.settings.bases")
_FIRST_BASES = code.names("python.settings.first-bases")
_FIELDS = code.names("python.settings.fields")
_VALIDATORS = code.names("python.settings.validators")
_OWN_BASE = re.compile(r"(?:\w+\.)?(?:Base\w*Settings|Settings\w*Base)")
"""What projects call a class of their own that all their settings are built on."""
_FILLED = re.compile(
    r"\[\s*[\"'](\w{1,100})[\"']\s*\]\s*=[^=]|\.setdefault\(\s*[\"'](\w{1,100})[\"']"
)
_OPTIONAL = re.compile(r"(?:typing\.)?Optional\[|.*\|\s*None$|None\s*\|")
_LITERAL = re.compile(r"\bLiteral\[([^\[\]]{1,1000})\]")
_TEXT = re.compile(r"[\"']([^\"']{1,100})[\"']")


class _Declared(NamedTuple):
    """What declares a field: its default, and the arguments of the call that holds it."""

    default: Node | None
    given: Arguments
    is_required: bool


def fields(module: Module) -> Iterator[Setting]:
    """The fields of classes of settings, those of their nearest bases included."""
    held: dict[str, tuple[Definition, tuple[str, ...], bool]] = {}
    is_pydantic = bool(module.packages & {"pydantic", "pydantic_settings"})
    for definition in module.definitions:
        if not definition.is_class:
            continue
        bases = module.bases(definition)
        names = tuple(module.text(base) for base in bases)
        above = [held[name] for name in names if name in held]
        if above or any(
            module.origin(base) in _BASES or (is_pydantic and _OWN_BASE.fullmatch(name))
            for base, name in zip(bases, names, strict=True)
        ):
            # Before its second version a field that may be None had that as its default.
            is_first = any(each[2] for each in above) or any(
                module.origin(base) in _FIRST_BASES for base in bases
            )
            held[definition.name] = definition, names, is_first
    if not held:
        return
    filled = _filled(module, {name: bases for name, (_, bases, _) in held.items()})
    meanings = Meanings(module.source, module.comments)
    for name, (definition, _, is_first) in held.items():
        own = filled[name] | _validated(module, definition)
        yield from _fields(module, definition, own, meanings, is_first=is_first)


def _fields(
    module: Module, each: Definition, filled: set[str], meanings: Meanings, *, is_first: bool
) -> Iterator[Setting]:
    attributes = module.attributes.get(each.node.start_byte, [])
    prefix = ""
    for attribute in attributes:
        if attribute.name == "model_config":
            prefix = module.value(module.arguments(attribute.value).get("env_prefix")) or ""
    for attribute in attributes:
        if attribute.type is None or attribute.name.startswith("_"):
            continue
        type_ = module.text(attribute.type)
        if "ClassVar" in type_ or attribute.name == "model_config":
            continue
        default, given, is_required = _declaration(module, attribute)
        if attribute.name in filled or (is_first and _OPTIONAL.match(type_)):
            is_required = False
        alias = _alias(module, given.get("validation_alias", "alias", "env"))
        text = module.plain(default) if default is not None else None
        doc = first_sentence(module.value(given.get("description")) or "")
        yield Setting(
            alias or (prefix + attribute.name).upper(),
            "env",
            line_of(attribute.node),
            text,
            is_required,
            doc or doc_below(module, attribute.node) or meanings.of(attribute.node),
            any(text in _TEXT.findall(choices[1]) for choices in _LITERAL.finditer(type_)),
        )


def _declaration(module: Module, attribute: Assigned) -> _Declared:
    """`port: int = 80`, `port: int = Field(80)` and `port: Annotated[int, Field()] = 80`: any other
    call than one of `Field` makes the default."""
    value = attribute.value
    call = value if _is_field(module, value) else _annotated(module, attribute.type)
    given = module.arguments(call)
    is_annotated = call is not None and call is not value
    default = value if value is not None and (call is None or is_annotated) else None
    if default is None:
        default = given.get("default") if is_annotated else given.get(0, "default")
    is_required = default is None and given.get("default_factory") is None
    return _Declared(
        default, given, is_required or (default is not None and default.type == "ellipsis")
    )


def _is_field(module: Module, value: Node | None) -> bool:
    if value is None or value.type != "call":
        return False
    function = value.child_by_field_name("function")
    name = module.text(function)
    return (module.origin(function) or ("pydantic.Field" if name == "Field" else "")) in _FIELDS


def _annotated(module: Module, type_: Node | None) -> Node | None:
    """The call of `Field` in `Annotated[…]`."""
    if not module.text(type_).partition("[")[0].endswith("Annotated"):
        return None
    waiting = inside(type_)
    while waiting:
        node = waiting.pop()
        if _is_field(module, node):
            return node
        if node.type in ("generic_type", "type_parameter", "type", "subscript"):
            waiting += node.named_children
    return None


def _alias(module: Module, node: Node | None) -> str:
    """The name, or the first of some names, under which a field is filled."""
    if node is not None and node.type == "call":
        node = module.arguments(node).get(0)
    return module.value(node) or next(iter(module.values(node)), "")


def _filled(module: Module, bases: Mapping[str, tuple[str, ...]]) -> Mapping[str, set[str]]:
    """Fields by class that this file itself gives a value when it makes one: `Settings(KEY=key())`,
    `Settings(**{"KEY": key()})`. What makes a class fills the fields of its bases."""
    filled: dict[str, set[str]] = defaultdict(set)
    tables = {module.part(table, "left"): table for table in module.tables}
    for called in module.calls:
        if called.of is not None or called.name not in bases:
            continue
        names = set(called.given.named)
        for node in called.given.at:
            if node.type == "dictionary_splat":
                table = child(node)
                if table is not None and table.type == "identifier":
                    made = tables.get(module.text(table))
                    table = made.child_by_field_name("right") if made is not None else None
                names.update(module.pairs(table))
        waiting, seen = [called.name], set[str]()
        while waiting:
            name = waiting.pop()
            if name in bases and name not in seen:
                seen.add(name)
                filled[name] |= names
                waiting += bases[name]
    return filled


def _validated(module: Module, each: Definition) -> set[str]:
    """Fields that the validators of a class fill: those that run `always`, and those that run
    first and put a value in."""
    names: set[str] = set()
    start, end = each.node.start_byte, each.node.end_byte
    for definition, decorator in module.marked():
        if not start < definition.node.start_byte < end or decorator.origin not in _VALIDATORS:
            continue
        given = decorator.given
        if module.plain(given.get("always")) == "True":
            names.update(module.value(node) or "" for node in given.at)
        elif module.plain(given.get("pre")) == "True" or module.value(given.get("mode")) in (
            "before",
            "wrap",
        ):
            text = module.text(definition.body)
            names.update(match[1] or match[2] for match in _FILLED.finditer(text))
    return names
