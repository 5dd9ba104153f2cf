"""Commands that one file keeps and another puts below its own."""

from stationmaster.reading.code.model import CliCommand, FileFacts, Symbol
from stationmaster.wiki.facts.code.work import commands
from tests.wiki.commits import facts_of


def _file(*commands_: CliCommand) -> FileFacts:
    """A file with variables that keep commands."""
    holders = (Symbol(it.holder, "variable", it.line, it.line) for it in commands_ if it.holder)
    return FileFacts(symbols=tuple(holders), commands=commands_)


def test_commands_of_other_files_are_below_what_lists_them() -> None:
    code = {
        "cmd/list.go": _file(CliCommand(("ls",), 1, holder="listCmd")),
        "cmd/lost.go": _file(CliCommand(("lost",), 1, holder="lostCmd")),
        "cmd/root.go": _file(CliCommand((), 1, children=("userCmd",))),
        "cmd/user.go": _file(
            CliCommand(("user",), 1, holder="userCmd", children=("listCmd", "goneCmd")),
            CliCommand(("user", "own"), 2),
        ),
        "other/list.go": _file(CliCommand(("other",), 1, holder="userCmd")),
    }
    facts = facts_of(dict.fromkeys(code, ""))
    facts.code = code
    assert [(each.words, each.path) for each in commands(facts)] == [
        ((), "cmd/root.go"), (("lost",), "cmd/lost.go"), (("other",), "other/list.go"),
        (("user",), "cmd/user.go"), (("user", "ls"), "cmd/list.go"),
        (("user", "own"), "cmd/user.go"),
    ]  # fmt: skip


