"""What JavaScript code reads of its environment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stationmaster.reading.code.languages.ecmascript.values import literal_of
from stationmaster.reading.code.languages.source import line_of
from stationmaster.reading.code.model import Setting

if TYPE_CHECKING:
    from tree_sitter import Node

    from stationmaster.reading.code.languages.ecmascript.module import Module

_ENVIRONMENTS = frozenset({"process.env", "import.meta.env", "Bun.env"})
_OWN = frozenset({"MODE", "DEV", "PROD", "SSR", "BASE_URL"})
"""What a bundler itself puts into `import.meta.env`."""
_SCHEMAS = frozenset({"zod:object", "zod:z.object", "zod/v4:object", "zod/v4:z.object"})
_MAKERS = {
    "@t3-oss/env-nextjs:createEnv": ("server", "client", "shared"),
    "@t3-oss/env-core:createEnv": ("server", "client", "shared"),
    "@t3-oss/env-nuxt:createEnv": ("server", "client", "shared"),
}
_DEFAULT = re.compile(
    r"(?:\.(?:default|catch)\(|\bdefault:)\s{0,20}"
    r"(?:([\"'`])(?P<text>[^\"'`]{0,80})\1|(?P<word>[\w.]{1,40}))"
)
_FREE = re.compile(r"\.(?:optional|nullish|default|catch)\(|\bdefault:|\.optional\b")
_CONFIG = "@nestjs/config:ConfigService"


def read(module: Module) -> tuple[Setting, ...]:
    """The settings that a module reads, each once a line; by line and name."""
    found = [*_members(module), *_patterns(module), *_schemas(module), *_services(module)]
    unique: dict[tuple[str, int], Setting] = {}
    for each in found:
        if each.name.replace("_", "").replace(".", "").isalnum():
            unique.setdefault((each.name, each.line), each)
    return tuple(sorted(unique.values(), key=lambda each: (each.line, each.name)))


def _members(module: Module) -> Iterator[Setting]:
    for environment, key in module.environ:
        if module.text(environment) not in _ENVIRONMENTS:
            continue
        told = module.literal(key) if key.type == "string" else module.text(key)
        if told and not (module.text(environment) == "import.meta.env" and told in _OWN):
            member = environment.parent
            around = member.parent if member is not None else None
            if member is None or _is_written(member, around):
                continue
            yield Setting(told, "env", line_of(environment), _fallback(module, member, around))


def _is_written(member: Node, around: Node | None) -> bool:
    if around is None:
        return False
    if around.type == "unary_expression":
        return around.children[0].type == "delete"
    left = around.child_by_field_name("left")
    is_left = left is not None and left.start_byte == member.start_byte
    return around.type == "assignment_expression" and is_left


def _fallback(module: Module, member: Node, around: Node | None) -> str | None:
    """The literal behind `||` or `??`."""
    if around is None or around.type != "binary_expression":
        return None
    operator = module.text(around.child_by_field_name("operator"))
    right = around.child_by_field_name("right")
    if operator not in ("||", "??") or right is None or right.start_byte <= member.start_byte:
        return None
    return literal_of(module, right)


def _patterns(module: Module) -> Iterator[Setting]:
    """`const { PORT, HOST = "x" } = process.env`."""
    for pattern, value in module.variables:
        if pattern.type != "object_pattern" or module.text(value) not in _ENVIRONMENTS:
            continue
        for named_child in pattern.named_children:
            default = None
            node: Node | None = named_child
            if named_child.type == "object_assignment_pattern":
                node = named_child.child_by_field_name("left")
                default = literal_of(module, named_child.child_by_field_name("right"))
            elif named_child.type == "pair_pattern":
                node = named_child.child_by_field_name("key")
            elif named_child.type != "shorthand_property_identifier_pattern":
                continue
            yield Setting(module.text(node), "env", line_of(named_child), default)


def _schemas(module: Module) -> Iterator[Setting]:
    """Schemas that the environment is checked against: zod's, envalid's, those of t3-env."""
    for called in module.calls:
        if called.name not in ("parse", "safeParse") or called.of is None:
            continue
        if module.text(module.arguments(called.node).get(0)) in _ENVIRONMENTS:
            made = module.made(called.of)
            if made is not None and made.maker in _SCHEMAS:
                yield from _keys(module, module.arguments(made.call).get(0))
    for called, origin in module.calls_of("envalid"):
        if origin == "envalid:cleanEnv":
            yield from _keys(module, module.arguments(called.node).get(1))
    for called, origin in module.calls_of(*(name.partition(":")[0] for name in _MAKERS)):
        members = module.members(module.arguments(called.node).get(0))
        for key in _MAKERS.get(origin, ()):
            yield from _keys(module, members.get(key))


def _keys(module: Module, node: Node | None) -> Iterator[Setting]:
    for name, value in module.members(node).items():
        text = module.source.line(value, 300)
        match = _DEFAULT.search(text)
        default = (match["text"] or match["word"]) if match else None
        yield Setting(name, "env", line_of(value), default, _FREE.search(text) is None)


def _services(module: Module) -> Iterator[Setting]:
    """`config.get("KEY")` of NestJS, `Deno.env.get("KEY")`."""
    for called, origin in module.calls_of("@nestjs/config"):
        if origin in (f"{_CONFIG}>get", f"{_CONFIG}>getOrThrow"):
            given = module.arguments(called.node)
            if name := module.value(given.get(0)):
                yield Setting(
                    name,
                    "env",
                    line_of(called.node),
                    literal_of(module, given.get(1)),
                    called.name == "getOrThrow",
                )
    for called in module.calls:
        if called.name == "get" and module.source.line(called.of, 20) == "Deno.env":
            name = module.value(module.arguments(called.node).get(0))
            if name:
                yield Setting(name, "env", line_of(called.node))
