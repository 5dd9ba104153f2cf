"""Looking at the places that a criterion's row names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase

from stationmaster.catalogue import lists
from stationmaster.catalogue.table import compiled
from stationmaster.readiness.criterion import Step
from stationmaster.readiness.evidence import configs, deployment, hooks, prose, signs, tests, tools
from stationmaster.readiness.facts import Facts, Verdict, fails, passes, skips, unknown
from stationmaster.reading.projects.documents import Document
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.test_files import is_test

_FEW = 20
_PAGES_READ = 200
CONDITIONS: Mapping[str, tuple[Callable[[Facts, App], bool], str]] = {
    "code": (lambda _, app: app.family is not None, "There is no code, only markup and data"),
    "tests": (lambda facts, app: bool(tests.tests_of(facts, app)), "It has no tests"),
    "dependencies": (
        lambda facts, app: bool(facts.tree.dependencies(app)),
        "It has no external dependencies",
    ),
    "object-mapper": (
        lambda facts, app: bool(facts.packages(app, *lists.packages("object-mapper"))),
        "It has no object-relational mapper",
    ),
    "clients": (
        lambda facts, app: any(tools.imported(facts, app, lists.packages("client"))),
        "It calls no other services",
    ),
    "several applications": (
        lambda facts, _: len(facts.project.apps) > 1,
        "There is one application",
    ),
    "issues": (
        lambda facts, _: facts.hosting is None or facts.hosting.has_issues is not False,
        "Issues are turned off at the hosting service",
    ),
    "pipelines": (
        lambda facts, _: bool(facts.pipelines.workflows),
        "There is no CI that could report",
    ),
    "many sources": (
        lambda _, app: sum(app.languages.values()) >= _FEW,
        f"It has fewer than {_FEW} source files",
    ),
    "many files": (
        lambda facts, _: len(facts.tree.all_paths) >= _FEW,
        f"The repository has fewer than {_FEW} files",
    ),
}
"""What an application must have, and the sentence of those that have not."""


def condition(name: str, facts: Facts, app: App | None) -> Verdict | None:
    """Skips where an application, or every one of a repository, lacks what a condition names."""
    holds, sentence = CONDITIONS[name]
    apps = facts.project.apps if app is None else (app,)
    return None if any(holds(facts, one) for one in apps) else skips(sentence)


def look(step: Step, facts: Facts, app: App | None) -> Verdict | None:
    """The verdict of a step, None where it shows nothing."""
    if app is not None and step.languages and app.family not in step.languages:
        return None
    if app is not None and step.ecosystem and step.ecosystem not in app.ecosystems:
        return None
    names = {"language": "" if app is None else app.written_in}
    if step.without:
        return condition(step.without, facts, app)
    app = None if step.anywhere else app
    if step.tools:
        return _by_tools(step, facts, app)
    if step.packages or step.dependency:
        return _by_packages(step, facts, app)
    if step.commands:
        run = facts.run(app, *step.commands)
        if run is None or not re.search(step.pattern, run.command.text):
            return None
        return _verdict(step, run.command.place, command=" ".join(run.words[:3]))
    if step.unreported:
        return _verdict(step) if facts.reported_by_hosting(step.unreported) is None else None
    if step.inherits or step.hosting:
        holds = (
            facts.inherits(step.inherits)
            if step.inherits
            else facts.reported_by_hosting(step.hosting)
        )
        return _verdict(step) if holds else None
    finders = (step.sign, step.actions, step.objects, step.hooks, step.command_text, step.fences)
    if not any(finders) and not step.files and not step.files_of:
        return _verdict(step, **names)
    places = tuple(_places(step, facts, app))
    if len(places) < step.at_least:
        return None
    return _verdict(step, *(places if step.all else places[:1]), **names)


def _verdict(step: Step, *places: Place, **names: str) -> Verdict:
    sentence = step.reason.format(**names)
    if step.then == "pass":
        return passes(sentence, *places, weak=step.is_weak)
    if step.then == "fail":
        return fails(sentence, *places)
    return skips(sentence) if step.then == "skip" else unknown(sentence)


def _by_tools(step: Step, facts: Facts, app: App | None) -> Verdict | None:
    shown = (
        tools.of_repository(facts, step.tools)
        if app is None
        else tools.of_app(facts, app, step.tools)
    )
    if shown is None or (step.strong and shown.is_weak):
        return None
    if not step.reason:
        return tools.verdict(shown, "")
    weak = step.is_weak or (shown.is_weak and not step.is_sure)
    return passes(step.reason.format(tool=shown.name), *shown.places, weak=weak)


def _by_packages(step: Step, facts: Facts, app: App | None) -> Verdict | None:
    for one in facts.project.apps if app is None else (app,):
        package = (
            next(iter(facts.packages(one, *step.packages)), None)
            if step.packages
            else tools.dependency(facts, one, step.dependency, own=step.own)
        )
        if package is not None:
            return _verdict(step, package.place, package=package.name)
    return None


def _places(step: Step, facts: Facts, app: App | None) -> Iterator[Place]:
    if step.sign:
        sights = signs.seen(facts, step.sign, app)
        yield from (sight.place for sight in sights if not _is_left_out(step, sight.place.path))
    if step.actions and (place := tools.action(facts, *step.actions)) is not None:
        yield place
    if step.objects and app is not None:
        place = deployment.declares(facts, app, re.compile(step.objects))
        yield from () if place is None else (place,)
    for hook in hooks.of(facts) if step.hooks else ():
        if any(fnmatchcase(hook.id, pattern) for pattern in step.hooks):
            yield hook.place
    for command in facts.project.commands if step.command_text else ():
        match = lists.pattern(step.command_text).search(command.text)
        if match and command.source not in ("document", "container"):
            yield command.place
    for page in facts.tree.documents[:_PAGES_READ] if step.fences else ():
        words = lists.words(step.fences)
        if any(word in page.text for word in words):
            yield from (Place(page.path, c.line) for c in page.code if c.language in words)
    for path in _files(step, facts, app):
        yield from _in_file(step, facts, path)


def _files(step: Step, facts: Facts, app: App | None) -> list[str]:
    globs = (*step.files, *(lists.files(step.files_of) if step.files_of else ()))
    if app is not None and step.deployed:
        paths = deployment.of_app(facts, app, *globs)
    else:
        under = "." if app is None else app.path
        paths = list(facts.tree.glob(*globs, under=under, any_case=step.any_case))
    if app is not None and step.own:
        paths = [path for path in paths if facts.tree.owner(path) == app.path]
    paths = [path for path in paths if not _is_left_out(step, path)]
    return sorted(paths, key=lambda path: path.count("/")) if step.nearest else paths


def _is_left_out(step: Step, path: str) -> bool:
    name = path.rpartition("/")[2]
    return bool(
        (step.but_not and re.search(step.but_not, path))
        or (step.no_tests and is_test(path))
        or (step.named and not lists.pattern(step.named).fullmatch(name))
    )


def _in_file(step: Step, facts: Facts, path: str) -> Iterator[Place]:
    """What a file must hold, by line where that is known."""
    if step.headings:
        headings = Document(path, facts.tree.text).headings
        pattern = lists.pattern(step.headings)
        yield from (
            Place(path, heading.line) for heading in headings if pattern.search(heading.text)
        )
    elif step.keys:
        yield from (Place(path) for key in step.keys if configs.is_set(facts, path, key))
    elif step.characters:
        if len(prose.plain(facts.tree.text(path))) >= step.characters:
            yield Place(path)
    elif step.pattern or step.text_of:
        sign = lists.pattern(step.text_of) if step.text_of else compiled(step.pattern)
        place = configs.line_of(facts, path, sign)
        yield from () if place is None else (Place(path) if step.whole else place,)
    else:
        yield Place(path)
