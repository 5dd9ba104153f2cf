"""How dependencies are kept up to date, and how long a release must have been out before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from stationmaster.readiness.evidence import tools
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips
from stationmaster.reading.projects.manifests.common import sequence
from stationmaster.reading.projects.model import Place
from stationmaster.repos.yaml_nodes import Node, get, items, members, text

_DEPENDABOT = (".github/dependabot.{yml,yaml}",)
_RENOVATE = (
    "{,.github/,.gitlab/}renovate.{json,json5,jsonc}",
    ".renovaterc{,.json,.json5}",
)
_UNKNOWN_TO_UPDATERS = frozenset({"haskell"})
_ECOSYSTEMS: Mapping[str, frozenset[str]] = {
    "npm": frozenset({"npm", "bun", "yarn", "pnpm"}),
    "deno": frozenset({"deno"}),
    "python": frozenset({"pip", "uv", "poetry", "pipenv", "pip-compile", "conda"}),
    "go": frozenset({"gomod"}),
    "rust": frozenset({"cargo", "rust-toolchain"}),
    "maven": frozenset({"maven"}),
    "gradle": frozenset({"gradle"}),
    "dotnet": frozenset({"nuget", "dotnet-sdk"}),
    "ruby": frozenset({"bundler"}),
    "php": frozenset({"composer"}),
    "swift": frozenset({"swift"}),
    "elixir": frozenset({"mix"}),
    "dart": frozenset({"pub"}),
    "terraform": frozenset({"terraform", "opentofu"}),
    "scala": frozenset({"sbt", "maven"}),
}
"""What Dependabot calls the ecosystems of manifests."""
_COOL_PRESETS = re.compile(
    r"^(?:config:best-practices|security:minimumReleaseAge\w*|npm:unpublishSafe"
    r"|:?minimumReleaseAge\w*"
    r"|group:\w*minimumReleaseAge\w*)(?:$|\()"
)
_PERIOD = re.compile(
    r"\s*+(\d{1,6})\s*+(?:(?:(?:minute|hour|day|week|month|year)s?|[mhdwM])\s*+)?", re.I
)
_NPMRC = re.compile(r"^[ \t]*(min-release-age|minimum-release-age|before)\s*=\s*(\S+)", re.M)
_DEPTH_MAX = 8


def dependency_updates(facts: Facts) -> Verdict:
    """Passes where an updater such as Dependabot is configured; skipped without dependencies."""
    known = {manifest.ecosystem for manifest in facts.project.manifests if manifest.dependencies}
    present = known - _UNKNOWN_TO_UPDATERS
    has_workflows = any(
        workflow.provider == "github-actions" for workflow in facts.pipelines.workflows
    )
    if not present and not has_workflows:
        return skips("No dependencies were found")
    for path in facts.tree.glob(*_DEPENDABOT):
        return _of_dependabot(facts, path, present, has_workflows)
    for path, config in _renovate(facts):
        if config.get("enabled") is False:
            return fails("Renovate is switched off", Place(path))
        return passes("Renovate updates dependencies", Place(path))
    if (shown := tools.of_repository(facts, "updates")) is not None:
        return passes(f"{shown.name} updates dependencies", *shown.places)
    return fails("There is no configuration of Dependabot, Renovate or another updater")


def _of_dependabot(facts: Facts, path: str, present: set[Any], has_workflows: bool) -> Verdict:
    updates = items(get(facts.tree.yaml(path), "updates"))
    covered = {text(get(update, "package-ecosystem")) or "" for update in updates}
    if not covered:
        return fails("Dependabot's configuration updates nothing", Place(path))
    missing = sorted(
        each for each in present if covered.isdisjoint(_ECOSYSTEMS.get(each, frozenset({each})))
    )
    reaches = len(missing) < len(present) or (has_workflows and "github-actions" in covered)
    other = covered & {
        "docker",
        "docker-compose",
        "gitsubmodule",
        "helm",
        "devcontainers",
        "pre-commit",
    }
    if not (reaches or other):
        return fails(
            f"Dependabot covers {', '.join(sorted(covered))}, nothing that is here", Place(path)
        )
    narrow = all(items(get(update, "allow")) for update in updates)
    if missing or narrow:
        lacking = f"; it leaves out {', '.join(missing)}" if missing else "; it is limited to some"
        return passes(f"Dependabot covers a part{lacking}", Place(path), weak=True)
    return passes("Dependabot covers what is here", Place(path))


def _renovate(facts: Facts) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path in facts.tree.glob(*_RENOVATE):
        config = facts.tree.json(path)
        if isinstance(config, dict):
            yield path, config
    package = facts.tree.json("package.json") if "package.json" in facts.files else None
    if isinstance(package, dict) and isinstance(package.get("renovate"), dict):
        yield "package.json", package["renovate"]


def min_release_age(facts: Facts) -> Verdict:
    """Passes where a configuration makes new releases wait; skipped without dependencies."""
    if (
        not any(manifest.dependencies for manifest in facts.project.manifests)
        and not facts.pipelines.workflows
    ):
        return skips("No dependencies were found")
    for told, place in _waits(facts):
        return passes(f"New releases wait: {told}", place)
    return fails(
        "No waiting time for new releases, such as cooldown, minimumReleaseAge or exclude-newer"
    )


def _waits(facts: Facts) -> Iterator[tuple[str, Place]]:
    for path in facts.tree.glob(*_DEPENDABOT):
        for update in items(get(facts.tree.yaml(path), "updates")):
            cooldown = get(update, "cooldown")
            for key, node in members(cooldown).items():
                if key.endswith("days") and _is_positive(text(node)):
                    yield f"{key} {text(node)}", Place(path, node.line)
    for path, config in _renovate(facts):
        if found := _renovate_age(config):
            yield found, Place(path)
    yield from _package_managers(facts)
    for path in facts.tree.glob("**/{pyproject.toml,uv.toml}"):
        settings = facts.tree.toml(path)
        tool = settings.get("tool", {})
        uv = (
            settings
            if path.endswith("uv.toml")
            else tool.get("uv", {})
            if isinstance(tool, dict)
            else {}
        )
        if isinstance(uv, dict) and uv.get("exclude-newer"):
            yield "exclude-newer of uv", Place(path)


def _package_managers(facts: Facts) -> Iterator[tuple[str, Place]]:
    yaml_keys: list[tuple[str, str]] = [
        (path, "minimumReleaseAge") for path in facts.tree.glob("**/pnpm-workspace.{yaml,yml}")
    ]
    yaml_keys += [(path, "npmMinimalAgeGate") for path in facts.tree.glob("**/.yarnrc.yml")]
    for path, key in yaml_keys:
        node: Node | None = get(facts.tree.yaml(path), key)
        if node is not None and _is_positive(text(node)):
            yield f"{key} {text(node)}", Place(path, node.line)
    for path in facts.tree.glob("**/.npmrc"):
        for name, value in _NPMRC.findall(facts.tree.text(path)):
            if name == "before" or _is_positive(value):
                yield f"{name} {value[:40]}", Place(path)
    for path in facts.tree.glob("**/bunfig.toml"):
        install = facts.tree.toml(path).get("install", {})
        if isinstance(install, dict) and _is_positive(str(install.get("minimumReleaseAge"))):
            yield "minimumReleaseAge of Bun", Place(path)


def _renovate_age(config: Mapping[str, Any], depth: int = 0) -> str | None:
    """The first waiting time in a configuration, its rules or the presets it extends."""
    for preset in sequence(config.get("extends")):
        if isinstance(preset, str) and _COOL_PRESETS.match(preset):
            return f"preset {preset[:60]}"
    for key in ("minimumReleaseAge", "stabilityDays"):
        if _is_positive(str(config.get(key))):
            return f"{key} {str(config[key])[:40]}"
    if depth < _DEPTH_MAX:
        for value in config.values():
            for each in value if isinstance(value, list) else [value]:
                if (
                    isinstance(each, dict)
                    and not _is_of_few(each)
                    and (found := _renovate_age(each, depth + 1))
                ):
                    return found
    return None


def _is_of_few(rule: Mapping[str, Any]) -> bool:
    """Is a rule for dependencies that it names, rather than for all or all of a kind?"""
    names = [
        name
        for key in ("matchDepNames", "matchPackageNames", "packageNames")
        for name in sequence(rule.get(key))
    ]
    return bool(names) and not any("*" in str(n) or str(n).startswith(("!", "/")) for n in names)


def _is_positive(period: str | None) -> bool:
    """Whatever its unit: days, minutes or seconds; the tools differ."""
    match = _PERIOD.fullmatch(period or "")
    return match is not None and int(match[1]) > 0
