import re

import pytest

from stationmaster.wiki.facts.model import Spot
from stationmaster.wiki.pages.explaining import shown
from stationmaster.wiki.text.page import Page
from tests.wiki.commits import facts_of
from tests.wiki.pages.shops import FILES, pages


@pytest.fixture(scope="module")
def shop() -> dict[str, str]:
    return pages()


def test_the_first_page_says_what_it_is_and_leads_to_the_rest(shop: dict[str, str]) -> None:
    index = shop["index"]
    assert "“Sells things to people.” ([`pyproject.toml:3`](source:pyproject.toml#L3))" in index
    assert "[Architecture](architecture.md)" in index


def test_the_first_page_names_the_languages_that_much_of_the_code_is_in() -> None:
    script = "export function till(a) {\n  return a;\n}\n"
    index = pages({**FILES, "shop/till.js": script * 90})["index"]
    assert "written mostly in Python and JavaScript, in " in index
    assert "written mostly in Python, in " in pages({**FILES, "shop/till.js": script})["index"]


def test_members_of_a_workspace_of_cargo_are_not_built_separately() -> None:
    made = pages({
        "Cargo.toml": '[package]\nname = "shop"\n[workspace]\nmembers = ["tea"]\n',
        "src/main.rs": "fn main() {\n    tea::pour();\n}\n",
        "tea/Cargo.toml": '[package]\nname = "tea"\n',
        "tea/src/lib.rs": "pub fn pour() {}\n",
    })  # fmt: skip
    assert "; its 2 crates are one workspace of Cargo." in made["index"]
    assert "separately" not in made["index"] + made["architecture"]


def test_a_module_says_what_it_is_for_who_uses_it_and_what_tests_it(shop: dict[str, str]) -> None:
    cart = shop["modules/cart"]
    assert cart.startswith(
        "# cart\n\n“What people are about to buy.” "
        "([`shop/cart/__init__.py:1`](source:shop/cart/__init__.py#L1)). "
        "Its code is in `shop/cart`."
    )
    assert "### Cart\n\nClass at [`shop/cart/model.py:5-9`]" in cart
    assert "> Things and how many of them, see `shop.Thing`.\n>\n> — [`shop/cart" in cart
    assert "sum(self)" not in cart  # It has no words.
    assert "_Hidden" not in cart
    assert "| [prices](prices.md) | [`shop/cart/model.py:3`]" in cart
    assert (
        "1 test file imports it, or lies beside it or in a folder of its name: "
        "[`tests/test_cart.py`](source:tests/test_cart.py)." in cart
    )


def test_the_architecture_says_once_how_modules_build_on_each_other(shop: dict[str, str]) -> None:
    architecture = shop["architecture"]
    assert '  n1["cart"]\n  n2["prices"]\n  n3["shop"]\n  n4["store"]\n' in architecture
    assert "  n3 --> n1\n  n3 --> n2\n" in architecture
    assert "- shop →" not in architecture
    assert "| [prices](modules/prices.md) | " in architecture


def test_imports_of_types_and_inside_functions_close_no_circle() -> None:
    rows = "def read() -> int:\n    import shop.prices.table\n" + "x = 1\n" * 250
    assert "in a circle" not in pages({**FILES, "shop/store/rows.py": rows})["architecture"]


def test_every_page_is_reached_from_the_first_one_and_every_link_leads_somewhere(
    shop: dict[str, str],
) -> None:
    reached, waiting = {"index"}, ["index"]
    while waiting:
        key = waiting.pop()
        base = key.split("/")[:-1]
        for found in re.findall(r"\]\((?!source:)([^)#]+)\.md", shop[key]):
            steps = list(base)
            for step in found.split("/"):
                steps = steps[:-1] if step == ".." else [*steps, step]
            assert "/".join(steps) in shop
            if "/".join(steps) not in reached:
                reached.add("/".join(steps))
                waiting.append("/".join(steps))
    assert reached == set(shop)


def test_no_section_is_empty_and_no_title_is_long(shop: dict[str, str]) -> None:
    for body in shop.values():
        assert not re.search(r"\n(#{2,6}) [^\n]+\n+\1 ", body)
        assert not re.search(r"\n#{2,6} [^\n]+\n*$", body)
        assert len(re.split(r"[ /]", body.split("\n")[0].removeprefix("# "))) <= 6


