"""What programs of NestJS are configured by: what they ask its `ConfigService`, and the fields of a
class that class-validator checks the environment by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.ecmascript.environment import default_of
from stationmaster.reading.code.languages.ecmascript.module import Module
from stationmaster.reading.code.languages.module import Called, Definition
from stationmaster.reading.code.languages.source import line_of, one_line
from stationmaster.reading.code.model import Setting, SettingKind

_CONFIG = "@nestjs/config:ConfigService"
_ASKED = frozenset({"get", "getOrThrow"})
_VALIDATOR = "class-validator"
_CHECKED = re.compile(r"(?:process\.env|[Ee]nv\w{0,40}|[Cc]onf\w{0,40}|record)\b")
"""What the environment is called that a class is checked with."""
_FILLED = frozenset({"plainToClass", "plainToInstance"})
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{1,99}")
_DOC_MAX = 120


def read(module: Module) -> Iterator[Setting]:
    """The settings of both kinds."""
    if "@nestjs/config" in module.packages:
        yield from _asked(module)
    if _VALIDATOR in module.packages:
        yield from _checked(module)


def _asked(module: Module) -> Iterator[Setting]:
    """`this.config.get("PORT", 3000)`; names of variables are in capitals."""
    services = set(_services(module))
    for called in module.calls:
        if called.name in _ASKED and module.text(called.of).removeprefix("this.") in services:
            name = module.value(called.given.get(0)) or ""
            default = module.plain(called.given.get(1))
            if default is None:
                default = default_of(module, called.node)
            is_required = called.name == "getOrThrow" and default is None
            kind: SettingKind = "env" if _VARIABLE.fullmatch(name) else "key"
            yield Setting(name, kind, called.line, default, is_required)


def _services(module: Module) -> Iterator[str]:
    """The names of parameters, fields and variables that hold it."""
    for node, origin, _ in module.held():
        if origin == _CONFIG:
            yield module.text(node)
    for definition in module.definitions:
        annotation = definition.node.child_by_field_name("type")
        kind = annotation.named_children[0] if annotation and annotation.named_children else None
        if definition.kind == "property" and module.origin(kind) == _CONFIG:
            yield definition.name
    for variable, value in module.variables:
        is_call = value.type == "call_expression"
        if is_call and module.origin(module.arguments(value).get(0)) == _CONFIG:
            yield module.text(variable)


def _checked(module: Module) -> Iterator[Setting]:
    classes = {
        module.text(called.given.get(0))
        for called in module.calls
        if called.name in _FILLED and _CHECKED.match(module.text(called.given.get(1)))
    }
    for definition in module.definitions:
        qualified = module.scopes.at(definition.node.end_byte - 1)
        is_field = definition.kind == "property" and _VARIABLE.fullmatch(definition.name)
        if is_field and qualified.rpartition(".")[0] in classes:
            yield _field(module, definition)


def _field(module: Module, definition: Definition) -> Setting:
    """A variable, with what the decorators say: which values it may have, and when it is needed."""
    rules = {it.origin.removeprefix(f"{_VALIDATOR}:"): it for it in definition.decorators}
    default = module.plain(definition.body)
    choices = module.values(rules["IsIn"].given.get(0)) if "IsIn" in rules else ()
    said = [f"One of {', '.join(choices)}."] if choices else []
    condition = _condition(module, rules.get("ValidateIf"))
    if condition and definition.name not in condition:
        word = "Checked" if "IsOptional" in rules else "Needed"
        said.append(f"{word} where {condition}{' is set' * condition.isidentifier()}.")
    return Setting(
        definition.name,
        "env",
        line_of(definition.node),
        default,
        bool(rules) and rules.keys().isdisjoint(("IsOptional", "ValidateIf")) and default is None,
        " ".join(said),
        bool(choices) or "IsEnum" in rules,
    )


def _condition(module: Module, rule: Called | None) -> str:
    """What a function of the checked object gives back, '' where it is not one expression."""
    given: Node | None = rule.given.get(0) if rule else None
    body = given.child_by_field_name("body") if given is not None else None
    if given is None or body is None or body.type == "statement_block":
        return ""
    name = next(iter(module.parameters(given)), "")
    text = one_line(module.source.line(body, _DOC_MAX))
    return text.replace(f"{name}.", "") if name else text
