"""What refuses a change that lowers coverage: evidence table E7. Measuring alone is no gate."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from stationmaster.catalogue import lists
from stationmaster.catalogue.tools import uses
from stationmaster.readiness.evidence import builds, configs, shell, tests, tools
from stationmaster.readiness.evidence.rules import scripting
from stationmaster.readiness.facts import Facts
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.repos.yaml_nodes import Node, get, members, text

_RUNNERS = frozenset({"dotnet", "pytest", "go", "mvn", "npx"})


def gate(facts: Facts, app: App) -> Place | None:
    """Where a least coverage is enforced for an application."""
    of_language = _READERS.get(app.family or "")
    return (
        _commands(facts, app)
        or (None if of_language is None else next(of_language(facts, app), None))
        or facts.remembered("gate of a service", lambda: _service(facts))
    )


def _commands(facts: Facts, app: App) -> Place | None:
    gates = uses("coverage-gate")
    run = facts.run(app, *(phrase for use in gates for phrase in use.commands))
    if run is not None:
        return run.command.place
    for candidate in facts.runs_of(app):
        if shell.program(candidate.words) in _RUNNERS and any(
            re.search(r"(?i)threshold=\d|fail-under", word) for word in candidate.words
        ):
            return candidate.command.place
    return tools.action(facts, *(name for use in gates for name in use.actions))


def _javascript(facts: Facts, app: App) -> Iterator[Place]:
    for key in (
        "package.json:jest.coverageThreshold",
        "package.json:nyc.check-coverage",
        "package.json:c8.check-coverage",
        ".nycrc:check-coverage",
    ):
        place = configs.key_above(facts, app, key)
        if place and configs.value(facts, place.path, key.partition(":")[2]) not in (False, {}):
            yield place
    for path in configs.named(facts, app, *lists.files("nyc")):
        if configs.value(facts, path, "check-coverage") is True:
            yield Place(path)
    for path in configs.named(facts, app, *lists.files("test-config")):
        code = scripting.plain(facts, path)
        if (match := lists.pattern("coverage-threshold").search(code)) is not None:
            yield configs.at(path, code, match.start())


def _python(facts: Facts, app: App) -> Iterator[Place]:
    key = "tool.coverage.report.fail_under"
    place = configs.key_above(facts, app, f"pyproject.toml:{key}")
    if place is not None and configs.value(facts, place.path, key):
        yield place
    sign = r"(?m)^[ \t]*fail_under[ \t]*=[ \t]*['\"]?[1-9]|--cov-fail-under[= ]\d"
    yield from configs.lines_of(facts, app, lists.files("coverage-config"), sign)


def _go(facts: Facts, app: App) -> Iterator[Place]:
    path = configs.configuration(facts, app.path, ".testcoverage.y*ml")
    yield from () if path is None else (Place(path),)


def _jvm(facts: Facts, app: App) -> Iterator[Place]:
    for plugin in builds.maven(facts, app):
        if plugin.name in ("jacoco-maven-plugin", "kover-maven-plugin", "pitest-maven"):
            tags = {element.tag for element in plugin.element.iter()}
            goals = {(element.text or "").strip() for element in plugin.element.iter("goal")}
            if ("check" in goals and not tags.isdisjoint(("rule", "rules"))) or (
                not tags.isdisjoint(("coverageThreshold", "mutationThreshold"))
            ):
                yield plugin.place
    yield from builds.gradle_lines(facts, app, lists.pattern("gradle-coverage"))


def _ruby(facts: Facts, app: App) -> Iterator[Place]:
    setting = r"(?:minimum_coverage(?:_by_file)?|refuse_coverage_drop)\b"
    sign = rf"(?m)^[^\S\n]*(?:SimpleCov\.)?{setting}"
    yield from _lines(facts, facts.tree.glob(*lists.files("simplecov"), under=app.path), sign)


def _dotnet(facts: Facts, app: App) -> Iterator[Place]:
    settings = builds.settings(facts, app)
    for name in ("threshold", "coverletthreshold", "coverageminimum"):
        if name in settings and settings[name].value not in ("", "0"):
            yield settings[name].place
    own = {folder for manifest in app.manifests for folder in parents(manifest.folder)} | {"."}
    own.update(map(folder_of, tests.test_projects_of(facts, app)))
    paths = facts.tree.glob(*lists.files("net-build"))
    for place in _lines(facts, paths, r"<(?:Coverlet)?Threshold>\s*[1-9]"):
        if folder_of(place.path) in own:
            yield place


def _php(facts: Facts, app: App) -> Iterator[Place]:
    for path in configs.named(facts, app, *lists.files("infection")):
        if any(configs.value(facts, path, key) for key in ("minMsi", "minCoveredMsi")):
            yield Place(path)


def _elixir(facts: Facts, app: App) -> Iterator[Place]:
    paths = facts.tree.glob("mix.exs", "coveralls.json", under=app.path)
    yield from _lines(facts, paths, r"threshold:\s*[1-9]|\"minimum_coverage\"\s*:\s*[1-9]")


def _lines(facts: Facts, paths: Iterable[str], pattern: str) -> Iterator[Place]:
    yield from filter(None, (configs.line_of(facts, path, pattern) for path in paths))


_READERS: dict[str, Callable[[Facts, App], Iterator[Place]]] = {
    "JavaScript": _javascript,
    "Python": _python,
    "Go": _go,
    **dict.fromkeys(("Java", "Kotlin", "Scala", "Groovy"), _jvm),
    "Ruby": _ruby,
    "C#": _dotnet,
    "PHP": _php,
    "Elixir": _elixir,
}


def _service(facts: Facts) -> Place | None:
    for path in facts.tree.glob(*lists.files("codecov")):
        if any(_gates(node) for node in _statuses(facts.tree.yaml(path))):
            return Place(path)
    for workflow in facts.pipelines.workflows:
        for step in workflow.facts.steps:
            script = f"{step.inputs.get('args', '')} {step.script or ''}"
            if "sonar.qualitygate.wait=true" in script:
                return Place(step.path, step.place.line)
    return None


def _statuses(root: Node | None) -> Iterator[Node]:
    """Checks of Codecov that are configured; `project: off` is none."""
    for part in ("project", "patch"):
        node = get(root, "coverage", "status", part)
        if node is not None and text(node) not in ("off", "false", "no", "False"):
            yield node


def _gates(node: Node) -> bool:
    """One that is not only informational. Each may have several by name."""
    if text(node) is not None:
        return True
    named = [member for member in members(node).values() if members(member)] or [node]
    return any(
        text(get(status, "informational")) not in ("true", "True", "yes", "on") for status in named
    )
