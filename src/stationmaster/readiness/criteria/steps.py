"""Looking at the places that a criterion's row names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.readiness.criterion import Step
from stationmaster.readiness.evidence import configs, deployment, signs, tools
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, passes
from stationmaster.reading.projects.model import App, Place


def look(step: Step, facts: Facts, app: App | None) -> Verdict | None:
    """A verdict that passes, None where this step shows nothing."""
    app = None if step.anywhere else app
    if step.tools:
        return _by_tools(step, facts, app)
    if step.packages:
        return _by_packages(step, facts, app)
    if step.commands:
        run = facts.run(app, *step.commands)
        command = " ".join(run.words[:3]) if run is not None else ""
        return _passes(step, command=command, places=() if run is None else (run.command.place,))
    return _passes(step, places=tuple(_places(step, facts, app)))


def _passes(step: Step, places: tuple[Place, ...], **names: str) -> Verdict | None:
    if not places:
        return None
    places = places if step.all else places[:1]
    return passes(step.says.format(**names), *places, weak=step.is_weak)


def _by_tools(step: Step, facts: Facts, app: App | None) -> Verdict | None:
    shown = (
        tools.of_repository(facts, step.tools)
        if app is None
        else tools.of_app(facts, app, step.tools)
    )
    if shown is None or (step.strong and shown.is_weak):
        return None
    if not step.says:
        return tools.verdict(shown, "")
    sentence = step.says.format(tool=shown.name)
    return passes(sentence, *shown.places, weak=shown.is_weak or step.is_weak)


def _by_packages(step: Step, facts: Facts, app: App | None) -> Verdict | None:
    for one in facts.project.apps if app is None else (app,):
        for package in facts.packages(one, *step.packages):
            return _passes(step, places=(package.place,), package=package.name)
    return None


def _places(step: Step, facts: Facts, app: App | None) -> Iterator[Place]:
    if step.sign:
        yield from (sight.place for sight in signs.seen(facts, step.sign, app))
    if step.actions and (place := tools.action(facts, *step.actions)) is not None:
        yield place
    if step.objects and app is not None:
        place = deployment.declares(facts, app, re.compile(step.objects))
        yield from () if place is None else (place,)
    under = "." if app is None else app.path
    for path in facts.tree.glob(*step.files, under=under, any_case=step.any_case):
        place = configs.line_of(facts, path, step.pattern) if step.pattern else Place(path)
        yield from () if place is None else (place,)