def test_a_command_that_two_list_keeps_its_own_name() -> None:
    code = {
        "cmd/a.go": _file(CliCommand(("a",), 1, children=("listCmd",))),
        "cmd/b.go": _file(CliCommand(("b",), 1, children=("listCmd",))),
        "cmd/list.go": _file(CliCommand(("ls",), 1, holder="listCmd")),
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


def test_commands_that_functions_make_are_below_what_they_are_added_to() -> None:
    cobra = 'package cmd\n\nimport "github.com/spf13/cobra"\n'
    facts = facts_of({
        "go.mod": "module example.org/till\n",
        "main.go": 'package main\nimport "example.org/till/cmd"\nfunc main() { cmd.Execute() }\n',
        "cmd/root.go": cobra + """
func NewRoot() *cobra.Command {
	cmd := &cobra.Command{Use: "till"}
	Register(cmd)
	return cmd
}

func Register(parent *cobra.Command) {
	user := NewUser()
	user.AddCommand(NewUserAdd(), newUserGone())
	parent.AddCommand(user)
}

func newUserGone() *cobra.Command { return newGone(1) }

func Execute() {
	root := NewRoot()
	if err := root.Execute(); err != nil { panic(err) }
}
""",
        "cmd/user.go": cobra + """
func NewUser() *cobra.Command {
	cmd := completed(&cobra.Command{Use: "user"})
	return cmd
}

func NewUserAdd() *cobra.Command {
	cmd := &cobra.Command{Use: "add", Deprecated: "Use make.", Short: "Adds.", RunE: serve.Run(1)}
	addFlags(cmd.Flags())
	return completed(cmd)
}

func newGone(n int) *cobra.Command { return &cobra.Command{Use: "gone"} }
""",
        "cmd/flags.go": """package cmd

import "github.com/spf13/pflag"

func addFlags(flags *pflag.FlagSet) {
	flags.Bool(flagAll, false, "All")
	flags.Bool(lost, false, "")
}
""",
        "cmd/names.go": 'package cmd\n\nconst flagAll = "all"\n',
        "lint/root.go": cobra.replace("cmd", "lint") + """
func NewLint() *cobra.Command { return &cobra.Command{Use: "lint"} }
""",
    })  # fmt: skip
    assert [
        (each.program, each.words, each.help, each.handler, [it.names for it in each.options])
        for each in commands(facts)
    ] == [
        ("till", (), "", "", []),
        ("till", ("user",), "", "", []),
        ("till", ("user", "add"), "Deprecated: Use make. Adds.", "serve.Run", [("--all",)]),
        ("till", ("user", "gone"), "", "", []),
    ]


def test_a_command_of_cobra_that_is_written_where_a_given_one_gets_it_is_below_that() -> None:
    facts = facts_of({
        "go.mod": "module example.org/till\n",
        "main.go": """package main

import (
	"example.org/till/cmds"
	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "till"}
	cmds.Register(root)
	root.Execute()
}
""",
        "cmds/cmds.go": """package cmds

import "github.com/spf13/cobra"

func Register(root *cobra.Command) {
	root.AddCommand(&cobra.Command{Use: "inline", Short: "Written here."})
}
""",
    })  # fmt: skip
    assert [(it.program, it.words) for it in commands(facts)] == [
        ("till", ()), ("till", ("inline",)),
    ]  # fmt: skip


def test_a_type_of_another_file_has_the_options_and_commands_of_what_wraps_it() -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "till"\n',
        "src/main.rs": "use clap::Parser;\nmod command;\nmod shared;\n\n#[derive(Parser)]\n"
        "struct Cli {\n    #[command(flatten)]\n    shared: shared::Shared,\n"
        "    #[command(subcommand)]\n    command: command::Cmd,\n}\n\nfn main() {}\n",
        "src/shared.rs": "use clap::Args;\n\n#[derive(Args)]\npub struct Shared {\n"
        "    /// Says less\n    #[arg(long)]\n    quiet: bool,\n}\n",
        "src/command.rs": "use clap::Subcommand;\nmod coins;\nmod days;\nuse days::Days;\n\n"
        "#[derive(Subcommand)]\npub enum Cmd {\n    /// All about coins\n    Coins(coins::Cmd),\n"
        "    Days(Days),\n}\n",
        "src/command/coins.rs": "use clap::{Args, Subcommand};\n\n#[derive(Args)]\n"
        "pub struct Cmd {\n    #[command(subcommand)]\n    action: Action,\n}\n\n"
        "#[derive(Subcommand)]\nenum Action {\n    Count { #[arg(long)] all: bool },\n}\n",
        "src/command/days.rs": "use clap::Parser;\n\n#[derive(Parser)]\npub struct Days {\n"
        "    #[arg(long)]\n    last: usize,\n}\n",
    })  # fmt: skip
    typed = [(it.words, it.help, [o.names for o in it.options]) for it in commands(facts)]
    assert typed == [
        ((), "", [("--quiet",)]),
        (("coins",), "All about coins", []),
        (("coins", "count"), "", [("--all",)]),
        (("days",), "", [("--last",)]),
    ]


def test_a_class_of_thor_is_below_what_names_it_with_the_options_of_all_its_commands() -> None:
    facts = facts_of({
        "lib/till/cli.rb": "module Till\n  class CLI < Thor\n    class_option :quiet\n\n"
        "    desc 'coins', 'Handles coins'\n    subcommand 'coins', Coins\n\n"
        "    desc 'sum TILL [DAY]', 'Adds up'\n    option :all\n    def sum(till); end\n"
        "  end\nend\n",
        "lib/till/coins.rb": "module Till\n  class Coins < Thor\n    class_option :unit\n\n"
        "    desc 'count', 'Counts'\n    def count; end\n  end\nend\n",
    })  # fmt: skip
    typed = [(it.words, it.help, [o.names for o in it.options]) for it in commands(facts)]
    assert typed == [
        ((), "", [("--quiet",)]),
        (("coins",), "Handles coins", [("--unit",)]),
        (("coins", "count"), "Counts", []),
        (("sum",), "Adds up", [("TILL",), ("DAY",), ("--all",)]),
    ]


