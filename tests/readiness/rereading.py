"""Reading the places of verdicts once more: is each there, the product's, and does it say so?

A file that attributes mark as generated may be evidence all the same: a lock file, a workflow that
a program wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.catalogue import tools
from stationmaster.catalogue.tools import Use
from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.criterion import Criterion
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.judging.evaluate import Judgement
from stationmaster.readiness.judging.findings import finding
from stationmaster.readiness.model import ApplicationVerdict, Spot
from stationmaster.reading.projects.test_files import is_test

PURPOSES = {
    name: [step.tools for step in criterion.evidence if step.tools]
    for name, criterion in CRITERIA.items()
} | {
    "lint_config": ["lint"], "formatter": ["format"], "type_check": ["types"],
    "integration_tests_exist": ["crossing"], "code_modularization": ["boundaries"],
    "naming_consistency": ["naming"], "large_file_detection": ["large-files"],
    "error_tracking_contextualized": ["errors"], "secrets_management": ["secret-store"],
    "automated_pr_review": ["review"], "release_notes_automation": ["release-notes"],
    "api_schema_docs": ["api-schema"], "n_plus_one_detection": ["queries"],
    "heavy_dependency_detection": ["bundle"], "dependency_update_automation": ["updates"],
}  # fmt: skip
"""What the tools are for that the reason of a criterion may name."""
_WORD = re.compile(r"[a-z0-9][a-z0-9+-]{1,}")
_COMMON = frozenset({
    "json", "yml", "yaml", "toml", "xml", "config", "package", "pyproject", "com", "org", "github",
    "run", "test", "check", "build",
})  # fmt: skip
"""Words that tell no tool from another."""
_OF_TESTS = frozenset({"Testing"})


def faults(facts: Facts, criterion: Criterion, judgement: Judgement) -> Iterator[str]:
    """What is wrong with the places of a criterion's verdicts, one sentence for each."""
    for path, verdict in judgement.verdicts:
        judged = finding(facts, path, verdict)
        for spot in judged.places:
            for fault in _of_spot(facts, criterion, judged, spot):
                yield f"{criterion.id}: {judged.reason} ({spot.path}:{spot.line}): {fault}"


def _of_spot(
    facts: Facts, criterion: Criterion, judged: ApplicationVerdict, spot: Spot
) -> Iterator[str]:
    real = facts.files.behind(spot.path)
    if real is None:
        yield "there is no such file"
        return
    reason = facts.project.products.reason(real)
    if judged.state == "pass" and reason not in ("", "excluded"):
        yield f"it is no file of the product: {reason}"
    if judged.state == "pass" and criterion.pillar not in _OF_TESTS and is_test(real):
        yield "it is a file of tests"
    lines = facts.tree.text(spot.path).split("\n")
    if spot.line is not None and not 0 < spot.line <= len(lines):
        yield "there is no such line"
        return
    line = "" if spot.line is None else lines[spot.line - 1]
    if spot.excerpt is not None and "***" not in spot.excerpt:
        text = " ".join(line.split())
        if not text.startswith(spot.excerpt.removesuffix("…").strip()[:100]):
            yield f"the excerpt is not that line: {spot.excerpt}"


def unproved(facts: Facts, criterion: Criterion, judgement: Judgement) -> Iterator[str]:
    """Verdicts that name a tool while none of their places has a sign of it."""
    for path, verdict in judgement.verdicts:
        if verdict.outcome != "pass":
            continue
        uses = [
            use
            for purpose in PURPOSES.get(criterion.id, ())
            for use in tools.uses(purpose)
            if re.search(rf"(?<!\w){re.escape(use.name)}(?!\w)", verdict.sentence)
        ]
        if uses and verdict.evidence and not any(_is_shown(facts, use, verdict) for use in uses):
            yield f"{criterion.id} of {path}: {verdict.sentence}: {verdict.evidence}"


def _is_shown(facts: Facts, use: Use, verdict: object) -> bool:
    """Has a place, by its path or within three lines, a word of the tool's row?"""
    if use.reader or use.lines:
        return True
    tool = tools.tools()[use.tool]
    words = {word for purpose in tool.uses for other in tools.uses(purpose)
             if other.tool == use.tool for word in _words(other)}  # fmt: skip
    for place in verdict.evidence:  # type: ignore[attr-defined]  # JSON
        near = [place.path.lower()]
        if place.line is not None:
            text = facts.tree.text(place.path).split("\n")
            near += text[max(0, place.line - 1) : place.line + 40]
        if any(word in part.lower() for part in near for word in words):
            return True
    return False


def _words(use: Use) -> Iterator[str]:
    """The telling words of all that a row has: names of programs, packages, modules, files."""
    for name in ("files", "keys", "packages", "plugins", "dependencies", "libraries", "imports",
                 "paths", "commands", "hooks", "actions", "rules"):  # fmt: skip
        for text in getattr(use, name):
            words = _WORD.findall(text.lower())
            yield from (
                word for word in words if word not in _COMMON and (len(word) > 2 or len(words) == 1)
            )
