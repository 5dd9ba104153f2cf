"""Comments, defaults and variables of programs of Rust as their authors order them."""

from tests.reading.code.reading import facts_of


def test_a_comment_may_stand_behind_the_attributes_of_an_option() -> None:
    facts = facts_of(
        "Rust",
        """
        use clap::{Parser, ValueEnum};
        #[derive(Parser)]
        struct Opt {
            #[arg(long = "till")]
            /// The till.
            till: String,
            /// The mode.
            #[arg(long, default_value_t = Mode::default())]
            mode: Mode,
        }
        #[derive(ValueEnum, Default)]
        enum Mode { #[default] Auto, Never }
        """,
    )
    [command] = facts.commands
    assert [(it.names, it.help, it.default) for it in command.options] == [
        (("--till",), "The till.", None), (("--mode",), "The mode. One of: auto, never.", "auto"),
    ]  # fmt: skip


def test_a_variable_may_be_named_by_a_constant_of_the_file() -> None:
    facts = facts_of(
        "Rust",
        """
        use std::env;
        const TILL: &str = "SHOP_TILL";
        const COUNT: usize = 3;
        fn load() { let a = env::var(TILL).unwrap_or("x".into()); let b = env::var(COUNT); }
        """,
    )
    assert [(it.name, it.default) for it in facts.settings] == [("SHOP_TILL", "x")]
