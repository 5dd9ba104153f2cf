"""Variables of the environment that files without a parser ask for."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.pages.interfaces import configuration
from tests.wiki.commits import facts_of, written

PHOENIX = """import Config
# System.get_env("SHOP_OLD")
if config_env() == :prod do
  database = System.get_env("DATABASE_URL") || raise "none"
  config :shop, port: String.to_integer(System.get_env("PORT") || "4000"), database: database
end
config :shop, rows: System.fetch_env!("SHOP_ROWS"), host: System.get_env("SHOP_HOST", "here")
"""


def test_a_language_without_a_parser_has_its_variables_with_what_stands_in_for_them() -> None:
    facts = facts_of({"config/runtime.exs": PHOENIX, "t.lua": 'x = os.getenv("TILL") or "one"\n'})
    told = {it.name: (it.default, it.is_required, it.reads) for it in settings(facts)}
    assert told == {
        "DATABASE_URL": (None, False, (("config/runtime.exs", 4),)),
        "PORT": ("4000", False, (("config/runtime.exs", 5),)),
        "SHOP_ROWS": (None, False, (("config/runtime.exs", 7),)),
        "SHOP_HOST": ("here", False, (("config/runtime.exs", 7),)),
        "TILL": ("one", False, (("t.lua", 1),)),
    }


def test_compose_files_and_what_containers_start_have_those_that_no_program_reads() -> None:
    start = (
        "#!/bin/sh\n# ${SHOP_OLD:-1}\nFOLDER=/srv\n: ${SHOP_KEY:?none} ${SHOP_ROWS:-10}\n"
        "run ${FOLDER:-/} ${SHOP_PORT:-80}\n"
    )
    files = {
        "compose.yml": "services:\n  a:\n    image: a:${TAG:-latest}\n    user: ${SHOP_USER}\n",
        "Dockerfile": "FROM scratch\nENTRYPOINT /start.sh\n",
        "start.sh": start,
        "test/compose.yml": "services:\n  a:\n    image: a:${TEST_TAG:-1}\n",
        "other.sh": "echo ${SHOP_OTHER:-1}\n",
        "run.py": "import os\nport = os.environ.get('SHOP_PORT', '8080')\n",
    }
    told = {it.name: (it.default, it.is_required) for it in settings(facts_of(files))}
    assert told == {
        "SHOP_KEY": (None, True), "SHOP_PORT": ("8080", False), "SHOP_ROWS": ("10", False),
        "SHOP_USER": (None, False), "TAG": ("latest", False),
    }  # fmt: skip


def test_options_in_a_text_of_a_compose_file_are_no_comments() -> None:
    files = {
        "compose.yml": "services:\n  a:\n    image: a\n    environment:\n      PARAMS: >-\n"
        "        --server.port=${SHOP_PORT}\n        # ${SHOP_OLD}\n",
    }
    assert {it.name: it.reads for it in settings(facts_of(files))} == {
        "SHOP_PORT": (("compose.yml", 6),),
    }


def test_scripts_and_files_of_web_servers_take_variables_that_documents_name() -> None:
    files = {
        ".env.example": "SHOP_ID=\nSHOP_ENTRY=\nSHOP_OWN=\nSHOP_PASSED=\nSHOP_NOWHERE=\n",
        "docker/start.sh": 'if [ -n "$SHOP_ENTRY" ]; then\n  SHOP_OWN=1; echo $SHOP_OWN\nfi\n',
        "docker/site.conf": "ClientID ${SHOP_ID}\n# ${SHOP_NOWHERE}\nPassEnv SHOP_PASSED\n",
    }
    assert {it.name: it.reads for it in settings(facts_of(files))} == {
        "SHOP_ENTRY": (("docker/start.sh", 1),),
        "SHOP_ID": (("docker/site.conf", 1),),
        "SHOP_NOWHERE": (),
        "SHOP_OWN": (),
        "SHOP_PASSED": (("docker/site.conf", 3),),
    }


def test_documented_variables_that_the_code_lists_are_read_there() -> None:
    code = (
        'const flags = ["SHOP_SALE", "SHOP_UNNAMED"];\n// "SHOP_OLD"\n'
        'const child = { "SHOP_SET": 1 };\nflags.map((flag) => read(process.env, flag));\n'
    )
    files = {".env.example": "SHOP_SALE=\nSHOP_OLD=\nSHOP_SET=\n", "src/shop.ts": code}
    assert {it.name: it.reads for it in settings(facts_of(files))} == {
        "SHOP_OLD": (), "SHOP_SALE": (("src/shop.ts", 1),), "SHOP_SET": (),
    }  # fmt: skip


def test_what_a_compose_file_demands_is_required_by_that_and_not_by_the_program() -> None:
    facts = facts_of({
        "package.json": "{}",
        "compose.yml": "services:\n  a:\n    image: a\n    environment:\n"
        "      - SHOP_ROWS=${SHOP_ROWS:?none}\n      - SHOP_TILL=${SHOP_TILL:?none}\n"
        "      - POSTGRES_DB=${POSTGRES_DB:?none}\n",
        "main.ts": "start(process.env.SHOP_ROWS || 50, process.env.SHOP_TILL);\n",
    })  # fmt: skip
    assert [(it.name, it.default, it.is_needed, it.demanded_by) for it in settings(facts)] == [
        ("POSTGRES_DB", None, False, "compose.yml"),
        ("SHOP_ROWS", "50", False, "compose.yml"),
        ("SHOP_TILL", None, False, "compose.yml"),
    ]
    [planned] = configuration.plan(facts)
    page = written(facts, planned.write, key=planned.key)
    assert "| `50`, required by `compose.yml` |" in page
    assert "| Required |" not in page
