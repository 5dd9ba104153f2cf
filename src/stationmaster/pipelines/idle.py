"""Jobs and steps that a condition turns off permanently, such as `if: false`."""

from __future__ import annotations

import re

from stationmaster.pipelines.model import Facts, Step

_FALSE = re.compile(
    r"\s*(?:\$\{\{\s*)?(?:false|False|'false'|0)(?:\s*&&[^\n]{0,500}?)?(?:\s*\}\})?\s*"
)


def is_false(condition: str | None) -> bool:
    """Is a condition the word false, alone or with more that must hold as well?"""
    return condition is not None and _FALSE.fullmatch(condition[:600]) is not None


def jobs(facts: Facts) -> frozenset[str]:
    """The ids of jobs that never run: turned off, or needing one that is."""
    off = {job.id for job in facts.jobs if is_false(job.condition)}
    off.update(name for name, condition in facts.conditions.items() if is_false(condition))
    for _ in facts.jobs:
        more = {
            job.id
            for job in facts.jobs
            if job.id not in off and off.intersection(job.needs) and job.condition is None
        }
        if not more:
            break
        off |= more
    return frozenset(off)


def is_off(facts: Facts, step: Step) -> bool:
    """Does a step never run?"""
    return is_false(step.condition) or step.job in jobs(facts)
