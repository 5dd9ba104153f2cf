"""Commands and options that are fields of structs with tags."""

from stationmaster.reading.code.model import Option
from tests.reading.code.reading import facts_of


def test_structs_that_hold_each_other_make_few_commands() -> None:
    fields = "".join(f'A{at} Tree `command:"a{at}" description:"Goes on."`\n' for at in range(50))
    around = facts_of(
        "Go",
        'package main\nimport "github.com/jessevdk/go-flags"\n'
        f"type Tree struct {{\n{fields}}}\nvar cli struct {{\n{fields}}}\n",
    )
    assert {len(it.words) for it in around.commands} == {1, 2}
    assert len(around.commands) == 500


def test_commands_of_go_flags_are_named_by_their_tags() -> None:
    facts = facts_of(
        "Go",
        """
        package main
        import ("github.com/jessevdk/go-flags"; "example.com/till/cmd")
        type Opts struct {
            Add cmd.AddCommand `command:"add" description:"Adds a coin"`
            Debug bool `short:"d" long:"dbg" default:"no" description:"Says more"`
            Revision string
        }
    """,
    )
    assert [(it.words, it.help, it.handler, it.parts) for it in facts.commands] == [
        (("add",), "Adds a coin", "cmd.AddCommand.Execute", ("cmd.AddCommand",)), ((), "", "", ()),
    ]  # fmt: skip
    assert facts.commands[1].options == (Option(("-d", "--dbg"), 6, "Says more", "no"),)
    part = 'type AddCommand struct { A int `long:"a" description:"A"` }'
    other = facts_of("Go", f"package cmd\n{part}")
    assert [(it.holder, it.is_part) for it in other.commands] == [("AddCommand", True)]
