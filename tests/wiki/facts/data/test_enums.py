"""Types of a few values in schemas of SQL."""

from __future__ import annotations

from stationmaster.wiki.facts.data.entities import choices
from tests.wiki.commits import facts_of


def test_enums_of_a_schema_have_their_values_and_those_of_migrations_may_change() -> None:
    made = "CREATE TYPE till_state AS ENUM ('open',\n  'ann''s');\n"
    facts = facts_of({"schema.sql": f"-- A till.\n{made}", "migrations/1_till.sql": made})
    assert [(it.name, it.path, it.line, it.end, it.values) for it in choices(facts)] == [
        ("till_state", "schema.sql", 2, 3, ("open", "ann's"))
    ]
