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
