"""Settings that a schema of Ruby declares in groups."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of

SCHEMA = """\
Schema = Konfig::Schema.draw do
  group :mail do
    string :from_host do
      description "Where mail is from"
      default "localhost"
    end

    string :relays do
      array
      description "Where mail is sent"
      default "a.example.com", "b.example.com"
    end
    boolean(:quick) { default false }
    string :unsaid
  end
end
"""


def test_a_schema_of_ruby_declares_keys_with_the_variables_that_a_document_names() -> None:
    facts = facts_of({
        "lib/schema.rb": SCHEMA,
        "docs/environment-variables.md": "# Environment variables\n\n| Name | Description |\n"
        "| --- | --- |\n| `MAIL_FROM_HOST` | Where mail is from |\n",
    })  # fmt: skip
    assert [(it.name, it.variable, it.type, it.default, it.doc) for it in settings(facts)] == [
        ("mail.from_host", "MAIL_FROM_HOST", "string", "localhost", "Where mail is from"),
        ("mail.quick", "", "boolean", "false", ""),
        ("mail.relays", "", "array of string", '["a.example.com", "b.example.com"]',
         "Where mail is sent"),
    ]  # fmt: skip
