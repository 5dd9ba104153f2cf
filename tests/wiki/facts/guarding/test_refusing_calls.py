"""Decorators that refuse requests by what they call."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of


def test_a_decorator_that_calls_what_raises_a_refusal_guards_and_one_that_may_is_left_open() -> (
    None
):
    facts = facts_of({
        "shop/till.py": "class Till:\n    @classmethod\n    def raise_closed(cls):\n"
        "        if cls.is_closed:\n            raise PermissionDenied('closed')\n\n"
        "    @classmethod\n    def count(cls):\n        return 1\n",
        "shop/deco.py": "from functools import wraps\nfrom elsewhere import raise_late\n"
        "from shop.till import Till\n\n\n"
        + "".join(
            f"def {name}(view):\n    @wraps(view)\n    def inner(*args):\n        {call}\n"
            "        return view(*args)\n    return inner\n\n\n"
            for name, call in (
                ("require_open", "Till.raise_closed()"), ("require_time", "raise_late()"),
                ("require_till", "Till.count()"),
            )
        ),
        "shop/app.py": "from flask import Flask\n"
        "from shop.deco import require_open, require_time, require_till\n"
        "app = Flask(__name__)\n"
        + "".join(
            f"@app.route('/{name}')\n@{mark}\ndef {name}():\n    return ''\n\n"
            for name, mark in (
                ("a", "require_open"), ("b", "require_time"), ("c", "require_till"),
            )
        ),
    })  # fmt: skip
    assert [(it.route, [g.words for g in it.guards], it.passed) for it in endpoints(facts)] == [
        ("/a", ["require_open"], ()), ("/b", [], ()), ("/c", [], ("require_till",)),
    ]  # fmt: skip
