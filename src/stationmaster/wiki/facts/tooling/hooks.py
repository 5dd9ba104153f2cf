"""What runs on people's machines when they commit."""

from __future__ import annotations

import msgspec

from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

HOOKS_MAX = 200


class Hook(msgspec.Struct, frozen=True):
    """`name` is an event of git, or what the tool calls the hook."""

    name: str
    text: str
    place: Place


@query
def hooks(facts: Facts) -> tuple[Hook, ...]:
    """In the order of their files."""
    declared = [
        Hook(command.name, command.text, Place(command.place.path, command.place.line))
        for command in facts.tree.project.commands
        if command.source == "hook"
    ]
    return tuple(declared[:HOOKS_MAX])
