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
    one_line,
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
_OPTIONS = ("env_prefix", "env_nested_delimiter")
_MODEL = re.compile(r"(?:(?:typing\.)?Optional\[)?(\w{1,100})(?:\]|\s*\|\s*None)?")
_DEPTH_MAX = 4
"""Of models in models."""


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
    models = {it.name: it for it in module.definitions if it.is_class and it.name not in held}
    reader = _Reader(module, models, Meanings(module, module.nodes["comment"]))
    options = {name: _options(module, definition) for name, (definition, _, _) in held.items()}
    for name, (definition, _, is_first) in held.items():
        given = _inherited(name, options, {it: bases for it, (_, bases, _) in held.items()})
        own = filled[name] | _validated(module, definition)
        rules = _Rules(given.get("env_nested_delimiter", ""), own, is_first)
        yield from reader.fields(definition, given.get("env_prefix", ""), rules, 0)


class _Rules(NamedTuple):
    """`sign` stands between the name of a field and those in it, '' where these have no variables.
    `filled` are fields that the program fills itself; with `is_first` those that may be None are
    never required."""

    sign: str
    filled: set[str]
    is_first: bool


def _options(module: Module, each: Definition) -> dict[str, str]:
    """What a class says of the names of its variables: in `model_config`, in a class `Config`, or
    beside its bases."""
    given: dict[str, Node] = {}
    for attribute in module.attributes.get(each.node.start_byte, []):
        if attribute.name == "model_config":
            given |= module.given(attribute.value).named or module.pairs(attribute.value)
    qualified = module.scopes.at(each.node.start_byte)
    for inner in module.definitions:
        start = inner.node.start_byte
        if inner.name == "Config" and module.scopes.at(start) == f"{qualified}.Config":
            given |= {it.name: it.value for it in module.attributes.get(start, []) if it.value}
    given |= module.arguments(child(each.node, "superclasses")).named
    values = {name: module.value(given[name]) for name in _OPTIONS if name in given}
    return {name: text for name, text in values.items() if text is not None}


def _inherited(
    name: str, options: Mapping[str, dict[str, str]], bases: Mapping[str, tuple[str, ...]]
) -> dict[str, str]:
    """The options of a class, and those of its bases that it does not change."""
    found: dict[str, str] = {}
    waiting, seen = [name], set[str]()
    while waiting:
        this = waiting.pop(0)
        if this in options and this not in seen:
            seen.add(this)
            found = {**options[this], **found}
            waiting += bases[this]
    return found


class _Reader:
    """`models` are the classes of the file that fields may hold."""

    def __init__(
        self, module: Module, models: Mapping[str, Definition], meanings: Meanings
    ) -> None:
        self._module, self._models, self._meanings = module, models, meanings

    def fields(
        self, each: Definition, above: str, rules: _Rules, depth: int, *, is_free: bool = False
    ) -> Iterator[Setting]:
        """The variables of a class, those of the models in it with what holds them before."""
        module = self._module
        for attribute in module.attributes.get(each.node.start_byte, []):
            if attribute.type is None or attribute.name.startswith("_"):
                continue
            type_ = module.text(attribute.type)
            if "ClassVar" in type_ or attribute.name == "model_config":
                continue
            default, given, is_required = _declaration(module, attribute)
            is_optional = rules.is_first and _OPTIONAL.match(type_) is not None
            if attribute.name in rules.filled or is_optional or is_free:
                is_required = False
            alias = _alias(module, given.get("validation_alias", "alias", "env"))
            name = alias or (above + attribute.name).upper()
            held = _MODEL.fullmatch(type_)
            inner = self._models.get(held[1]) if held and rules.sign else None
            if inner is not None and depth < _DEPTH_MAX:
                below = _Rules(rules.sign, set(), rules.is_first)
                yield from self.fields(
                    inner, f"{name}{rules.sign}", below, depth + 1, is_free=not is_required
                )
                continue
            text = module.plain(default) if default is not None else None
            doc = first_sentence(module.value(given.get("description")) or "")
            doc = doc or doc_below(module, attribute.node) or self._meanings.of(attribute.node)
            choices = _LITERAL.finditer(type_)
            is_choice = any(text in _TEXT.findall(choice[1]) for choice in choices)
            line, written = line_of(attribute.node), one_line(type_, 80)
            yield Setting(name, "env", line, text, is_required, doc, is_choice, written)


def _declaration(module: Module, attribute: Assigned) -> _Declared:
    """`port: int = 80`, `port: int = Field(80)` and `port: Annotated[int, Field()] = 80`: any other
    call than one of `Field` makes the default."""
    value = attribute.value
    call = value if _is_field(module, value) else _annotated(module, attribute.type)
    given = module.given(call)
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
    function = child(value, "function")
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
        node = module.given(node).get(0)
    return module.value(node) or next(iter(module.values(node)), "")


def _filled(module: Module, bases: Mapping[str, tuple[str, ...]]) -> Mapping[str, set[str]]:
    """Fields by class that this file itself gives a value when it makes one: `Settings(KEY=key())`,
    `Settings(**{"KEY": key()})`. What makes a class fills the fields of its bases."""
    filled: dict[str, set[str]] = defaultdict(set)
    tables = {module.part(table, "left"): table for table in module.nodes["tabled"]}
    for called in module.calls:
        if called.of is not None or called.name not in bases:
            continue
        names = set(called.given.named)
        for node in called.given.at:
            if node.type == "dictionary_splat":
                table = child(node)
                if table is not None and table.type == "identifier":
                    made = tables.get(module.text(table))
                    table = child(made, "right")
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
    for definition, decorator in module.decorated():
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
