"""Names that are no subject of a page."""

from __future__ import annotations

from stationmaster.wiki.facts.subjects.concepts import concept_titles
from tests.wiki.commits import facts_of

BODY = "".join(f"        a{n} = {n}\n" for n in range(9)) + "        return a1\n\n"
STEPS = (
    f"    def {{0}}_one(self):\n        self.{{0}}_two()\n{BODY}"
    f"    def {{0}}_two(self):\n        self.{{0}}_three()\n{BODY}"
    f"    def {{0}}_three(self):\n{BODY}"
)
PARTS = {f"shop/part{n}.py": f"def part{n}():\n    a = 1\n    return a\n" for n in range(9)}


def titles(files: dict[str, str]) -> list[str]:
    facts = facts_of(
        {"README.md": "# Shop\n\nSells things to people.\n", **PARTS, **files}, name="shop"
    )
    return [title for _, title in concept_titles(facts)]


def large(name: str, word: str) -> str:
    return f"class {name}:\n" + STEPS.format(word)


def test_one_of_many_controllers_is_none_but_one_of_few_types_is() -> None:
    words = ("Wheel", "Drawer", "Shelf", "Ladder")
    few = {f"shop/{word.lower()}.py": large(f"{word}Controller", word.lower()) for word in words}
    assert not [title for title in titles(few) if "ontroller" in title]
    assert "TillKeeper" in titles({"shop/till.py": large("TillKeeper", "till")})


def test_letters_that_stand_for_words_stay_together() -> None:
    assert "OkLCh" in titles({"shop/colors.py": large("OkLCh", "mix")})


def test_a_heading_on_changes_names_no_subject() -> None:
    readme = "# Shop\n\nSells things.\n\n## Change log\n\n" + "All that was changed is here. " * 9
    files = {"README.md": readme, "shop/log.py": large("CommonLog", "log") + large("NullLog", "no")}
    files["shop/rest.py"] = large("Rest", "rest") * 3
    assert "Change log" not in titles(files)


def test_what_only_examples_hold_is_no_subject() -> None:
    assert "TillKeeper" not in titles({"_examples/till.py": large("TillKeeper", "till")})
