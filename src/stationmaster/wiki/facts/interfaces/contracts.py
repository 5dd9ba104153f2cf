"""Interfaces that files describe: OpenAPI, AsyncAPI, GraphQL schemas, Protocol Buffers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from stationmaster.reading.code.schemas import graphql, proto
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos import yaml_nodes
from stationmaster.wiki.facts.code.parting import Part, Sheet, parts, sheets
from stationmaster.wiki.facts.interfaces.routes import by_area
from stationmaster.wiki.facts.model import Facts, query

FILE_MAX = 2 * 2**20
FILES_MAX = 500
OPERATIONS_MAX = 5_000
_NAMED = re.compile(r"(?is)(?>.*?(?:openapi|swagger|api-?docs?|asyncapi|/api)).*\.(?:ya?ml|json)")
_MARKED = re.compile(r"(?m)^[\s{]{0,8}[\"']?(openapi|swagger|asyncapi)[\"']?\s*:\s*[\"']?\d")
_METHODS = ("get", "put", "post", "delete", "patch", "head", "options", "trace")
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_SERVICE = re.compile(r"(?:Unimplemented)?(\w+?)(?:Servicer|Server|ImplBase|Base|Grpc)")


class Operation(msgspec.Struct, frozen=True):
    """Of OpenAPI: a method on a path; of AsyncAPI: a channel that is sent to or received from."""

    method: str
    route: str
    path: str
    line: int
    name: str
    doc: str


class Asked(msgspec.Struct, frozen=True):
    """What GraphQL lets ask or do; `root` is `query`, `mutation` or `subscription`."""

    root: str
    field: graphql.Field
    path: str


class Typed(msgspec.Struct, frozen=True):
    """A type of GraphQL."""

    name: str
    kind: str
    path: str
    line: int
    end: int
    count: int
    doc: str


class Service(msgspec.Struct, frozen=True):
    """A service of Protocol Buffers. `implementations` are names of classes with their places."""

    name: str
    package: str
    path: str
    service: proto.Service
    implementations: tuple[tuple[str, str, int], ...]


class Message(msgspec.Struct, frozen=True):
    name: str
    kind: str
    path: str
    line: int
    end: int
    fields: tuple[str, ...]
    doc: str


# OpenAPI and AsyncAPI


@query
def operations(facts: Facts) -> tuple[Operation, ...]:
    """Of OpenAPI, by path and method; what several files describe counts once."""
    found: dict[tuple[str, str], Operation] = {}
    for path, root, text in _described(facts, ("openapi", "swagger")):
        base = _text(_get(root, "basePath")) or ""
        for route, node, line in _members(_get(root, "paths"), text):
            for method in _METHODS:
                operation = _get(node, method)
                if operation is not None and len(found) < OPERATIONS_MAX:
                    whole = f"{base.rstrip('/')}{route}"
                    name, doc = _text(_get(operation, "operationId")), _said(operation)
                    made = Operation(method.upper(), whole, path, line, name or "", doc)
                    found.setdefault((whole, made.method), made)
    return tuple(found[key] for key in sorted(found))


@query
def operation_sheets(facts: Facts) -> tuple[Sheet[Operation], ...]:
    """Of OpenAPI, by the first step of their paths that tells something."""
    return by_area(operations(facts), "Operations")


@query
def channels(facts: Facts) -> tuple[Operation, ...]:
    """Of AsyncAPI, by name."""
    found = []
    for path, root, text in _described(facts, ("asyncapi",)):
        for channel, node, line in _members(_get(root, "channels"), text):
            address = _text(_get(node, "address")) or channel
            verbs = [verb for verb in ("publish", "subscribe") if _get(node, verb) is not None]
            found.append(Operation(" ".join(verbs), address, path, line, channel, _said(node)))
    return tuple(sorted(found, key=lambda each: (each.route, each.path)))


@query
def descriptions(facts: Facts) -> tuple[str, ...]:
    """Files that describe an interface in OpenAPI."""
    return tuple(sorted({operation.path for operation in operations(facts)}))


def _described(facts: Facts, kinds: tuple[str, ...]) -> Iterator[tuple[str, Any, str]]:
    """Path, root and text of descriptions, larger ones first. The text is '' for YAML, whose nodes
    know their lines."""
    paths = [path for path in facts.tree.paths if _NAMED.fullmatch(path) and not is_test(path)]
    found = []
    for path, text in facts.tree.files.contents.each(paths[:FILES_MAX], FILE_MAX):
        marked = _MARKED.search(text[:20_000])
        if marked and marked[1] in kinds:
            found.append((-len(text), path, text))
    for _, path, text in sorted(found):
        is_json = path.endswith(".json")
        root = facts.tree.json(path) if is_json else facts.tree.yaml(path)
        if root is not None:
            yield path, root, text if is_json else ""


def _get(node: Any, key: str) -> Any:
    return node.get(key) if isinstance(node, dict) else yaml_nodes.get(node, key)


def _text(node: Any) -> str | None:
    return node if isinstance(node, str) or node is None else yaml_nodes.text(node)


def _said(node: Any) -> str:
    return (_text(_get(node, "summary")) or _text(_get(node, "description")) or "")[:300]


def _members(node: Any, text: str) -> Iterator[tuple[str, Any, int]]:
    """Keys and values of a mapping, and the lines of its keys."""
    if isinstance(node, dict):
        at, line = 0, 1
        for key, value in node.items():
            found = text.find(f'"{key}"', at)
            if found >= 0:
                line += text.count("\n", at, found)
                at = found
            yield str(key), value, line
    elif isinstance(node, yaml_nodes.Mapping):
        for key, value in node.members.items():
            yield key, value, node.keys.get(key, (value.line, 0))[0]


# GraphQL


@query
def asked(facts: Facts) -> tuple[Asked, ...]:
    """What can be asked and done, by kind and name; what several files tell counts once."""
    found: dict[tuple[str, str], Asked] = {}
    for path, schema in _schemas(facts):
        names = {name: root for root, name in schema.roots.items()}
        for type_ in schema.types:
            for field in type_.fields if type_.name in names and type_.kind == "type" else ():
                made = Asked(names[type_.name], field, path)
                found.setdefault((made.root, field.name), made)
    order = ("query", "mutation", "subscription")
    return tuple(found[key] for key in sorted(found, key=lambda key: (order.index(key[0]), key[1])))


@query
def asked_sheets(facts: Facts) -> tuple[Sheet[Asked], ...]:
    """Queries, mutations, subscriptions; many of a kind by the first word of their names."""
    made: list[Part[Asked]] = []
    for root, title in _ROOTS.items():
        of_root = [each for each in asked(facts) if each.root == root]
        for part in parts(of_root, _first_word, lambda each: each.field.name, title):
            is_whole = part.title == title
            made.append(part if is_whole else Part(f"{title}: {part.title}", part.items))
    return sheets(made, set())


@query
def types(facts: Facts) -> tuple[Typed, ...]:
    """Types of GraphQL by name, without those that all is asked from."""
    found: dict[str, Typed] = {}
    for path, schema in _schemas(facts):
        roots = set(schema.roots.values())
        for each in schema.types:
            if each.name not in roots:
                count = len(each.fields) or len(each.bases)
                made = Typed(each.name, each.kind, path, each.line, each.end, count, each.doc)
                if each.name not in found or found[each.name].count < count:
                    found[each.name] = made
    return tuple(found[name] for name in sorted(found))


_ROOTS = {"query": "Queries", "mutation": "Mutations", "subscription": "Subscriptions"}


def _first_word(each: Asked) -> str:
    return _WORD.findall(each.field.name)[:1][0].lower() if _WORD.match(each.field.name) else ""


@query
def _schemas(facts: Facts) -> tuple[tuple[str, graphql.Schema], ...]:
    paths = facts.tree.glob("**/*.graphql", "**/*.graphqls", "**/*.gql")
    wanted = [path for path in paths if not is_test(path)][:FILES_MAX]
    read = [
        (path, graphql.read(text))
        for path, text in facts.tree.files.contents.each(wanted, FILE_MAX)
        if re.search(r"\b(?:type|input|interface|enum|union|scalar)\s+\w", text)
    ]
    return tuple((path, schema) for path, schema in sorted(read, key=_by_path) if schema.types)


def _by_path(each: tuple[str, Any]) -> str:
    return each[0]


# Protocol Buffers


@query
def services(facts: Facts) -> tuple[Service, ...]:
    """By package and name; a service that several files declare counts once."""
    implementations = _implementations(facts)
    found: dict[tuple[str, str], Service] = {}
    for path, told in _protos(facts):
        for service in told.services:
            made = Service(
                service.name, told.package, path, service, implementations.get(service.name, ())
            )
            found.setdefault((told.package, service.name), made)
    return tuple(found[key] for key in sorted(found))


@query
def messages(facts: Facts) -> tuple[Message, ...]:
    """Messages and enums by name."""
    found: dict[tuple[str, str], Message] = {}
    for path, told in _protos(facts):
        for message in told.messages:
            names = tuple(column.name for column in message.fields)
            made = Message(
                message.name, message.kind, path, message.line, message.end, names, message.doc
            )
            found.setdefault((message.name, told.package), made)
    return tuple(found[key] for key in sorted(found))


@query
def _protos(facts: Facts) -> tuple[tuple[str, proto.Proto], ...]:
    paths = facts.tree.glob("**/*.proto")
    wanted = [path for path in paths if not is_test(path) and "google/" not in path][:FILES_MAX]
    read = facts.tree.files.contents.each(wanted, FILE_MAX)
    return tuple(sorted(((path, proto.read(text)) for path, text in read), key=_by_path))


def _implementations(facts: Facts) -> Mapping[str, tuple[tuple[str, str, int], ...]]:
    """Classes that extend what is generated for a service, by the service's name."""
    names = {service.name for _, told in _protos(facts) for service in told.services}
    found: dict[str, list[tuple[str, str, int]]] = {}
    for path, said in facts.code.items() if names else ():
        if facts.records[path].file_class != "source":
            continue
        for symbol in said.symbols:
            for base in symbol.bases:
                served = _SERVICE.fullmatch(base.rpartition(".")[2].partition("<")[0])
                if served and served[1] in names:
                    found.setdefault(served[1], []).append((symbol.qualified, path, symbol.line))
    return {name: tuple(sorted(places)) for name, places in found.items()}
