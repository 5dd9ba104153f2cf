"""What options of programs in Rust say of themselves."""

from __future__ import annotations

from tests.reading.code.reading import facts_of


def test_options_of_clap_say_what_constants_and_enums_of_the_file_hold() -> None:
    facts = facts_of(
        "Rust",
        """
        use clap::{Parser, ValueEnum};
        const SIZE: i64 = 512;
        const LENGTH_HELP: &str = "Read N bytes. The short \\
                                   option is -n.";
        #[derive(Parser)]
        struct Args {
            #[arg(help(LENGTH_HELP), short('n'), long, visible_alias("bytes"), short_alias('c'))]
            length: Option<String>,
            #[arg(help(crate::OTHER_HELP), long, default_value(formatcp!("{SIZE}")))]
            block: String,
            #[arg(long, default_value(formatcp!("{ELSEWHERE}")))]
            step: String,
            /// When to use colors. Only
            /// on terminals.
            #[arg(long, value_enum, default_value_t)]
            color: Color,
        }
        #[derive(Default, ValueEnum)]
        enum Color {
            Always,
            /// Sometimes
            #[default]
            AutoDetect,
            #[value(name = "off")]
            Never,
        }
        """,
    )
    (command,) = facts.commands
    assert [(each.names, each.help, each.default) for each in command.options] == [
        (
            ("-n", "--length", "-c", "--bytes"),
            "Read N bytes. The short option is -n.",
            None,
        ),
        (("--block",), "", "512"),
        (("--step",), "", None),
        (
            ("--color",),
            "When to use colors. Only on terminals. One of: always, auto-detect, off.",
            "auto-detect",
        ),
    ]


def test_the_help_of_a_command_of_clap_is_its_whole_comment() -> None:
    facts = facts_of(
        "Rust",
        """
        use clap::Parser;
        /// Sells things.
        ///
        /// All of them:
        ///  - carts
        #[derive(Parser)]
        struct Args {}
        """,
    )
    (command,) = facts.commands
    assert command.help.partition("\n\n")[::2] == ("Sells things.", "All of them:\n - carts")


def test_options_of_a_builder_and_of_the_macro_of_clap_stand_below_their_headings() -> None:
    facts = facts_of(
        "Rust",
        """
        use clap::{arg, Arg, Command};
        const SORTS: &str = "[name, size]";
        fn command() -> Command {
            Command::new("shop")
                .arg(arg!([FILE]... "what to read").value_parser(value_parser!(OsString)))
                .arg(arg!(-q --quiet "say nothing"))
                .next_help_heading("SORTING")
                .arg(arg!(-'1' --"one-row" "one row"))
                .arg(arg!(-s --sort <FIELD>).help(format!("sort by {SORTS}")).default_value("name"))
                .arg(Arg::new("rows").long("rows").help_heading("OTHER").help("Rows of a page"))
                .arg(Arg::new(elsewhere::NAME).long(elsewhere::NAME).help("Unknown"))
                .arg(not_clap!(-x --other))
        }
        """,
    )
    (command,) = facts.commands
    assert [(it.names, it.help, it.default, it.heading) for it in command.options] == [
        (("FILE",), "what to read", None, ""),
        (("-q", "--quiet"), "say nothing", None, ""),
        (("-1", "--one-row"), "one row", None, "SORTING"),
        (("-s", "--sort"), "sort by [name, size]", "name", "SORTING"),
        (("--rows",), "Rows of a page", None, "OTHER"),
    ]
    assert command.options[0].is_many


def test_a_hidden_option_of_clap_is_not_offered_and_a_default_in_the_help_is_one() -> None:
    facts = facts_of(
        "Rust",
        """
        use clap::{Arg, Command, Parser};
        fn cli() -> Command {
            Command::new("shop")
                .arg(Arg::new("old").hide(true).env("SHOP_OLD").long("old"))
                .arg(Arg::new("shown").hide(false).env("SHOP_SHOWN").long("shown"))
                .arg(
                    Arg::new("port").env("SHOP_PORT").long("port").help("The port [default: 5000]")
                )
        }
        #[derive(Parser)]
        struct Args {
            #[arg(long, env = "SHOP_NONE", hide = true)]
            none: String,
            /// Rows [default: 9]
            #[arg(long, env = "SHOP_ROWS")]
            rows: String,
        }
        """,
    )
    assert {it.name: (it.doc, it.default) for it in facts.settings} == {
        "SHOP_PORT": ("The port", "5000"),
        "SHOP_ROWS": ("Rows", "9"),
        "SHOP_SHOWN": ("", None),
    }
    names = {name for command in facts.commands for it in command.options for name in it.names}
    assert names == {"--port", "--rows", "--shown"}


def test_enums_of_commands_are_followed_through_what_holds_them() -> None:
    facts = facts_of(
        "Rust",
        """
        use clap::{Parser, Subcommand};
        #[derive(Parser)]
        struct Cli { #[clap(subcommand)] command: Option<Box<Cmd>> }
        #[derive(Subcommand)]
        enum Cmd {
            #[clap(subcommand)]
            Till(Box<TillCmd>),
            #[clap(flatten)]
            More(More),
        }
        #[derive(Subcommand)]
        enum TillCmd { #[clap(visible_alias = "o")] Open { rows: u8 } }
        #[derive(Subcommand)]
        enum More { #[clap(visible_aliases = ["a", "at"])] Attach }
    """,
    )
    assert [(it.words, it.aliases) for it in facts.commands] == [
        ((), ()), (("till",), ()), (("till", "open"), ("o",)), (("attach",), ("a", "at")),
    ]  # fmt: skip


def test_commands_that_are_built_share_arguments_and_say_their_values_and_their_whole_help() -> (
    None
):
    facts = facts_of(
        "Rust",
        r"""
        use clap::{builder::PossibleValuesParser, Arg, Command};
        const SORTS: &[&str] = &["size", "name"];
        fn build() -> Command {
            let file = Arg::new("file").help("What to read");
            let sort = Arg::new("sort").long("sort").value_parser(SORTS.to_vec());
            Command::new("till")
                .subcommand(
                    Command::new("show")
                        .about("Show it")
                        .long_about("Show it in a table.\n\
                            Example:\n  \
                              till show \"a\"")
                        .visible_alias("print")
                        .arg(sort.clone())
                        .arg(Arg::new("as").help("The form").value_parser(["text", "json"]))
                        .arg(file.clone()),
                )
                .subcommand(
                    Command::new("drop")
                        .arg(Arg::new("how")
                            .value_parser(PossibleValuesParser::new(["all", "one"])))
                        .arg(&file),
                )
        }
        """,
    )
    rows = {it.words: it for it in facts.commands}
    assert rows["show",].help == 'Show it\n\nShow it in a table.\nExample:\n  till show "a"'
    assert rows["show",].aliases == ("print",)
    assert [(it.names[0], it.help) for it in rows["show",].options] == [
        ("--sort", "One of: size, name."), ("AS", "The form. One of: text, json."),
        ("FILE", "What to read"),
    ]  # fmt: skip
    assert [(it.names[0], it.help) for it in rows["drop",].options] == [
        ("HOW", "One of: all, one."), ("FILE", "What to read"),
    ]  # fmt: skip
