from stationmaster.wiki.pages.interfaces import contracts, http
from tests.wiki.commits import facts_of, written


def test_pages_are_there_for_what_is_described() -> None:
    facts = facts_of({
        "s.graphql": 'type Query { "One." book(id: ID!): Book @deprecated }\ntype Book { a: ID }',
        "a.proto": "service S { rpc Go (stream A) returns (B); }",
        "asyncapi.yaml": "asyncapi: 2.0.0\nchannels:\n  signed: {}\n",
    })  # fmt: skip
    bodies = {
        each.key: written(facts, each.write, None, each.key) for each in contracts.plan(facts)
    }
    assert list(bodies) == ["api/graphql", "api/rpc", "api/events"]
    assert "| `book` | `id: ID!` | `Book` | Deprecated. One. |" in bodies["api/graphql"]
    assert "| `Go` | stream of `A` | `B` |" in bodies["api/rpc"]
    assert "1 channel is described in AsyncAPI." in bodies["api/events"]


def test_without_descriptions_there_are_none() -> None:
    assert not list(contracts.plan(facts_of({"app.py": ""})))


def test_an_interface_that_is_described_alone_is_told_of_by_its_description() -> None:
    facts = facts_of({"openapi.yaml": "openapi: 3.0.0\npaths:\n  /a:\n    get: {summary: Gets.}\n"})
    (planned,) = http.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    assert "OpenAPI describes 1 operation." in body
    assert "| `GET /a` |" in body
