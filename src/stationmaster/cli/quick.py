"""Commands with plain options alone, read without a parser of commands.

To load that parser takes as long as half of what a small `collect` or `ci-scan` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any

from stationmaster.cli import exits

_RUN = {
    "collect": "telemetry.collect_run",
    "ci-scan": "repositories.ci_run",
    "readiness": "repositories.readiness_run",
}
"""Commands, and the modules of this room whose `run` takes their options."""
_READERS = {
    "ci-scan": "stationmaster.pipelines.scanning.scan",
    "readiness": "stationmaster.readiness.judging.report",
}
"""What the child process of a command loads to read a folder."""


def reading(command: str, words: Sequence[str]) -> AbstractContextManager[None]:
    """A block in which a child that reads a folder, where the words name one, loads its readers
    while this process loads the command."""
    if command not in _READERS or not any(map(_is_folder, words)):
        return nullcontext()
    from stationmaster.children import process

    return process.preparing("stationmaster.children.worker", _READERS[command])


def run(command: str, words: Sequence[str]) -> bool:
    """Run a command with these words; False where the parser has to read them."""
    function = import_module(f"stationmaster.cli.{_RUN[command]}").run
    options = options_of(function, words)
    if options is None:
        return False
    exits.run(lambda: function(**options))
    return True


def options_of(function: Callable[..., None], words: Sequence[str]) -> dict[str, Any] | None:
    """The arguments that `--switch`, `--name VALUE` and a folder are, by the parameters of a
    function: truth values, texts and paths; its `target` is what can name no command. None where
    there is anything else, such as help, a mistake or a value of another kind."""
    kinds = function.__annotations__
    options: dict[str, Any] = {}
    left = iter(words)
    for word in left:
        name = word[2:].replace("-", "_")
        kind = kinds.get(name) if word == f"--{name.replace('_', '-')}" else None
        if name == "target":
            return None
        if kind == "bool":
            options[name] = True
        elif kind in ("str | None", "Path | None"):
            value = next(left, "-")
            if value.startswith("-"):
                return None
            options[name] = Path(value) if kind == "Path | None" else value
        elif _is_folder(word) and "target" in kinds and "target" not in options:
            options["target"] = word
        else:
            return None
    return options


def _is_folder(word: str) -> bool:
    return word.startswith((".", "/"))
