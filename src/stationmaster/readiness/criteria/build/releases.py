"""What follows a change that is merged: release notes, careful rollouts, ways back."""

from __future__ import annotations

import re

from stationmaster.readiness.evidence import configs, tools
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips
from stationmaster.reading.projects.model import Place
from stationmaster.repos.yaml_nodes import get, text


def release_notes_automation(facts: Facts) -> Verdict:
    """Passes where a step of a release or a tool writes the release notes."""
    for step in (step for workflow in facts.pipelines.workflows for step in workflow.facts.steps):
        asked = step.inputs.get("generate_release_notes") or step.inputs.get("generateReleaseNotes")
        if asked is not None and asked.lower() == "true":
            return passes("The release step generates notes", Place(step.path, step.place.line))
    shown = tools.of_repository(facts, "release-notes")
    if shown is not None and not _is_disabled(facts, shown.places[0].path):
        return passes(f"{shown.name} writes the notes", *shown.places)
    near = facts.tree.glob("CHANGELOG*", "CHANGES*", "NEWS*", "HISTORY*", any_case=True)
    return fails("No tool writes release notes", *map(Place, near[:1]))


def _is_disabled(facts: Facts, path: str) -> bool:
    """GoReleaser writes a changelog unless told not to."""
    if "goreleaser" not in path:
        return False
    root = facts.tree.yaml(path)
    return "true" in (text(get(root, "changelog", "disable")), text(get(root, "changelog", "skip")))


_ROLLOUT_SIGNS = (
    (r"(?m)^kind:\s*Rollout\s*$", "Argo Rollouts"),
    (r"(?m)^kind:\s*Canary\s*$", "Flagger"),
    (r"(?m)^[ \t]+(?:canary|blueGreen):[ \t\r]*$", "a canary or blue-green strategy"),
    (r"deploymentConfig[\w.]{0,40}:[ \t]*\S{0,80}(?:Canary|Linear)", "a CodeDeploy canary"),
    (
        r"(?m)^[ \t]*(?:-[ \t]+)?weight:[ \t]*[1-9]\d?[ \t\r]*$[\s\S]{0,500}?"
        r"^[ \t]*(?:-[ \t]+)?weight:[ \t]*\d{1,2}[ \t\r]*$",
        "weights",
    ),
    (r"deployment_preference|DeploymentPreference:\s*$|Type:\s*(?:Canary|Linear)\d", "a canary"),
)
_YAML_MAX = 2_000


def progressive_rollout(facts: Facts) -> Verdict:
    """Passes where files roll changes out in steps; skipped where nothing is deployed from here."""
    for path in facts.tree.glob("**/*.yaml", "**/*.yml", "**/*.tpl")[:_YAML_MAX]:
        if path.startswith(".github/"):
            continue
        for sign, name in _ROLLOUT_SIGNS:
            if (place := configs.line_of(facts, path, sign)) is not None:
                return passes(f"{name} rolls changes out in steps", place)
    return _deployed(facts) or fails("No canary, blue-green or weighted rollout")


def rollback_automation(facts: Facts) -> Verdict:
    """Passes where a job or task goes back to an earlier version; skipped where none deploys."""
    for workflow in facts.pipelines.workflows:
        named = (
            "rollback" in workflow.path.lower() or "rollback" in (workflow.facts.name or "").lower()
        )
        job = next((each for each in workflow.facts.jobs if "rollback" in each.id.lower()), None)
        if named or job is not None:
            at = workflow.at(None if job is None else job.place)
            return passes("A pipeline goes back to an earlier version", Place(*at))
    for command in facts.project.commands:
        if (
            command.source in ("script", "task")
            and re.fullmatch(
                r"(?:[\w-]{0,40}[:_-])?rollback(?:[:_-](?:prod|production|deploy|release)\w{0,20})?",
                command.name,
            )
            and not re.search(r"(?i)migrat|\bdb\b|database|sql", f"{command.name} {command.text}")
        ):
            return passes(f"{command.name} goes back to an earlier version", command.place)
    return _deployed(facts) or fails("Neither a rollback job nor a documented command for it")


def _deployed(facts: Facts) -> Verdict | None:
    """What is not deployed from here is rolled out and back elsewhere."""
    for workflow in facts.pipelines.workflows:
        if any(command.kind == "deploy" for command in workflow.facts.commands):
            return None
    if facts.tree.glob(
        "**/Chart.yaml",
        "**/kustomization.y*ml",
        "fly.toml",
        "render.yaml",
        "Procfile",
        "**/skaffold.y*ml",
        "app.yaml",
        "vercel.json",
    ):
        return None
    return skips("It is not deployed from here")
