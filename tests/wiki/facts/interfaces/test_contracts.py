"""Interfaces that files describe."""

from stationmaster.reading.code.model import FileFacts, Route, Symbol
from stationmaster.wiki.facts.interfaces import contracts
from stationmaster.wiki.facts.parting import Part, parts, sheets
from stationmaster.wiki.facts.texts.differences import differences
from stationmaster.wiki.pages.interfaces import http
from tests.wiki.commits import facts_of, written

YAML = """openapi: 3.1.0
paths:
  /users:
    get:
      operationId: listUsers
      summary: All of them.
    parameters: []
  /users/{id}:
    delete: {description: Gone.}
"""
JSON = '{"swagger": "2.0", "basePath": "/v1",\n "paths": {\n  "/a": {"post": {}}}}'


def test_operations_of_openapi_tell_where_they_are_described() -> None:
    found = contracts.operations(facts_of({"docs/openapi.yaml": YAML, "api/swagger.json": JSON,
                                           "tests/openapi.yaml": YAML}))  # fmt: skip
    assert [(o.method, o.route, o.path, o.line, o.name, o.doc) for o in found] == [
        ("GET", "/users", "docs/openapi.yaml", 3, "listUsers", "All of them."),
        ("DELETE", "/users/{id}", "docs/openapi.yaml", 8, "", "Gone."),
        ("POST", "/v1/a", "api/swagger.json", 3, "", ""),
    ]  # fmt: skip


def test_operations_of_openapi_tell_what_they_take_and_answer_with_the_types_they_name() -> None:
    text = (
        "openapi: 3.0.0\npaths:\n  /orders/{id}:\n    parameters:\n"
        "      - {name: id, in: path, required: true, schema: {type: string}}\n    put:\n"
        "      requestBody:\n        required: true\n        content:\n"
        "          application/json:\n            schema: {$ref: '#/components/schemas/Order'}\n"
        "      responses:\n        '200': {$ref: '#/components/responses/Done'}\n"
        "components:\n  responses:\n    Done:\n      content:\n        application/json:\n"
        "          schema: {type: array, items: {$ref: '#/components/schemas/Order'}}\n"
        "  schemas:\n    Order:\n      required: [state]\n      properties:\n"
        "        state: {enum: [new, paid]}\n        at: {type: string, format: date}\n"
    )
    facts = facts_of({"openapi.yaml": text})
    (operation,) = contracts.operations(facts)
    assert [(it.place, it.name, it.type, it.is_required) for it in operation.takes] == [
        ("path", "id", "string", True), ("body", "body", "Order", True),
    ]  # fmt: skip
    assert operation.answers == (("200", "Order[]"),)
    ((_, order),) = contracts.described_types(facts)
    assert [(it.name, it.type, it.is_required) for it in order.members] == [
        ("state", "new | paid", True), ("at", "string (date)", False),
    ]  # fmt: skip


def test_a_description_and_the_code_are_compared_whatever_they_call_variables() -> None:
    facts = facts_of({"openapi.yaml": YAML, "app.py": ""})
    facts.code = {"app.py": FileFacts(routes=(
        Route("DELETE", "/api/users/<int:pk>", 1), Route("PUT", "/api/users/:id", 2),
        Route("GET", "/health", 3),
    ))}  # fmt: skip
    told = differences(facts)
    assert (told.prefix, told.matched) == ("/api", 1)
    assert [each.route for each in told.described] == ["/users"]
    assert [each.methods for each in told.coded] == [("PUT",)]
    assert told.instead == {}


def test_what_is_described_with_another_method_than_the_code_has_says_so() -> None:
    facts = facts_of({"openapi.yaml": YAML, "app.py": ""})
    facts.code = {"app.py": FileFacts(routes=(
        Route("DELETE", "/users/{pk}", 1), Route("POST", "/users", 2),
    ))}  # fmt: skip
    assert [(it.route, methods) for it, methods in differences(facts).instead.items()] == [
        ("/users", ("POST",))
    ]
    (planned,) = (each for each in http.plan(facts) if each.key == http.KEY)
    body = written(facts, planned.write, None, planned.key)
    assert "| `GET /users`, in the code `POST` | `listUsers` | All of them. |" in body


def test_what_is_described_below_a_route_for_all_paths_below_its_own_says_so() -> None:
    text = "openapi: 3.1.0\npaths:\n  /list:\n    get: {}\n  /view/{id}.html:\n    get: {}\n"
    facts = facts_of({"openapi.yaml": text, "app.go": ""})
    routes = ("/list", "/view/", "/")
    facts.code = {"app.go": FileFacts(routes=tuple(
        Route("GET", path, line, framework="net/http") for line, path in enumerate(routes, 1)
    ))}  # fmt: skip
    assert [(it.route, words) for it, words in differences(facts).instead.items()] == [
        ("/view/{id}.html", ("GET /view/",))
    ]


def test_descriptions_that_hardly_fit_the_code_are_not_compared() -> None:
    told = differences(facts_of({"openapi.yaml": YAML}))
    assert (told.matched, told.described, told.coded) == (0, (), ())


def test_channels_of_asyncapi() -> None:
    text = "asyncapi: 2.6.0\nchannels:\n  user/signed:\n    subscribe: {}\n"
    (channel,) = contracts.channels(facts_of({"asyncapi.yaml": text}))
    assert (channel.route, channel.method, channel.line) == ("user/signed", "subscribe", 3)


