"""Defaults that are constants have their value."""

from stationmaster.wiki.facts.configured.literals import default_value
from tests.wiki.commits import facts_of


def test_a_constant_of_a_class_of_ruby_is_known_within_it() -> None:
    facts = facts_of({"lib/till.rb": "class Till\n  KEPT = 100\n  TWO = made\nend\n"})
    assert default_value(facts, "lib/till.rb", "{$KEPT}") == "100"
    assert default_value(facts, "lib/till.rb", "{$TWO}") == "{$TWO}"
