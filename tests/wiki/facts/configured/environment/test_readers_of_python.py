"""Variables that settings of Django read with a reader that knows types and defaults."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.pages.interfaces import configuration
from tests.wiki.commits import facts_of, written

SHOP = {
    "shop/usual.py": "INSTALLED_APPS = []\nMIDDLEWARE = []\nROOT_URLCONF = 'a'\n"
    "TIME_ZONE = 'UTC'\n",
    "shop/main.py": "import environ\nfrom shop.usual import *\n\n"
    "env = environ.Env(DEBUG_TILLS=(bool, False), MANY=int)\nA = env('DEBUG_TILLS')\n"
    "B = env('MANY')\nTIME_ZONE = env.str('TIME_ZONE', 'Europe/Berlin')\n"
    "KEY = env.str('TILL_SECRET', '')\nNAMES = env.list('TILL_NAMES', default=[])\n"
    "if env.bool('HAS_MAIL', False):\n    HOST = env.str('MAIL_HOST')\nelse:\n"
    "    PATH = env.str('MAIL_PATH')\n",
}


def test_defaults_are_those_of_the_call_or_of_the_reader() -> None:
    found = {
        it.name: (it.default, it.is_required) for it in settings(facts_of(SHOP)) if it.kind == "env"
    }
    assert found == {
        "DEBUG_TILLS": ("False", False), "MANY": (None, True),
        "TIME_ZONE": ("Europe/Berlin", False), "TILL_SECRET": ("", False),
        "TILL_NAMES": ("", False), "HAS_MAIL": ("False", False), "MAIL_HOST": (None, False),
        "MAIL_PATH": (None, False),
    }  # fmt: skip


def test_what_is_required_under_a_condition_is_told_with_it() -> None:
    facts = facts_of(SHOP)
    (planned,) = configuration.plan(facts)
    rows = written(facts, planned.write, planned.subject, planned.key).split("\n")
    (host,) = (row for row in rows if row.startswith("| `MAIL_HOST`"))
    (path,) = (row for row in rows if row.startswith("| `MAIL_PATH`"))
    assert "required `if env.bool('HAS_MAIL', False)`" in host
    assert "required `unless env.bool('HAS_MAIL', False)`" in path
