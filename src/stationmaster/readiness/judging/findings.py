"""Verdicts as reports have them, with the lines that they rest on."""

from __future__ import annotations

from stationmaster.catalogue import lists, secrets
from stationmaster.pipelines.model import line
from stationmaster.readiness.facts import Facts, Verdict
from stationmaster.readiness.model import ApplicationVerdict, Spot
from stationmaster.reading.projects import credentials
from stationmaster.reading.projects.model import Place

PLACES_MAX = 5
"""Of one verdict."""
EXCERPT_MAX = 160
_MASK = "***"


def finding(facts: Facts, application: str | None, verdict: Verdict) -> ApplicationVerdict:
    """A verdict as reports have it, with at most PLACES_MAX places."""
    return ApplicationVerdict(
        verdict.outcome,
        line(verdict.sentence, 500),
        application,
        verdict.is_weak,
        [_spot(facts, place, verdict.sentence) for place in verdict.evidence[:PLACES_MAX]],
    )


def _spot(facts: Facts, place: Place, why: str) -> Spot:
    excerpt = None
    if place.line is not None and not credentials.never_opened(place.path):
        lines = facts.tree.text(place.path).split("\n", place.line)
        excerpt = _quoted(lines[place.line - 1]) if 0 < place.line <= len(lines) else None
    return Spot(line(place.path, 500), line(why, 500), place.line, excerpt or None)


def _quoted(text: str) -> str:
    """Its beginning, without what looks like a credential."""
    text = text[:2_000]
    for form in secrets.forms():
        for match in form.all_in(text):
            text = text.replace(match[1], _MASK)
    return line(lists.pattern("assigned-secret").sub(rf"\1\2{_MASK}", text), EXCERPT_MAX)
