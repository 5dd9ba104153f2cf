from stationmaster.wiki.facts.extending.errors import errors
from tests.wiki.commits import facts_of


def test_errors_of_a_project_are_a_tree_below_what_is_from_outside() -> None:
    facts = facts_of({
        "errors.py": "class ShopError(Exception): ...\n\nclass Till(ShopError): ...\n\n"
        "class Empty(Till): ...\n\nclass Odd(ValueError): ...\n",
        "more.py": "from errors import ShopError\n\nclass Full(ShopError): ...\n",
    })  # fmt: skip
    assert [(each.depth, each.symbol.name, each.base) for each in errors(facts)] == [
        (0, "ShopError", "Exception"), (1, "Till", "Exception"), (2, "Empty", "Exception"),
        (1, "Full", "Exception"), (0, "Odd", "ValueError"),
    ]  # fmt: skip


def test_a_project_with_few_errors_has_no_tree() -> None:
    facts = facts_of({"a.py": "class A(Exception): ...\n\nclass B(A): ...\n"})
    assert errors(facts) == ()
