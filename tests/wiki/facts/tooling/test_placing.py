"""Commands that one file keeps and another puts below its own."""

from stationmaster.reading.code.model import CliCommand, FileFacts
from stationmaster.wiki.facts.code.work import commands
from tests.wiki.commits import facts_of


def test_commands_of_other_files_are_below_what_lists_them() -> None:
    code = {
        "cmd/list.go": FileFacts(commands=(CliCommand(("ls",), 1, holder="listCmd"),)),
        "cmd/lost.go": FileFacts(commands=(CliCommand(("lost",), 1, holder="lostCmd"),)),
        "cmd/root.go": FileFacts(commands=(CliCommand((), 1, children=("userCmd",)),)),
        "cmd/user.go": FileFacts(commands=(
            CliCommand(("user",), 1, holder="userCmd", children=("listCmd", "goneCmd")),
            CliCommand(("user", "own"), 2),
        )),
        "other/list.go": FileFacts(commands=(CliCommand(("other",), 1, holder="userCmd"),)),
    }  # fmt: skip
    facts = facts_of(dict.fromkeys(code, ""))
    facts.code = code
    assert [(each.words, each.path) for each in commands(facts)] == [
        ((), "cmd/root.go"), (("lost",), "cmd/lost.go"), (("other",), "other/list.go"),
        (("user",), "cmd/user.go"), (("user", "ls"), "cmd/list.go"),
        (("user", "own"), "cmd/user.go"),
    ]  # fmt: skip


def test_a_command_that_two_list_keeps_its_own_name() -> None:
    code = {
        "cmd/a.go": FileFacts(commands=(CliCommand(("a",), 1, children=("listCmd",)),)),
        "cmd/b.go": FileFacts(commands=(CliCommand(("b",), 1, children=("listCmd",)),)),
        "cmd/list.go": FileFacts(commands=(CliCommand(("ls",), 1, holder="listCmd"),)),
    }
    facts = facts_of(dict.fromkeys(code, ""))
    facts.code = code
    assert [each.words for each in commands(facts)] == [("a",), ("b",), ("ls",)]
