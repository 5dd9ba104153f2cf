"""Variables that are read of an environment which a module of the project hands on."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of


def test_members_of_an_environment_that_another_module_exports() -> None:
    facts = facts_of({
        "package.json": "{}",
        "server/utils/environment.ts": "export function wrapped(env) { return env; }\n"
        "export default wrapped(process.env);\n",
        "server/env.ts": 'import environment from "./utils/environment";\n'
        "export class Environment {\n"
        "  /**\n   * Where the store is. It may be remote, see environment.NO.\n   */\n"
        '  public STORE_URL = environment.STORE_URL ?? "local";\n\n'
        "  public SPEED = this.number(\n    environment.SPEED || 3\n  );\n\n"
        "  public PORT = this.number(environment.PORT) ?? 3000;\n"
        "  public TIME = this.number(environment.TIME) ?? 10 * 60;\n"
        "  public other = environment.name;\n}\n",
        "server/config.ts": "export default { env: process.env.NODE_ENV };\n",
        "server/other.ts": 'import config from "./config";\nconfig.NOT_READ;\n',
    })  # fmt: skip
    by_name = {it.name: it for it in settings(facts)}
    assert {name: (it.default, it.doc, it.reads) for name, it in by_name.items()} == {
        "NODE_ENV": (None, "", (("server/config.ts", 1),)),
        "PORT": ("3000", "", (("server/env.ts", 12),)),
        "SPEED": ("3", "", (("server/env.ts", 9),)),
        "STORE_URL": ("local", "Where the store is.", (("server/env.ts", 6),)),
        "TIME": (None, "", (("server/env.ts", 13),)),
    }  # fmt: skip


def test_what_functions_of_python_ask_of_the_environment_that_they_are_given() -> None:
    facts = facts_of({
        "shop/paths.py": "def load(*, root, environ):\n"
        '    return environ.get("SHOP_CONFIG", "main"), environ["SHOP_ROOT"]\n\n\n'
        'def application(environ):\n    return environ.get("HTTP_HOST")\n',
        "shop/start.py": "import os\nfrom shop.paths import load\n\nload(\n    root=1,\n"
        "    environ=os.environ,\n)\n",
    })  # fmt: skip
    assert [(it.name, it.default, it.reads) for it in settings(facts)] == [
        ("SHOP_CONFIG", "main", (("shop/paths.py", 2),)),
        ("SHOP_ROOT", None, (("shop/paths.py", 2),)),
    ]
