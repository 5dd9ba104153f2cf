"""What documents, tables and comments say that a setting means."""

from __future__ import annotations

import pytest

from stationmaster.reading.code.model import FileFacts, Setting
from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.facts.setting import Configured
from tests.wiki.commits import facts_of


def told(contents: dict[str, str], **read: tuple[Setting, ...]) -> dict[str, Configured]:
    """Settings by name; `read` is what the code of `<name>.py` reads."""
    facts = facts_of({**contents, **{f"{name}.py": "" for name in read}})
    facts.code = {f"{name}.py": FileFacts(settings=each) for name, each in read.items()}
    return {each.name: each for each in settings(facts)}


def test_a_table_of_a_document_says_what_a_variable_means() -> None:
    table = (
        "# Settings\n\nAPP_PORT is one, and so is APP_KEY.\n\n"
        "| Variable | Default | Description |\n| --- | :-: | --- |\n"
        "| `APP_PORT`<super>\\*</super> | 80 | Where **it** [listens](a.md) |\n"
        "| APP_KEY | a\\|b | For APP\\_\\* |\n| lower | | No |\n\n| APP_MODE | | None |\n"
    )
    read = tuple(Setting(name, "env", 1) for name in ("APP_PORT", "APP_KEY", "APP_MODE"))
    found = told({"docs/settings.md": table, "CHANGELOG.md": table.replace("For", "Not")}, app=read)
    assert {name: each.doc for name, each in found.items()} == {
        "APP_PORT": "Where it listens", "APP_KEY": "For APP_*", "APP_MODE": "",
    }  # fmt: skip
    assert found["APP_KEY"].documented == (("docs/settings.md", 8),)


@pytest.mark.parametrize(
    ("head", "meaning"), [("Purpose", "What it is"), ("Default", ""), ("Type", "")]
)
def test_only_a_column_of_descriptions_says_it(head: str, meaning: str) -> None:
    table = f"| Name | {head} |\n|---|---|\n| APP_PORT | What it is |\n"
    found = told({"README.md": table}, app=(Setting("APP_PORT", "env", 1),))
    assert found["APP_PORT"].doc == meaning


def test_what_the_code_says_of_a_variable_comes_before_tables() -> None:
    table = "| Name | Purpose |\n|---|---|\n| APP_PORT | Of a table |\n"
    found = told({"README.md": table}, app=(Setting("APP_PORT", "env", 1, doc="Of the code"),))
    assert found["APP_PORT"].doc == "Of the code"


def test_a_document_on_settings_says_first_what_a_constant_means_and_no_comment_on_another() -> (
    None
):
    reads = "from django.conf import settings\n\nprint(settings.SALE_ROOT, settings.STOCK_ROOT)\n"
    facts = facts_of({
        "shop/settings.py": "DEBUG = 1\nINSTALLED_APPS = []\nROOT_URLCONF = 1\nMIDDLEWARE = []\n"
        "# OTHER_ROOT is fixed to the folder of the shop.\nSTOCK_ROOT = 1\n"
        "# A folder that is on a disk.\nSALE_ROOT = 1\n",
        "shop/views.py": reads,
        "docs/settings.md": "# Settings\n\n## SALE_ROOT\n\nWhere sales are kept.\n",
    })  # fmt: skip
    docs = {it.name: it.doc for it in settings(facts)}
    assert (docs["SALE_ROOT"], docs["STOCK_ROOT"]) == ("Where sales are kept.", "")


def test_the_sentence_of_a_document_on_settings_comes_first_also_in_a_note() -> None:
    found = told(
        {
            "AGENTS.md": "Set `APP_CONFIG` before all of the tests are run.\n",
            "docs/config.md": "# Files\n\n!!! info\n    A module is one that `APP_CONFIG` names.\n",
        },
        app=(Setting("APP_CONFIG", "env", 1),),
    )
    assert found["APP_CONFIG"].doc == "A module is one that APP_CONFIG names."
