"""What careful projects do beside: styles of editors and messages, records, checks of supplies."""

from __future__ import annotations

import posixpath
import re

from stationmaster.readiness.evidence import deployment, tools
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, unknown
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.paths import is_below
from stationmaster.reading.projects.test_files import is_test

_ONE_TEST = re.compile(
    r"\b(?:pytest|rspec|jest|vitest|phpunit|pest|mocha|ava|playwright test|rails test"
    r"|manage\.py test|mix test|ruff check|eslint|mypy|tsc|(?:npm|pnpm|yarn|bun)(?: run)? (?:test"
    r"|lint)\S*|go test|cargo test|make test\S*|tox|nox|dotnet test|gradlew? test|mvnw? test)\b"
    r"[^\n|;&]{0,120}?(?:\s(?:-k|-run|--tests|--filter|-t|--testNamePattern|--grep|-p"
    r"|--package)[ =]\S|\s-Dtest=|\sTEST=|\s(?:[\w.<>{}*-]{1,80}/){1,8}[\w.<>{}*:-]{1,80}"
    r"|\s[\w<>{}*/-]{1,80}\.(?:py|rb|[jt]sx?|go|rs|php|exs|java|cs)\b|\s::)"
)
_RECORDS = (
    "**/{adr,adrs,decisions,decision-records}/*.{md,adoc,rst}",
    "**/{architecture-decisions,architecture_decisions}/*.{md,adoc,rst}",
)
_RECORDS_MIN = 3
_CONVENTIONAL = re.compile(
    r"(?:revert: )?(?:feat|fix|docs?|style|refactor|perf|tests?|build|ci|chore|revert|deps"
    r"|release|security|types|wip|improvement)(?:\([^)\n]{1,80}\))?!?: \S"
)
_COMMITS_READ = 100
_COMMITS_MIN = 10
_CONVENTIONAL_MIN = 0.8
_CHANGELOG = "**/{CHANGELOG,CHANGES,NEWS,HISTORY}{,.md,.rst,.txt,.adoc}"
_TAGS_BACK = 2
_FUZZ_FILES = (
    "**/fuzz/Cargo.toml",
    "{,**/}.clusterfuzzlite/Dockerfile",
    "**/fuzz/**/*.{c,cc,cpp,rs,go,py}",
    "**/{fuzzers,oss-fuzz,fuzzing}/**/*.{c,cc,cpp,py,java,go,rs}",
)
_FUZZ_ACTIONS = ("google/oss-fuzz/*", "google/clusterfuzzlite/*")
_GO_FUZZ = re.compile(r"^func Fuzz\w*\(\w+ \*testing\.F\)", re.M)
_FROM = re.compile(r"^\s{0,20}FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?", re.M | re.I)
_USER = re.compile(r"^\s{0,20}USER\s+(\S+)", re.M | re.I)
_ROOTS = frozenset({"root", "0", "0:0", "root:root"})
_IMAGE_BUILDERS = ("com.google.cloud.tools:jib*", "com.google.cloud.tools.jib*")


def editor(facts: Facts) -> Verdict:
    """Passes where .editorconfig is at the root; weakly where it does not set `root = true`."""
    if ".editorconfig" not in facts.files:
        return fails("There is no .editorconfig at the root")
    before = facts.tree.text(".editorconfig").split("[", 1)[0]
    if re.search(r"^[ \t]*root[ \t]*=[ \t]*true[ \t]*$", before, re.M | re.I):
        return passes("Editors are configured with the style", Place(".editorconfig"))
    return passes(
        "Editors are configured with the style; root is not set", Place(".editorconfig"), weak=True
    )


def one_test(facts: Facts, app: App) -> Verdict:
    """Passes where a page shows a command that checks one file or runs one test."""
    for page in facts.tree.documents:
        folder = posixpath.dirname(page.path) or "."
        if not (is_below(app.path, folder) or is_below(folder, app.path)):
            continue
        for shown in (*page.code, *page.inline):
            if match := _ONE_TEST.search(shown.text):
                line = shown.line + shown.text.count("\n", 0, match.start())
                return passes("A page says how to check one file or test", Place(page.path, line))
    return fails("No page shows a command that checks one file or runs one test")


