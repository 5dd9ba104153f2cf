"""How each criterion of Testing is judged."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stationmaster.pipelines import commands
from stationmaster.projects.model import App, Command, Place
from stationmaster.projects.test_files import in_tests
from stationmaster.readiness.criteria.build import delivery
from stationmaster.readiness.criteria.testing import files, gates, tables
from stationmaster.readiness.criterion import Verdict, fails, passes, skips
from stationmaster.readiness.evidence import checks, shell
from stationmaster.readiness.evidence.checks import Row, configuration, key_above, own_folders
from stationmaster.readiness.evidence.families import COMPILED, family
from stationmaster.readiness.facts import Facts

_NO_CODE = "There is no code but markup and data"
_NO_TESTS = "It has no tests"
_RUNNERS = (
    ("Python", ("tox.ini", "noxfile.py", "pytest.ini", "pytest.toml"),
     ("pyproject.toml:tool.pytest", "pyproject.toml:tool.tox", "pyproject.toml:tool.hatch.envs",
      "setup.cfg:tool:pytest")),
    ("PHP", ("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"), ()),
    ("Ruby", (".rspec",), ()),
)  # fmt: skip
_JVM = ("Java", "Kotlin", "Scala", "Groovy")
_OF_LANGUAGE: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("go", "gotestsum", "ginkgo"), ("Go",)),
    **dict.fromkeys(("cargo",), ("Rust",)),
    **dict.fromkeys(("mvn", "mvnw", "gradle", "gradlew", "sbt"), _JVM),
    **dict.fromkeys(
        ("pytest", "tox", "nox", "python", "python3", "coverage", "hatch", "pdm", "uv", "poetry"),
        ("Python",),
    ),
    **dict.fromkeys(
        ("npm", "npx", "yarn", "pnpm", "bun", "deno", "node", "jest", "vitest", "mocha"),
        ("JavaScript",),
    ),
    **dict.fromkeys(("rspec", "rails", "rake", "bundle"), ("Ruby",)),
    **dict.fromkeys(("phpunit", "pest", "composer", "paratest"), ("PHP",)),
    **dict.fromkeys(("dotnet",), ("C#",)),
    **dict.fromkeys(("swift", "xcodebuild"), ("Swift",)),
    **dict.fromkeys(("mix",), ("Elixir",)),
    **dict.fromkeys(("ctest",), ("C++",)),
    **dict.fromkeys(("dart", "flutter"), ("Dart",)),
}
"""Runners that know the tests of some languages alone."""
_SILENT = frozenset({"echo", "exit", "true", "false", ":", "printf"})
_LISTS = ("**/*[Qq]uarantine*", "**/*[Ff]laky*", "**/known-failures*", "**/.flaky*")
_CONSISTENT = 0.9
_READ_MAX = 300
_CROSSING_FOLDER = re.compile(
    r"(?:.{0,400}/)?(?:integration|integrations?[-_]?tests?|e2e|e2e[-_]tests?|end[-_]to[-_]end"
    r"|acceptance|acceptance[-_]tests?|functional|functional[-_]?tests?|system|system[-_]?tests?"
    r"|smoke"
    r"|integrationTest|intTest|UITests|\w{1,60}UITests|it)/.{1,300}"
)
_CROSSING_SPEC = re.compile(
    r"(?:.{0,300}/)?(?:spec/(?:features?|requests|system|integration)|test/(?:system"
    r"|integration))/.{1,300}"
    r"|(?:.{0,300}/)?tests?/(?:Feature|Browser|Api)/.{1,300}Test\.php"
    r"|(?:.{0,300}/)?features/.{1,200}\.feature"
    r"|(?:.{0,400}/)?[^/]{1,200}(?:IT|ITCase|IntegrationTests?|E2ETests?|EndToEndTests?"
    r"|FunctionalTests?)"
    r"\.(?:java|kt|groovy|scala|cs|fs|swift|php)"
    r"|(?:.{0,400}/)?[^/]{0,100}(?:Integration|Acceptance|Functional|EndToEnd"
    r"|E2E)\.?Tests?/.{1,300}"
    r"|(?:.{0,400}/)?[^/]{1,200}[._-](?:e2e|integration|int|acceptance)[._-]?(?:test"
    r"|spec)?\.[\w.]{1,12}"
    r"|(?:.{0,400}/)?(?:test_)?(?:integration|e2e|functional|acceptance|end_to_end)(?:_tests?"
    r"|_spec)?\.\w{1,5}"
    r"|(?:.{0,400}/)?[^/]{1,200}\.bats"
)
_CROSSING_CODE = re.compile(
    r"//go:build [^\n]{0,80}\b(?:integration|e2e|acceptance)\b|@SpringBootTest"
    r"|WebApplicationFactory"
    r"|\btestcontainers\b|@QuarkusTest|@MicronautTest|pytest\.mark\.(?:integration|e2e|functional)"
    r"|\bLiveServerTestCase\b|\bhttptest\.NewServer\b|\bTestServer\b|use \w[\w.]{0,80}\.ConnCase"
)
_BROWSERS = frozenset({"Playwright", "Cypress", "WebdriverIO"})
"""They test what has a page, not a worker or a command beside it."""
_TESTISH = re.compile(r"(?i)(?:^|/)[^/]{0,80}(?:test|spec|e2e|it\b)")


def unit_tests_exist(facts: Facts, app: App) -> Verdict:
    if family(app) is None:
        return skips(_NO_CODE)
    place = files.first_real(facts, app)
    if place is None:
        return fails("No test file, by the names that its language's runners look for")
    count = len(files.tests_of(facts, app))
    return passes("Test files: {}", place, counts=(count,))


def unit_tests_runnable(facts: Facts, app: App) -> Verdict:
    language = family(app)
    if language is None:
        return skips(_NO_CODE)
    if not _has_tests(facts):
        return fails("There are no tests to run")
    named: Command | None = None
    for run in facts.runs_of(app):
        command = run.command
        of = _OF_LANGUAGE.get(shell.program(run.words))
        if (of is not None and language not in of) or run.words[0] in _SILENT:
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
    return _configured(facts, app) or fails(
        "No script, task, pipeline or document says how to run its tests"
    )


def _configured(facts: Facts, app: App) -> Verdict | None:
    """Runners that need no command where their configuration stands."""
    for language, names, keys in _RUNNERS:
        if language != family(app):
            continue
        places = [Place(path) for name in names if (path := facts.tree.above(app, name))]
        places += [place for key in keys if (place := key_above(facts, app, key))]
        if places:
            return passes("The runner of tests is configured", places[0])
    return None


def _has_tests(facts: Facts) -> bool:
    return any(files.first_real(facts, app) is not None for app in facts.project.apps)


def test_coverage_thresholds(facts: Facts, app: App) -> Verdict:
    if not _has_tests(facts):
        return skips(_NO_TESTS)
    place = gates.gate(facts, app)
    if place is not None:
        return passes("A least coverage is enforced", place)
    return fails("No least coverage is enforced; measuring alone is no gate")


def integration_tests_exist(facts: Facts, app: App) -> Verdict:
    if family(app) is None:
        return skips(_NO_CODE)
    tests = files.tests_of(facts, app)
    start = 0 if app.path == "." else len(app.path) + 1
    scripts = [path for path in facts.tree.of(app) if path.endswith((".feature", ".bats"))]
    for path in (*tests, *scripts):
        inside = path[start:]
        if _CROSSING_SPEC.fullmatch(inside) or (
            _CROSSING_FOLDER.fullmatch(inside) and _TESTISH.search(inside)
        ):
            return passes("A suite tests it from outside", Place(path))
    if family(app) == "Rust":
        found = facts.tree.glob("tests/*.rs", "tests/*/main.rs", under=app.path)
        if found:
            return passes("Cargo's integration tests use it from outside", Place(found[0]))
    shown = checks.first(facts, app, tables.CROSSING)
    is_worker = "job" in app.kinds and app.kinds <= {"job", "cli"}
    if shown is not None and not (shown.name in _BROWSERS and is_worker):
        return passes(f"{shown.name} tests it from outside", *shown.places, weak=shown.is_weak)
    packages = facts.packages(app, *tables.CROSSING_PACKAGES)
    if packages:
        return passes(f"{packages[0].name} is there for such tests", packages[0].place)
    for path in tests[:_READ_MAX]:
        content = facts.tree.text(path)
        if (at := _CROSSING_CODE.search(content)) is not None:
            line = content.count("\n", 0, at.start()) + 1
            return passes("A test crosses a process or network", Place(path, line))
    if family(app) in COMPILED and (suites := _in_python(facts, app)):
        return passes("A suite of pytest uses it from outside", Place(suites[0]))
    beside = _beside(facts, app)
    if beside is not None and not is_worker:
        return passes("A suite beside it tests it from outside", beside)
    return fails("No suite that crosses a process, network, database or screen")


def _in_python(facts: Facts, app: App) -> Sequence[str]:
    """Tests in Python of an application that is compiled: they can only call what was built."""
    return [
        path
        for path in facts.tree.glob("**/conftest.py", under=app.path)
        if in_tests(path.rpartition("/")[0]) and facts.tree.owner(path) in (app.path, None)
    ]


def _beside(facts: Facts, app: App) -> Place | None:
    """A folder of end-to-end tests at the root holds for all applications."""
    for pattern in ("e2e/**/*", "tests/e2e/**/*", "tests/integration/**/*", "test/e2e/**/*",
                    "test/integration/**/*", "integration/**/*", "integration-tests/**/*",
                    "integration_tests/**/*", "integration_test/**/*",
                    "acceptance/**/*",
                    "tests/functional/**/*"):  # fmt: skip
        found = [
            path
            for path in facts.tree.glob(pattern)
            if _TESTISH.search(path.partition("/")[2]) or path.endswith(".exs")
        ]
        if found and (app.path != "." or pattern.startswith("integration_test/")):
            return Place(found[0])
    return None


def test_naming_conventions(facts: Facts, app: App) -> Verdict:
    tests = files.tests_of(facts, app)
    if not tests:
        return skips(_NO_TESTS)
    for language, keys in tables.PATTERNS:
        for key in keys if family(app) == language else ():
            if (place := key_above(facts, app, key)) is not None:
                return passes("The runner is told which files are tests", place)
    found = _text(facts, app, tables.PATTERN_TEXTS)
    if found is not None:
        return passes("The runner is told which files are tests", found)
    tests = files.with_tests(facts, app) or tests
    usual = files.usual(app, tests)
    counts = (usual, len(tests))
    told = "{} of {} test files have the usual names"
    if usual >= _CONSISTENT * len(tests):
        return passes(told, Place(tests[0]), counts=counts)
    return fails(f"{told}, and nothing says which files are tests", counts=counts)


def test_isolation(facts: Facts, app: App) -> Verdict:
    tests = files.tests_of(facts, app)
    if not tests:
        return skips(_NO_TESTS)
    verdict = _shown(facts, app, tables.ISOLATED, tables.ISOLATED_TEXTS, "keeps tests apart")
    if verdict is not None:
        return verdict
    language = family(app)
    for of, sign, name in tables.ISOLATED_CODE:
        if of == language:
            for path in tests[:_READ_MAX]:
                content = facts.tree.text(path)
                if (at := re.search(sign, content)) is not None:
                    line = content.count("\n", 0, at.start()) + 1
                    return passes(f"Tests have {name}", Place(path, line))
    if language == "JavaScript" and facts.packages(app, "vitest", "jest", "ava"):
        alone = _one_by_one(facts, app)
        package = facts.packages(app, "vitest", "jest", "ava")[0]
        if alone is None:
            return passes(f"{package.name} runs files in workers of their own", package.place)
        return fails("The tests are run one after the other", alone)
    if language == "Rust":
        return passes("Cargo runs tests in parallel by default", Place(tests[0]), weak=True)
    return fails("Neither parallel nor shuffled tests, nor data of each test")


def _one_by_one(facts: Facts, app: App) -> Place | None:
    """Where tests of JavaScript are run without workers; a page may only say how to debug one."""
    alone = ("jest --runInBand", "jest -i", "vitest --no-file-parallelism")
    return next(
        (
            run.command.place
            for run in facts.runs_of(app)
            if run.command.source != "document" and shell.runs_any(run.words, alone)
        ),
        None,
    )


def test_performance_tracking(facts: Facts, app: App) -> Verdict:
    if not files.tests_of(facts, app):
        return skips(_NO_TESTS)
    verdict = _shown(facts, app, tables.TIMED, tables.TIMED_TEXTS, "records timings")
    return (
        verdict
        or facts.remembered("reports of tests", lambda: _reports(facts))
        or fails("No timings of tests are kept or reported")
    )


def _reports(facts: Facts) -> Verdict | None:
    """Pipelines that keep reports of tests as such."""
    for found in facts.pipelines.workflows:
        for step in found.facts.steps:
            name = (step.uses or "").lower()
            told = f"{step.inputs.get('path', '')} {step.inputs.get('name', '')}".lower()
            if name.startswith("actions/upload-artifact") and re.search(
                r"junit|surefire-reports|test-results|test-reports|\.trx\b", told
            ):
                return passes("A pipeline keeps reports of tests",
                              Place(step.path, step.place.line))  # fmt: skip
            if name.startswith("codecov/codecov-action") and (
                step.inputs.get("report_type") == "test_results"
            ):
                return passes("Timings go to Codecov", Place(step.path, step.place.line))
        if any("junit" in each.lower() for each in found.facts.artifacts):
            return passes("A pipeline keeps reports of tests", Place(found.path))
    return None


def flaky_test_detection(facts: Facts, app: App) -> Verdict:
    tests = files.tests_of(facts, app)
    if not tests:
        return skips(_NO_TESTS)
    verdict = _shown(facts, app, tables.RETRIED, tables.RETRIED_TEXTS, "deals with flaky tests")
    if verdict is not None:
        return verdict
    for found in facts.pipelines.workflows:
        if re.search(r"(?i)flak[ey]|quarantin", f"{found.path} {found.facts.name or ''}"):
            return passes("A pipeline looks for flaky tests", Place(found.path))
    for path in facts.remembered("flaky lists", lambda: facts.tree.glob(*_LISTS)):
        if facts.tree.owner(path) in (app.path, None, "."):
            return passes("Flaky tests are listed", Place(path))
    seen = None if facts.hosting is None else facts.hosting.reruns_seen
    if seen is True:
        return fails("Failed jobs are run again by hand; no retries, quarantine or analytics")
    return fails("Neither retries that report, a quarantine nor analytics of tests")


def _shown(
    facts: Facts,
    app: App,
    rows: Sequence[Row],
    texts: Sequence[tuple[str, tuple[str, ...], str]],
    does: str,
) -> Verdict | None:
    """By a table of tools or one of lines; a library alone counts here, too."""
    shown = checks.first(facts, app, rows)
    if shown is not None and not shown.is_weak:
        return passes(f"{shown.name} {does}", *shown.places)
    place = _text(facts, app, texts)
    if place is not None:
        return passes(f"The configuration {does}", place)
    language = family(app)
    for row in rows:
        if isinstance(row, checks.Check) and row.packages and (not row.of or language in row.of):
            packages = facts.packages(app, *row.packages)
            if packages:
                return passes(f"{packages[0].name} {does}", packages[0].place)
    return None


def _text(facts: Facts, app: App, rows: Sequence[tuple[str, tuple[str, ...], str]]) -> Place | None:
    """The first line of a configuration that a table looks for."""
    for language, names, sign in rows:
        if language != family(app):
            continue
        for folder in own_folders(app):
            for name in names:
                path = configuration(facts, folder, name)
                content = facts.tree.text(path) if path is not None else ""
                if path is not None and (at := re.search(sign, content)) is not None:
                    return Place(path, content.count("\n", 0, at.start()) + 1)
    return None
