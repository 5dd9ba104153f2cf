"""Variables of the environment that files of settings take values from."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of

SERVER = """\
shop:
  http:
    # Port of the API.
    port: ${SHOP_PORT:8080}
    host: ${SHOP_HOST:${HOST:localhost}}
  database:
    url: ${DATABASE_URL:}
    password: ${DATABASE_PASSWORD:guest}
    user: "${DATABASE_USER}"
"""


def test_a_file_of_settings_names_the_variables_that_fill_its_keys() -> None:
    facts = facts_of({"src/main/resources/shop-server.yml": SERVER})
    named = settings(facts)
    assert [it.name for it in named if it.is_required] == ["DATABASE_USER"]
    assert [(it.name, it.default, it.doc, it.reads[0][1]) for it in named] == [
        ("DATABASE_PASSWORD", None, "Value of shop.database.password.", 8),
        ("DATABASE_URL", "", "Value of shop.database.url.", 7),
        ("DATABASE_USER", None, "Value of shop.database.user.", 9),
        ("HOST", "localhost", "Value of shop.http.host.", 5),
        ("SHOP_HOST", None, "Value of shop.http.host.", 5),
        ("SHOP_PORT", "8080", "Port of the API.", 4),
    ]


def test_a_file_with_a_default_in_parentheses_names_variables_that_it_can_do_without() -> None:
    text = "db:\n  host: '$(DB_HOST)'\nlevel: $(LOG_LEVEL:info)\n"
    named = settings(facts_of({"config.yml": text}))
    assert [(it.name, it.default, it.doc, it.is_required) for it in named] == [
        ("DB_HOST", None, "Value of db.host.", False),
        ("LOG_LEVEL", "info", "Value of level.", False),
    ]
    assert settings(facts_of({"task.yml": "run: make $(DB_HOST)\n"})) == ()


def test_a_file_of_hocon_takes_a_variable_only_if_it_is_set() -> None:
    facts = facts_of({"conf/application.conf": "port = 9000\nport = ${?HTTP_PORT}\n"})
    assert [(it.name, it.default, it.is_required) for it in settings(facts)] == [
        ("HTTP_PORT", None, False)
    ]


def test_a_list_of_a_document_says_what_a_variable_means() -> None:
    readme = (
        "# Shop\n\n* `SHOP_PORT`: Where the API\n  listens; 8080 if unset\n"
        "* `DATABASE_URL` (string) - The database\n\nMore.\n"
    )
    facts = facts_of({"conf/shop.conf": "port = ${SHOP_PORT:8080}\n", "README.md": readme})
    assert [(it.name, it.doc, it.documented) for it in settings(facts)] == [
        ("SHOP_PORT", "Where the API listens; 8080 if unset", (("README.md", 3),))
    ]


def test_pipelines_tests_and_other_templates_are_no_files_of_settings() -> None:
    assert not settings(
        facts_of({
            ".github/workflows/ci.yml": "env: ${TAG_NAME:a}\n",
            "src/test/resources/application.yml": "port: ${TEST_PORT:1}\n",
            "docker/test-images/a/src/main/resources/a.yml": "port: ${TEST_PORT:1}\n",
            "src/main/resources/a.properties": "version=${VERSION}\nname=${project.name:a}\n",
        })
    )  # fmt: skip


def test_files_of_symfony_take_variables_through_processors_with_parameters_for_defaults() -> None:
    services = (
        "parameters:\n    env(SHOP_ROWS): 10\nshop:\n    rows: '%env(int:SHOP_ROWS)%'\n"
        "    till: '%env(default:till:json:file:SHOP_TILL)%'\n    # dsn: '%env(SHOP_OLD)%'\n"
    )
    told = settings(facts_of({"config/services.yaml": services}))
    assert {it.name: (it.default, it.is_required, it.doc) for it in told} == {
        "SHOP_ROWS": ("10", False, "Value of shop.rows."),
        "SHOP_TILL": (None, False, "Value of shop.till."),
    }
