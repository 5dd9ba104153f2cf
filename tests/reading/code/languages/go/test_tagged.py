"""Commands and options that are fields of structs with tags."""

from stationmaster.reading.code.model import Option
from tests.reading.code.reading import facts_of


def test_kong_reads_the_tags_of_fields() -> None:
    facts = facts_of(
        "Go",
        """
        package main
        import "github.com/alecthomas/kong"
        var cli struct {
            Debug bool `help:"Say more." short:"d" env:"SHOP_DEBUG"`
            AddUser addCmd `cmd:"" help:"Adds."`
        }
    """,
    )
    assert {each.words for each in facts.commands} == {(), ("add-user",)}
    (program,) = (it for it in facts.commands if not it.words)
    assert program.options == (Option(("-d", "--debug"), 5, "Say more."),)
    assert facts.settings[0].name == "SHOP_DEBUG"


def test_commands_of_kong_have_the_options_of_their_structs() -> None:
    facts = facts_of(
        "Go",
        """
        package main
        import ("github.com/alecthomas/kong"; "example.com/shop/list")
        type addCmd struct {
            Name string `arg:"" help:"Its name."`
            Twice bool `help:"Two of it."`
        }
        var cli struct {
            Debug bool `help:"Say more."`
            User struct {
                Add addCmd `cmd:"" help:"Adds."`
            } `cmd:"" help:"People."`
            List list.Options `cmd:"" help:"Lists."`
            Man string `cmd:"" hidden:"" help:"No one asks."`
        }
    """,
    )
    made = {it.words: ([o.names[-1] for o in it.options], it.parts) for it in facts.commands}
    assert made == {
        ("user",): ([], ()), ("user", "add"): (["NAME", "--twice"], ()),
        ("list",): ([], ("list.Options",)), (): (["--debug"], ()),
    }  # fmt: skip
    other = facts_of("Go", 'package list\ntype Options struct { All bool `help:"All of it."` }')
    assert [(it.holder, it.is_part) for it in other.commands] == [("Options", True)]


def test_a_file_without_kong_has_the_settings_and_commands_that_others_may_hold() -> None:
    facts = facts_of(
        "Go",
        """
        package list
        type Options struct { All string `help:"All of it." env:"LIST_ALL"` }
        type Coin struct { }
        type Coins struct { Add Coin `cmd:"" help:"Adds one."` }
        var local struct { Name string `help:"Its name." env:"LIST_NAME"` }
    """,
    )
    assert [it.name for it in facts.settings] == ["LIST_ALL"]
    rows = [(it.holder, it.words, it.is_part) for it in facts.commands]
    assert rows == [("Coins", ("add",), True), ("Options", (), True)]


def test_structs_that_hold_each_other_make_few_commands() -> None:
    fields = "".join(f'A{at} Tree `cmd:"" help:"Goes on."`\n' for at in range(50))
    around = facts_of(
        "Go",
        'package main\nimport "github.com/alecthomas/kong"\n'
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
        ((), "", "", ()), (("add",), "Adds a coin", "cmd.AddCommand.Execute", ("cmd.AddCommand",)),
    ]  # fmt: skip
    assert facts.commands[0].options == (Option(("-d", "--dbg"), 6, "Says more", "no"),)
    part = 'type AddCommand struct { A int `long:"a" description:"A"` }'
    other = facts_of("Go", f"package cmd\n{part}")
    assert [(it.holder, it.is_part) for it in other.commands] == [("AddCommand", True)]


def test_a_variable_of_the_program_is_no_default_of_an_option() -> None:
    facts = facts_of(
        "Go",
        """
        package main
        import "github.com/alecthomas/kong"
        var cli struct {
            Level string `help:"How much." default:"${level}"`
            Size string `help:"How large." default:"3"`
        }
    """,
    )
    assert [it.default for it in facts.commands[0].options] == [None, "3"]


def test_one_tag_of_go_arg_says_how_a_field_is_called_and_which_variable_sets_it() -> None:
    facts = facts_of(
        "Go",
        """
        package main
        import "github.com/alexflint/go-arg"
        type Args struct {
            Addr string `arg:"env:SHOP_ADDR" default:":8080" help:"Where it listens."`
            RemoteHost []string `arg:"env,-r,--remote,separate" help:"Where goods are."`
            KeyPath string `help:"A key."`
            Goods string `arg:"positional"`
            Timeout int `arg:"-"`
            Agent *AgentCmd `arg:"subcommand:agent" help:"Starts it."`
        }
        func main() { var args Args; arg.MustParse(&args) }
    """,
    )
    made = {it.words: ([o.names for o in it.options], it.parts) for it in facts.commands}
    names = [("--addr",), ("-r", "--remote"), ("--keypath",), ("GOODS",)]
    assert made == {("agent",): ([], ("AgentCmd",)), (): (names, ())}
    variables = [(it.name, it.default) for it in facts.settings]
    assert variables == [("SHOP_ADDR", ":8080"), ("REMOTEHOST", None)]


def test_a_file_without_a_library_has_each_field_once() -> None:
    facts = facts_of(
        "Go",
        """
        package main
        type Agent struct { Addr string `arg:"--at,env:AT" help:"Where it listens."` }
        type List struct { Name string `arg:"" help:"Its name."` }
    """,
    )
    rows = [(it.holder, [o.names for o in it.options]) for it in facts.commands]
    assert rows == [("Agent", [("--at",)]), ("List", [("NAME",)])]
    assert [it.name for it in facts.settings] == ["AT"]