def test_a_class_of_thor_in_another_file_hands_its_options_to_those_that_extend_it() -> None:
    facts = facts_of({
        "lib/till/base.rb": "module Till\n  class Base < Thor\n"
        "    class_option :quiet\n  end\nend\n",
        "lib/till/main.rb": "class Till::Main < Till::Base\n  desc 'open', 'Opens the till'\n"
        "  def open; end\n\n  desc 'coins', 'Handles coins'\n  subcommand 'coins', Till::Coins\n"
        "end\n",
        "lib/till/coins.rb": "class Till::Coins < Till::Base\n  desc 'count', 'Counts'\n"
        "  def count; end\nend\n",
        "lib/till/keeper.rb": "class Till::Keeper < Till::Record\n  def count; end\nend\n",
    })  # fmt: skip
    typed = [(it.words, it.help, [o.names for o in it.options]) for it in commands(facts)]
    assert typed == [
        ((), "", [("--quiet",)]),
        (("coins",), "Handles coins", [("--quiet",)]),
        (("coins", "count"), "Counts", []),
        (("open",), "Opens the till", []),
    ]


def test_commands_below_one_of_another_program_are_typed_behind_that() -> None:
    facts = facts_of({
        "setup.py": "from setuptools import setup\n"
        "setup(name='shop', entry_points={'console_scripts': ['shop = shop.web:run']})\n",
        "shop/__init__.py": "",
        "shop/web.py": "from shop import coins\n\n\ndef run(): ...\n",
        "shop/coins/__init__.py": "import typer\n\napp = typer.Typer()\n\n\n"
        "@app.command()\ndef count():\n    ...\n\n\n@app.command()\ndef add():\n    ...\n",
        "shop/coins/__main__.py": "import typer\nfrom .. import coins\n\napp = typer.Typer()\n"
        "app.add_typer(coins.app, name='coins')\napp()\n",
    })  # fmt: skip
    assert [(it.below, it.words) for it in commands(facts)] == [
        ("python -m shop.coins", ("coins", "add")), ("python -m shop.coins", ("coins", "count")),
    ]  # fmt: skip


def test_methods_of_the_project_add_arguments_to_commands_of_clap() -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "shop"\n[dependencies]\nclap = "4"\n',
        "src/cmd/extra.rs": """\
use clap::{arg, Arg, Command};

pub trait Extra: Sized {
    fn arg_folder(self) -> Self {
        self._arg(
            Arg::new("folder").long("folder").help(
                "Where goods\\n\\
                are kept",
            ),
        )
    }

    fn arg_open(self) -> Self {
        self._arg(arg!(-o --open "Opens it"))
    }
}
""",
        "src/cmd/build.rs": """\
use clap::Command;

pub fn make() -> Command {
    Command::new("build").about("Builds").arg_folder()
}
""",
    })  # fmt: skip
    (build,) = commands(facts)
    assert [(it.names[-1], it.help) for it in build.options] == [
        ("--folder", "Where goods are kept")
    ]


def test_a_command_of_cobra_has_the_name_of_a_constant_of_another_file_and_its_aliases() -> None:
    cobra = 'package cmd\n\nimport "github.com/spf13/cobra"\n'
    facts = facts_of({
        "go.mod": "module example.org/till\n",
        "cmd/names.go": 'package cmd\n\nconst (\n\tcmdList = "list"\n\tcmdAll = "all"\n)\n',
        "cmd/root.go": cobra + 'var rootCmd = &cobra.Command{Use: "till"}\n',
        "cmd/list.go": cobra + """
func init() {
	rootCmd.AddCommand(listCmd, goneCmd)
	listCmd.AddCommand(allCmd)
}

var listCmd = &cobra.Command{Use: cmdList, Aliases: []string{"ls", "l"}}

var allCmd = &cobra.Command{Use: cmdAll}

var goneCmd = &cobra.Command{Use: cmdGone}
""",
    })  # fmt: skip
    assert [(each.words, each.aliases) for each in commands(facts)] == [
        ((), ()), (("list",), ("ls", "l")), (("list", "all"), ()),
    ]  # fmt: skip
