"""What a name stands for through files that hand it on."""

from stationmaster.reading.code.model import Call
from stationmaster.wiki.facts.code.names import called
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
