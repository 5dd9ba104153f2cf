"""Interfaces that files describe: OpenAPI, AsyncAPI, GraphQL schemas, Protocol Buffers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from stationmaster.reading.code.schemas import graphql, openapi, proto
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.interfaces.resolvers import resolved, schemas_in_code
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.parting import Part, Sheet, by_area, parts, sheets

FILE_MAX = 2 * 2**20
FILES_MAX = 500
OPERATIONS_MAX = 5_000
_NAMED = re.compile(r"(?is)(?>.*?(?:openapi|swagger|api-?docs?|asyncapi|/api)).*\.(?:ya?ml|json)")
_MARKED = re.compile(r"(?m)^[\s{]{0,8}[\"']?(openapi|swagger|asyncapi)[\"']?\s*:\s*[\"']?\d")
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_SERVICE = re.compile(r"(?:Unimplemented)?(\w+?)(?:Servicer|Server|ImplBase|Base|Grpc)")


class Operation(msgspec.Struct, frozen=True):
    """Of OpenAPI: a method on a path; of AsyncAPI: a channel that is sent to or received from.
    `source` is the file of the description, which may refer to `path`; the line is 0 then."""

    source: str
    method: str
    route: str
    path: str
    line: int
    name: str
    doc: str
    takes: tuple[openapi.Member, ...] = ()
    answers: tuple[tuple[str, str], ...] = ()


_HOLDING = re.compile(r"(?:Quer(?:y|ies)|Mutations?)\Z")


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


# OpenAPI and AsyncAPI


@query
def operations(facts: Facts) -> tuple[Operation, ...]:
    """Of OpenAPI, by path and method; what several files describe counts once."""
    by_route: dict[tuple[str, str], Operation] = {}
    opened: set[str] = set()

    def read(path: str) -> Any:
        """The value of a file that a description refers to."""
        opened.add(path)
        read_ = facts.tree.json if path.endswith(".json") else facts.tree.yaml
        return read_(path) if len(opened) <= FILES_MAX else None

    for path, root, text in _described(facts, ("openapi", "swagger")):
        for it in openapi.operations(openapi.Source(path, root, read), text):
            if len(by_route) < OPERATIONS_MAX:
                row = (it.method, it.route, it.path, it.line, it.name, it.doc, it.takes, it.answers)
                by_route.setdefault((it.route, it.method), Operation(path, *row))
    return tuple(by_route[key] for key in sorted(by_route))


@query
def described_types(facts: Facts) -> tuple[tuple[str, openapi.Schema], ...]:
    """The types that OpenAPI describes, by name, with the file of each."""
    schemas: dict[str, tuple[str, openapi.Schema]] = {}
    for path, root, text in _described(facts, ("openapi", "swagger")):
        for it in openapi.schemas(root, text):
            schemas.setdefault(it.name, (path, it))
    return tuple(schemas[name] for name in sorted(schemas))


@query
def operation_sheets(facts: Facts) -> tuple[Sheet[Operation], ...]:
    """Of OpenAPI, by the first step of their paths that tells something."""
    return by_area(operations(facts), "Operations")


@query
def channels(facts: Facts) -> tuple[Operation, ...]:
    """Of AsyncAPI, by name."""
    listed = []
    for path, root, text in _described(facts, ("asyncapi",)):
        for channel, node, line in openapi.members(openapi.get(root, "channels"), text):
            address = openapi.text(openapi.get(node, "address")) or channel
            verbs = [
                verb for verb in ("publish", "subscribe") if openapi.get(node, verb) is not None
            ]
            listed.append(
                Operation(
                    path, " ".join(verbs), address, path, line, channel, openapi.summary_of(node)
                )
            )
    return tuple(sorted(listed, key=lambda operation: (operation.route, operation.path)))


@query
def descriptions(facts: Facts) -> tuple[str, ...]:
    """Files that describe an interface in OpenAPI."""
    return tuple(sorted({operation.source for operation in operations(facts)}))


def _described(facts: Facts, kinds: tuple[str, ...]) -> Iterator[tuple[str, Any, str]]:
    """Path, root and text of descriptions, larger ones first. The text is '' for YAML, whose nodes
    know their lines."""
    paths = [path for path in facts.tree.paths if _NAMED.fullmatch(path) and not is_test(path)]
    candidates = []
    for path, text in facts.tree.files.contents.each(paths[:FILES_MAX], FILE_MAX):
        marked = _MARKED.search(text[:20_000])
        if marked and marked[1] in kinds:
            candidates.append((-len(text), path, text))
    for _, path, text in sorted(candidates):
        is_json = path.endswith(".json")
        root = facts.tree.json(path) if is_json else facts.tree.yaml(path)
        if root is not None:
            yield path, root, text if is_json else ""


# GraphQL


@query
def asked(facts: Facts) -> tuple[Asked, ...]:
    """What can be asked and done, by kind and name; what several files tell counts once, and as a
    schema tells it rather than code. Fields that only hold others are left out for these."""
    by_field: dict[tuple[str, str], Asked] = {}
    holding = {
        it.name: (path, it.fields)
        for path, schema in _schemas(facts)
        for it in schema.types
        if _HOLDING.search(it.name) and it.name not in schema.roots.values()
    }
    for path, schema in _schemas(facts):
        names = {name: root for root, name in schema.roots.items()}
        for type_ in schema.types:
            for field in type_.fields if type_.name in names and type_.kind == "type" else ():
                place, inner = holding.get(field.type.rstrip("!"), (path, ()))
                for it in inner or (field,):
                    name = f"{field.name}.{it.name}" if inner else it.name
                    made = Asked(names[type_.name], msgspec.structs.replace(it, name=name), place)
                    by_field.setdefault((made.root, name), made)
    for root, path, field in resolved(facts):
        by_field.setdefault((root, field.name), Asked(root, field, path))
    order = ("query", "mutation", "subscription")
    return tuple(
        by_field[key] for key in sorted(by_field, key=lambda key: (order.index(key[0]), key[1]))
    )


@query
def asked_sheets(facts: Facts) -> tuple[Sheet[Asked], ...]:
    """Queries, mutations, subscriptions; many of a kind by the first word of their names."""
    made: list[Part[Asked]] = []
    for root, title in _ROOTS.items():
        of_root = [field for field in asked(facts) if field.root == root]
        for part in parts(of_root, _first_word, lambda item: item.field.name, title):
            is_whole = part.title == title
            made.append(part if is_whole else Part(f"{title}: {part.title}", part.items))
    return sheets(made, set())


@query
def types(facts: Facts) -> tuple[Typed, ...]:
    """Types of GraphQL by name, without those that all is asked from."""
    by_name: dict[str, Typed] = {}
    for path, schema in _schemas(facts):
        roots = set(schema.roots.values())
        for declared in schema.types:
            if declared.name not in roots:
                count = len(declared.fields) or len(declared.bases)
                made = Typed(
                    declared.name,
                    declared.kind,
                    path,
                    declared.line,
                    declared.end,
                    count,
                    declared.doc,
                )
                if declared.name not in by_name or by_name[declared.name].count < count:
                    by_name[declared.name] = made
    return tuple(by_name[name] for name in sorted(by_name))


_ROOTS = {"query": "Queries", "mutation": "Mutations", "subscription": "Subscriptions"}


def _first_word(item: Asked) -> str:
    return _WORD.findall(item.field.name)[:1][0].lower() if _WORD.match(item.field.name) else ""


@query
def _schemas(facts: Facts) -> tuple[tuple[str, graphql.Schema], ...]:
    paths = facts.tree.glob("**/*.graphql", "**/*.graphqls", "**/*.gql")
    wanted = [path for path in paths if not is_test(path)][:FILES_MAX]
    read = [
        (path, graphql.read(text))
        for path, text in facts.tree.files.contents.each(wanted, FILE_MAX)
        if re.search(r"\b(?:type|input|interface|enum|union|scalar)\s+\w", text)
    ]
    read = [*sorted(read, key=_by_path), *schemas_in_code(facts)]
    return tuple((path, schema) for path, schema in read if schema.types)


def _by_path(row: tuple[str, Any]) -> str:
    return row[0]


# Protocol Buffers


@query
def services(facts: Facts) -> tuple[Service, ...]:
    """By package, name and file; one that several files declare with the same calls counts once.
    Of several of one name those are implemented whose folder an implementation imports."""
    implementations = _implementations(facts)
    by_calls: dict[tuple[str, ...], Service] = {}
    for path, file in _protos(facts):
        for service in file.services:
            made = Service(
                service.name, file.package, path, service, implementations.get(service.name, ())
            )
            calls = (file.package, service.name, *(rpc.name for rpc in service.rpcs))
            by_calls.setdefault(calls, made)
    counts = Counter(service.name for service in by_calls.values())
    found = [
        msgspec.structs.replace(service, implementations=_importing(facts, service))
        if counts[service.name] > 1
        else service
        for service in by_calls.values()
    ]
    return tuple(sorted(found, key=lambda service: (service.package, service.name, service.path)))


def _importing(facts: Facts, service: Service) -> tuple[tuple[str, str, int], ...]:
    """The implementations whose files import the folder of a service."""
    end = f"/{folder_of(service.path)}"
    return tuple(
        place
        for place in service.implementations
        if any(
            f"/{it.name}".replace(".", "/").endswith(end.replace(".", "/"))
            for it in facts.code[place[1]].imports
        )
    )


@query
def messages(facts: Facts) -> tuple[Message, ...]:
    """Messages and enums by name; what several files declare with the same members counts once."""
    by_name: dict[tuple[str, ...], Message] = {}
    for path, file in _protos(facts):
        for message in file.messages:
            names = tuple(column.name for column in message.fields)
            made = Message(message.name, message.kind, path, message.line, message.end, names)
            by_name.setdefault((message.name, file.package, *names), made)
    return tuple(by_name[key] for key in sorted(by_name))


@query
def _protos(facts: Facts) -> tuple[tuple[str, proto.Proto], ...]:
    paths = facts.tree.glob("**/*.proto")
    wanted = [path for path in paths if not is_test(path) and "google/" not in path][:FILES_MAX]
    read = facts.tree.files.contents.each(wanted, FILE_MAX)
    return tuple(sorted(((path, proto.read(text)) for path, text in read), key=_by_path))


def _implementations(facts: Facts) -> Mapping[str, tuple[tuple[str, str, int], ...]]:
    """Classes that extend what is generated for a service, by the service's name."""
    names = {service.name for _, file in _protos(facts) for service in file.services}
    by_service: dict[str, list[tuple[str, str, int]]] = {}
    for path, code in facts.code.items() if names else ():
        if facts.records[path].file_class != "source":
            continue
        for symbol in code.symbols:
            for base in symbol.bases:
                served = _SERVICE.fullmatch(base.rpartition(".")[2].partition("<")[0])
                if served and served[1] in names:
                    by_service.setdefault(served[1], []).append(
                        (symbol.qualified, path, symbol.line)
                    )
    return {name: tuple(sorted(places)) for name, places in by_service.items()}
