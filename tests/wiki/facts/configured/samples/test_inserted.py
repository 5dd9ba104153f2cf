"""Keys that a schema puts into a table of settings."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of

ROWS = """INSERT INTO settings (key, value) VALUES
    ('till.rows', '10'),
    ('till.name', '"Till of Ann''s"'), -- Shown above.
    ('mail', '[{"host": "one"}]'),
    ('limits', '{"soft": {"count": 2}}');

INSERT INTO tills (key, value) VALUES ('none', '1');
"""


def test_rows_of_a_table_of_settings_are_keys_with_defaults() -> None:
    facts = facts_of({"schema.sql": "CREATE TABLE settings (key TEXT, value JSONB);\n" + ROWS})
    assert {it.name: (it.default, it.set_at) for it in settings(facts)} == {
        "limits.soft.count": ("2", (("schema.sql", 6),)),
        "mail": (None, (("schema.sql", 5),)),
        "till.name": ("Till of Ann's", (("schema.sql", 4),)),
        "till.rows": ("10", (("schema.sql", 3),)),
    }


def test_what_a_migration_inserts_may_be_changed_by_a_later_one() -> None:
    assert settings(facts_of({"migrations/0001_settings.sql": ROWS})) == ()
