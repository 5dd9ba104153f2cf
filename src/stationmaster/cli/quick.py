"""A command with plain options alone, read without a parser of commands.

To load that parser takes as long as half of what a small `collect` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from stationmaster.cli import exits
from stationmaster.cli.telemetry import collect_run


def collect(words: Sequence[str]) -> bool:
    """Run `collect` with these options; False where the parser has to read them."""
    options = options_of(collect_run.run, words)
    if options is None:
        return False
    exits.run(lambda: collect_run.run(**options))
    return True


def options_of(function: Callable[..., None], words: Sequence[str]) -> dict[str, Any] | None:
    """The arguments that `--switch` and `--name VALUE` are, by the parameters of a function: truth
    values, texts and paths. None where there is anything else, such as help, a mistake or a value
    of another kind."""
    kinds = function.__annotations__
    options: dict[str, Any] = {}
    left = iter(words)
    for word in left:
        name = word[2:].replace("-", "_")
        kind = kinds.get(name) if word == f"--{name.replace('_', '-')}" else None
        if kind == "bool":
            options[name] = True
        elif kind in ("str | None", "Path | None"):
            value = next(left, "-")
            if value.startswith("-"):
                return None
            options[name] = Path(value) if kind == "Path | None" else value
        else:
            return None
    return options