def test_a_commit_of_one_document_has_no_pages_about_code() -> None:
    found = pages({"README.md": "# Nothing\n\nThere is no code here at all.\n"})
    assert set(found) <= {"index", "gaps"}


def test_extension_points_have_a_page_where_there_are_any() -> None:
    files = dict(FILES)
    for name in ("a", "b", "c", "d", "e"):
        files[f"shop/kinds/{name}.py"] = (
            f"from shop.kinds.base import Kind\n\nclass {name.upper()}s(Kind):\n"
            f'    """A kind that is called {name}."""\n'
        )
        files[f"shop/uses/{name}.py"] = "\n".join(
            f"from shop.kinds.{each} import {each.upper()}s" for each in "abcde"
        )
    files["shop/kinds/base.py"] = (
        'class Kind:\n    """What all kinds have."""\n\n    def sell(self):\n        return 1\n'
    )
    found = pages(files)
    assert "| As | A kind that is called a. |" in found["extension-points"].replace("`", "")


def test_methods_that_others_have_to_write_are_marked() -> None:
    text = (
        "from abc import ABC, abstractmethod\n\nclass Pay(ABC):\n"
        "    @abstractmethod\n    def pay(self):\n        ...\n\n"
        '    def name(self):\n        """Says who pays."""\n        return 1\n'
    )
    facts = facts_of({"shop/pay.py": text})
    told = shown(Page(facts, "modules/shop", "shop"), facts, Spot("shop/pay.py", "Pay"))
    assert told is not None
    assert told.others == "`pay(self)` (abstract)"


def test_a_conversion_is_no_base_and_a_cut_sentence_no_meaning() -> None:
    text = (
        "pub enum Kind {\n    A,\n    B,\n}\n\nimpl From<&str> for Kind {\n"
        "    /// Returns:\n    fn from(s: &str) -> Self {\n        Kind::A\n    }\n}\n\n"
        "impl Sold for Kind {\n    fn sold(&self) {\n        print();\n    }\n}\n"
    )
    facts = facts_of({"src/lib.rs": text, "Cargo.toml": "[package]\nname = 'shop'\n"})
    told = shown(Page(facts, "modules/shop", "shop"), facts, Spot("src/lib.rs", "Kind"))
    assert told is not None
    assert told.bases == "`Sold`"
    assert "Returns:" not in told.table


def test_a_comment_that_only_repeats_the_name_is_none_and_what_every_type_has_is_left_out() -> None:
    code = (
        "class Cart:\n"
        '    def __init__(self):\n        """Cart constructor."""\n'
        '    def __repr__(self):\n        return "cart"\n'
        '    def get_size(self):\n        """Returns the size."""\n'
        '    def add(self):\n        """Keeps a thing until it is paid."""\n'
    )
    facts = facts_of({"cart.py": code})
    cart = shown(Page(facts, "a", "A"), facts, Spot("cart.py", "Cart"))
    assert cart is not None
    assert str(cart.others) == "`get_size(self)`"
    assert cart.table.count("\n") == 2
    assert "| `add(self)` | Keeps a thing until it is paid. |" in cart.table


def test_an_appeal_for_donations_is_not_what_the_product_is() -> None:
    appeal = "People suffer in a country far away.\n\nPlease consider donating to those who help.\n"
    words = "A shop that sells small things to people who like to have many of them at home." * 3
    readme = f"{appeal}\n# The shop\n\n{words}\n"
    index = pages({**FILES, "README.md": readme, "AUTHORS": "Ann\nBob\n"})["index"]
    assert "suffer" not in index
    assert f"> {words}" in index


def test_files_of_pages_and_styles_are_without_a_reader() -> None:
    told = pages({**FILES, "web/a.html": "<p>a</p>", "web/b.scss": "a {}", "web/c.png": "c"})[
        "gaps"
    ]
    assert "2 files are in a language without a reader." in told


def test_benchmarks_draw_no_arrow_and_hold_nothing_of_a_module() -> None:
    rust = "//! {}\n\npub fn {}() {{\n    work();\n}}\n" + "// x\n" * 250
    body = pages({
        "Cargo.toml": "[package]\nname = 'shop'\ndescription = 'Sells things to people.'\n",
        "build.rs": "fn main() {\n    stamp();\n}\n",
        "benches/speed.rs": "use shop::cart::sell;\n\npub fn speed() {\n    sell();\n}\n",
        "src/lib.rs": "pub mod cart;\npub mod till;\n",
        "src/cart/mod.rs": rust.format("What people buy.", "sell"),
        "src/till/mod.rs": "use crate::cart::sell;\n" + rust.format("Where they pay.", "pay"),
    })["architecture"]  # fmt: skip
    assert "speed" not in body
    assert "shop --> " not in body
    assert "Sells things to people." not in body


