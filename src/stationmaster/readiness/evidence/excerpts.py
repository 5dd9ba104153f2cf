"""What a report quotes of the places that verdicts stand on."""

from __future__ import annotations

import re

from stationmaster.catalogue.secrets import forms
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.model import Finding, Spot
from stationmaster.readiness.verdict import Verdict
from stationmaster.reading.projects import credentials
from stationmaster.reading.projects.model import Place

PLACES_MAX = 5
"""Of one verdict."""
EXCERPT_MAX = 160
_MASK = "***"
_ASSIGNED = re.compile(
    r"(?i)((?:password|passwd|pwd|secret|token|api[_-]?key|credential|private[_-]?key)\w{0,30}"
    r"[\"']?\s{0,4}[:=]{1,2}\s{0,4})([\"']?)([^\s\"'$<{(]{6,200})"
)


def finding(facts: Facts, application: str | None, verdict: Verdict) -> Finding:
    """A verdict as reports have it, with at most PLACES_MAX places."""
    return Finding(
        verdict.outcome,
        _line(verdict.sentence, 500),
        application,
        verdict.is_weak,
        [_spot(facts, place, verdict.sentence) for place in verdict.evidence[:PLACES_MAX]],
    )


def _spot(facts: Facts, place: Place, why: str) -> Spot:
    excerpt = None
    if place.line is not None and not credentials.never_opened(place.path):
        lines = facts.tree.text(place.path).split("\n", place.line)
        excerpt = _quoted(lines[place.line - 1]) if 0 < place.line <= len(lines) else None
    return Spot(_line(place.path, 500), _line(why, 500), place.line, excerpt or None)


def _quoted(line: str) -> str:
    """Its beginning, without what looks like a credential."""
    line = line[:2_000]
    for form in forms():
        for found in form.all_in(line):
            line = line.replace(found[1], _MASK)
    return _line(_ASSIGNED.sub(rf"\1\2{_MASK}", line), EXCERPT_MAX)


def _line(text: str, size_max: int) -> str:
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return words if len(words) <= size_max else words[: size_max - 1] + "…"
