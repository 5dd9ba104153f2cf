"""Where commands begin that are variants of an enum, of which one function runs all."""

from stationmaster.wiki.facts.code.starts import starts
from tests.wiki.commits import facts_of

NOTES = """use clap::{Parser, Subcommand};

#[derive(Subcommand)]
pub enum Cmd {
    /// Add a note
    Add { text: String },
    /// Remove a note
    Remove {
        id: u64,
    },
    List,
    Hidden,
}

impl Cmd {
    pub fn run(self) {
        let quiet = match &self {
            Self::List => true,
            _ => false,
        };
        match self {
            Self::Add { text } => {
                add(text, quiet);
                Ok(())
            }
            Self::Remove {
                id,
            } => {
                check(id);
                remove(id);
            }
            Self::List => {
                list();
            }
            _ => {}
        }
    }
}

fn add(text: String, quiet: bool) {}
fn check(id: u64) {}
fn remove(id: u64) {}
fn list() {}
"""


def test_a_method_that_runs_a_program_gives_its_command_no_name() -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "notes"\n[dependencies]\nclap = "4"\n',
        "src/main.rs": "use clap::Parser;\n#[derive(Parser)]\nstruct Cli {\n    text: String,\n}\n"
        "impl Cli {\n    fn run(self) {\n        add(self.text);\n    }\n}\n\n"
        "fn main() {\n    Cli::parse().run();\n}\nfn add(text: String) {}\n",
    })  # fmt: skip
    assert {it.name for it in starts(facts)} == {"notes"}


def test_a_command_of_a_variant_begins_at_its_own_arm() -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "notes"\n[dependencies]\nclap = "4"\n',
        "src/notes.rs": NOTES,
    })  # fmt: skip
    commands = {it.name: (it.spot.name, it.within) for it in starts(facts) if it.kind == "command"}
    assert commands == {
        "add": ("Cmd.run", (22, 25)),
        "remove": ("Cmd.run", (26, 31)),
        "list": ("Cmd.run", (32, 34)),
    }
