"""Type checkers, and how strict they are: evidence of `type_check` and of `strict_typing`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories.languages import languages
from stationmaster.catalogue.tools import files
from stationmaster.readiness.evidence import builds, configs, shell, tools, typescript
from stationmaster.readiness.facts import Facts, KnownCommand, Verdict, fails, passes, skips
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.test_files import is_test

_STRICT_MYPY = ("disallow_untyped_defs", "disallow_incomplete_defs")
_TYPED = re.compile(r"^#\s*typed:\s*(\w+)", re.MULTILINE)
_PHPSTAN = ("phpstan/config.neon", "phpstan/phpstan.neon", "phpstan.php")
"""Configurations that a command names, in addition to those that PHPStan looks for."""
_PHPSTAN_LEVEL = re.compile(r"^[ \t]*level:\s*['\"]?(\d{1,2}|max)", re.MULTILINE)
_PSALM_LEVEL = re.compile(r"errorLevel=[\"'](\d)[\"']")
_RUBY_READ = 400


def type_check(facts: Facts, app: App) -> Verdict:
    """Passes where a compiler or checker checks the types; skipped for code without types."""
    language = app.family
    if language is None or language in ("Shell", "HCL", "Terraform"):
        return skips("There is no code that has types")
    if language in lists.words("compiled"):
        return passes(f"The compiler of {app.written_in} checks types", *_sources(app))
    if language == "JavaScript":
        verdict = typescript.checked(facts, app)
        if verdict is not None:
            return verdict
    shown = tools.of_app(facts, app, "types")
    if shown is None or shown.is_weak:
        return tools.verdict(shown, f"No type checker for {app.written_in} is configured or run")
    return passes(f"{shown.name} checks types", *shown.places)


def strict_typing(facts: Facts, app: App) -> Verdict:
    """Passes where types are checked strictly; skipped where they are not checked at all."""
    language = app.family or ""
    if type_check(facts, app).outcome != "pass":
        return skips("Its types are not checked")
    judge = _STRICT.get(language)
    if judge is not None:
        return judge(facts, app)
    if language in lists.words("compiled"):
        return passes(f"{app.written_in} has no lax mode")
    return fails(f"No strict mode of a type checker for {app.written_in}")


def _sources(app: App) -> tuple[Place, ...]:
    """The first manifest that builds the application's language."""
    first = next(
        (
            language
            for language in app.languages
            if language in languages().builders or app.family == "C++"
        ),
        "",
    )
    builders = languages().builders.get(first, frozenset({"cpp"} if app.family == "C++" else ()))
    own = [manifest for manifest in app.manifests if not is_test(manifest.path)] or app.manifests
    paths = [manifest.path for manifest in own if manifest.ecosystem in builders or not builders]
    return tuple(map(Place, paths[:1]))


def _python(facts: Facts, app: App) -> Verdict:
    for key in ("pyproject.toml:tool.mypy", "setup.cfg:mypy"):
        place = configs.key_above(facts, app, key)
        if place is not None and _is_strict_mypy(facts, place.path):
            return passes("mypy is strict", place)
    for path in configs.named(facts, app, *files("mypy")):
        if _is_strict_mypy(facts, path):
            return passes("mypy is strict", path)
    if (run := facts.run(app, "mypy --strict")) is not None:
        return passes("mypy runs with --strict", run.command.place)
    for key, path in (
        ("pyproject.toml:tool.pyright", "tool.pyright.typeCheckingMode"),
        ("pyproject.toml:tool.basedpyright", "tool.basedpyright.typeCheckingMode"),
        ("pyrightconfig.json:typeCheckingMode", "typeCheckingMode"),
    ):
        place = configs.key_above(facts, app, key)
        if place is None:
            continue
        mode = configs.value(facts, place.path, path)
        # basedpyright is strict by default.
        if mode in ("strict", "recommended", "all") or (mode is None and "based" in key):
            return passes("Pyright is strict", place)
    return fails("Neither mypy's strict nor Pyright's typeCheckingMode strict is set")