def decisions(facts: Facts) -> Verdict:
    """Passes where there are at least three records of decisions, templates and indexes aside."""
    paths = [path for path in facts.tree.glob(*_RECORDS, any_case=True) if not is_test(path)]
    records = [
        path
        for path in paths
        if not re.search(r"(?i)(?:readme|template|index)", path.rpartition("/")[2])
    ]
    if len(records) >= _RECORDS_MIN:
        return passes(f"There are {len(records)} records of decisions", *map(Place, records))
    return fails(f"There are {len(records)} records of decisions; {_RECORDS_MIN} were looked for")


def conventions(facts: Facts) -> Verdict:
    """Passes where at least 80 % of the last 100 commit messages follow the convention."""
    commits = [commit for commit in facts.history.commits if not commit.is_by_bot][:_COMMITS_READ]
    if len(commits) < _COMMITS_MIN or (facts.history.is_cut and len(commits) < _COMMITS_READ):
        return unknown("The history of this copy is too short to decide")
    share = sum(_CONVENTIONAL.match(commit.message) is not None for commit in commits) / len(
        commits
    )
    told = f"{share:.0%} of the last {len(commits)} messages follow the convention"
    return passes(told) if share >= _CONVENTIONAL_MIN else fails(told)


def changelog(facts: Facts) -> Verdict:
    """Passes where the changelog was changed since the third newest tag; weakly without tags."""
    found = facts.tree.glob(_CHANGELOG, any_case=True)
    if not found:
        return fails("There is no CHANGELOG, CHANGES, NEWS or HISTORY")
    if facts.history.is_cut:
        return unknown(
            "The history of this copy is incomplete, so it does not show what changed when"
        )
    tags = sorted((tag.at for tag in facts.history.tags), reverse=True)
    if not tags:
        return passes(
            "There is a changelog; no tags show how recent it is", Place(found[0]), weak=True
        )
    since = tags[min(_TAGS_BACK, len(tags) - 1)]
    changed = next(
        (commit.at for commit in facts.history.commits if set(commit.paths) & set(found)), None
    )
    if changed is not None and changed >= since:
        return passes("The changelog has the newest versions", Place(found[0]))
    return fails(
        "The changelog was not changed since the version before the last one", Place(found[0])
    )


def fuzzes(facts: Facts, app: App) -> Verdict:
    """Passes where the application has fuzz targets or tests of properties, or CI fuzzes."""
    if (place := tools.own_dependency(facts, app, "fuzzing")) is not None:
        return passes("Tests make up their own input", place)
    for path in facts.tree.glob("**/*_test.go", under=app.path):
        if (match := _GO_FUZZ.search(facts.tree.text(path))) and facts.tree.owner(path) == app.path:
            line = facts.tree.text(path).count("\n", 0, match.start()) + 1
            return passes("There are fuzz tests", Place(path, line))
    for path in facts.tree.glob(*_FUZZ_FILES, under=app.path):
        return passes("There are fuzz targets", Place(path))
    if used := tools.action(facts, *_FUZZ_ACTIONS):
        return passes("CI fuzzes", used)
    return fails("There are no fuzz targets, and no library of property tests")


def image(facts: Facts, app: App) -> Verdict:
    """Passes where a Dockerfile pins its images by hash and does not run as root.

    Weakly where a plugin builds the image instead.
    """
    builders = facts.tree.dependencies(app, *_IMAGE_BUILDERS)
    paths = deployment.of_app(
        facts, app, "**/{Dockerfile,Containerfile}*", "**/*.{Dockerfile,dockerfile}"
    )
    near: Verdict | None = None
    for path in paths:
        verdict = _of_dockerfile(facts, path)
        if verdict.outcome == "pass":
            return verdict
        near = near or verdict
    if builders:
        return passes("A plugin builds its image", builders[0].place, weak=True)
    return near or fails("There is no Dockerfile, Jib or buildpack for it")


def _of_dockerfile(facts: Facts, path: str) -> Verdict:
    content = facts.tree.text(path)
    stages = {name.lower() for _, name in _FROM.findall(content) if name}
    bases = [
        base
        for base, _ in _FROM.findall(content)
        if base.lower() not in stages and base != "scratch"
    ]
    if not _FROM.search(content):
        return fails("The file builds no image", Place(path))
    if any("@sha256:" not in base for base in bases):
        return fails("A base image is not pinned by hash", Place(path))
    users = _USER.findall(content)
    if not users or users[-1] in _ROOTS:
        return fails("The image runs as root", Place(path))
    return passes("Its image is pinned by hash and runs as a user of its own", Place(path))
