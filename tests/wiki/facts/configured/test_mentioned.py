"""Sentences in which documents name a setting."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of


@pytest.mark.parametrize(
    ("path", "sentence"),
    [("UPGRADE.md", "Set SHOP_ROWS to get the old number of rows."),
     ("docs/adr/0001-rows.md", "Set SHOP_ROWS to get the old number of rows."),
     ("docs/rows.md", "Instead, set SHOP_ROWS to any number of rows."),
     ("docs/rows.md", "You can still change it by the variable SHOP_ROWS."),
     ("docs/rows.md", "Set it | to get | the SHOP_ROWS | that you like."),
     ("docs/rows.md", "The list has A_B, SHOP_ROWS, C_D, E_F, G_H, I_J, K_L and M_N.")],
)  # fmt: skip
def test_other_times_and_sentences_that_lean_on_others_give_no_meaning(
    path: str, sentence: str
) -> None:
    facts = facts_of({
        "shop/app.py": "import os\nrows = os.getenv('SHOP_ROWS')\n",
        path: f"# Rows\n\nThere are rows. {sentence}\n",
    })  # fmt: skip
    assert [it.doc for it in settings(facts)] == [""]


def test_a_parameter_of_mdx_is_a_setting_and_a_condition_in_a_cell_is_no_meaning() -> None:
    facts = facts_of({
        "docs/config.mdx": """\
# Configuration

<ParamField path="MAIL_PORT" default="587">
  The port that mail
  is sent to.

  <Note>Since 2.</Note>
</ParamField>
<ParamField path="MAIL_USER" required>Who sends mail. Any name does.</ParamField>
""",
        "docs/moving.md": "# Moving\n\n| Value | Notes |\n|---|---|\n| `MAIL_FROM` | If set. |\n",
        "app.py": "import os\n"
        "a = os.environ['MAIL_PORT']\nb = os.environ['MAIL_USER']\nc = os.environ['MAIL_FROM']\n",
    })  # fmt: skip
    assert {it.name: (it.doc, it.default) for it in settings(facts)} == {
        "MAIL_FROM": ("", None),
        "MAIL_PORT": ("The port that mail is sent to.", "587"),
        "MAIL_USER": ("Who sends mail. Any name does.", None),
    }
