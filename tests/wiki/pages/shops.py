"""A small shop in Python: four modules, tests, a circle, a README."""

from __future__ import annotations

from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.pages import catalogue
from stationmaster.wiki.text.page import Page
from tests.wiki.commits import facts_of

LONG = "\n".join(f"X_{n} = {n}" for n in range(220)) + "\n"
FILES = {
    "pyproject.toml": "[project]\nname = 'shop'\ndescription = 'Sells things to people.'\n"
    "[project.scripts]\nshop = 'shop.main:main'\n",
    "README.md": "# Shop\n\nA small shop that sells things.\n\n```sh\npip install .\n```\n",
    "shop/__init__.py": '"""A shop of small things."""\n',
    "shop/main.py": '"""Where it begins."""\nfrom shop.cart.model import Cart\n'
    "from shop.prices.table import total\n\ndef main() -> None:\n    cart = Cart()\n"
    "    total(cart)\n    finish()\n\ndef finish() -> None:\n    total(None)\n\n"
    "if __name__ == '__main__':\n    main()\n" + LONG,
    "shop/cart/__init__.py": '"""What people are about to buy."""\n',
    "shop/cart/model.py": "import os\nimport httpx\nfrom shop.prices.table import total\n\n"
    'class Cart:\n    """Things and how many of them, see :class:`~shop.Thing`."""\n\n'
    "    def sum(self) -> int:\n        return total(self)\n\nclass _Hidden: ...\n\n"
    "DEBUG = os.environ['SHOP_DEBUG']\n" + LONG,
    "shop/prices/__init__.py": "",
    "shop/prices/table.py": "from shop.store.rows import read\n\ndef total(cart: object) -> int:\n"
    '    """What all of it costs."""\n    return read()\n' + LONG,
    "shop/store/__init__.py": "",
    "shop/store/rows.py": "import shop.prices.table\n\ndef read() -> int: ...\n" + LONG,
    "tests/test_cart.py": "from shop.cart.model import Cart\n\ndef test_a_cart_is_empty(): ...\n",
}  # fmt: skip


def pages(files: dict[str, str] | None = None) -> dict[str, str]:
    """The bodies of all pages by key, with their further pages."""
    facts = facts_of(files or FILES, name="shop")
    first = (_page(facts, each.key) for each in catalogue.plan(facts))
    return {each.key: each.body() for page in first for each in (page, *page.further)}


def body(facts: Facts, key: str) -> str:
    return _page(facts, key).body()


def _page(facts: Facts, key: str) -> Page:
    (planned,) = [each for each in catalogue.plan(facts) if each.key == key]
    page = Page(facts, planned.key, planned.title)
    planned.write(page, facts, planned.subject)
    return page
