from __future__ import annotations

from tests.reading.code.reading import leads


def test_relative_imports_count_folders_and_prefer_submodules() -> None:
    told = leads({
        "shop/__init__.py": "", "shop/cart.py": "", "shop/pay/__init__.py": "",
        "shop/pay/card.py": "from . import cash\nfrom .. import cart, NAME\nfrom ..gone import x",
        "shop/pay/cash.py": "from .card import Card",
    })  # fmt: skip
    assert told["shop/pay/card.py", "."] == ("shop/pay/cash.py",)
    assert told["shop/pay/card.py", ".."] == ("shop/cart.py", "shop/__init__.py")
    assert told["shop/pay/card.py", "..gone"] == ()
    assert told["shop/pay/cash.py", ".card"] == ("shop/pay/card.py",)


def test_absolute_imports_begin_at_source_roots() -> None:
    told = leads({
        "pyproject.toml": '[project]\nname = "shop"',
        "src/shop/__init__.py": "", "src/shop/cart.py": "", "src/shop/types.py": "",
        "src/shop/spaces/deep.py": "",
        "tests/test_cart.py": """
            import os.path
            import yaml
            import shop.cart
            import types
            from shop import cart, Name
            from shop.spaces import deep
            import shop.gone
        """,
    })  # fmt: skip
    assert told["tests/test_cart.py", "os.path"] == ("outside os",)
    assert told["tests/test_cart.py", "types"] == ("outside types",)
    assert told["tests/test_cart.py", "yaml"] == ("outside yaml",)
    assert told["tests/test_cart.py", "shop.cart"] == ("src/shop/cart.py",)
    assert told["tests/test_cart.py", "shop"] == ("src/shop/cart.py", "src/shop/__init__.py")
    assert told["tests/test_cart.py", "shop.spaces"] == ("src/shop/spaces/deep.py",)
    assert told["tests/test_cart.py", "shop.gone"] == ()


def test_of_two_packages_of_one_name_the_nearest_counts() -> None:
    manifest = '[project]\nname = "{}"'
    told = leads({
        "one/pyproject.toml": manifest.format("one"), "two/pyproject.toml": manifest.format("two"),
        "one/app/__init__.py": "", "one/main.py": "import app",
        "two/app/__init__.py": "", "two/main.py": "import app",
        "other/main.py": "import app",
    })  # fmt: skip
    assert told["one/main.py", "app"] == ("one/app/__init__.py",)
    assert told["two/main.py", "app"] == ("two/app/__init__.py",)
    assert told["other/main.py", "app"] == ()


def test_a_script_finds_what_lies_beside_it() -> None:
    told = leads({
        "tools/run.py": "import helper", "tools/helper.py": "",
        "lib/__init__.py": "", "lib/run.py": "import helper", "lib/helper.py": "",
    })  # fmt: skip
    assert told["tools/run.py", "helper"] == ("tools/helper.py",)
    assert told["lib/run.py", "helper"] == ("outside helper",)


def test_packages_side_by_side_find_each_other_below_a_folder_that_is_none() -> None:
    told = leads({
        "site/manage.py": "import shop.models",
        "site/shop/__init__.py": "", "site/shop/models.py": "from users.models import User",
        "site/users/__init__.py": "", "site/users/models.py": "",
        "other/run.py": "import users",
    })  # fmt: skip
    assert told["site/manage.py", "shop.models"] == ("site/shop/models.py",)
    assert told["site/shop/models.py", "users.models"] == ("site/users/models.py",)
    assert told["other/run.py", "users"] == ("outside users",)
