"""Which tools of the catalogue a repository or an application uses for a purpose.

Strong: something runs it, it works by being there, or it is configured and depended on. Weak: a
configuration that nothing runs, which may be left over, or a command whose failure is ignored.
Source: docs/reference/applications.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from stationmaster.catalogue import lists, tools
from stationmaster.catalogue.table import matching
from stationmaster.catalogue.tools import Use
from stationmaster.pipelines import idle
from stationmaster.readiness.evidence import builds, configs, hooks, rules, shell
from stationmaster.readiness.facts import Facts, Verdict, fails, once, passes
from stationmaster.reading.projects.model import App, Dependency, Place

_OF_LANGUAGE = re.compile(r"(js|py|go|rs|cs|jvm|swift|rb|php|ex):(?!:)")
_VERSION = re.compile(r"@|:(?!//)")
_ALWAYS_GREEN = re.compile(r"\|\|\s*(?:true|:|exit 0)\s*(?:$|[;\n)])")
_IGNORED = "is run, but its failures are ignored"
_IDLE = "is configured, but nothing runs it"


class ToolEvidence(NamedTuple):
    """A tool by name, the places that show it, and what makes that weak, '' where it is strong."""

    name: str
    places: tuple[Place, ...]
    weakness: str = ""

    @property
    def is_weak(self) -> bool:
        """True where `weakness` is not empty."""
        return bool(self.weakness)


def of_app(facts: Facts, app: App, purpose: str) -> ToolEvidence | None:
    """The first tool of a purpose with strong evidence that it serves an application, else the
    first with weak evidence."""
    return _best(_of_app(facts, app, use) for use in tools.uses(purpose))


@once
def of_repository(facts: Facts, purpose: str) -> ToolEvidence | None:
    """The same of anything in a repository."""
    return _best(_of_repository(facts, use) for use in tools.uses(purpose))


def of_family(facts: Facts, app: App, purpose: str) -> ToolEvidence | None:
    """`of_app` among the tools that read an application's main language, or any language."""
    main = app.family
    rows = (use for use in tools.uses(purpose) if not use.languages or main in use.languages)
    return _best(_of_app(facts, app, use) for use in rows)


def verdict(shown: ToolEvidence | None, missing: str, near: tuple[Place, ...] = ()) -> Verdict:
    """Passes with a tool by its name, else fails with a sentence."""
    if shown is None:
        return fails(missing, *near)
    return passes(f"{shown.name} {shown.weakness or 'is used'}", *shown.places, weak=shown.is_weak)


