"""Scripts of a repository that do several tasks, or start the product, by what documents type."""

from __future__ import annotations

import re

from stationmaster.reading.projects.model import Command
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.texts.passages import titles_at
from stationmaster.wiki.facts.tooling.kinds.names import Purpose, by_name

_TYPED = re.compile(r"\./([\w-]{1,60})(?: ([a-z][\w:-]{0,40}))?")
_STARTS = re.compile(r"(?i)\b(?:run|start|launch)(?:s|ning|ing)?\b")
_LINE_MAX = 400
_ABOVE = 3
"""Lines above a command that speak of it."""


def purpose(facts: Facts, command: Command, text: str) -> Purpose | None:
    """What a script of the root is for: by its action, of which its text has a branch; without one
    it starts the product where the document states so."""
    typed = _TYPED.fullmatch(text) if command.source == "document" else None
    source = facts.tree.text(typed[1]) if typed and typed[1] in facts.records else ""
    if typed is None or not source.startswith("#!"):
        return None
    if action := typed[2]:
        is_branch = re.search(rf"(?m)^[ \t]*+[\"']?{re.escape(action)}[\"']?\)", source)
        return next(iter(by_name(action)), None) if is_branch else None
    line = command.place.line or 1
    lines = facts.tree.text(command.place.path).split("\n")[max(0, line - 1 - _ABOVE) : line]
    titles = titles_at(facts, command.place.path, line)[:1]
    stated = (*titles, *(it[:_LINE_MAX] for it in lines))
    return "run" if not by_name(typed[1]) and any(map(_STARTS.search, stated)) else None
