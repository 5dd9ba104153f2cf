"""Descriptions of interfaces in OpenAPI and AsyncAPI: requests and responses of operations, and the
schemas that they name. A description is a value of JSON or a node of YAML."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from stationmaster.repos import yaml_nodes

METHODS = ("get", "put", "post", "delete", "patch", "head", "options", "trace")
MEMBERS_MAX = 60
_DEPTH_MAX = 4
_ENUM_MAX = 12
_ENDINGS = (".json", ".yaml", ".yml")
_HOST = re.compile(r"^(?:[\w+]{1,20}:)?//[^/]*")


class Source(NamedTuple):
    """A file of a description with its value; `read` is the value of another file, None where there
    is none."""

    path: str
    root: Any
    read: Callable[[str], Any]

    def resolved(self, node: Any) -> tuple[Source, Any]:
        """The target of a reference with its file, else the value itself."""
        file, _, pointer = text(get(node, "$ref")).partition("#")
        source = self
        if file.endswith(_ENDINGS):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), file))
            source = Source(path, self.read(path), self.read)
        elif file or not pointer:
            return self, node
        steps = (it.replace("~1", "/").replace("~0", "~") for it in pointer.split("/")[1:])
        return source, get(source.root, *steps)


class Member(msgspec.Struct, frozen=True):
    """A parameter of an operation, or a member of an object. `place` is the place of a parameter:
    `path`, `query`, `header`, `cookie`, `formData`, `body`."""

    name: str
    type: str
    is_required: bool = False
    place: str = ""


class Operation(msgspec.Struct, frozen=True):
    """A method on a path. `line` is that of the path, 0 where another file, `path`, has the method.
    `answers` are statuses with the types of what is sent."""

    method: str
    route: str
    path: str
    line: int
    name: str
    doc: str
    takes: tuple[Member, ...]
    answers: tuple[tuple[str, str], ...]


class Schema(msgspec.Struct, frozen=True):
    """A type that operations name. `same` are types whose members it has, too; `type` is set for
    one without members."""

    name: str
    line: int
    type: str
    members: tuple[Member, ...]
    same: tuple[str, ...]
    doc: str


def get(node: Any, *keys: str) -> Any:
    """A member of a value, one within others by several keys; None where there is none."""
    for key in keys:
        node = node.get(key) if isinstance(node, dict) else yaml_nodes.get(node, key)
    return node


def text(node: Any) -> str:
    """A text; '' for anything else."""
    if isinstance(node, bool | int | float):
        return str(node).lower() if isinstance(node, bool) else str(node)
    return (node if isinstance(node, str) else yaml_nodes.text(node)) or ""


def summary_of(node: Any) -> str:
    """The summary, or else the description, of a part of a description."""
    return (text(get(node, "summary")) or text(get(node, "description")))[:300]


def members(node: Any, written: str = "", at: int = 0) -> Iterator[tuple[str, Any, int]]:
    """Keys and values of a mapping, and the lines of its keys. Those of JSON are searched in
    `written`, from a place on."""
    if isinstance(node, dict):
        line = 1 + written.count("\n", 0, at)
        for key, value in node.items():
            begin = written.find(f'"{key}"', at)
            if begin >= 0:
                line += written.count("\n", at, begin)
                at = begin
            yield str(key), value, line
    elif isinstance(node, yaml_nodes.Mapping):
        for key, value in node.members.items():
            yield key, value, node.keys.get(key, (value.line, 0))[0]


def items(node: Any) -> list[Any]:
    """The items of a list."""
    if isinstance(node, yaml_nodes.Sequence):
        return list(node.items)
    return node if isinstance(node, list) else []


def operations(source: Source, written: str) -> Iterator[Operation]:
    """The operations of OpenAPI and of Swagger, in the order of the description."""
    base = _base(source.root)
    for route, described, line in members(get(source.root, "paths"), written):
        within, node = source.resolved(described)
        shared = items(get(node, "parameters"))
        for method in METHODS:
            inside, operation = within.resolved(get(node, method))
            if operation is None:
                continue
            nodes = [within.resolved(it)[1] for it in shared]
            nodes += [inside.resolved(it)[1] for it in items(get(operation, "parameters"))]
            takes = {(it.place, it.name): it for it in map(_parameter, nodes) if it.name}
            body = _body(inside.resolved(get(operation, "requestBody"))[1])
            answers = [
                (status, _sent(inside.resolved(answer)[1]))
                for status, answer, _ in members(get(operation, "responses"))
            ]
            yield Operation(
                method.upper(),
                f"{base}{route}",
                inside.path,
                line if inside.path == source.path else 0,
                text(get(operation, "operationId")),
                summary_of(operation),
                (*takes.values(), *body),
                tuple(answers),
            )


def _base(root: Any) -> str:
    """The path of the server, which is before that of each operation; '' where servers differ."""
    urls = [text(get(it, "url")) for it in items(get(root, "servers"))]
    paths = {_HOST.sub("", url).partition("?")[0].rstrip("/") for url in urls}
    path = text(get(root, "basePath")).rstrip("/") or (paths.pop() if len(paths) == 1 else "")
    is_path = path.startswith("/") and "{" not in path
    return path if is_path and path != "/localhost" else ""  # Generators put a host there.


def schemas(root: Any, written: str) -> Iterator[Schema]:
    """The types that operations name."""
    for keys in (("components", "schemas"), ("definitions",)):
        at = max(written.find(f'"{keys[-1]}"'), 0)
        for name, node, line in members(get(root, *keys), written, at):
            same = [_type(it) for it in items(get(node, "allOf")) if get(it, "$ref")]
            own = _members_of(node)
            type_ = "" if own or same else _type(node)
            yield Schema(name, line, type_, own, tuple(same), summary_of(node))


def _parameter(node: Any) -> Member:
    schema = get(node, "schema")
    place, needed = text(get(node, "in")), text(get(node, "required")) == "true"
    type_ = _type(schema if schema is not None else node)
    return Member(text(get(node, "name")), type_, needed, place)


def _body(node: Any) -> tuple[Member, ...]:
    needed = text(get(node, "required")) == "true"
    type_ = _sent(node)
    return (Member("body", type_, needed, "body"),) if type_ else ()


def _sent(node: Any) -> str:
    """The type of a body: that of its first content; of an object in place its members."""
    schema = get(node, "schema")
    for _, media, _ in members(get(node, "content")):
        schema = get(media, "schema")
        break
    inside = _members_of(schema)
    if not inside or get(schema, "$ref") is not None:
        return _type(schema)
    own = ", ".join(f"{it.name}{'' if it.is_required else '?'}: {it.type}" for it in inside)
    same = [_type(it) for it in items(get(schema, "allOf")) if get(it, "$ref")]
    return " & ".join((*same, f"{{ {own} }}")) if same else own


def _members_of(node: Any, depth: int = _DEPTH_MAX) -> tuple[Member, ...]:
    """The members of an object, with those of the parts that it is own of."""
    needed = {text(it) for it in items(get(node, "required"))}
    own = [
        Member(name, _type(it), name in needed) for name, it, _ in members(get(node, "properties"))
    ]
    for part in items(get(node, "allOf")) if depth else ():
        own += _members_of(part, depth - 1)
    return tuple(own[:MEMBERS_MAX])


def _type(node: Any, depth: int = _DEPTH_MAX) -> str:
    """A type in short: `Order`, `string[]`, `integer (int64)`, `new | paid`."""
    if ref := text(get(node, "$ref")):
        name = ref.rpartition("/")[2]
        return posixpath.splitext(name)[0] if name.endswith(_ENDINGS) else name
    if choices := [text(it) for it in items(get(node, "enum"))]:
        return " | ".join(choices[:_ENUM_MAX]) + (" | …" if choices[_ENUM_MAX:] else "")
    for key in ("oneOf", "anyOf", "allOf"):
        if (parts := items(get(node, key))) and depth:
            named = [_type(it, depth - 1) for it in parts]
            return (" & " if key == "allOf" else " | ").join(filter(None, named))
    kind = get(node, "type")
    name = text(kind) or " | ".join(text(it) for it in items(kind))
    if name == "array":
        return f"{_type(get(node, 'items'), depth - 1) if depth else ''}[]"
    form = text(get(node, "format"))
    return f"{name} ({form})" if name and form else name
