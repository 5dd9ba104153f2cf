import pytest

from stationmaster.wiki.facts import spots
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.log import Change, FileChange, Log
from stationmaster.wiki.text.inline import Place
from tests.wiki.commits import facts_of

DAY = 86_400_000
USED = "def f():\n    return 1\n"
BIG = "x = 1\n" * 1200 + "def g():\n    return 1\n"
CONTENTS = {
    "pyproject.toml": "[project]\nname='shop'\n",
    **{f"shop/cart/m{n}.py": USED * 30 for n in range(20)},
    "shop/cart/big.py": BIG,
    "shop/cart/lost.py": USED,
    "shop/cart/main.py": USED,
    "shop/start.py": "".join(f"from shop.cart import m{n}\n" for n in range(20))
                     + "from shop.cart import big\n# TODO: less of it\n",
    "tests/test_cart.py": "# FIXME: more of it\nimport shop.start\n",
}  # fmt: skip


def log(count: int, authors: int = 1) -> Log:
    """So many commits to the big file, and to a small one every tenth time."""
    changes = []
    for number in range(count):
        files = [FileChange("shop/cart/big.py", "M")]
        if number % 10 == 0:
            files.append(FileChange("shop/cart/m1.py", "M"))
        author = number % authors
        changes.append(
            Change(f"{number:040x}", (count - number) * DAY, author, False, "x", tuple(files))
        )
    return Log(tuple(changes))


@pytest.fixture(scope="module")
def facts() -> Facts:
    made = facts_of(CONTENTS)
    made.raw.log = log(220)
    return made


def test_hot_is_what_is_large_and_changes_often(facts: Facts) -> None:
    first, second = spots.spots(facts)
    assert (first.path, first.commits, first.lines) == ("shop/cart/big.py", 220, 1202)
    assert (second.path, second.commits) == ("shop/cart/m1.py", 22)


def test_a_module_that_one_person_mostly_changes_is_told_without_a_name(facts: Facts) -> None:
    (found,) = spots.few(facts)
    assert (found.module, found.people, found.share) == ("modules/cart", 1, 1.0)
    several = facts_of(CONTENTS)
    several.raw.log = log(220, authors=4)
    assert spots.few(several) == ()


def test_large_files_are_those_of_many_lines(facts: Facts) -> None:
    assert spots.large(facts) == (("shop/cart/big.py", 1202),)


def test_remarks_have_their_lines_and_those_of_tests_come_last(facts: Facts) -> None:
    found = [(each.word, each.place) for each in spots.remarks(facts)]
    assert found == [
        ("TODO", Place("shop/start.py", 22)), ("FIXME", Place("tests/test_cart.py", 1)),
    ]  # fmt: skip


def test_a_file_that_nothing_imports_is_a_candidate_but_not_one_that_something_starts(
    facts: Facts,
) -> None:
    assert spots.alone(facts) == ("shop/cart/lost.py",)


def test_where_many_files_seem_unused_it_is_the_imports_that_were_not_understood() -> None:
    few = {path: text for path, text in CONTENTS.items() if path != "shop/start.py"}
    assert spots.alone(facts_of(few)) == ()
