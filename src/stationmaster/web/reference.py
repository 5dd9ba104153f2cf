"""`/reference`: every operation of the API with its parameters, bodies and answers, to be read."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.errors import NotFound
from stationmaster.web.frame.pages import AnyVisit, router

PATH = "/reference"
_METHODS = ("get", "post", "put", "patch", "delete")
_REF = "#/components/schemas/"

Schema = Mapping[str, Any]

routes = router()


class Member(NamedTuple):
    """A parameter, or a member of a body. `schema` is the name of the schema that it leads to."""

    name: str
    type: str
    is_required: bool
    description: str
    schema: str = ""


class Operation(NamedTuple):
    """An operation of the API; one that `is_open` takes no credential."""

    method: str
    path: str
    name: str
    description: str
    parameters: list[Member]
    body: str
    """The name of its schema, or its media type; "" without a body."""
    answers: list[Member]
    is_open: bool


class Group(NamedTuple):
    """The operations of one tag, and the schemas that they use."""

    name: str
    slug: str
    operations: list[Operation]
    schemas: dict[str, list[Member]]


@routes.get(PATH)
def show_groups(visit: AnyVisit) -> Response:
    return visit.page("reference.html", groups=_groups(visit.request), group=None, calls=[])


@routes.get(PATH + "/{slug}")
def show_group(visit: AnyVisit, slug: str) -> Response:
    groups = _groups(visit.request)
    group = next((group for group in groups if group.slug == slug), None)
    if group is None:
        raise NotFound("The API does not have this part.")
    calls = [curl(operation, visit.address) for operation in group.operations]
    return visit.page("reference.html", groups=groups, group=group, calls=calls)


def curl(operation: Operation, server: str) -> str:
    """A command that calls this operation; names in capitals are to be replaced."""
    path = operation.path.replace("{", "").replace("}", "")
    parts = ["curl"] if operation.method == "GET" else ["curl", "-X", operation.method]
    if not operation.is_open:
        parts += ["-H", '"Authorization: Bearer $KEY"']
    if operation.body:
        parts += ["-H", "'Content-Type: application/json'", "-d", "@body.json"]
    return " ".join([*parts, shlex.quote(server + path)])


def _groups(request: Request) -> list[Group]:
    text, _ = request.scope["app"].openapi_bytes()
    return _read(text)


@lru_cache(maxsize=1)
def _read(text: bytes) -> list[Group]:
    """The groups of an OpenAPI document, by name."""
    document = msgspec.json.decode(text)
    schemas: Mapping[str, Schema] = document["components"]["schemas"]
    by_tag: dict[str, list[Operation]] = {}
    for path, operations in document["paths"].items():
        for method in _METHODS:
            if method in operations:
                tag = operations[method].get("tags", ["Other"])[0]
                made = _operation(method, path, operations[method])
                by_tag.setdefault(tag, []).append(made)
    return [
        Group(name, name.lower().replace(" ", "-"), operations, _schemas(operations, schemas))
        for name, operations in sorted(by_tag.items())
    ]


def _operation(method: str, path: str, described: Mapping[str, Any]) -> Operation:
    content = described.get("requestBody", {}).get("content", {})
    return Operation(
        method.upper(),
        path,
        described.get("summary", ""),
        described.get("description", ""),
        [_parameter(part) for part in described.get("parameters", [])],
        next((_name(part.get("schema", {})) or media for media, part in content.items()), ""),
        [_answer(status, part) for status, part in sorted(described.get("responses", {}).items())],
        described.get("security") == [],
    )


def _parameter(described: Mapping[str, Any]) -> Member:
    text = described.get("description", "")
    place = {"query": "", "path": "in the path", "header": "a header"}[described["in"]]
    return Member(
        described["name"],
        type_text(described.get("schema", {})),
        bool(described.get("required")),
        "; ".join(part for part in (place, text) if part),
    )


def _answer(status: str, described: Mapping[str, Any]) -> Member:
    content = described.get("content", {})
    name = next((_name(media.get("schema", {})) for media in content.values()), "")
    return Member(status, ", ".join(content), False, described.get("description", ""), name)


def _name(schema: Schema) -> str:
    """The name of the schema that this one refers to, itself or as a list or an alternative."""
    return next(_names(schema), "")


def _names(schema: Schema) -> Iterator[str]:
    if "$ref" in schema:
        yield schema["$ref"].removeprefix(_REF)
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        yield from _names(part)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from _names(schema[key])


def _schemas(operations: list[Operation], schemas: Mapping[str, Schema]) -> dict[str, list[Member]]:
    """The members of all schemas that operations lead to, by name."""
    waiting = [
        name
        for operation in operations
        for name in (operation.body, *(answer.schema for answer in operation.answers))
        if name in schemas and name != "Problem"
    ]
    members: dict[str, list[Member]] = {}
    while waiting:
        name = waiting.pop(0)
        if name in members:
            continue
        members[name] = _members(schemas[name])
        waiting += [
            used
            for member in schemas[name].get("properties", {}).values()
            for used in _names(member)
            if used in schemas
        ]
    return dict(sorted(members.items()))


def _members(schema: Schema) -> list[Member]:
    required = schema.get("required", ())
    return [
        Member(
            name, type_text(member), name in required, member.get("description", ""), _name(member)
        )
        for name, member in schema.get("properties", {}).items()
    ]


def type_text(schema: Schema) -> str:
    """A type in words: `string`, `list of Key`, `integer or null`, `“a” or “b”`."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_REF)
    if "enum" in schema:
        return " or ".join(f"“{value}”" for value in schema["enum"])
    if "const" in schema:
        return f"“{schema['const']}”"
    parts = [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())]
    if parts:
        return " or ".join(dict.fromkeys(type_text(part) for part in parts))
    kind = schema.get("type", "any")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        return f"list of {type_text(schema.get('items', {}))}"
    more = schema.get("additionalProperties")
    if kind == "object" and isinstance(more, dict):
        return f"object of {type_text(more)}"
    return f"{kind} ({schema['format']})" if "format" in schema else str(kind)
