"""How each criterion of Testing is judged."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stationmaster.catalogue import lists, table
from stationmaster.catalogue.families import Family, families, of_runner
from stationmaster.pipelines import commands
from stationmaster.readiness.criteria import delivery, gates
from stationmaster.readiness.evidence import configs, shell, tests, tools
from stationmaster.readiness.facts import Facts, Verdict, fails, once, passes, skips
from stationmaster.reading.projects.model import App, Command, Place
from stationmaster.reading.projects.test_files import in_tests

_NO_TESTS = "It has no tests"
_SILENT = frozenset({"echo", "exit", "true", "false", ":", "printf"})
_CONSISTENT = 0.9
_READ_MAX = 300
_TESTISH = re.compile(r"(?i)(?:^|/)[^/]{0,80}(?:test|spec|e2e|it\b)")


def unit_tests_exist(facts: Facts, app: App) -> Verdict:
    """Passes where a file has a test; `counts` is the number of test files."""
    place = tests.first_real(facts, app)
    if place is None:
        return fails("No file has a name that the language's test runners recognise")
    count = len(tests.tests_of(facts, app))
    return passes("Test files: {}", place, counts=(count,))


def unit_tests_runnable(facts: Facts, app: App) -> Verdict | None:
    """Passes where a script, task, pipeline or document describes how to run the tests."""
    language = app.family
    if not _has_tests(facts):
        return fails("There are no tests to run")
    named: Command | None = None
    for run in facts.runs_of(app):
        command = run.command
        of = of_runner(shell.program(run.words))
        if (of and language not in of) or run.words[0] in _SILENT:
            continue
        if shell.leaves_tests_out(run.words) or shell.is_condition(run.words):
            continue
        if command.name == "check" and command.place.path.endswith(".rake"):
            continue  # Of Rails, a check of a deployment.
        if "bench" in command.place.path or any("bench" in word for word in run.words):
            continue
        if "test" in delivery.kinds_of(run.words):
            return passes(f"{' '.join(run.words[:4])} runs them", command.place)
        if command.source in ("script", "task") and commands.of_task(command.name) == "test":
            named = named or command
    if named is not None:
        return passes(f"{named.name} runs them", named.place)
    return _configured(facts, app)


def _configured(facts: Facts, app: App) -> Verdict | None:
    """Runners that need no command next to their configuration."""
    row = families().get(app.family or "", Family())
    above = (facts.tree.nearest(app.path, name) for name in row.runner_files)
    places = [Place(path) for path in above if path is not None]
    places += filter(None, (configs.key_above(facts, app, key) for key in row.runner_keys))
    return passes("The runner of tests is configured", places[0]) if places else None


def _has_tests(facts: Facts) -> bool:
    return any(tests.first_real(facts, app) is not None for app in facts.project.apps)


def test_coverage_thresholds(facts: Facts, app: App) -> Verdict | None:
    """Passes where a least coverage is enforced; skipped without tests."""
    if not _has_tests(facts):
        return skips(_NO_TESTS)
    place = gates.gate(facts, app)
    if place is not None:
        return passes("A minimum coverage is enforced", place)
    return None


def integration_tests_exist(facts: Facts, app: App) -> Verdict | None:
    """Passes where a suite tests the application from outside, as across a process or network."""
    paths = tests.tests_of(facts, app)
    start = 0 if app.path == "." else len(app.path) + 1
    scripts = [path for path in facts.tree.of(app) if path.endswith((".feature", ".bats"))]
    for path in (*paths, *scripts):
        inside = path[start:]
        if lists.pattern("outside-test-file").fullmatch(inside) or (
            lists.pattern("outside-test-folder").fullmatch(inside) and _TESTISH.search(inside)
        ):
            return passes("A suite tests it from outside", path)
    if app.family == "Rust":
        crates = facts.tree.glob("tests/*.rs", "tests/*/main.rs", under=app.path)
        if crates:
            return passes("Cargo's integration tests use it from outside", crates[0])
    shown = tools.of_app(facts, app, "crossing")
    is_worker = "job" in app.kinds and app.kinds <= {"job", "cli"}
    if shown is not None and not (shown.name in lists.words("browser-tool") and is_worker):
        return passes(f"{shown.name} tests it from outside", *shown.places, weak=shown.is_weak)
    for path in paths[:_READ_MAX]:
        if (place := configs.line_of(facts, path, lists.pattern("outside-test-code"))) is not None:
            return passes("A test uses a process or network", place)
    if app.family in lists.words("compiled") and (suites := _in_python(facts, app)):
        return passes("A suite of pytest uses it from outside", suites[0])
    suite = _suite_next_to(facts, app)
    if suite is not None and not is_worker:
        return passes("A separate suite tests it from outside", suite)
    return None


def _in_python(facts: Facts, app: App) -> Sequence[str]:
    """Tests in Python of an application that is compiled: they can only call what was built."""
    return [
        path
        for path in facts.tree.glob("**/conftest.py", under=app.path)
        if in_tests(path.rpartition("/")[0]) and facts.tree.owner(path) in (app.path, None)
    ]


def _suite_next_to(facts: Facts, app: App) -> Place | None:
    """A folder of end-to-end tests at the root holds for all applications."""
    for pattern in lists.files("outside-suite"):
        paths = [
            path
            for path in facts.tree.glob(pattern)
            if _TESTISH.search(path.partition("/")[2]) or path.endswith(".exs")
        ]
        if paths and (app.path != "." or pattern.startswith("integration_test/")):
            return Place(paths[0])
    return None


def test_naming_conventions(facts: Facts, app: App) -> Verdict:
    """Passes where at least 90 % of the test files have the usual names."""
    paths = tests.with_tests(facts, app) or tests.tests_of(facts, app)
    usual = tests.usual(app, paths)
    counts = (usual, len(paths))
    sentence = "{} of {} test files have the usual names"
    if usual >= _CONSISTENT * len(paths):
        return passes(sentence, paths[0], counts=counts)
    return fails(f"{sentence}, and nothing defines which files are tests", counts=counts)


def test_isolation(facts: Facts, app: App) -> Verdict | None:
    """Passes where tests run in parallel, or have data of their own."""
    language = app.family
    paths = tests.tests_of(facts, app)
    isolation = families().get(language or "", Family()).isolation
    for path in paths[:_READ_MAX] if isolation else ():
        if isolation and (place := configs.line_of(facts, path, table.compiled(isolation.pattern))):
            return passes(f"Tests have {isolation.name}", place)
    if language == "JavaScript" and (
        runners := facts.packages(app, *lists.packages("parallel-runner"))
    ):
        alone = _one_by_one(facts, app)
        if alone is None:
            runner = runners[0]
            return passes(f"{runner.name} runs files in separate workers", runner.place)
        return fails("The tests are run one after the other", alone)
    if language == "Rust":
        return passes("Cargo runs tests in parallel by default", paths[0], weak=True)
    return None


def _one_by_one(facts: Facts, app: App) -> Place | None:
    """Where tests of JavaScript are run without workers; a page may only describe how to debug
    one."""
    alone = ("jest --runInBand", "jest -i", "vitest --no-file-parallelism")
    for run in facts.runs_of(app):
        if run.command.source != "document" and shell.runs_any(run.words, alone):
            return run.command.place
    return None


def test_performance_tracking(facts: Facts, _: App) -> Verdict | None:  # noqa: PT019 - no test.
    """Passes where reports of tests are kept."""
    return _reports(facts)


@once
def _reports(facts: Facts) -> Verdict | None:
    """Pipelines that keep reports of tests as such."""
    for workflow in facts.pipelines.workflows:
        for step in workflow.facts.steps:
            name = (step.uses or "").lower()
            words = f"{step.inputs.get('path', '')} {step.inputs.get('name', '')}".lower()
            if name.startswith("actions/upload-artifact") and re.search(
                r"junit|surefire-reports|test-results|test-reports|\.trx\b", words
            ):
                return passes("A pipeline keeps reports of tests", step)
            if tools.does(name, "coverage-upload") and (
                step.inputs.get("report_type") == "test_results"
            ):
                return passes("Timings go to Codecov", step)
        if any("junit" in artifact.lower() for artifact in workflow.facts.artifacts):
            return passes("A pipeline keeps reports of tests", workflow.path)
    return None


def flaky_test_detection(facts: Facts, app: App) -> Verdict | None:
    """Passes where tests are listed as flaky, or a pipeline looks for flaky ones."""
    for workflow in facts.pipelines.workflows:
        if re.search(r"(?i)flak[ey]|quarantin", f"{workflow.path} {workflow.facts.name or ''}"):
            return passes("A pipeline detects flaky tests", workflow.path)
    for path in facts.remembered(
        "flaky lists", lambda: facts.tree.glob(*lists.files("flaky-tests"))
    ):
        if facts.tree.owner(path) in (app.path, None, "."):
            return passes("Flaky tests are listed", path)
    if facts.hosting is not None and facts.hosting.reruns_seen is True:
        return fails("Failed jobs are restarted manually; no retries, quarantine or analytics")
    return None
