"""The conditions under which code reads a setting."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.setting import Configured
from tests.wiki.commits import facts_of


def setting(facts: Facts, name: str) -> Configured:
    (found,) = (it for it in settings(facts) if it.name == name)
    return found


def test_what_only_a_condition_leads_to_is_not_required() -> None:
    facts = facts_of({
        "lib/a.rb": "if !ENV['TILL_KEY'].to_s.empty?\n  use(ENV.fetch('TILL_KEY'))\nend\n"
        "use(ENV.fetch('TILL_URL'))\ncoins.each do |coin|\n  add(ENV.fetch('TILL_NAME'))\nend\n",
    })  # fmt: skip
    names = ("TILL_KEY", "TILL_URL", "TILL_NAME")
    assert [setting(facts, it).is_required for it in names] == [False, True, True]


def test_a_sentence_of_a_document_says_what_a_variable_means() -> None:
    facts = facts_of({
        "README.md": "# Till\n\nKeeps coins. Set `TILL_URL` to keep them in another database.\n\n"
        "```sh\nTILL_KEY=1 till run with all of the coins\n```\n",
        "lib/a.rb": "use(ENV.fetch('TILL_URL'), ENV.fetch('TILL_KEY'))\n",
    })  # fmt: skip
    docs = [setting(facts, it).doc for it in ("TILL_URL", "TILL_KEY")]
    assert docs == ["Set TILL_URL to keep them in another database.", ""]


def test_a_setting_that_a_program_starts_without_is_not_required() -> None:
    facts = facts_of({
        "a.py": "import os\n\nNAME = os.environ['TILL_NAME']\n\n\ndef load():\n"
        "    return os.environ['TILL_URL']\n",
        "lib/a.rb": "use(ENV.fetch('TILL_SIGN'))\n\nclass Sync\n  def perform(id)\n"
        "    send(ENV.fetch('TILL_KEY'))\n  end\nend\n",
    })  # fmt: skip
    names = ("TILL_NAME", "TILL_URL", "TILL_SIGN", "TILL_KEY")
    assert [setting(facts, it).is_required for it in names] == [True, False, True, False]
