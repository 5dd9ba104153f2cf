import pytest

from stationmaster.wiki.facts.texts.about import (
    Said,
    about_file,
    about_folder,
    about_module,
    about_repository,
    plain,
)
from stationmaster.wiki.text.inline import Place
from tests.wiki.commits import facts_of


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("See :class:`~shop.cart.Cart` and :meth:`add`.", "See Cart and add."),
        ("A {@link Cart#add} of <b>things</b>.", "A Cart#add of things."),
        ("A [`Cart`](crate::Cart) or [Basket].", "A Cart or Basket."),
        ("Uses ``code`` and `more`_ **now**.", "Uses code and more now."),
        ("Two of (<headers>, <body>).", "Two of (<headers>, <body>)."),
        ("Adds an `<a>` tag to <b>all</b>.", "Adds an <a> tag to all."),
        (
            "See [*The shop*][shop], which *must* or ***should*** open.",
            "See The shop, which must or should open.",
        ),
        ("Returns *Cart or *Till, 2 * 3.", "Returns *Cart or *Till, 2 * 3."),
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


@pytest.mark.parametrize(
    ("path", "doc", "words"),
    [
        ("shop/__init__.py", '"""bring all parts of it together"""\n', ""),
        ("shop/__init__.py", '"""What people buy in it."""\n', "What people buy in it."),
        ("shop/__init__.py", '"""Coins and notes\n~~~~~~~~~~~~~~~\n"""\n', "Coins and notes"),
        ("shop/__init__.py", '"""\n.. sidebar:: Further reading ..\n"""\n', ""),
        ("shop/shop.go", "// And others render it as a tree.\npackage shop\n", ""),
        ("shop/shop.go", "// Package shop sells things.\npackage shop\n",
         "Package shop sells things."),
    ],
)  # fmt: skip
def test_only_prose_on_its_folder_says_what_a_file_is_for(path: str, doc: str, words: str) -> None:
    assert about_file(facts_of({path: doc}), path) == words


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"README.md": "# Shop\n\nSells things to many people.\n\nIt is a shop of a kind.\n"},
         "Sells things to many people."),
        ({"README.md": "# Shop\n\nSee the manual for all of it.\n\nSells things to many people.\n"},
         "Sells things to many people."),
        ({"README.md": "# Shop\n\nSells things to many people.\n",
          "package.json": '{"name": "shop", "description": "A shop for the browser."}'},
         "A shop for the browser."),
    ],
    ids=["paragraph", "remark", "manifest"],
)  # fmt: skip
def test_a_repository_is_what_its_manifest_or_the_first_paragraph_of_its_readme_says(
    files: dict[str, str], words: str
) -> None:
    said = about_repository(facts_of(files))
    assert said is not None
    assert said.words == words


def test_a_file_is_described_by_itself_or_the_symbol_it_is_named_after_and_by_no_other() -> None:
    facts = facts_of({
        "shop/utils.py": 'class Page:\n    """One page of many results."""\n',
        "shop/cart.py": 'class Cart:\n    """What people want to buy."""\n',
        "shop/till.py": '"""Where people pay."""\nclass Till:\n    """A drawer for money."""\n',
    })  # fmt: skip
    assert about_file(facts, "shop/utils.py") == ""
    assert about_file(facts, "shop/cart.py") == "What people want to buy."
    assert about_file(facts, "shop/till.py") == "Where people pay."


def test_a_sentence_within_a_quote_is_told_without_its_marks() -> None:
    readme = "# Shop\n\n> ### A shop that sells things to all kinds of people.\n"
    said = about_repository(facts_of({"README.md": readme}))
    assert said is not None
    assert said.words == "A shop that sells things to all kinds of people."


def test_a_long_sentence_is_whole_and_a_very_long_one_shows_that_it_is_cut() -> None:
    for count, end in ((60, "word."), (200, "word …")):
        said = about_repository(facts_of({"README.md": f"# Shop\n\n{'word ' * count}word.\n"}))
        assert said is not None
        assert said.words.endswith(end)


@pytest.mark.parametrize(("words", "is_whole"), [("All coins.", True), ("All coins:", False)])
def test_what_announces_a_list_is_not_understood_alone(words: str, is_whole: bool) -> None:
    assert Said(words, Place("a.py")).is_whole is is_whole


def test_a_package_that_builds_documents_does_not_describe_the_product() -> None:
    facts = facts_of({
        "pyproject.toml": '[project]\nname = "shop-docs"\nversion = "1"\n'
        'description = "Documents of the shop, built here."\n',
        "package.json": '{"name": "shop", "description": "Sells things to people on the web."}',
    })  # fmt: skip
    about = about_repository(facts)
    assert about is not None
    assert about.words == "Sells things to people on the web."