def test_of_few_modules_a_table_says_what_each_uses_and_nothing_is_drawn() -> None:
    rust = "//! {}\n\npub fn {}() {{}}\n" + "// x\n" * 250
    body = pages({
        "Cargo.toml": "[package]\nname = 'shop'\n",
        "src/lib.rs": "pub mod cart;\npub mod till;\n",
        "src/cart/mod.rs": rust.format("What people buy.", "sell"),
        "src/till/mod.rs": "use crate::cart::sell;\n" + rust.format("Where they pay.", "pay"),
    })["architecture"]  # fmt: skip
    assert "mermaid" not in body
    assert "| till |   | cart | `src/till` |" in body


def test_pages_of_php_that_a_web_server_starts_are_beginnings() -> None:
    body = pages({
        "composer.json": '{"name": "acme/shop"}',
        "index.php": "<?php\nrequire __DIR__.'/app/common.php';\n$box['router']->run();\n",
        "config.php": "<?php\ndefine('A', 1);\n",
        "part.php": "<?php\nrequire 'config.php';\n$a->b();\n",
        "app/common.php": "<?php\nrequire __DIR__.'/../part.php';\n$box = [];\n" + "// x\n" * 250,
        "lib/a.php": "<?php\nclass A\n{\n    function b()\n    {\n    }\n}\n" + "// x\n" * 250,
    })["architecture"]  # fmt: skip
    begun = body.partition("## Modules")[0]
    assert "`index.php`" in begun
    assert "`config.php`" not in begun
    assert "`part.php`" not in begun


def test_a_library_begins_with_what_its_readme_uses() -> None:
    java = "package org.shop;\npublic class {} {{\n  {}\n  public void open() {{\n  }}\n}}\n"
    body = pages({
        "pom.xml": "<project><groupId>org.shop</groupId><artifactId>shop</artifactId></project>",
        "README.md": "# Shop\n\n```java\nTill till = new Till();\ntill.open();\n```\n",
        "src/main/java/org/shop/Till.java": java.format("Till", "// x\n" * 250),
        "src/main/java/org/shop/make/Maker.java": java.format(
            "Maker", "public static void main(String[] args) {\n  }\n" + "  // x\n" * 250
        ).replace("org.shop;", "org.shop.make;"),
    })["architecture"]  # fmt: skip
    begun = body.partition("## Modules")[0]
    assert "| `Till` |" in begun
    assert "Maker" not in begun


def test_pictures_of_a_readme_are_no_words() -> None:
    badges = (
        '&nbsp;\n<p align="center">\n\t<a href="https://a.example"><img src="b.svg" /></a>\n</p>'
    )
    readme = f"# Shop\n\n{badges}\n\nA shop of small things for people who live far away.\n"
    index = pages({**FILES, "README.md": readme})["index"]
    assert "> A shop of small things" in index
    assert "img src" not in index


@pytest.mark.parametrize(
    "beside",
    [
        "In order to learn more and download the latest version:\n\n```\nhttp://a.example\n```",
        "If you find this project interesting, please consider starring the project.",
        "If you need support or have ideas, please visit the issues.",
        "- [Official website](https://a.example)\n- Demo: https://b.example",
        "- **Begin -** [Tills](#tills), [Carts](#carts)",
        "Examples in the wiki.",
        "[badge]: https://a.example/b.svg\n[build]: https://a.example/c.svg",
        "- Chat with us on [Discord](https://a.example)\n- [Docs](https://b.example)",
        "[Follow our feed](https://a.example) to learn about updates!",
    ],
)
def test_what_leads_away_from_a_readme_does_not_say_what_the_project_is(beside: str) -> None:
    own = ("A shop of small things for people who live far away.",
           "It sells them each day, at any hour, and keeps what was sold in a book.")  # fmt: skip
    readme = f"# Shop\n\n{own[0]}\n\n{own[1]}\n\n{beside}\n"
    index = pages({**FILES, "README.md": readme})["index"]
    said = index.partition("## What it is")[2].partition("\n## ")[0]
    lines = [it for it in said.split("\n") if it.startswith("> ") and "—" not in it]
    assert lines == [f"> {it}" for it in own]
