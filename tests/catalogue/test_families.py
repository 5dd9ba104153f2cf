"""Families of languages."""

from __future__ import annotations

from stationmaster.catalogue import families
from stationmaster.catalogue.table import compiled


def test_a_language_is_a_member_of_one_family() -> None:
    rows = families.families()
    members = [member for row in rows.values() for member in row.members]

    assert len(set(members)) == len(members)
    assert not set(members) & set(rows)
    assert families.by_member()["TypeScript"] == "JavaScript"


def test_patterns_compile() -> None:
    for row in families.families().values():
        compiled(row.test)
        for pin in (row.pins.exact, row.pins.least) if row.pins else ():
            for pattern in (pin.gradle, *(line.pattern for line in pin.lines)):
                compiled(pattern)


def test_a_runner_serves_the_families_that_name_it_and_those_that_are_like_them() -> None:
    assert families.of_runner("gradle") == {"Java", "Kotlin", "Scala", "Groovy"}
    assert families.of_runner("pytest") == {"Python"}
    assert families.of_runner("make") == frozenset()


def test_output_is_that_of_the_family_that_makes_the_same() -> None:
    kotlin, java = families.of_output("Kotlin"), families.of_output("Java")

    assert kotlin is not None
    assert kotlin == java
    assert kotlin[0] == "Java"
    assert families.of_output("Brainfuck") is None
