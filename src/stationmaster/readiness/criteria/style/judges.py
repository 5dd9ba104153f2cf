"""How each criterion of Style & Validation is judged."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stationmaster.pipelines import commands
from stationmaster.projects.model import App, Place
from stationmaster.readiness.criteria.style import tables
from stationmaster.readiness.criteria.style.checkers import CHECKERS
from stationmaster.readiness.criteria.style.formatters import FORMATTERS
from stationmaster.readiness.criteria.style.linters import LINTERS, OBSOLETE
from stationmaster.readiness.criterion import Verdict, fails, passes, skips
from stationmaster.readiness.evidence import checks, hooks, shell
from stationmaster.readiness.evidence.checks import Check, Row
from stationmaster.readiness.evidence.families import FORMATTED, family, language_of
from stationmaster.readiness.facts import Facts

_NO_CODE = "There is no code but markup and data"
_SMALL = 20
"""Source files below which boundaries within an application are not worth a tool."""
_HYGIENE = frozenset({
    "trailing-whitespace", "end-of-file-fixer", "mixed-line-ending", "check-yaml", "check-json",
    "check-toml", "check-ast", "TrailingWhitespace",
})  # fmt: skip
_GENERIC = frozenset({
    "lint", "format", "fmt", "check", "test", "typecheck", "type-check", "rustfmt", "cargo-check",
    "gofmt", "go-fmt", "go-imports", "go-unit-tests", "isort", "pyupgrade", "prettier",
    "mix-format", "phplint", "phpunit", "phpversion", "RSpec", "trunk-check", "biome",
})  # fmt: skip
_NAMES_CODE = re.compile(
    r"\b(?:lint|format|fmt|check|test|typecheck|tsc|prettier|ruff|style|verify|validate)\w{0,20}\b"
)
_NAMING = re.compile(r"(?i)\bnaming\b|\bnames? of (?:variables|functions|files|classes)\b")
_CASES = re.compile(
    r"(?i)\b(?:camel ?case|snake_? ?case|pascal ?case|kebab-? ?case|upper_? ?case)\b"
)
_LFS = re.compile(r"^[^#\n]{1,500}\bfilter=lfs\b", re.MULTILINE)
_SIZE_CHECK = re.compile(
    r"\bfind\b[^\n]{0,200}-size \+|\blarge[-_ ]?files?\b|\bmax(?:imum)?[-_ ]?file[-_ ]?size\b", re.I
)


def lint_config(facts: Facts, app: App) -> Verdict:
    language = family(app)
    if language is None:
        return skips(_NO_CODE)
    rows = [row for row in LINTERS if not isinstance(row, Check) or row.is_for(app)]
    near = [Place(path) for name in OBSOLETE if (path := facts.tree.above(app, name)) is not None]
    looked = f"No linter for {language_of(app)} is configured or run"
    if near:
        looked += "; TSLint is obsolete"
    return checks.judge(facts, app, rows, looked, tuple(near))


def formatter(facts: Facts, app: App) -> Verdict:
    language = family(app)
    if language is None:
        return skips(_NO_CODE)
    rows = [row for row in FORMATTERS if not isinstance(row, Check) or row.is_for(app)]
    shown = checks.first(facts, app, rows)
    if language in FORMATTED and shown is None:
        return passes(f"The formatter of {language_of(app)} is built into its toolchain")
    return checks.judge(
        facts, app, rows, f"No formatter for {language_of(app)} is configured or run"
    )


def pre_commit_hooks(facts: Facts, app: App) -> Verdict:
    found = hooks.of(facts)
    if not found:
        return fails("No hook runner is configured, such as pre-commit, Husky or Lefthook")
    weak: hooks.Hook | None = None
    for hook in found:
        if _is_for_code(hook, app):
            return passes(f"{hook.runner} runs {hook.id or _program(hook.text)}", hook.place)
        if hook.id in _HYGIENE and weak is None:
            weak = hook
    if weak is not None:
        return passes(f"{weak.runner} tidies text files only", weak.place, weak=True)
    return fails("No hook lints, formats, checks or tests this code", found[0].place)


def _is_for_code(hook: hooks.Hook, app: App) -> bool:
    known: list[Row] = [*LINTERS, *FORMATTERS, *CHECKERS]
    tools = [row for row in known if isinstance(row, Check)]
    words = shell.simple(hook.text)
    running = [
        tool
        for tool in tools
        if hook.id in tool.hooks or any(shell.runs_any(each, tool.runs) for each in words)
    ]
    if running:
        return any(tool.is_for(app) for tool in running)
    kinds = {commands.of_words(each) for each in words}
    named = hook.id in _GENERIC or _NAMES_CODE.search(hook.text) is not None
    return named or not kinds.isdisjoint(("lint", "test", "build"))


def _program(text: str) -> str:
    words = shell.simple(text)
    return " ".join(words[0][:3]) if words else "a command"


def naming_consistency(facts: Facts, app: App) -> Verdict:
    language = family(app)
    if language is None:
        return skips(_NO_CODE)
    if language in ("Rust", "Dart"):
        return passes(f"The compiler of {language_of(app)} warns of names against its conventions")
    shown = checks.first(facts, app, tables.NAMING)
    if shown is not None:
        return passes(f"{shown.name} looks after names", *shown.places, weak=shown.is_weak)
    for document in filter(lambda each: _is_guide(each.path), facts.tree.documents):
        for heading in document.headings:
            if _NAMING.search(heading.text):
                return passes("A naming convention is written down",
                              Place(document.path, heading.line))  # fmt: skip
        if (at := _CASES.search(document.text)) is not None:
            line = document.text.count("\n", 0, at.start()) + 1
            return passes("A naming convention is written down", Place(document.path, line))
    return fails("Neither a linter's naming rules nor a written naming convention")


def _is_guide(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name.startswith(("contributing", "guideline", "development", "develop", "coding",
    "agents", "claude", "style", "conventions", "hacking",
                            "copilot-instructions", "gemini"))  # fmt: skip


def dead_code_detection(facts: Facts, app: App) -> Verdict:
    return _by_table(facts, app, tables.DEAD_CODE, "No tool that finds unused code")


def duplicate_code_detection(facts: Facts, app: App) -> Verdict:
    return _by_table(facts, app, tables.DUPLICATES, "No detector of copied code such as jscpd")


def cyclomatic_complexity(facts: Facts, app: App) -> Verdict:
    return _by_table(facts, app, tables.COMPLEXITY, "No rule that limits complexity is on")


def _by_table(facts: Facts, app: App, rows: Iterable[Row], looked_for: str) -> Verdict:
    if family(app) is None:
        return skips(_NO_CODE)
    return checks.judge(facts, app, rows, looked_for)


def unused_dependencies_detection(facts: Facts, app: App) -> Verdict:
    if not facts.tree.dependencies(app):
        return skips("It has no external dependencies")
    verdict = checks.judge(
        facts, app, tables.UNUSED_DEPENDENCIES, "No check for dependencies that nothing uses"
    )
    if verdict.outcome == "fail" and "go" in app.ecosystems:
        return _tidy(facts, app) or verdict
    return verdict


def _tidy(facts: Facts, app: App) -> Verdict | None:
    """`go mod tidy` counts where something looks whether it changed anything."""
    run = facts.run(app, "go mod tidy -diff", "gomod tidy-check")
    if run is not None:
        return passes("go mod tidy -diff is run", run.command.place)
    run = facts.run(app, "go mod tidy")
    if run is not None and re.search(r"git (?:diff|status)|-exit-code", run.command.text):
        return passes("go mod tidy is run, and changes are refused", run.command.place)
    hook = next((each for each in hooks.of(facts) if each.id.startswith("go-mod-tidy")), None)
    return passes("A hook runs go mod tidy", hook.place) if hook is not None else None


def code_modularization(facts: Facts, app: App) -> Verdict:
    if sum(app.languages.values()) < _SMALL:
        return skips(f"It has fewer than {_SMALL} source files")
    shown = checks.first(facts, app, tables.BOUNDARIES)
    if shown is not None:
        return passes(f"{shown.name} guards boundaries", *shown.places, weak=shown.is_weak)
    if family(app) == "Go":
        inside = facts.tree.glob("internal/**/*.go", "**/internal/**/*.go", under=app.path)
        if inside:
            return passes("Go keeps others out of internal packages", Place(inside[0]), weak=True)
    return fails("No rule says which module may import which")


def large_file_detection(facts: Facts) -> Verdict:
    for hook in hooks.of(facts):
        if hook.id in ("check-added-large-files", "forbid-large-files", "FileSize"):
            return passes("A hook refuses large files", hook.place)
    for path in facts.tree.glob("**/.gitattributes"):
        text = facts.tree.text(path)
        if (at := _LFS.search(text)) is not None:
            place = Place(path, text.count("\n", 0, at.start()) + 1)
            return passes("Git LFS takes large files", place)
    for run in facts.runs:
        if run.command.source == "ci" and _SIZE_CHECK.search(" ".join(run.words)):
            return passes("A pipeline looks for large files", run.command.place)
    use = facts.use("actionsdesk/lfs-warning", "ppremk/lfs-warning", "ariel-frischer/large-files")
    if use is not None:
        return passes("A pipeline looks for large files", use.place)
    return _anywhere(facts, tables.LARGE_FILES, "Neither a hook, Git LFS nor a rule on size")


def tech_debt_tracking(facts: Facts) -> Verdict:
    return _anywhere(facts, tables.DEBT, "No tool that follows TODO comments")


def _anywhere(facts: Facts, rows: Iterable[Row], looked_for: str) -> Verdict:
    """A repository has what any of its applications has."""
    rows = tuple(rows)
    verdicts = (checks.judge(facts, app, rows, looked_for) for app in facts.project.apps)
    return next((each for each in verdicts if each.outcome == "pass"), fails(looked_for))
