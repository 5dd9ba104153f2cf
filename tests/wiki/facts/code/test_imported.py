"""What a name stands for through files that hand it on."""

from stationmaster.reading.code.model import Call
from stationmaster.wiki.facts.code.names import called, choices
from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of


def test_a_function_of_a_module_is_found_through_a_file_that_hands_the_module_on() -> None:
    facts = facts_of(
        {
            "src/tills.js": "const { users } = require('./services');\n"
            "const open = wrapped(async () => {\n  await users.load(1);\n});\n",
            "src/services/index.js": "module.exports.users = require('./users');\n",
            "src/services/users.js": "const load = async (id) => {\n  return id;\n};\n"
            "module.exports = { load };\n",
        }
    )
    call = Call("load", 3, "users", "open")
    assert called(facts, "src/tills.js", call) == Spot("src/services/users.js", "load")


def test_a_name_of_a_package_is_the_module_in_it() -> None:
    facts = facts_of(
        {
            "shop/__init__.py": "",
            "shop/api/__init__.py": "from shop.api import users\n",
            "shop/api/users.py": "def load():\n    pass\n",
            "shop/web.py": "from shop.api import users\n\n\ndef show():\n    users.load()\n",
        }
    )
    call = Call("load", 5, "users", "show")
    assert called(facts, "shop/web.py", call) == Spot("shop/api/users.py", "load")


def test_a_name_that_several_imports_bring_leads_to_each_of_them_and_to_none_alone() -> None:
    facts = facts_of(
        {
            "app.py": "import sys\n\ndef main():\n    if sys.argv:\n"
            "        from web import Shop as Mode\n    else:\n"
            "        from till import Shop as Mode\n"
            "    Mode()\n\ndef other():\n    from till import Shop as Mode\n    Mode()\n",
            "web.py": "class Shop:\n    def __init__(self):\n        self.a = 1\n",
            "till.py": "class Shop:\n    def __init__(self):\n        self.a = 1\n",
        }
    )
    call = Call("Mode", 8, "", "main")
    ends = (Spot("web.py", "Shop"), Spot("till.py", "Shop"))
    assert (called(facts, "app.py", call), choices(facts, "app.py", call)) == (None, ends)
    (step,) = station_of(facts, Spot("app.py", "main")).steps
    assert (step.does, step.handlers) == ("runs one of these", ends)
    assert called(facts, "app.py", Call("Mode", 12, "", "other")) == ends[1]
