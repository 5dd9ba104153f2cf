"""How each criterion of Style & Validation is judged, types aside."""

from __future__ import annotations

import re
from functools import cache

from stationmaster.catalogue import lists
from stationmaster.catalogue.tools import Use, uses
from stationmaster.pipelines import commands
from stationmaster.readiness.evidence import configs, hooks, shell, tools
from stationmaster.readiness.facts import Facts, Verdict, fails, passes
from stationmaster.reading.projects.model import App, Hook, Place

_OBSOLETE = ("tslint.json",)
"""Linters that are no longer maintained."""
_NAMING = re.compile(r"(?i)\bnaming\b|\bnames? of (?:variables|functions|files|classes)\b")


def lint_config(facts: Facts, app: App) -> Verdict:
    """Passes where a linter for the application's language is configured or run."""
    missing = f"No linter for {app.written_in} is configured or run"
    obsolete = facts.tree.nearest(app.path, *_OBSOLETE)
    near = () if obsolete is None else (Place(obsolete),)
    if near:
        missing += "; TSLint is obsolete"
    return tools.verdict(tools.of_family(facts, app, "lint"), missing, near)


def formatter(facts: Facts, app: App) -> Verdict:
    """Passes where a formatter is configured, run or built into the language's toolchain."""
    shown = tools.of_family(facts, app, "format")
    if shown is None and app.family in lists.words("formatted"):
        return passes(f"The formatter of {app.written_in} is built into its toolchain")
    return tools.verdict(shown, f"No formatter for {app.written_in} is configured or run")


def pre_commit_hooks(facts: Facts, app: App) -> Verdict:
    """Passes where a hook checks the application's code; weakly where one only tidies text."""
    own_hooks = hooks.of(facts)
    if not own_hooks:
        return fails("No hook runner is configured, such as pre-commit, Husky or Lefthook")
    weak: Hook | None = None
    for hook in own_hooks:
        if _is_for_code(hook, app):
            return passes(f"{hook.manager} runs {hook.id or _program(hook.text)}", hook.place)
        if hook.id in lists.words("text-hook") and weak is None:
            weak = hook
    if weak is not None:
        return passes(f"{weak.manager} checks only text files", weak.place, weak=True)
    return fails("No hook lints, formats, checks or tests this code", own_hooks[0].place)


@cache
def _checks() -> tuple[Use, ...]:
    """What lints, formats and checks types."""
    return (*uses("lint"), *uses("format"), *uses("types"))


def _is_for_code(hook: Hook, app: App) -> bool:
    words = shell.simple(hook.text)
    running = [
        use
        for use in _checks()
        if hook.id in use.hooks or any(shell.runs_any(word, use.commands) for word in words)
    ]
    if running:
        return any(not use.languages or app.family in use.languages for use in running)
    kinds = {commands.of_words(word) for word in words}
    named = (
        hook.id in lists.words("code-hook")
        or lists.pattern("check-name").search(hook.text) is not None
    )
    return named or not kinds.isdisjoint(("lint", "test", "build"))


def _program(text: str) -> str:
    words = shell.simple(text)
    return " ".join(words[0][:3]) if words else "a command"


def naming_consistency(facts: Facts, _: App) -> Verdict | None:
    """Passes where a written convention governs names."""
    for page in facts.tree.documents:
        if not lists.pattern("convention-page").search(page.path):
            continue
        lines = (Place(page.path, h.line) for h in page.headings if _NAMING.search(h.text))
        place = next(lines, None) or configs.line_of(facts, page.path, lists.pattern("letter-case"))
        if place is not None:
            return passes("A naming convention is documented", place)
    return None


def large_file_detection(facts: Facts) -> Verdict:
    """Passes where a pipeline or another tool refuses or moves large files."""
    for run in facts.runs:
        if run.command.source == "ci" and lists.pattern("size-check").search(" ".join(run.words)):
            return passes("A pipeline checks for large files", run.command.place)
    shown = tools.of_repository(facts, "large-files")
    return tools.verdict(shown, "No hook, Git LFS or rule on file size")


_CODE_SIGNS = (
    (".py", "assertNumQueries"),
    (".py", "django_assert_num_queries"),
    (".php", "preventLazyLoading"),
    (".php", "shouldBeStrict"),
    (".rb", "strict_loading_by_default"),
    (".cs", "MultipleCollectionIncludeWarning"),
    (".java", "generate_statistics"),
    (".properties", "generate_statistics"),
    (".yml", "generate_statistics"),
)
_READ_MAX = 3_000


def n_plus_one_detection(facts: Facts, app: App) -> Verdict | None:
    """Passes where code detects queries in loops."""
    for path in facts.tree.of(app)[:_READ_MAX]:
        for ending, sign in _CODE_SIGNS:
            if path.endswith(ending) and (place := configs.line_of(facts, path, sign)):
                return passes(f"{sign} counts or refuses queries", place)
    return None


def heavy_dependency_detection(facts: Facts, app: App) -> Verdict:
    """Passes where an analyzer in the build measures the size of the bundle."""
    analyzers = facts.packages(app, *lists.packages("bundle-analyzer"))
    for path in facts.tree.glob("*.config.*", "config/*", under=app.path):
        text = facts.tree.text(path)
        used = next((package for package in analyzers if package.name in text), None)
        if used is not None:
            return passes(f"{used.name} is part of the build", path)
    return fails(
        "Nothing measures the bundle, such as size-limit or a bundle analyzer",
        *(package.place for package in analyzers[:1]),
    )
