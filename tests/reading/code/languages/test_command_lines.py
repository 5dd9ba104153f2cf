"""Command lines of libraries in several languages, as they are typed."""

from __future__ import annotations

import pytest

from tests.reading.code.reading import facts_of

OPTPARSE = """
from optparse import OptionParser, OptionGroup
parser = OptionParser(usage="till [options]")
parser.add_option("-c", "--config", metavar="FILE", help="Its file")
group = OptionGroup(parser, "More")
group.add_option("--dry-run", action="store_true", help="Not")
"""
EXTENDED = """
import argparse
class Parser(argparse.ArgumentParser):
    def __init__(self, *args, **kwargs):
        self.other = argparse.ArgumentParser(*args, **kwargs)
"""
GIVEN = """
export default function make(program) {
  program.name(NAME).option('-i, --input <file>', 'What is read').action(act);
}
"""
TYPED = """
import { Command } from '@commander-js/extra-typings';
new Command().command('run <dir>').description('Runs').option('-f, --fast', 'Quickly').parse();
"""
CLIKT = """
import com.github.ajalt.clikt.core.CliktCommand
class StyleSubCommand : CliktCommand(name = "generateStyle") { }
abstract class HookCommand(name: String) : CliktCommand(name = name) { }
"""
COMMAND_LINE = """
using System.CommandLine;
static class Commands {
  static Command Format() {
    var format = new Command("format", "Formats");
    var skip = new Option<bool>(["--skip", "-s"], "Skips");
    format.AddOption(skip);
    return format;
  }
  static Command Check() { var check = new Command("check", "Checks"); return check; }
}
"""
SYMFONY = """<?php
use Symfony\\Component\\Console\\Command\\Command;
class TreeCommand extends Command {
    public function __construct() {
        parent::__construct('tree');
        $this->setDescription('Shows them');
    }
}
"""
CLAP = """
use super::prelude::*;
pub fn make() -> Command {
    Command::new("build").about("Builds it").arg(Arg::new("open").long("open").help("Opens it"))
}
"""


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("Python", OPTPARSE, [("", "", ["--config: Its file", "--dry-run: Not"])]),
        ("Python", EXTENDED, []),
        ("JavaScript", GIVEN, [("", "", ["--input: What is read"])]),
        ("TypeScript", TYPED, [("run", "Runs", ["DIR: ", "--fast: Quickly"])]),
        ("Kotlin", CLIKT, [("generateStyle", "", [])]),
        ("C#", COMMAND_LINE, [("format", "Formats", ["--skip: Skips"]), ("check", "Checks", [])]),
        ("PHP", SYMFONY, [("tree", "Shows them", [])]),
        ("Rust", CLAP, [("", "Builds it", ["--open: Opens it"])]),
    ],
)  # fmt: skip
def test_commands_are_called_and_have_options_as_typed(
    language: str, text: str, expected: list[tuple[str, str, list[str]]]
) -> None:
    commands = [it for it in facts_of(language, text).commands if not it.is_part]
    assert [
        (" ".join(it.words), it.help, [f"{max(o.names, key=len)}: {o.help}" for o in it.options])
        for it in commands
    ] == expected


def test_functions_that_make_commands_below_another_are_named_with_it() -> None:
    facts = facts_of(
        "Rust",
        """
        use clap::Command;
        fn main() {
            let app = Command::new("till").subcommand(cmd::add::make());
            let app = app.subcommand(cmd::count::make());
            app.get_matches();
        }
        """,
    )
    [command] = facts.commands
    assert command.children == ("cmd::add::make", "cmd::count::make")
