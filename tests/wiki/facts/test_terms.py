import pytest

from stationmaster.wiki.facts.about import about_folder, about_module, about_repository, plain
from stationmaster.wiki.facts.library import offering
from stationmaster.wiki.facts.terms import terms
from stationmaster.wiki.text.inline import Place
from tests.wiki.commits import facts_of

CART = 'class Cart:\n    """All that one buys at once."""\n'
USE = "from shop.cart import Cart\n"


def test_a_term_is_a_type_that_several_files_name_with_what_the_source_says_of_it() -> None:
    facts = facts_of({"shop/__init__.py": "", "shop/cart.py": CART, "shop/a.py": USE,
                      "shop/b.py": USE})  # fmt: skip
    (term,) = terms(facts)
    assert (term.name, term.meaning, term.users) == ("Cart", "All that one buys at once.", 2)
    assert term.place == Place("shop/cart.py", 1)


@pytest.mark.parametrize(
    "files",
    [
        {"shop/cart.py": CART, "shop/a.py": USE},
        {"shop/cart.py": "class Cart: ...\n", "shop/a.py": USE, "shop/b.py": USE},
        {"shop/cart.py": CART, "shop/a.py": USE, "shop/b.py": USE, "shop/other.py": CART,
         **{f"shop/{n}.py": "from shop.other import Cart\n" for n in "cd"}},
    ],
)  # fmt: skip
def test_what_few_name_nobody_explains_or_means_two_things_is_no_term(
    files: dict[str, str],
) -> None:
    assert terms(facts_of({"shop/__init__.py": "", **files})) == ()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("See :class:`~shop.cart.Cart` and :meth:`add`.", "See Cart and add."),
        ("A {@link Cart#add} of <b>things</b>.", "A Cart#add of things."),
        ("A [`Cart`](crate::Cart) or [Basket].", "A Cart or Basket."),
        ("Uses ``code`` and `more`_ **now**.", "Uses code and more now."),
        ("a < b and c[0] is a list [1, 2]", "a < b and c[0] is a list [1, 2]"),
    ],
)
def test_marks_of_documentation_are_no_words(said: str, told: str) -> None:
    assert plain(said) == told


def test_a_module_is_told_by_its_folder_and_not_by_a_licence() -> None:
    facts = facts_of({
        "README.md": "# Shop\n\n[![build](x)](y)\n\nA shop of small things.\n\nMore.\n",
        "shop/__init__.py": '"""Copyright 2020 of the authors of shop."""\n' + "x = 1\n" * 300,
        "shop/README.md": "# Code\n\nThe code of the whole shop.\n",
        "shop/cart/__init__.py": '"""What people buy."""\n' + "x = 1\n" * 300,
    })  # fmt: skip
    said = about_repository(facts)
    assert said is not None
    assert (said.words, said.place) == ("A shop of small things.", Place("README.md", 5))
    cart, shop = about_folder(facts, "shop/cart"), about_module(facts, "modules/shop")
    assert cart is not None
    assert cart.place == Place("shop/cart/__init__.py", 1)
    assert shop is not None
    assert shop.words == "The code of the whole shop."


def test_a_library_offers_its_modules_but_not_internal_ones() -> None:
    files = {f"src/shop/{name}/__init__.py": CART + "x = 1\n" * 300
             for name in ("api", "_internal", "tools")}  # fmt: skip
    facts = facts_of({"pyproject.toml": "[project]\nname = 'shop'\nversion = '1.0'\n"
                      "[build-system]\nrequires = ['hatchling']\n", **files})  # fmt: skip
    assert offering(facts) == ("modules/api",)
