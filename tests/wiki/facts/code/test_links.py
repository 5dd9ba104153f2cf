from stationmaster.wiki.facts.code.links import all_links, links_from, users_of_outside
from tests.wiki.commits import facts_of

FILES = {
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "shop/__init__.py": "from shop.cart import Cart\n",
    "shop/cart.py": "import json\nimport httpx\n\nfrom shop.prices import total\n\n"
    "class Cart: ...\n",
    "shop/prices.py": "import httpx\n\ndef total(): ...\n",
    "tests/test_cart.py": "from shop.cart import Cart\nfrom .gone import nothing\n",
}


def test_a_file_knows_what_it_imports_and_who_imports_it() -> None:
    facts = facts_of(FILES)
    assert [(each.end, each.line, each.kind, each.weight) for each in links_from(
        facts, "shop/cart.py")] == [("shop/prices.py", 4, "module", 1.0)]  # fmt: skip
    assert [each.start for each in all_links(facts).into["shop/cart.py"]] == [
        "shop/__init__.py", "tests/test_cart.py",
    ]  # fmt: skip


def test_packages_of_others_and_parts_of_the_language_have_the_files_that_import_them() -> None:
    facts = facts_of(FILES)
    assert all_links(facts).outside["shop/cart.py"] == {"httpx": 2, "json": 1}
    assert users_of_outside(facts, "httpx") == (("shop/cart.py", 2), ("shop/prices.py", 1))


def test_an_import_that_leads_nowhere_is_kept_as_such() -> None:
    found = all_links(facts_of(FILES)).unresolved["tests/test_cart.py"]
    assert [(each.line, each.name) for each in found] == [(2, "gone")]


def test_a_file_that_imports_itself_or_the_same_file_twice_has_one_link_at_most() -> None:
    facts = facts_of({
        "a/__init__.py": "",
        "a/b.py": "from a import c\nimport a.b\n\ndef f():\n    from a import c\n",
        "a/c.py": "",
    })  # fmt: skip
    assert [(each.end, each.line) for each in links_from(facts, "a/b.py")] == [("a/c.py", 1)]


def test_an_import_of_a_generated_module_of_rust_leads_to_it_however_deep() -> None:
    facts = facts_of({
        "Cargo.toml": "[package]\nname = 'shop'\n[dependencies]\ndiesel = '2'\n",
        "src/lib.rs": "extern crate diesel;\npub mod schema;\nmod cart;\n",
        "src/schema.rs": "// @generated automatically by Diesel CLI.\n",
        "src/cart.rs": "use crate::schema::orders::dsl::orders;\nuse crate::diesel::dsl::now;\n"
        "use crate::gone::deep::Thing;\n"
        "fn f() { brought::table.all(); crate::lost::deep::call() }\n",
    })  # fmt: skip
    links = all_links(facts)
    assert [link.end for link in links.out["src/cart.rs"]] == ["src/schema.rs"]
    assert [*links.outside["src/cart.rs"]] == ["diesel"]
    assert [each.name for each in links.unresolved["src/cart.rs"]] == [
        "crate::gone::deep", "crate::lost::deep",
    ]  # fmt: skip
    assert links.unresolved["src/lib.rs"] == ()