def test_what_graphql_lets_ask_is_joined_from_several_files() -> None:
    facts = facts_of({
        "a.graphql": "type Query { book(id: ID!): Book }\ntype Book { id: ID! title: String }",
        "b.graphqls": "extend type Query { books: [Book] }\ntype Mutation { add: Book }",
        "query.graphql": "query { book { id } }",
        "tests/c.graphql": "type Query { tested: Int }",
    })  # fmt: skip
    assert [(each.root, each.field.name, each.path) for each in contracts.asked(facts)] == [
        ("query", "book", "a.graphql"), ("query", "books", "b.graphqls"),
        ("mutation", "add", "b.graphqls"),
    ]  # fmt: skip
    assert [(each.name, each.kind, each.count) for each in contracts.types(facts)] == [
        ("Book", "type", 2),
    ]  # fmt: skip


def test_services_know_the_classes_that_implement_them() -> None:
    text = "package p;\nservice Carts { rpc Add (A) returns (B); }\nmessage A { string id = 1; }\n"
    facts = facts_of({"a/carts.proto": text, "b/carts.proto": text, "s.py": ""})
    facts.code = {"s.py": FileFacts(symbols=(
        Symbol("Impl", "class", 3, 9, bases=("carts_pb2_grpc.CartsServicer",)),
        Symbol("Other", "class", 10, 12, bases=("OthersServicer",)),
    ))}  # fmt: skip
    (service,) = contracts.services(facts)
    assert (service.name, service.path) == ("Carts", "a/carts.proto")
    assert service.implementations == (("Impl", "s.py", 3),)
    assert [each.fields for each in contracts.messages(facts)] == [("id",)]


def test_of_two_services_of_one_name_the_one_is_implemented_whose_folder_is_imported() -> None:
    text = 'syntax = "proto3";\npackage api;\nservice Till {{ rpc {} (A) returns (B); }}\n'
    facts = facts_of({
        "go.mod": "module shop\n",
        "api/till.proto": text.format("Add"), "api/v2/till.proto": text.format("Sum"),
        "server.go": 'package shop\n\nimport "shop/api/v2"\n\n'
        "type till struct {\n\tv2.UnimplementedTillServer\n}\n",
    })  # fmt: skip
    assert [(it.path, [place[0] for place in it.implementations])
            for it in contracts.services(facts)] == [
        ("api/till.proto", []), ("api/v2/till.proto", ["till"]),
    ]  # fmt: skip


def test_a_long_list_falls_into_parts_and_pages() -> None:
    items = [f"a_{n:02}" for n in range(30)] + ["b", "c"] + [f"d_{n}" for n in range(5)]
    made = parts(items, lambda each: each[0], str, "all")
    assert [(each.title, len(each.items)) for each in made] == [
        ("a, part 1", 25), ("a, part 2", 5), ("d", 5), ("b to c", 2),
    ]  # fmt: skip
    assert [(each.slug, each.title) for each in sheets(made, {"a-part-1"}, "List", 25)] == [
        ("list-a-part-1", "List: a, part 1"), ("list-a-to-d", "List: a to d"),
            ("list-b-to-c", "List: b to c"),
    ]  # fmt: skip
    assert parts(items[:3], lambda each: each[0], str, "all") == (Part("all", tuple(items[:3])),)


def test_a_description_in_several_files_is_read_with_those_that_its_paths_refer_to() -> None:
    facts = facts_of({
        "docs/swagger.json": '{"openapi": "3.1.0",\n "paths": {\n'
        '  "/tags": {"$ref": "paths/tags.json"},\n  "/gone": {"$ref": "../../../gone.json"},\n'
        '  "/own": {"$ref": "#/paths/~1tags"},\n  "/far": {"$ref": "https://a.example/b.json"}}}',
        "docs/paths/tags.json": '{"put": {"parameters": [{"$ref": "../parameters.yaml#/version"}],'
        ' "requestBody": {"content": {"application/json": {"schema": {"allOf": ['
        '{"$ref": "../definitions/Tag.json"}, {"properties": {"name": {"type": "string"}}}]}}}}}}',
        "docs/parameters.yaml": "version: {name: version, in: path, required: true}\n",
    })  # fmt: skip
    (operation,) = contracts.operations(facts)
    assert (operation.method, operation.route) == ("PUT", "/tags")
    assert (operation.source, operation.path) == ("docs/swagger.json", "docs/paths/tags.json")
    assert [(it.place, it.name, it.type) for it in operation.takes] == [
        ("path", "version", ""), ("body", "body", "Tag & { name?: string }"),
    ]  # fmt: skip
    assert contracts.descriptions(facts) == ("docs/swagger.json",)


def test_a_host_in_place_of_a_path_is_before_no_operation() -> None:
    server = "servers:\n  - url: /{}\n"
    for base, route in (("localhost", "/users"), ("api", "/api/users")):
        text = YAML.replace("paths:", f"{server.format(base)}paths:", 1)
        first, *_ = contracts.operations(facts_of({"docs/openapi.yaml": text}))
        assert first.route == route


def test_fields_that_hold_operations_are_replaced_by_these_with_their_marks() -> None:
    facts = facts_of({
        "shop.graphql": "type Query {\n  tills: TillQuery\n  open: Boolean\n}\n\n"
        "type TillQuery {\n"
        '  all(first: Int): [Till] @auth(requires: ["read:tills", "manage"]) @rate\n}\n',
    })  # fmt: skip
    assert [(it.field.name, it.field.line, it.field.marks) for it in contracts.asked(facts)] == [
        ("open", 3, ()),
        ("tills.all", 7, ('@auth(requires: ["read:tills", "manage"])', "@rate")),
    ]
