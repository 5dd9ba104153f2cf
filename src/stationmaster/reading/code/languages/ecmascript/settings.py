"""What JavaScript code reads of its environment; what programs of NestJS ask its `ConfigService`,
and the fields of a class that class-validator checks the environment by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.ecmascript import environment
from stationmaster.reading.code.languages.ecmascript.environment import ENVIRONMENTS
from stationmaster.reading.code.languages.ecmascript.module import Module
from stationmaster.reading.code.languages.fallback import fallback
from stationmaster.reading.code.languages.module import Definition
from stationmaster.reading.code.languages.source import child, line_of, one_line
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import Setting, SettingKind
from stationmaster.reading.code.schemas import env

_CONFIG = "@nestjs/config:ConfigService"
_ASKED = frozenset({"get", "getOrThrow"})
_VALIDATOR = "class-validator"
_CHECKED = re.compile(r"(?:process\.env|[Ee]nv\w{0,40}|[Cc]onf\w{0,40}|record)\b")
"""What the environment is called that a class is checked with."""
_FILLED = frozenset({"plainToClass", "plainToInstance"})
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{1,99}")
_DOC_MAX = 120
_WORDS_MIN = 3
"""Of a comment that says what one variable means."""

_SCHEMAS = code.names("ecmascript.settings.schemas")
_LOOSE = code.names("ecmascript.settings.loose")
_CHECKS = code.names("ecmascript.settings.checks")
_MAKERS = code.table("ecmascript.settings.makers", dict[str, tuple[str, ...]])
_DEFAULT = re.compile(
    r"(?:\.(?:default|prefault|catch)\(|\bdefault:)\s{0,20}"
    r"(?:([\"'`])(?P<text>[^\"'`]{0,80})\1|(?P<plain>-?\d[\d_.]{0,30}|true|false|null))"
    r"(?=\s{0,5}(?:[,)}\]]|$))"
)
_DESCRIBED = re.compile(r"\.descri(?:be|ption)\(\s{0,20}([\"'`])([^\"'`]{1,200})\1")
_CONSTANTS_MAX = 5
"""Constants that a schema may be made of one after another."""
_FREE = re.compile(r"\.(?:optional|nullish|default|prefault|catch)\(|\bdefault:|\.optional\b")
_CHOICE = re.compile(r"\b(?:enum|picklist)\(\s{0,20}\[|\bchoices:")
_BY_JSON_SCHEMA = ("@fastify/env", "fastify-env", "env-schema")
_TABLE = re.compile(rb"\benv[\"']?:\s{0,5}[\"'][A-Z]")
_TABLE_DEPTH_MAX = 5
_DOCS = ("doc", "help", "description")
_SAID = frozenset({"default", "required", "format", *_DOCS})
"""What a table says of a setting besides its variable."""


def read(module: Module) -> tuple[Setting, ...]:
    """The settings that a module reads, each once a line; by line and name."""
    readers = (environment.read, _patterns, _schemas, read_nest, _tables, _json_schemas)
    found = (setting for reader in readers for setting in reader(module))
    unique: dict[tuple[str, int], Setting] = {}
    # `process.env.PORT ? Number(process.env.PORT) : 80` has its default once.
    for each in sorted(found, key=lambda each: each.default is None):
        is_name = each.name.replace("_", "").replace(".", "").isalnum()
        if is_name or env.is_pattern(each.name):
            unique.setdefault((each.name, each.line), each)
    return tuple(sorted(unique.values(), key=lambda each: (each.line, each.name)))


def _patterns(module: Module) -> Iterator[Setting]:
    """`const { PORT, HOST = "x" } = process.env`."""
    for pattern, value in module.variables:
        if pattern.type != "object_pattern" or module.text(value) not in ENVIRONMENTS:
            continue
        for named_child in pattern.named_children:
            default = None
            node: Node | None = named_child
            if named_child.type == "object_assignment_pattern":
                node = child(named_child, "left")
                default = module.plain(child(named_child, "right"))
            elif named_child.type == "pair_pattern":
                node = child(named_child, "key")
            elif named_child.type != "shorthand_property_identifier_pattern":
                continue
            yield Setting(module.text(node), "env", line_of(named_child), default)


def _schemas(module: Module) -> Iterator[Setting]:
    """Schemas that the environment is checked against: zod's, envalid's, those of t3-env."""
    for called in module.calls:
        if called.name == "forRoot" and (given := module.members(called.given.get(0))):
            yield from _of_schema(module, given.get("validationSchema"))
        elif called.name in _CHECKS and module.text(called.given.get(0)) in ENVIRONMENTS:
            yield from _of_schema(module, called.of)
            yield from _of_schema(module, called.given.get(1))  # Of `Joi.attempt(env, schema)`.
    for called, origin in module.calls_of("envalid"):
        if origin == "envalid:cleanEnv":
            yield from _keys(module, called.given.get(1))
    for called, origin in module.calls_of(*(name.partition(":")[0] for name in _MAKERS)):
        members = module.members(called.given.get(0))
        for key in _MAKERS.get(origin, ()):
            yield from _keys(module, members.get(key))


def _of_schema(module: Module, node: Node | None) -> Iterator[Setting]:
    """The variables of a schema, also of one that another constant is made of by calls."""
    for _ in range(_CONSTANTS_MAX):
        made = module.made(node)
        if made is not None and (made.maker in _SCHEMAS or made.maker in _LOOSE):
            given = module.given(made.call).get(0) or _extended(module, made.call)
            yield from _keys(module, given, is_loose=made.maker in _LOOSE)
            return
        root = module.root_of(node)
        node = module.values_of.get(module.text(root)) if root is not None else None
        if node is None:
            return


def _extended(module: Module, call: Node | None) -> Node | None:
    """What a chain of calls behind a call is given for keys: `Joi.object().keys({…})`."""
    member = call.parent if call is not None else None
    is_keys = module.part(member, "property") in ("keys", "shape")
    return module.given(member.parent).get(0) if member is not None and is_keys else None


def _keys(module: Module, node: Node | None, *, is_loose: bool = False) -> Iterator[Setting]:
    """The members of a schema; those of a loose one may be missing where it does not say more."""
    if node is not None and node.type == "identifier":
        node = module.values_of.get(module.text(node))
    for name, value in module.members(node).items():
        text = module.line(value, 300)
        match = _DEFAULT.search(text)
        default = (match["plain"] or match["text"]) if match else None
        is_choice = _CHOICE.search(text) is not None
        # What the file itself makes may allow a variable to be missing.
        root = module.root_of(value)
        is_own = root is not None and module.text(root) in module.values_of
        is_free = _FREE.search(text) is not None or is_own
        is_required = ".required(" in text if is_loose else not is_free
        described = _DESCRIBED.search(text)
        doc = described[2] if described else _above(module, value)
        yield Setting(name, "env", line_of(value), default, is_required, doc, is_choice)


def _above(module: Module, value: Node) -> str:
    """What the comment above a member says, unless it may be the heading of several."""
    doc, member = module.sentences(value), value.parent
    behind = member.next_named_sibling if member is not None else None
    is_alone = (
        behind is None or behind.type == "comment" or line_of(behind) > value.end_point[0] + 2
    )
    is_long = doc != module.sentence(value) or (is_alone and len(doc.split()) >= _WORDS_MIN)
    return doc if is_long else ""


def _tables(module: Module) -> Iterator[Setting]:
    """`{ port: { env: "PORT", default: 3000 } }`, for convict or a reader of the project's own."""
    if not _TABLE.search(module.data):
        return
    given = (called.given.get(0) for called, _ in module.calls_of("convict"))
    exported = (child(each, "value") for each in module.statements)
    bodies = (each.body for each in module.definitions)
    assigned = (value for *_, value in module.assigned)
    waiting = [*bodies, *assigned, *given, *exported]
    for _ in range(_TABLE_DEPTH_MAX):
        rows = [members for node in waiting if (members := module.members(node))]
        waiting = [value for members in rows for value in members.values()]
        for members in rows:
            name = module.literal(members.get("env"))
            if name and name.isupper() and _SAID.intersection(members):
                doc = next((members[key] for key in _DOCS if key in members), None)
                default = module.plain(members.get("default"))
                is_required = module.plain(members.get("required")) == "true"
                said = one_line(module.literal(doc) or "")
                yield Setting(name, "env", line_of(members["env"]), default, is_required, said)


