"""Plain options are read without a parser of commands, as that parser reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from stationmaster.cli.quick import options_of
from stationmaster.cli.telemetry import collect, collect_run

PARSED = {
    parameter.name: parameter
    for parameter in typer.main.get_command(collect.group).params
    if parameter.name in collect.collect.__annotations__
}
BY_PARSER_ALONE = {"since"}


def test_every_option_of_collect_is_read_as_its_parser_reads_it() -> None:
    for name, parameter in PARSED.items():
        [option] = parameter.opts
        words = [option] if parameter.is_flag else [option, "a/b"]  # type: ignore[attr-defined]
        found = options_of(collect_run.run, words)
        assert (found is None) == (name in BY_PARSER_ALONE), name
        if found is not None:
            context = typer.main.get_command(collect.group).make_context("collect", [*words])
            kind = type(found[name])
            assert found == {name: kind(context.params[name])}


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
