"""What surrounds the commands of pipelines: what their steps are called, and where these run."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.catalogue.repositories.work import work
from stationmaster.pipelines.commands import of_task
from stationmaster.pipelines.model import Facts as Workflow, Step
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling.kinds import purposes
from stationmaster.wiki.text.inline import Place

_OF_PIPELINE = expressions("written_tasks")["of_pipeline"]
_CHANGES = frozenset({"push", "pull_request"})
_OTHER_SYSTEM = re.compile(r"(?i)(?:windows|win|macos|mac|osx)(?:[-_.\d]|$)")
_WORD = re.compile(r"[a-z]+")


class Around(NamedTuple):
    step: Step
    workflow: Workflow


def is_only_of_linting(facts: Facts, place: Place) -> bool:
    """Is the step of a command called as one that checks the style of code, and nothing else?"""
    around = _at(facts, place)
    words = _WORD.findall((around.step.name or "").lower()) if around else ()
    kinds = {kind for word in words if (kind := of_task(word, "scan")) is not None}
    return "lint" in kinds and kinds <= {"lint", "scan"}


@query
def limits(facts: Facts, place: Place) -> int:
    """How many limits a command has: it runs only on systems that few people work on, or only for
    changes of some paths, while another workflow builds or tests for all changes."""
    around = _at(facts, place)
    if around is None:
        return 0
    job = next((it for it in around.workflow.jobs if it.id == around.step.job), None)
    labels = job.runs_on if job else ()
    is_elsewhere = bool(labels) and all(map(_OTHER_SYSTEM.match, labels))
    return is_elsewhere + (_has_whole(facts) and not _runs_for_all(around.workflow))


@query
def _has_whole(facts: Facts) -> bool:
    """Does a workflow build or test for changes of any file?"""
    working = (
        it.facts
        for it in facts.pipelines.workflows
        if any(command.kind in ("build", "test") for command in it.facts.commands)
    )
    return any(map(_runs_for_all, working))


@query
def is_aside(facts: Facts, path: str, job: str) -> bool:
    """Does a job only check documents, or serve the pipeline itself?"""
    workflow = next((it.facts for it in facts.pipelines.workflows if it.path == path), None)
    scripts = [it.text for it in workflow.steps if it.job == job] if workflow else []
    if any(map(_OF_PIPELINE.search, scripts)):
        return True
    own = [it for it in workflow.commands if it.job == job] if workflow else []
    does = [it for it in own if purposes.of_text(it.text, ()) not in ("install", "use")]
    aside = work().partial["lint"]
    return bool(does) and all(
        it.kind == "lint" and purposes.program(it.text) in aside for it in does
    )


def _runs_for_all(workflow: Workflow) -> bool:
    """Do changes of any file start a workflow, but for those that it leaves out?"""
    changes = [it for it in workflow.triggers if it.kind in _CHANGES]
    return not changes or any(all(path.startswith("!") for path in it.paths) for it in changes)


def _at(facts: Facts, place: Place) -> Around | None:
    """The step that has a place, with its workflow."""
    rows = _by_file(facts).get(place.path, ())
    at = bisect_right(rows, place.line or 0, key=itemgetter(0))
    return rows[at - 1][1] if at else None


@query
def _by_file(facts: Facts) -> Mapping[str, Sequence[tuple[int, Around]]]:
    by_file: dict[str, list[tuple[int, Around]]] = defaultdict(list)
    for workflow in facts.pipelines.workflows:
        for step in workflow.facts.steps:
            by_file[step.path].append((step.place.line, Around(step, workflow.facts)))
    return {path: sorted(rows, key=itemgetter(0)) for path, rows in by_file.items()}
