"""Commands that are classes of a project's own base, and those of Django."""

from __future__ import annotations

from stationmaster.wiki.facts.code import work
from tests.wiki.commits import facts_of

_BASE = (
    "class TillCommand:\n    '''All that tills can do.'''\n\n"
    "    def add_options(self, parser):\n"
    "        parser.add_argument('--quiet', action='append', help='says less')\n"
)


def test_a_class_of_a_base_of_the_project_is_a_command_by_the_name_of_its_file() -> None:
    facts = facts_of({
        "till/commands/__init__.py": _BASE,
        "till/commands/count.py": "from till.commands import TillCommand\n\n\n"
        "class Command(TillCommand):\n    def short_desc(self):\n        return 'Counts coins'\n\n"
        "    def add_options(self, parser):\n        parser.add_argument('-a', help='all')\n\n"
        "    def run(self):\n        pass\n",
        "till/commands/named.py": "from till.commands import TillCommand\n\n\n"
        "class Other(TillCommand):\n    name = 'tidy'\n    help = 'Tidies'\n",
        "till/shapes.py": "class Command:\n    name = 'none'\n",
    })  # fmt: skip
    assert [(it.words, it.help, it.handler) for it in work.commands(facts)] == [
        (("count",), "Counts coins", "Command.run"), (("tidy",), "Tidies", "Other"),
    ]  # fmt: skip
    assert [it.options[0].names for it in work.commands(facts) if it.options] == [("-a",)]
    (base,) = work.command_bases(facts)
    assert [(it.names, it.help, it.is_many) for it in base.options] == [
        (("--quiet",), "says less", True)
    ]


def test_a_command_of_django_has_its_options_and_what_it_is_for() -> None:
    facts = facts_of({
        "shop/management/commands/clean.py": "from django.core.management.base import BaseCommand"
        "\n\n\nclass Command(BaseCommand):\n    help = 'Cleans'\n\n"
        "    def add_arguments(self, parser):\n        parser.add_argument('--all', default=None)\n"
        "\n    def handle(self, **options):\n        pass\n",
    })  # fmt: skip
    (command,) = work.commands(facts)
    assert (command.words, command.help, command.framework) == (("clean",), "Cleans", "Django")
    assert command.handler == "Command.handle"
    assert [(it.names, it.default) for it in command.options] == [(("--all",), None)]
