"""How dependencies are kept up to date, and how long a release must have been out before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from stationmaster.catalogue import lists
from stationmaster.catalogue.ecosystems import ecosystem_row
from stationmaster.readiness.evidence import tools
from stationmaster.readiness.facts import Facts, Verdict, fails, passes, skips
from stationmaster.reading.projects.manifests.common import mapping, sequence
from stationmaster.reading.projects.model import Place
from stationmaster.repos.yaml_nodes import Node, get, items, members, text

_UNKNOWN_TO_UPDATERS = frozenset({"haskell"})
_PERIOD = re.compile(
    r"\s*+(\d{1,6})\s*+(?:(?:(?:minute|hour|day|week|month|year)s?|[mhdwM])\s*+)?", re.I
)
_NPMRC = re.compile(r"^[ \t]*(min-release-age|minimum-release-age|before)\s*=\s*(\S+)", re.M)
_DEPTH_MAX = 8
_OTHER_ECOSYSTEMS = frozenset(
    {"docker", "docker-compose", "gitsubmodule", "helm", "devcontainers", "pre-commit"}
)


def dependency_update_automation(facts: Facts) -> Verdict | None:
    """Passes where an updater such as Dependabot is configured; skipped without dependencies."""
    used = {manifest.ecosystem for manifest in facts.project.manifests if manifest.dependencies}
    present = used - _UNKNOWN_TO_UPDATERS
    has_workflows = any(
        workflow.provider == "github-actions" for workflow in facts.pipelines.workflows
    )
    if not present and not has_workflows:
        return skips("No dependencies were found")
    for path in facts.tree.glob(*lists.files("dependabot")):
        return _of_dependabot(facts, path, present, has_workflows)
    for path, config in _renovate(facts):
        if config.get("enabled") is False:
            return fails("Renovate is switched off", path)
        return passes("Renovate updates dependencies", path)
    if (shown := tools.of_repository(facts, "updates")) is not None:
        return passes(f"{shown.name} updates dependencies", *shown.places)
    return None


def _of_dependabot(facts: Facts, path: str, present: set[Any], has_workflows: bool) -> Verdict:
    updates = items(get(facts.tree.yaml(path), "updates"))
    covered = {text(get(update, "package-ecosystem")) or "" for update in updates}
    if not covered:
        return fails("Dependabot's configuration updates nothing", path)
    updaters = {name: ecosystem_row(name).updaters or frozenset({name}) for name in present}
    missing = sorted(name for name, calls_it in updaters.items() if covered.isdisjoint(calls_it))
    reaches = len(missing) < len(present) or (has_workflows and "github-actions" in covered)
    if not (reaches or covered & _OTHER_ECOSYSTEMS):
        return fails(f"Dependabot covers {', '.join(sorted(covered))}, nothing that is here", path)
    narrow = all(items(get(update, "allow")) for update in updates)
    if missing or narrow:
        lacking = f"; it leaves out {', '.join(missing)}" if missing else "; it is limited to some"
        return passes(f"Dependabot covers a part{lacking}", path, weak=True)
    return passes("Dependabot covers the ecosystems of the repository", path)


def _renovate(facts: Facts) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path in facts.tree.glob(*lists.files("renovate")):
        config = facts.tree.json(path)
        if isinstance(config, dict):
            yield path, config
    inner = mapping(facts.tree.json("package.json")).get("renovate")
    if isinstance(inner, dict):
        yield "package.json", inner


def min_release_age(facts: Facts) -> Verdict | None:
    """Passes where a configuration makes new releases wait; skipped without dependencies."""
    if (
        not any(manifest.dependencies for manifest in facts.project.manifests)
        and not facts.pipelines.workflows
    ):
        return skips("No dependencies were found")
    for setting, place in _waits(facts):
        return passes(f"New releases are delayed: {setting}", place)
    return None


def _waits(facts: Facts) -> Iterator[tuple[str, Place]]:
    for path in facts.tree.glob(*lists.files("dependabot")):
        for update in items(get(facts.tree.yaml(path), "updates")):
            cooldown = get(update, "cooldown")
            for key, node in members(cooldown).items():
                if key.endswith("days") and _is_positive(text(node)):
                    yield f"{key} {text(node)}", Place(path, node.line)
    for path, config in _renovate(facts):
        if setting := _renovate_age(config):
            yield setting, Place(path)
    yield from _package_managers(facts)
    for path in facts.tree.glob("**/{pyproject.toml,uv.toml}"):
        settings = facts.tree.toml(path)
        if path.endswith("pyproject.toml"):
            settings = mapping(mapping(settings.get("tool")).get("uv"))
        if settings.get("exclude-newer"):
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
        install = mapping(facts.tree.toml(path).get("install"))
        if _is_positive(str(install.get("minimumReleaseAge"))):
            yield "minimumReleaseAge of Bun", Place(path)


def _renovate_age(config: Mapping[str, Any], depth: int = 0) -> str | None:
    """The first waiting time in a configuration, its rules or the presets it extends."""
    for preset in sequence(config.get("extends")):
        if isinstance(preset, str) and lists.pattern("renovate-preset").match(preset):
            return f"preset {preset[:60]}"
    for key in ("minimumReleaseAge", "stabilityDays"):
        if _is_positive(str(config.get(key))):
            return f"{key} {str(config[key])[:40]}"
    if depth < _DEPTH_MAX:
        for value in config.values():
            for rule in value if isinstance(value, list) else [value]:
                if (
                    isinstance(rule, dict)
                    and not _is_of_few(rule)
                    and (age := _renovate_age(rule, depth + 1))
                ):
                    return age
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
