"""What variables of the environment decide."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.configured.decided import decisions
from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.setting import Configured
from tests.wiki.commits import facts_of


def setting(facts: Facts, name: str) -> Configured:
    (found,) = (it for it in settings(facts) if it.name == name)
    return found


def decided(facts: Facts, name: str) -> list[tuple[str, str, str]]:
    found = decisions(facts, name, setting(facts, name).reads)
    return [(it.condition, it.then, it.otherwise) for it in found]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("lib/a.rb", "require 'b'\nif ENV['TILL_URL'].to_s.empty?\n  require 'sqlite'\n"
         "  kind = 'sqlite'\nelse\n  kind = 'mysql'\nend\n",
         ("if ENV['TILL_URL'].to_s.empty?", "kind = 'sqlite'", "kind = 'mysql'")),
        ("lib/a.rb", "migrate if ENV['TILL_URL'] != 'false'\n",
         ("if ENV['TILL_URL'] != 'false'", "migrate", "")),
        ("a.py", "import os\n\ndef make():\n    url = os.getenv('TILL_URL')\n    a = 1\n"
         "    if url is None:\n        return Memory()\n    return Sql(url)\n",
         ("if url is None", "return Memory()", "")),
        ("a.py", "import os\n\ndef make():\n    if (url := os.environ.get('TILL_URL')) is None:\n"
         "        return Memory()\n    return Sql(url)\n",
         ("if (url := os.environ.get('TILL_URL')) is None", "return Memory()", "")),
        ("a.ts", "export function make() {\n  if (!process.env.TILL_URL) return memory();\n"
         "  return sql();\n}\n", ("if (!process.env.TILL_URL)", "return memory();", "")),
        ("a.ts", "if (process.env.TILL_URL) {\n  let isOpen = false; // until then\n"
         "  let last = '';\n  till.onOpen = () => {\n    isOpen = true;\n  };\n"
         "  watch(file).on('change', () => {\n    load();\n  });\n}\n",
         ("if (process.env.TILL_URL)", "watch(file).on('change', …)", "")),
    ],
)  # fmt: skip
def test_a_variable_decides_by_the_condition_that_asks_for_it(
    path: str, text: str, expected: tuple[str, str, str]
) -> None:
    gemfile = "source 'https://rubygems.org'\ngem 'rails'\n"
    facts = facts_of({path: text, "Gemfile": gemfile, "config/application.rb": "A = 1\n"})
    assert decided(facts, "TILL_URL") == [expected]


def test_a_condition_that_leads_to_nothing_that_can_be_said_decides_nothing() -> None:
    facts = facts_of({"a.ts": "if (process.env.TILL_URL) {\n  let isOpen = false;\n}\n"})
    assert decided(facts, "TILL_URL") == []


@pytest.mark.parametrize(
    "body",
    [
        '    if (System.getenv("TILL_URL") != null) {\n      try {\n        open();\n'
        "      } catch (IOException e) {\n        fail(e);\n      }\n    }\n",
        '    url = System.getenv("TILL_URL");\n    if (!url.endsWith("/")) {\n'
        '      url = url + "/";\n    }\n',
    ],
)
def test_neither_the_head_of_a_block_nor_another_form_of_the_value_is_decided(body: str) -> None:
    facts = facts_of({"A.java": f"class A {{\n  void make() {{\n{body}  }}\n}}\n"})
    assert decided(facts, "TILL_URL") == []


def test_the_end_of_a_block_is_not_what_a_condition_behind_it_decides() -> None:
    facts = facts_of({"lib/a.rb": "class Till\n  open\nend if ENV['TILL_URL'] == 'a'\n"})
    assert decided(facts, "TILL_URL") == []


def test_a_statement_that_cannot_be_shown_whole_is_left_out() -> None:
    facts = facts_of({
        "a.py": "import os\n\ndef make():\n    if os.getenv('TILL_URL'):\n        begin()\n"
        "        return send(\n            'x',\n            headers={\n                'a': 1,\n"
        "            },\n        )\n",
    })  # fmt: skip
    assert decided(facts, "TILL_URL") == [("if os.getenv('TILL_URL')", "begin()", "")]


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
    told = [setting(facts, it).doc for it in ("TILL_URL", "TILL_KEY")]
    assert told == ["Set TILL_URL to keep them in another database.", ""]


def test_a_setting_that_a_program_starts_without_is_not_required() -> None:
    facts = facts_of({
        "a.py": "import os\n\nNAME = os.environ['TILL_NAME']\n\n\ndef load():\n"
        "    return os.environ['TILL_URL']\n",
        "lib/a.rb": "use(ENV.fetch('TILL_SIGN'))\n\nclass Sync\n  def perform(id)\n"
        "    send(ENV.fetch('TILL_KEY'))\n  end\nend\n",
    })  # fmt: skip
    names = ("TILL_NAME", "TILL_URL", "TILL_SIGN", "TILL_KEY")
    assert [setting(facts, it).is_required for it in names] == [True, False, True, False]


@pytest.mark.parametrize(
    "body",
    [
        "_, err := till.Open(url)\n\t\tif err != nil {\n\t\t\treturn err\n\t\t}",
        "go func() {\n\t\t\ttill.Open(url)\n\t\t}()",
    ],
)
def test_the_head_of_what_is_not_shown_says_nothing(body: str) -> None:
    text = (
        'package a\n\nimport "os"\n\nfunc f() error {\n'
        f'\tif url := os.Getenv("TILL_URL"); url != "" {{\n\t\t{body}\n\t}}\n\treturn nil\n}}\n'
    )
    found = decided(facts_of({"go.mod": "module a\n", "a.go": text}), "TILL_URL")
    assert all("func" not in then and "if err" not in then for _, then, _ in found)
