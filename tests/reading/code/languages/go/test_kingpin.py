"""Commands of kingpin."""

from __future__ import annotations

from stationmaster.wiki.facts.code import work
from tests.wiki.commits import facts_of

_HEAD = 'package till\n\nimport "github.com/alecthomas/kingpin/v2"\n\n'
_FILES = {
    "go.mod": "module example.com/till\n",
    "root.go": f"{_HEAD}func Run() {{\n\tapp := kingpin.New(\"till\", \"A till\")\n"
    "\tapp.Flag(\"verbose\", \"Says more\").Short('v').Bool()\n\taddCoin(app)\n}\n",
    "coin.go": f"{_HEAD}const coinHelp = `Coins.\n\nMore.`\n\n"
    "func addCoin(app *kingpin.Application) {\n\tcoin := app.Command(\"coin\", coinHelp)\n"
    "\tcoin.Command(\"list\", \"Lists them\")\n\taddCount(coin)\n}\n",
    "count.go": f"{_HEAD}func addCount(cc *kingpin.CmdClause) {{\n"
    "\tvar (\n\t\tcount = cc.Command(\"count\", \"Counts\").PreAction(ask)\n\t)\n"
    "\tcount.Flag(\"kind\", \"Which\").Default(\"all\").Envar(\"TILL_KIND\").StringsVar(&kinds)\n"
    "\tcount.Arg(\"file\", \"Where\").String()\n}\n",
}  # fmt: skip


def test_commands_are_below_those_that_functions_of_other_files_are_given() -> None:
    commands = work.commands(facts_of(_FILES))
    assert [(it.below, it.words, it.help) for it in commands] == [
        ("", (), "A till"), ("till", ("coin",), "Coins."), ("till", ("coin", "count"), "Counts"),
        ("till", ("coin", "list"), "Lists them"),
    ]  # fmt: skip


def test_what_is_called_in_turn_on_a_flag_is_told_with_it() -> None:
    facts = facts_of(_FILES)
    options = [
        (it.names, it.help, it.default, it.is_many)
        for command in work.commands(facts)
        for it in command.options
    ]
    assert options == [
        (("-v", "--verbose"), "Says more", None, False), (("--kind",), "Which", "all", True),
        (("FILE",), "Where", None, False),
    ]  # fmt: skip
    assert [it.name for it in facts.code["count.go"].settings] == ["TILL_KIND"]
