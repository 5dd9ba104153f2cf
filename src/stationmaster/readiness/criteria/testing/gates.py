"""What refuses a change that lowers coverage: evidence table E7. Measuring alone is no gate."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from stationmaster.catalogue.tools import uses
from stationmaster.readiness.evidence import builds, shell, tools
from stationmaster.readiness.evidence.configs import configuration, key_above, own_folders, value
from stationmaster.readiness.evidence.families import family
from stationmaster.readiness.facts import Facts
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.paths import parents
from stationmaster.repos.yaml_nodes import Node, get, members, text

_COMMENT = re.compile(r"(?<![:\"'`\w])//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_THRESHOLD = re.compile(
    r"\b(?:coverageThreshold\s*:\s*\{|thresholds\s*:\s*\{|check-?[cC]overage\s*:\s*true)"
)


def gate(facts: Facts, app: App) -> Place | None:
    """Where a least coverage is enforced for an application."""
    for read in (_commands, _by_language, _services):
        place = read(facts, app)
        if place is not None:
            return place
    return None


def _commands(facts: Facts, app: App) -> Place | None:
    gates = uses("coverage-gate")
    run = facts.run(app, *(phrase for use in gates for phrase in use.commands))
    if run is not None:
        return run.command.place
    for each in facts.runs_of(app):
        if shell.program(each.words) in ("dotnet", "pytest", "go", "mvn", "npx") and any(
            re.search(r"(?i)threshold=\d|fail-under", word) for word in each.words
        ):
            return each.command.place
    return tools.action(facts, *(name for use in gates for name in use.actions))


def _by_language(facts: Facts, app: App) -> Place | None:
    read = _READERS.get(family(app) or "")
    return None if read is None else read(facts, app)


def _javascript(facts: Facts, app: App) -> Place | None:
    return _javascript_key(facts, app) or _javascript_code(facts, app)


def _javascript_key(facts: Facts, app: App) -> Place | None:
    for key in (
        "package.json:jest.coverageThreshold",
        "package.json:nyc.check-coverage",
        "package.json:c8.check-coverage",
        ".nycrc:check-coverage",
    ):
        if (place := key_above(facts, app, key)) is not None:
            path = key.partition(":")[2]
            if value(facts, place.path, path) not in (False, {}):
                return place
    for folder in own_folders(app):
        for name in (".nycrc", ".nycrc.json", ".c8rc.json", ".c8rc"):
            file = configuration(facts, folder, name)
            data = facts.tree.json(file) if file is not None else None
            if file is not None and isinstance(data, dict) and data.get("check-coverage") is True:
                return Place(file)
    return None


def _javascript_code(facts: Facts, app: App) -> Place | None:
    for folder in own_folders(app):
        for name in (
            "jest.config.*",
            "vitest.config.*",
            "vite.config.*",
            "vitest.workspace.*",
            "vitest.shared.*",
            "karma.conf.js",
            "wtr.config.*",
        ):
            path = configuration(facts, folder, name)
            if path is None:
                continue
            code = _COMMENT.sub(lambda at: "\n" * at[0].count("\n"), facts.tree.text(path))
            if (at := _THRESHOLD.search(code)) is not None:
                return Place(path, code.count("\n", 0, at.start()) + 1)
    return None


def _python(facts: Facts, app: App) -> Place | None:
    place = key_above(facts, app, "pyproject.toml:tool.coverage.report.fail_under")
    if place is not None and value(facts, place.path, "tool.coverage.report.fail_under"):
        return place
    for folder in own_folders(app):
        for name in (
            ".coveragerc",
            "setup.cfg",
            "tox.ini",
            "pytest.ini",
            "pyproject.toml",
            ".coveragerc.toml",
        ):
            path = configuration(facts, folder, name)
            if path is None:
                continue
            sign = r"(?m)^[ \t]*fail_under[ \t]*=[ \t]*['\"]?[1-9]|--cov-fail-under[= ]\d"
            if (at := re.search(sign, facts.tree.text(path))) is not None:
                return Place(path, facts.tree.text(path).count("\n", 0, at.start()) + 1)
    return None


def _go(facts: Facts, app: App) -> Place | None:
    path = configuration(facts, app.path, ".testcoverage.y*ml")
    return None if path is None else Place(path)


def _jvm(facts: Facts, app: App) -> Place | None:
    for plugin in builds.maven(facts, app):
        if plugin.name in ("jacoco-maven-plugin", "kover-maven-plugin", "pitest-maven"):
            tags = {each.tag for each in plugin.element.iter()}
            goals = {(each.text or "").strip() for each in plugin.element.iter("goal")}
            if ("check" in goals and ("rule" in tags or "rules" in tags)) or (
                "coverageThreshold" in tags or "mutationThreshold" in tags
            ):
                return plugin.place
    for path, code in builds.gradle(facts, app):
        sign = (
            r"jacocoTestCoverageVerification|violationRules|kover\s*\{[\s\S]{0,2000}?\bverify\b"
            r"|minBound\s*\(|mutationThreshold|coverageThreshold"
        )
        if (at := re.search(sign, code)) is not None:
            return Place(path, code.count("\n", 0, at.start()) + 1)
    return None


def _ruby(facts: Facts, app: App) -> Place | None:
    names = (
        ".simplecov",
        "spec/spec_helper.rb",
        "spec/rails_helper.rb",
        "test/test_helper.rb",
        "spec/simplecov_helper.rb",
        "test/helper.rb",
        "spec/support/simplecov.rb",
        "Rakefile",
    )
    for path in facts.tree.glob(*names, under=app.path):
        for number, line in enumerate(facts.tree.text(path).split("\n"), 1):
            if re.match(
                r"\s*(?:SimpleCov\.)?(?:minimum_coverage|refuse_coverage_drop"
                r"|minimum_coverage_by_file)\b",
                line,
            ):
                return Place(path, number)
    return None


def _dotnet(facts: Facts, app: App) -> Place | None:
    settings = builds.settings(facts, app)
    for name in ("threshold", "coverletthreshold", "coverageminimum"):
        if name in settings and settings[name].value not in ("", "0"):
            return settings[name].place
    folders = {folder for manifest in app.manifests for folder in parents(manifest.folder)} | {"."}
    for path in facts.tree.glob(
        "**/*.csproj",
        "**/*.fsproj",
        "**/Directory.Build.props",
        "**/Directory.Build.targets",
        "**/*.targets",
    ):
        content = facts.tree.text(path)
        at = re.search(r"<(?:Coverlet)?Threshold>\s*[1-9]", content)
        if at is not None and (path.rpartition("/")[0] or ".") in folders | _beside(facts, app):
            return Place(path, content.count("\n", 0, at.start()) + 1)
    return None


def _beside(facts: Facts, app: App) -> set[str]:
    """Folders of test projects that name a project of the application."""
    names = [manifest.path.rpartition("/")[2] for manifest in app.manifests]
    return {
        path.rpartition("/")[0] or "."
        for path in facts.tree.glob("**/*.csproj", "**/*.fsproj")
        if any(name in facts.tree.text(path) for name in names)
    }


def _php(facts: Facts, app: App) -> Place | None:
    for folder in own_folders(app):
        for name in (
            "infection.json",
            "infection.json5",
            "infection.json.dist",
            "infection.json5.dist",
        ):
            path = configuration(facts, folder, name)
            data = facts.tree.json(path) if path is not None else None
            if (
                path is not None
                and isinstance(data, dict)
                and (data.get("minMsi") or data.get("minCoveredMsi"))
            ):
                return Place(path)
    return None


def _elixir(facts: Facts, app: App) -> Place | None:
    for path in facts.tree.glob("mix.exs", "coveralls.json", under=app.path):
        content = facts.tree.text(path)
        at = re.search(r"threshold:\s*[1-9]|\"minimum_coverage\"\s*:\s*[1-9]", content)
        if at is not None:
            return Place(path, content.count("\n", 0, at.start()) + 1)
    return None


_READERS: dict[str, Callable[[Facts, App], Place | None]] = {
    "JavaScript": _javascript,
    "Python": _python,
    "Go": _go,
    "Java": _jvm,
    "Kotlin": _jvm,
    "Scala": _jvm,
    "Groovy": _jvm,
    "Ruby": _ruby,
    "C#": _dotnet,
    "PHP": _php,
    "Elixir": _elixir,
}


def _services(facts: Facts, _: App) -> Place | None:
    return facts.remembered("gate of a service", lambda: _service(facts))


def _service(facts: Facts) -> Place | None:
    for path in facts.tree.glob(
        "codecov.y*ml",
        ".codecov.y*ml",
        ".github/codecov.y*ml",
        ".github/.codecov.y*ml",
        "dev/codecov.y*ml",
    ):
        root = facts.tree.yaml(path)
        if any(_gates(node) for node in _statuses(root)):
            return Place(path)
    for workflow in facts.pipelines.workflows:
        for step in workflow.facts.steps:
            given = f"{step.inputs.get('args', '')} {step.script or ''}"
            if "sonar.qualitygate.wait=true" in given:
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
    parts = [node, *(member for member in members(node).values() if members(member))]
    named = parts[1:] or parts
    return any(
        text(get(each, "informational")) not in ("true", "True", "yes", "on") for each in named
    )
