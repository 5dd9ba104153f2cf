"""How each criterion of Testing is judged."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stationmaster.pipelines import commands
from stationmaster.readiness.criteria.build import delivery
from stationmaster.readiness.criteria.testing import gates
from stationmaster.readiness.evidence import configs, shell, tests, tools
from stationmaster.readiness.evidence.families import COMPILED, family
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips
from stationmaster.reading.projects.model import App, Command, Place
from stationmaster.reading.projects.test_files import in_tests

_NO_TESTS = "It has no tests"
_RUNNERS = (
    (
        "Python",
        ("tox.ini", "noxfile.py", "pytest.ini", "pytest.toml"),
        (
            "pyproject.toml:tool.pytest",
            "pyproject.toml:tool.tox",
            "pyproject.toml:tool.hatch.envs",
            "setup.cfg:tool:pytest",
        ),
    ),
    ("PHP", ("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"), ()),
    ("Ruby", (".rspec",), ()),
)
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
_ISOLATED_CODE = (
    ("Go", r"\bt\.Parallel\(\)|\bt\.TempDir\(\)", "t.Parallel or t.TempDir"),
    (
        "Python",
        r"\btmp_path\b|\btmpdir\b|TemporaryDirectory|@pytest\.fixture|TransactionTestCase",
        "fixtures of each test",
    ),
    ("Elixir", r"async:\s*true", "async tests"),
    ("Java", r"@TempDir|@Execution\(|TemporaryFolder|@Transactional", "data of each test"),
    ("Kotlin", r"@TempDir|@Execution\(|TemporaryFolder|@Transactional", "data of each test"),
    ("C#", r"IClassFixture|\[Parallelizable|\[Collection\(|\[assembly: Parallelize", "fixtures"),
    ("Swift", r"import Testing\b|@Suite", "Swift Testing, which runs tests in parallel"),
    ("PHP", r"RefreshDatabase|DatabaseTransactions|DatabaseMigrations", "data of each test"),
)
_PARALLEL = ("vitest", "jest", "ava")
"""They run files of tests in workers of their own."""
_BROWSERS = frozenset({"Playwright", "Cypress", "WebdriverIO"})
"""They test what has a page, not a worker or a command beside it."""
_TESTISH = re.compile(r"(?i)(?:^|/)[^/]{0,80}(?:test|spec|e2e|it\b)")


def unit_tests_exist(facts: Facts, app: App) -> Verdict:
    """Passes where a file has a test; `counts` is the number of test files."""
    place = tests.first_real(facts, app)
    if place is None:
        return fails("No test file, by the names that its language's runners look for")
    count = len(tests.tests_of(facts, app))
    return passes("Test files: {}", place, counts=(count,))


def unit_tests_runnable(facts: Facts, app: App) -> Verdict:
    """Passes where a script, task, pipeline or document says how to run the tests."""
    language = family(app)
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
        places += [place for key in keys if (place := configs.key_above(facts, app, key))]
        if places:
            return passes("The runner of tests is configured", places[0])
    return None


def _has_tests(facts: Facts) -> bool:
    return any(tests.first_real(facts, app) is not None for app in facts.project.apps)


def test_coverage_thresholds(facts: Facts, app: App) -> Verdict:
    """Passes where a least coverage is enforced; skipped without tests."""
    if not _has_tests(facts):
        return skips(_NO_TESTS)
    place = gates.gate(facts, app)
    if place is not None:
        return passes("A least coverage is enforced", place)
    return fails("No least coverage is enforced; measuring alone is no gate")


def integration_tests_exist(facts: Facts, app: App) -> Verdict:
    """Passes where a suite tests the application from outside, as across a process or network."""
    paths = tests.tests_of(facts, app)
    start = 0 if app.path == "." else len(app.path) + 1
    scripts = [path for path in facts.tree.of(app) if path.endswith((".feature", ".bats"))]
    for path in (*paths, *scripts):
        inside = path[start:]
        if _CROSSING_SPEC.fullmatch(inside) or (
            _CROSSING_FOLDER.fullmatch(inside) and _TESTISH.search(inside)
        ):
            return passes("A suite tests it from outside", Place(path))
    if family(app) == "Rust":
        found = facts.tree.glob("tests/*.rs", "tests/*/main.rs", under=app.path)
        if found:
            return passes("Cargo's integration tests use it from outside", Place(found[0]))
    shown = tools.of_app(facts, app, "crossing")
    is_worker = "job" in app.kinds and app.kinds <= {"job", "cli"}
    if shown is not None and not (shown.name in _BROWSERS and is_worker):
        return passes(f"{shown.name} tests it from outside", *shown.places, weak=shown.is_weak)
    for path in paths[:_READ_MAX]:
        if (place := configs.line_of(facts, path, _CROSSING_CODE)) is not None:
            return passes("A test crosses a process or network", place)
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
    for pattern in (
        "e2e/**/*",
        "tests/e2e/**/*",
        "tests/integration/**/*",
        "test/e2e/**/*",
        "test/integration/**/*",
        "integration/**/*",
        "integration-tests/**/*",
        "integration_tests/**/*",
        "integration_test/**/*",
        "acceptance/**/*",
        "tests/functional/**/*",
    ):
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
        return passes(sentence, Place(paths[0]), counts=counts)
    return fails(f"{sentence}, and nothing says which files are tests", counts=counts)


def test_isolation(facts: Facts, app: App) -> Verdict:
    """Passes where tests run in parallel or shuffled, or have data of their own."""
    if (package := tools.dependency(facts, app, "isolation")) is not None:
        return passes(f"{package[0]} keeps tests apart", package[1])
    language = family(app)
    paths = tests.tests_of(facts, app)
    for of, sign, name in _ISOLATED_CODE:
        for path in paths[:_READ_MAX] if of == language else ():
            if (place := configs.line_of(facts, path, sign)) is not None:
                return passes(f"Tests have {name}", place)
    if language == "JavaScript" and (runners := facts.packages(app, *_PARALLEL)):
        alone = _one_by_one(facts, app)
        if alone is None:
            runner = runners[0]
            return passes(f"{runner.name} runs files in workers of their own", runner.place)
        return fails("The tests are run one after the other", alone)
    if language == "Rust":
        return passes("Cargo runs tests in parallel by default", Place(paths[0]), weak=True)
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
    """Passes where a package records timings of tests, or reports of tests are kept."""
    if (package := tools.dependency(facts, app, "timing")) is not None:
        return passes(f"{package[0]} records timings", package[1])
    reports = facts.remembered("reports of tests", lambda: _reports(facts))
    return reports or fails("No timings of tests are kept or reported")


def _reports(facts: Facts) -> Verdict | None:
    """Pipelines that keep reports of tests as such."""
    for workflow in facts.pipelines.workflows:
        for step in workflow.facts.steps:
            name = (step.uses or "").lower()
            told = f"{step.inputs.get('path', '')} {step.inputs.get('name', '')}".lower()
            if name.startswith("actions/upload-artifact") and re.search(
                r"junit|surefire-reports|test-results|test-reports|\.trx\b", told
            ):
                return passes(
                    "A pipeline keeps reports of tests", Place(step.path, step.place.line)
                )
            if tools.does(name, "coverage-upload") and (
                step.inputs.get("report_type") == "test_results"
            ):
                return passes("Timings go to Codecov", Place(step.path, step.place.line))
        if any("junit" in artifact.lower() for artifact in workflow.facts.artifacts):
            return passes("A pipeline keeps reports of tests", Place(workflow.path))
    return None


def flaky_test_detection(facts: Facts, app: App) -> Verdict:
    """Passes where tests are retried, listed as flaky, or a pipeline looks for flaky ones."""
    if (package := tools.dependency(facts, app, "retries")) is not None:
        return passes(f"{package[0]} deals with flaky tests", package[1])
    for workflow in facts.pipelines.workflows:
        if re.search(r"(?i)flak[ey]|quarantin", f"{workflow.path} {workflow.facts.name or ''}"):
            return passes("A pipeline looks for flaky tests", Place(workflow.path))
    for path in facts.remembered("flaky lists", lambda: facts.tree.glob(*_LISTS)):
        if facts.tree.owner(path) in (app.path, None, "."):
            return passes("Flaky tests are listed", Place(path))
    if facts.hosting is not None and facts.hosting.reruns_seen is True:
        return fails("Failed jobs are run again by hand; no retries, quarantine or analytics")
    return fails("Neither retries that report, a quarantine nor analytics of tests")
