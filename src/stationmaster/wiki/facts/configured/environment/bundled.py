"""Variables that web bundles are built with: `import.meta.env.API_URL`."""

from __future__ import annotations

from collections.abc import Sequence

from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.configured.go_structs import Place
from stationmaster.wiki.facts.model import Facts


def is_bundled(facts: Facts, name: str, reads: Sequence[Place]) -> bool:
    """Is a variable read in bundles alone?"""
    member = f"import.meta.env.{name}"
    return bool(reads) and all(member in _line(facts, *place) for place in reads)


def _line(facts: Facts, path: str, line: int) -> str:
    lines = lines_of(facts, path)
    return lines[line - 1] if line <= len(lines) else ""
