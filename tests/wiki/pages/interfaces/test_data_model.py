from stationmaster.wiki.pages.interfaces import data_model
from tests.wiki.commits import facts_of, written


def test_the_page_tells_tables_their_columns_and_draws_how_they_lead_to_one_another() -> None:
    facts = facts_of({"schema.sql": "CREATE TABLE a (id int PRIMARY KEY, name text);\n"
                      "CREATE TABLE b (a_id int REFERENCES a (id));\n"})  # fmt: skip
    (planned,) = data_model.plan(facts)
    body = written(facts, planned.write, planned.subject, planned.key)
    assert "2 tables are declared with SQL." in body
    assert 'n1["a"] {\n    int id PK\n  }' in body
    assert 'n1 ||--o{ n2 : "a_id"' in body
    assert "| `a_id` | `int` | foreign | `a.id` |" in body
    assert "[`schema.sql:2`](source:schema.sql#L2)" in body


def test_a_model_that_lists_no_columns_has_no_number_of_them() -> None:
    model = "class {} < ApplicationRecord\n  belongs_to :shop\nend\n"
    schema = "".join(f"CREATE TABLE t{number} (id int);" for number in range(10))
    names = [f"Till{letter}" for letter in "abcdefghij"]
    facts = facts_of({
        "db/structure.sql": schema,
        **{f"app/models/{name.lower()}.rb": model.format(name) for name in names},
    })  # fmt: skip
    planned = next(iter(data_model.plan(facts)))
    facts.planned = {it.key: it.title for it in data_model.plan(facts)}
    body = written(facts, planned.write, planned.subject, planned.key)
    assert "| Columns | at least 20 |" in body
    assert "| `tillas` | [`app" in body
    assert "| `t1` | 1 |" in body


def test_few_facts_make_no_page() -> None:
    assert not list(data_model.plan(facts_of({"schema.sql": "CREATE TABLE a (id int);"})))


def test_many_tables_get_pages_of_their_own() -> None:
    names = [f"order_{n}" for n in range(20)] + [f"user_{n}" for n in range(20)]
    facts = facts_of({"schema.sql": "".join(f"CREATE TABLE {n} (a int);" for n in names)})
    planned = list(data_model.plan(facts))
    assert [each.key for each in planned] == [
        "data-model", "data-model/order", "data-model/user",
    ]  # fmt: skip
    facts.planned = {each.key: each.title for each in planned}
    body = written(facts, planned[0].write, None, "data-model")
    assert "[Tables: order](data-model/order.md)" in body
    part = written(facts, planned[1].write, planned[1].subject, planned[1].key)
    assert "### order\\_0" in part
    assert "../data-model.md" in part
