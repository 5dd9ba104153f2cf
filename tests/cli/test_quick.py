"""Plain options are read without a parser of commands, as that parser reads them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stationmaster.cli.groups import Commands
from stationmaster.cli.quick import options_of
from stationmaster.cli.repositories import ci_run, readiness_run
from stationmaster.cli.telemetry import collect_run

BY_PARSER_ALONE = {"since"}
COMMANDS = {
    "collect": (Commands()["collect"], collect_run.run),
    "ci-scan": (Commands()["ci-scan"], ci_run.run),
    "readiness": (Commands()["readiness"].commands["evaluate"], readiness_run.run),
}
"""The parser of each command, and what is called with plain options."""


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_read_as_its_parser_reads_it(name: str) -> None:
    parser, run = COMMANDS[name]
    for parameter in parser.params:
        if parameter.param_type_name == "argument":
            words = ["./a"]
        else:
            words = [parameter.opts[-1]] + ([] if parameter.is_flag else ["a/b"])
        options = options_of(run, words)
        assert (options is None) == (parameter.name in BY_PARSER_ALONE), parameter.name
        if options is not None:
            context = parser.make_context(name, [*words])
            kind = type(options[parameter.name])
            assert options == {parameter.name: kind(context.params[parameter.name])}


def test_options_of_one_command_come_together_and_the_last_of_a_name_wins() -> None:
    words = ["--data-dir", "a", "--json", "--org", "one", "--org", "two"]

    assert options_of(collect_run.run, words) == {
        "data_dir": Path("a"),
        "json": True,
        "org": "two",
    }
    assert options_of(collect_run.run, []) == {}


@pytest.mark.parametrize(
    "words",
    [
        ["--help"], ["install"], ["--org"], ["--org", "--json"], ["--org=a"], ["--data_dir", "a"],
        ["--since-ms", "1"], ["--json", "x"], ["-x"], ["--"], ["--unknown", "a"], [""],
    ],
    ids=" ".join,
)  # fmt: skip
def test_anything_else_is_left_to_the_parser(words: list[str]) -> None:
    assert options_of(collect_run.run, words) is None


@pytest.mark.parametrize("words", [["list"], ["list", "--json"], [".", "./a"], ["--target", "a"]])
def test_what_may_name_a_command_and_a_second_folder_are_left_to_the_parser(
    words: list[str],
) -> None:
    assert options_of(readiness_run.run, words) is None
    assert options_of(readiness_run.run, ["."]) == {"target": "."}


@pytest.mark.parametrize(
    "module", ["repositories.ci_run", "repositories.readiness_run", "telemetry.collect_run"]
)
def test_a_command_with_plain_options_loads_no_parser_of_commands(module: str) -> None:
    code = f"import sys, stationmaster.cli.{module}; print('typer' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"