def _is_strict_mypy(facts: Facts, path: str) -> bool:
    if path.endswith(".toml"):
        table = configs.value(facts, path, "tool.mypy")
        options = table if isinstance(table, dict) else {}
        return options.get("strict") is True or all(
            options.get(option) is True for option in _STRICT_MYPY
        )
    section = re.split(r"^\[", facts.tree.text(path), flags=re.MULTILINE)
    main = next((part for part in section if part.startswith("mypy]")), "")
    on = {
        at[1].lower()
        for at in re.finditer(r"^[ \t]*(\w+)[ \t]*[=:][ \t]*(?:true|1|yes|on)\b", main, re.I | re.M)
    }
    return "strict" in on or on.issuperset(_STRICT_MYPY)


def _phpstan_of(facts: Facts, run: KnownCommand) -> str | None:
    """The configuration that a command gives to PHPStan, seen from where it runs."""
    if "phpstan" not in shell.plain(run.words):
        return None
    for before, word in zip(("", *run.words), run.words, strict=False):
        named = word.partition("=")[2] if word.startswith("--configuration=") else None
        named = word if before in ("-c", "--configuration") else named
        if named:
            joined = posixpath.normpath(posixpath.join(run.command.folder, named))
            return next((path for path in (joined, named) if path in facts.files), None)
    return None


def _php(facts: Facts, app: App) -> Verdict:
    for folder in configs.own_folders(facts, app):
        names = (*files("phpstan"), *_PHPSTAN)
        named = (configs.configuration(facts, folder, name) for name in names)
        asked = (_phpstan_of(facts, run) for run in facts.runs_of(app))
        for path in dict.fromkeys(filter(None, (*named, *asked))):
            text = facts.tree.text(path)
            level = _PHPSTAN_LEVEL.search(text)
            if "phpstan-strict-rules" in text:
                return passes("PHPStan has the strict rules", path)
            if level and (level[1] == "max" or int(level[1]) >= 8):
                place = configs.at(path, text, level.start(1))
                return passes(f"PHPStan's level is {level[1]}", place)
        for name in files("psalm"):
            path = configs.configuration(facts, folder, name) or ""
            match = _PSALM_LEVEL.search(facts.tree.text(path)) if path else None
            if match and int(match[1]) <= 2:
                return passes(f"Psalm's error level is {match[1]}", path)
    return fails("Neither PHPStan's level 8 nor its strict rules, nor Psalm's error level 2")


def _ruby(facts: Facts, app: App) -> Verdict:
    sources = [path for path in facts.tree.of(app) if path.endswith(".rb")][:_RUBY_READ]
    levels = [_TYPED.search(facts.tree.text(path)) for path in sources]
    strict = sum(1 for level in levels if level and level[1] in ("strict", "strong"))
    if sources and 2 * strict >= len(sources):
        return passes(f"{strict} of {len(sources)} files are typed: strict")
    path = configs.of_tool(facts, app.path, "steep")
    if path is not None and "Ruby.strict" in facts.tree.text(path):
        return passes("Steep reports what its strict template does", path)
    return fails("Neither most files typed: strict nor Steep's strict template")


def _dotnet(facts: Facts, app: App) -> Verdict:
    nullable = builds.settings(facts, app).get("nullable")
    if nullable is not None and nullable.value.lower() == "enable":
        return passes("Nullable is enabled", nullable.place)
    if any(manifest.path.endswith(".fsproj") for manifest in app.manifests):
        return passes("F# has no lax mode")
    return fails("Nullable is not enabled in any project file")


_STRICT: dict[str, Callable[[Facts, App], Verdict]] = {
    "JavaScript": typescript.strict,
    "Python": _python,
    "PHP": _php,
    "Ruby": _ruby,
    "C#": _dotnet,
}
