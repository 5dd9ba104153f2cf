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
        "class Command(TillCommand):\n    help = 'Counts coins'\n\n"
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


def test_every_command_of_django_is_typed_behind_manage_py_and_none_behind_other_programs() -> None:
    facts = facts_of({
        "pyproject.toml": '[project]\nname = "shop"\n'
        '[project.scripts]\nshop = "shop.__main__:main"\n',
        "shop/__main__.py": "def main():\n    pass\n",
        "shop/base.py": "from django.core.management.base import BaseCommand\n\n\n"
        "class ShopCommand(BaseCommand):\n    def add_arguments(self, parser):\n"
        "        parser.add_argument('--loud')\n",
        "shop/management/commands/clean-up.py": "from shop.base import ShopCommand\n\n\n"
        "class Command(ShopCommand):\n    pass\n",
        "shop/management/commands/_base.py": "class Command:\n    pass\n",
    })  # fmt: skip
    assert [(it.below, it.words, it.framework) for it in work.commands(facts)] == [
        ("manage.py", ("clean-up",), "Django")
    ]


def test_a_command_of_oclif_is_called_after_its_file_with_options_of_it_and_its_base() -> None:
    facts = facts_of({
        "package.json": '{"name": "till", "bin": {"till": "bin/run.js"},'
        ' "oclif": {"topicSeparator": " "}}',
        "bin/run.js": "import { execute } from '@oclif/core'\nawait execute({})\n",
        "src/base.ts": "import { Command, Flags } from '@oclif/core'\n"
        "export abstract class TillCommand extends Command {\n"
        "  static baseFlags = { quiet: Flags.boolean({ char: 'q', summary: 'Says less' }) }\n}\n",
        "src/commands/coins/index.ts": "import { Args, Flags } from '@oclif/core'\n"
        "import { TillCommand } from '../../base.js'\n"
        "export default class Coins extends TillCommand {\n"
        "  static description = 'Counts coins. All of them.'\n"
        "  static args = { till: Args.string({ description: 'Which one', required: true }) }\n"
        "  static flags = {\n    sum: Flags.boolean({ allowNo: true }),\n"
        "    unit: Flags.option({ options: ['euro', 'ct'] as const })({ default: 'euro' }),\n  }\n"
        "  async run() {}\n}\n",
        "src/commands/coins/paper.ts": "import { Command } from '@oclif/core'\n"
        "export default class Paper extends Command {}\n",
        "src/shapes/commands/round.ts": "import { Command } from './shapes.js'\n"
        "export default class Round extends Command {}\n",
    })  # fmt: skip
    coins, paper = work.commands(facts)
    assert (coins.below, coins.words, coins.help) == ("till", ("coins",), "Counts coins.")
    assert (paper.words, coins.handler) == (("coins paper",), "Coins.run")
    assert [(it.names, it.help, it.default) for it in coins.options] == [
        (("TILL",), "Which one", None),
        (("--[no-]sum",), "", None),
        (("--unit",), "One of: euro, ct.", "euro"),
    ]
    (base,) = work.command_bases(facts)
    assert [it.names for it in base.options] == [("-q", "--quiet")]


def test_a_command_of_adonis_has_the_options_that_its_fields_are_marked_as() -> None:
    facts = facts_of({
        "commands/greet.ts": "import { args, BaseCommand, flags } from '@adonisjs/core/ace'\n"
        "export default class Greet extends BaseCommand {\n"
        "  static commandName = 'greet:all'\n  static description = 'Greets people'\n"
        "  @args.string({ description: 'Whom' })\n  declare name: string\n"
        "  @flags.boolean({ alias: 'l' })\n  declare beLoud: boolean\n  async run() {}\n}\n",
    })  # fmt: skip
    (command,) = work.commands(facts)
    assert (command.words, command.help, command.framework) == (
        ("greet:all",), "Greets people", "Adonis",
    )  # fmt: skip
    assert [(it.names, it.help) for it in command.options] == [
        (("NAME",), "Whom"), (("-l", "--be-loud"), ""),
    ]  # fmt: skip
