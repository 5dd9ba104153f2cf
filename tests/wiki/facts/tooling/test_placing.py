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


def test_commands_of_cobra_have_parents_of_other_files_and_options_that_functions_add() -> None:
    facts = facts_of({
        "go.mod": "module example.org/till\n",
        "cmd/root.go": """package cmd

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var rootCmd = &cobra.Command{Use: "till", Short: "Keeps a till."}

func init() {
	flags := rootCmd.Flags()
	flags.String("name", "", "Its name")
	addCommon(flags)
}

func addCommon(flags *pflag.FlagSet) {
	flags.StringP("address", "a", "", "Where")
	addMore(flags)
}
""",
        "cmd/more.go": """package cmd

import "github.com/spf13/pflag"

func addMore(flags *pflag.FlagSet) { flags.Bool("more", false, "More") }
""",
        "cmd/config.go": """package cmd

import "github.com/spf13/cobra"

func init() { rootCmd.AddCommand(configCmd) }

var configCmd = &cobra.Command{Use: "config"}
""",
        "cmd/config_set.go": """package cmd

import "github.com/spf13/cobra"

func init() {
	configCmd.AddCommand(configSetCmd)
	addCommon(configSetCmd.Flags())
}

var configSetCmd = &cobra.Command{Use: "set"}
""",
    })  # fmt: skip
    assert [
        (each.program, each.words, [it.names[-1] for it in each.options])
        for each in commands(facts)
    ] == [
        ("till", (), ["--name", "--address", "--more"]),
        ("till", ("config",), []),
        ("till", ("config", "set"), ["--address", "--more"]),
    ]
