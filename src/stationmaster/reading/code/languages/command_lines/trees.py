"""Commands of a file by what keeps each: a variable, or a function that makes it or, with `()`, is
given it. A file alone does not say what others put above and below its commands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from msgspec.structs import replace

from stationmaster.reading.code.model import CliCommand, Option


class Tree:
    """Commands, and what is added to these and to those of others."""

    def __init__(self) -> None:
        self.commands: dict[str, CliCommand] = {}
        self.options: dict[str, list[Option]] = defaultdict(list)
        self.below: dict[str, list[str]] = defaultdict(list)
        """What is kept elsewhere, by what it is put below: `name=child` where that names it."""
        self.parts: dict[str, list[str]] = defaultdict(list)
        """Functions that are given something, by what that is."""

    def facts(self) -> Iterator[CliCommand]:
        """The commands, then what functions add to those that they are given, and what is put below
        those of other files."""
        for key in dict.fromkeys((*self.commands, *self.options, *self.below, *self.parts)):
            options, parts = tuple(self.options[key]), tuple(dict.fromkeys(self.parts[key]))
            below, line = tuple(self.below[key]), options[0].line if options else 0
            if (command := self.commands.get(key)) is not None:
                options = (*command.options, *options)
                yield replace(
                    command, options=options, children=below, parts=(*command.parts, *parts)
                )
            elif key.endswith("()"):
                row = "", "", options, key.removesuffix("()"), below
                yield CliCommand((), line, *row, parts=parts, is_part=True)
            elif below:
                yield CliCommand((), 0, children=below, parent=key, is_part=True)