def _json_schemas(module: Module) -> Iterator[Setting]:
    """JSON Schema for `env-schema`: objects at top level that have `properties`."""
    if not module.packages.intersection(_BY_JSON_SCHEMA):
        return
    for statement in module.root.named_children:
        declared = child(statement, "declaration") or statement
        for variable in declared.named_children:
            members = module.members(child(variable, "value"))
            required = module.values(members.get("required"))
            for name, value in module.members(members.get("properties")).items():
                default = module.plain(module.members(value).get("default"))
                is_required = name in required and default is None
                yield Setting(name, "env", line_of(value), default, is_required)


def read_nest(module: Module) -> Iterator[Setting]:
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
                default = fallback(module, called.node)
            is_required = called.name == "getOrThrow" and default is None
            kind: SettingKind = "env" if _VARIABLE.fullmatch(name) else "key"
            yield Setting(name, kind, called.line, default, is_required)


def _services(module: Module) -> Iterator[str]:
    """The names of parameters, fields and variables that hold it."""
    for node, origin, _ in module.held():
        if origin == _CONFIG:
            yield module.text(node)
    for definition in module.definitions:
        annotation = child(definition.node, "type")
        kind = annotation.named_children[0] if annotation and annotation.named_children else None
        if definition.kind == "property" and module.origin(kind) == _CONFIG:
            yield definition.name
    for variable, value in module.variables:
        is_call = value.type == "call_expression"
        if is_call and module.origin(module.given(value).get(0)) == _CONFIG:
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
    body = child(given, "body")
    if given is None or body is None or body.type == "statement_block":
        return ""
    name = next(iter(module.parameters(given)), "")
    text = one_line(module.line(body, _DOC_MAX))
    return text.replace(f"{name}.", "") if name else text
