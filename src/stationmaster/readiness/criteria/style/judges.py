"""How each criterion of Style & Validation is judged."""

from __future__ import annotations

import re
from functools import cache

from stationmaster.catalogue.tools import Use, uses
from stationmaster.pipelines import commands
from stationmaster.readiness.evidence import configs, hooks, shell, tools
from stationmaster.readiness.evidence.families import FORMATTED, family, language_of
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips
from stationmaster.reading.projects.model import App, Place

_OBSOLETE = ("tslint.json",)
"""Linters that nobody maintains any more."""
_SMALL = 20
"""Source files below which boundaries within an application are not worth a tool."""
_HYGIENE = frozenset(
    {
        "trailing-whitespace",
        "end-of-file-fixer",
        "mixed-line-ending",
        "check-yaml",
        "check-json",
        "check-toml",
        "check-ast",
        "TrailingWhitespace",
    }
)
_GENERIC = frozenset(
    {
        "lint",
        "format",
        "fmt",
        "check",
        "test",
        "typecheck",
        "type-check",
        "rustfmt",
        "cargo-check",
        "gofmt",
        "go-fmt",
        "go-imports",
        "go-unit-tests",
        "isort",
        "pyupgrade",
        "prettier",
        "mix-format",
        "phplint",
        "phpunit",
        "phpversion",
        "RSpec",
        "trunk-check",
        "biome",
    }
)
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
    """Passes where a linter for the application's language is configured or run."""
    missing = f"No linter for {language_of(app)} is configured or run"
    near = [Place(path) for name in _OBSOLETE if (path := facts.tree.above(app, name)) is not None]
    if near:
        missing += "; TSLint is obsolete"
    return tools.verdict(tools.of_family(facts, app, "lint"), missing, tuple(near))


def formatter(facts: Facts, app: App) -> Verdict:
    """Passes where a formatter is configured, run or built into the language's toolchain."""
    shown = tools.of_family(facts, app, "format")
    if shown is None and family(app) in FORMATTED:
        return passes(f"The formatter of {language_of(app)} is built into its toolchain")
    return tools.verdict(shown, f"No formatter for {language_of(app)} is configured or run")


def pre_commit_hooks(facts: Facts, app: App) -> Verdict:
    """Passes where a hook checks the application's code; weakly where one only tidies text."""
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


@cache
def _checks() -> tuple[Use, ...]:
    """What lints, formats and checks types."""
    return (*uses("lint"), *uses("format"), *uses("types"))


def _is_for_code(hook: hooks.Hook, app: App) -> bool:
    words = shell.simple(hook.text)
    running = [
        use
        for use in _checks()
        if hook.id in use.hooks or any(shell.runs_any(word, use.commands) for word in words)
    ]
    if running:
        return any(not use.languages or family(app) in use.languages for use in running)
    kinds = {commands.of_words(word) for word in words}
    named = hook.id in _GENERIC or _NAMES_CODE.search(hook.text) is not None
    return named or not kinds.isdisjoint(("lint", "test", "build"))


def _program(text: str) -> str:
    words = shell.simple(text)
    return " ".join(words[0][:3]) if words else "a command"


def naming_consistency(facts: Facts, app: App) -> Verdict:
    """Passes where the compiler, a linter or a written convention governs names."""
    if family(app) in ("Rust", "Dart"):
        return passes(f"The compiler of {language_of(app)} warns of names against its conventions")
    shown = tools.of_app(facts, app, "naming")
    if shown is not None:
        return passes(f"{shown.name} looks after names", *shown.places, weak=shown.is_weak)
    for document in filter(lambda each: _is_guide(each.path), facts.tree.documents):
        for heading in document.headings:
            if _NAMING.search(heading.text):
                return passes(
                    "A naming convention is written down", Place(document.path, heading.line)
                )
        if (place := configs.line_of(facts, document.path, _CASES)) is not None:
            return passes("A naming convention is written down", place)
    return fails("Neither a linter's naming rules nor a written naming convention")


def _is_guide(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name.startswith(
        (
            "contributing",
            "guideline",
            "development",
            "develop",
            "coding",
            "agents",
            "claude",
            "style",
            "conventions",
            "hacking",
            "copilot-instructions",
            "gemini",
        )
    )


def unused_dependencies_detection(facts: Facts, app: App) -> Verdict:
    """Passes where a Go application's `go mod tidy` is checked; fails for other languages."""
    tidy = _tidy(facts, app) if "go" in app.ecosystems else None
    return tidy or fails("No check for dependencies that nothing uses")


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
    """Passes where a tool guards module boundaries; skipped for fewer than 20 source files."""
    if sum(app.languages.values()) < _SMALL:
        return skips(f"It has fewer than {_SMALL} source files")
    shown = tools.of_app(facts, app, "boundaries")
    if shown is not None:
        return passes(f"{shown.name} guards boundaries", *shown.places, weak=shown.is_weak)
    if family(app) == "Go":
        inside = facts.tree.glob("internal/**/*.go", "**/internal/**/*.go", under=app.path)
        if inside:
            return passes("Go keeps others out of internal packages", Place(inside[0]), weak=True)
    return fails("No rule says which module may import which")


def large_file_detection(facts: Facts) -> Verdict:
    """Passes where a hook, Git LFS, a pipeline or another tool refuses or moves large files."""
    for hook in hooks.of(facts):
        if hook.id in ("check-added-large-files", "forbid-large-files", "FileSize"):
            return passes("A hook refuses large files", hook.place)
    for path in facts.tree.glob("**/.gitattributes"):
        if (place := configs.line_of(facts, path, _LFS)) is not None:
            return passes("Git LFS takes large files", place)
    for run in facts.runs:
        if run.command.source == "ci" and _SIZE_CHECK.search(" ".join(run.words)):
            return passes("A pipeline looks for large files", run.command.place)
    shown = tools.of_repository(facts, "large-files")
    return tools.verdict(shown, "Neither a hook, Git LFS nor a rule on size")