def dependency(facts: Facts, app: App, purpose: str, *, own: bool = False) -> Dependency | None:
    """The first package of a tool of a purpose that an application depends on, whatever else shows
    it; `own`: the application itself, in whatever language it is."""
    main = app.family
    for use in tools.uses(purpose):
        if use.packages and (own or not use.languages or main in use.languages):
            packages = facts.tree.dependencies if own else facts.packages
            for package in packages(app, *use.packages):
                return package
    return None


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name matches one of the fnmatch patterns, which are in lower case."""
    return bool(matching((name.lower(),), patterns))


def action(facts: Facts, *patterns: str) -> Place | None:
    """The first use of an action, template or image of one of these names."""
    actions = _actions(facts)
    names = matching({name for name, _ in actions}, patterns)
    return next((place for name, place in actions if name in names), None)


def does(reference: str, purpose: str) -> bool:
    """Whether an action, template or image is one of the tools of a purpose."""
    name = _name(reference)
    return any(matches(name, use.actions) for use in tools.uses(purpose))


def imported(facts: Facts, app: App, patterns: Sequence[str]) -> Iterator[Place]:
    """Where an application imports a module, as `Use` names them."""
    plain = [pattern for pattern in patterns if not _OF_LANGUAGE.match(pattern)]
    if plain:
        yield from facts.tree.imported(app, *plain)
    for pattern in patterns:
        if named := _OF_LANGUAGE.match(pattern):
            for place in facts.tree.imported(app, pattern[named.end() :]):
                if place.path.rpartition(".")[2] in lists.words(f"{named[1]}-ending"):
                    yield place


def _best(shown: Iterable[ToolEvidence | None]) -> ToolEvidence | None:
    weak: ToolEvidence | None = None
    for one in shown:
        if one is not None and not one.is_weak:
            return one
        weak = weak or one
    return weak


def _of_app(facts: Facts, app: App, use: Use) -> ToolEvidence | None:
    if use.languages and app.families.keys().isdisjoint(use.languages):
        return None
    configured = _configured(facts, app, use)
    if configured and use.off and configs.value(facts, configured.path, use.off) is False:
        return None
    if use.needs_packages and not facts.packages(app, *use.packages):
        return None
    used = _in_build(facts, app, use) or _run(facts, app, use) or _ruled(facts, app, use)
    if used is not None:
        places = used.places if configured is None else (configured, *used.places)
        return used._replace(places=places)
    if configured is None:
        return None
    packages = facts.packages(app, *use.packages) if use.packages else ()
    return ToolEvidence(use.name, (configured,), "" if packages and not use.weak else _IDLE)


def _of_repository(facts: Facts, use: Use) -> ToolEvidence | None:
    if place := next(iter(facts.tree.glob(*use.paths)), None) if use.paths else None:
        return ToolEvidence(use.name, (Place(place),), _weakness(use))
    if use.actions and (used := action(facts, *use.actions)):
        return ToolEvidence(use.name, (used,), _weakness(use))
    if (run := _run(facts, None, use)) is not None:
        return run
    return _best(_of_app(facts, app, use) for app in facts.project.apps)


def _weakness(use: Use) -> str:
    return _IDLE if use.weak else ""


def _configured(facts: Facts, app: App, use: Use) -> Place | None:
    for path in configs.named(facts, app, *use.files):
        return Place(path)
    return next(filter(None, (configs.key_above(facts, app, key) for key in use.keys)), None)


def _in_build(facts: Facts, app: App, use: Use) -> ToolEvidence | None:
    """What works by being there: plugins, libraries, files."""
    place = builds.plugin(facts, app, *use.plugins) if use.plugins else None
    if place is None and use.dependencies:
        for package in facts.packages(app, *use.dependencies):
            name = package.name if use.name.startswith("a ") else use.name
            return ToolEvidence(name, (package.place,), _weakness(use))
    if place is None and use.libraries:
        libraries = facts.tree.dependencies(app, *use.libraries)
        place = next((library.place for library in libraries if library.scope == "runtime"), None)
    if place is None and use.imports:
        place = next(imported(facts, app, use.imports), None)
    if place is None and use.paths:
        paths = facts.tree.glob(*use.paths, under=app.path)
        place = next((Place(path) for path in paths if facts.tree.owner(path) == app.path), None)
    return None if place is None else ToolEvidence(use.name, (place,), _weakness(use))


def _run(facts: Facts, app: App | None, use: Use) -> ToolEvidence | None:
    """What commands, hooks and pipelines run."""
    if use.commands and (run := facts.run(app, *use.commands)) is not None:
        ignored = _IGNORED if _ALWAYS_GREEN.search(run.command.text) else _weakness(use)
        return ToolEvidence(use.name, (run.command.place,), ignored)
    if not (use.hooks or use.commands or use.actions):
        return None
    key = f"hook or action {use.purpose} {use.tool}"
    place = facts.remembered(key, lambda: _hook(facts, use) or action(facts, *use.actions))
    return None if place is None else ToolEvidence(use.name, (place,), _weakness(use))


def _hook(facts: Facts, use: Use) -> Place | None:
    """The first hook of git that is one of a tool's, or runs it."""
    for hook in hooks.of(facts):
        if hook.id in use.hooks or any(
            shell.runs_any(words, use.commands) for words in shell.simple(hook.text)
        ):
            return hook.place
    return None


def _ruled(facts: Facts, app: App, use: Use) -> ToolEvidence | None:
    """What a configuration turns on inside a tool."""
    for rule in use.rules:
        if (place := rules.LINTERS[use.tool](facts, app, rule)) is not None:
            return ToolEvidence(f"{use.name}'s {rule}", (place,))
    if use.reader and (place := rules.READERS[use.reader](facts, app)) is not None:
        return ToolEvidence(use.name, (place,))
    is_main = not use.languages or app.family in use.languages
    for line in use.lines if is_main else ():
        if (place := _line(facts, app, line)) is not None:
            return ToolEvidence(use.name, (place,))
    return None


def _line(facts: Facts, app: App, line: tools.Line) -> Place | None:
    for key in line.keys:
        if (place := configs.key_above(facts, app, key)) is not None:
            return place
    lines = builds.gradle_lines(facts, app, line.pattern) if line.gradle else iter(())
    if (place := next(lines, None)) is not None:
        return place
    return next(configs.lines_of(facts, app, line.files, line.pattern), None)


@once
def _actions(facts: Facts) -> Sequence[tuple[str, Place]]:
    """The names of what workflows use, in lower case and without versions, with their places;
    without what only jobs and steps use that never run."""
    live = {use.reference for use in facts.uses}
    actions: list[tuple[str, Place]] = []
    for workflow in facts.pipelines.workflows:
        read, off = workflow.facts, idle.jobs(workflow.facts)
        never = {step.uses for step in read.steps} - live
        uses = [u for u in read.uses if u.job not in off and u.reference not in never]
        images = [image for image in read.images if image.job not in off]
        used = [(part.reference, part.place) for part in uses]
        used += [(image.reference, image.place) for image in images]
        used += [(include.location, include.place) for include in read.includes]
        actions += [(_name(name), Place(*workflow.at(place))) for name, place in used]
    return [*actions, *((_name(use.reference), use.place) for use in facts.uses)]


def _name(reference: str) -> str:
    """Of an action, template or image: in lower case, without its version."""
    return _VERSION.split(reference.lower(), maxsplit=1)[0]
