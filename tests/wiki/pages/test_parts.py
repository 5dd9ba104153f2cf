from tests.wiki.pages.shops import LONG, pages

CORE = 'class Cart:\n    """All that one buys at once."""\n\ndef fill(cart: Cart) -> None: ...\n'
FILES = {
    "package.json": '{"private": true, "workspaces": ["packages/*"]}',
    "packages/core/pyproject.toml": "[project]\nname = 'core'\nversion = '1.0'\n"
    "description = 'What all shops have in common.'\n[build-system]\nrequires = ['hatchling']\n",
    "packages/core/core/__init__.py": CORE + LONG,
    "packages/core/core/store/__init__.py": CORE + LONG,
    "packages/web/pyproject.toml": "[project]\nname = 'web'\nversion = '1.0'\n"
    "dependencies = ['core', 'flask']\n[tool.uv.sources]\ncore = {workspace = true}\n",
    "packages/web/web/__init__.py": "from core import Cart, fill\nfrom flask import Flask\n\n"
    "app = Flask(__name__)\n\n@app.get('/cart')\ndef show(): ...\n" + LONG,
    "packages/web/web/pay/__init__.py": "from core import Cart\n" + LONG,
}  # fmt: skip


def test_each_application_and_package_has_a_page_with_its_modules_and_ways_in() -> None:
    found = pages(FILES)
    web = found["apps/web"]
    assert "| [web/pay](../modules/web-pay.md) | `packages/web/web/pay` |" in web
    assert "| `GET /cart` |" in web
    assert "“What all shops have in common.”" in found["packages/core"]
    assert "[web](apps/web.md)" in found["index"]


def test_a_published_library_tells_its_public_names_and_an_application_does_not() -> None:
    library = pages(FILES)["api/library/core"]
    assert "| `class Cart` | class | All that one buys at once. |" in library
    assert "| `def fill(cart: Cart) -> None` | function |" in library
    assert "api/library/web" not in pages(FILES)


def test_a_repository_of_one_part_has_no_page_for_it() -> None:
    one = {path: text for path, text in FILES.items() if "core" in path}
    assert not [key for key in pages(one) if key.startswith(("apps/", "packages/"))]
