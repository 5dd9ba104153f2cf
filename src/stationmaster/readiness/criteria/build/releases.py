"""What follows a change that is merged: release notes, careful rollouts, ways back."""

from __future__ import annotations

import re

from stationmaster.projects.model import Place
from stationmaster.readiness.criterion import Verdict, fails, passes, skips
from stationmaster.readiness.facts import Facts
from stationmaster.repos.yaml_nodes import get, text

_NOTES_FILES = (
    (".github/release-drafter.y*ml", "Release Drafter"), ("cliff.toml", "git-cliff"),
    (".github/release.y*ml", "notes that GitHub generates"), (".changie.y*ml", "Changie"),
    (".releaserc*", "semantic-release"), ("release.config.*", "semantic-release"),
    ("release-please-config.json", "release-please"), (".changeset/config.json", "Changesets"),
    (".versionrc*", "standard-version"), ("release-plz.toml", "release-plz"),
    ("jreleaser.y*ml", "JReleaser"), ("newsfragments/*", "towncrier"), ("towncrier.toml",
    "towncrier"),
    ("releasenotes/notes/*", "reno"), ("cog.toml", "Cocogitto"), ("knope.toml", "Knope"),
    (".goreleaser.y*ml", "GoReleaser"), (".chglog/config.y*ml", "git-chglog"), (".autorc", "auto"),
    (".release-it.*", "release-it"), ("changelog.d/*", "scriv or towncrier"),
    ("GitReleaseManager.yaml", "GitReleaseManager"), ("sampo.toml", "Sampo"), (".cz.toml",
    "Commitizen"),
    (".chronus/config.yaml", "Chronus"), (".sampo/config.toml", "Sampo"),
)  # fmt: skip
_NOTES_KEYS = (
    "tool.towncrier", "tool.scriv", "tool.semantic_release", "tool.commitizen", "tool.git-cliff",
    "tool.autopub",
)  # fmt: skip
_NOTES_RUNS = (
    "gh release create --generate-notes", "git-cliff", "git cliff", "towncrier", "changie",
    "semantic-release", "standard-version", "conventional-changelog", "commit-and-tag-version",
    "release-please", "changeset version", "auto-changelog", "github_changelog_generator", "reno",
    "changelogithub", "changelogen", "gitchangelog", "git-chglog", "cog changelog", "cz changelog",
    "release-it", "lerna version --conventional-commits", "auto shipit", "scriv collect", "gren",
    "generate-changelog", "release-plz", "npx changelogen", "git-changelog", "lerna-changelog",
)  # fmt: skip
_NOTES_USES = (
    "release-drafter/release-drafter", "orhun/git-cliff-action", "changesets/action",
    "googleapis/release-please-action", "google-github-actions/release-please-action",
    "mikepenz/release-changelog-builder-action", "cycjimmy/semantic-release-action",
    "release-plz/action", "marcoieni/release-plz-action", "requarks/changelog-action",
    "python-semantic-release/python-semantic-release", "metcalfc/changelog-generator",
    "loopwerk/tag-changelog", "tj-actions/git-cliff", "jreleaser/release-action",
    "cloudposse/github-action-auto-release",
)  # fmt: skip


def release_notes_automation(facts: Facts) -> Verdict:
    for step in (step for found in facts.pipelines.workflows for step in found.facts.steps):
        told = step.inputs.get("generate_release_notes") or step.inputs.get("generateReleaseNotes")
        if told is not None and told.lower() == "true":
            return passes("The release step generates notes", Place(step.path, step.place.line))
    use = facts.use(*_NOTES_USES)
    if use is not None:
        return passes(f"{use.reference.partition('@')[0]} writes the notes", use.place)
    run = facts.run(None, *_NOTES_RUNS)
    if run is not None:
        return passes(f"{' '.join(run.words[:2])} writes the notes", run.command.place)
    for pattern, name in _NOTES_FILES:
        path = next(iter(facts.tree.glob(pattern)), None)
        if path is not None and not _is_disabled(facts, path):
            return passes(f"{name} is configured", Place(path))
    for key in _NOTES_KEYS:
        found = facts.tree.toml("pyproject.toml") if "pyproject.toml" in facts.files else {}
        section = found.get("tool")
        if isinstance(section, dict) and key.removeprefix("tool.") in section:
            return passes(f"{key.removeprefix('tool.')} is configured", Place("pyproject.toml"))
    near = facts.tree.glob("CHANGELOG*", "CHANGES*", "NEWS*", "HISTORY*", any_case=True)
    return fails("No tool writes release notes", *map(Place, near[:1]))


def _is_disabled(facts: Facts, path: str) -> bool:
    """GoReleaser writes a changelog unless told not to."""
    if "goreleaser" not in path:
        return False
    root = facts.tree.yaml(path)
    return "true" in (text(get(root, "changelog", "disable")), text(get(root, "changelog", "skip")))


_ROLLOUT_SIGNS = (
    (r"(?m)^kind:\s*Rollout\s*$", "Argo Rollouts"), (r"(?m)^kind:\s*Canary\s*$", "Flagger"),
    (r"(?m)^[ \t]+(?:canary|blueGreen):[ \t\r]*$", "a canary or blue-green strategy"),
    (r"deploymentConfig[\w.]{0,40}:[ \t]*\S{0,80}(?:Canary|Linear)", "a CodeDeploy canary"),
    (r"(?m)^[ \t]*(?:-[ \t]+)?weight:[ \t]*[1-9]\d?[ \t\r]*$[\s\S]{0,500}?"
     r"^[ \t]*(?:-[ \t]+)?weight:[ \t]*\d{1,2}[ \t\r]*$", "weights"),
    (r"deployment_preference|DeploymentPreference:\s*$|Type:\s*(?:Canary|Linear)\d", "a canary"),
)  # fmt: skip
_ROLLOUT_RUNS = (
    "gcloud run services update-traffic", "kubectl argo rollouts", "az webapp traffic-routing",
    "flyctl deploy --strategy", "fly deploy --strategy", "wrangler versions deploy", "kayenta",
)  # fmt: skip
_YAML_MAX = 2_000


def progressive_rollout(facts: Facts) -> Verdict:
    run = facts.run(None, *_ROLLOUT_RUNS)
    if run is not None:
        return passes(f"{' '.join(run.words[:3])} shifts traffic in steps", run.command.place)
    found = facts.tree.glob("**/*.yaml", "**/*.yml", "**/*.tpl")
    for path in found[:_YAML_MAX]:
        if path.startswith(".github/"):
            continue
        content = facts.tree.text(path)
        for sign, name in _ROLLOUT_SIGNS:
            if (at := re.search(sign, content)) is not None:
                line = content.count("\n", 0, at.start()) + 1
                return passes(f"{name} rolls changes out in steps", Place(path, line))
    return _deployed(facts) or fails("No canary, blue-green or weighted rollout")


_ROLLBACKS = (
    "helm rollback", "kubectl rollout undo", "argocd app rollback", "kubectl argo rollouts undo",
    "heroku rollback", "heroku releases:rollback", "vercel rollback", "wrangler rollback",
    "kamal rollback", "cap production deploy:rollback", "helm upgrade --atomic", "dep rollback",
    "flyctl releases rollback", "gcloud run services update-traffic", "nomad job revert",
    "helm upgrade --rollback-on-failure", "ecs-deploy --rollback",
)  # fmt: skip


def rollback_automation(facts: Facts) -> Verdict:
    run = facts.run(None, *_ROLLBACKS)
    if run is not None:
        return passes(f"{' '.join(run.words[:3])} goes back", run.command.place)
    for found in facts.pipelines.workflows:
        named = "rollback" in found.path.lower() or "rollback" in (found.facts.name or "").lower()
        job = next((each for each in found.facts.jobs if "rollback" in each.id.lower()), None)
        if named or job is not None:
            at = found.at(None if job is None else job.place)
            return passes("A pipeline goes back to an earlier version", Place(*at))
    for command in facts.project.commands:
        if command.source in ("script", "task") and re.fullmatch(
            r"(?:[\w-]{0,40}[:_-])?rollback(?:[:_-](?:prod|production|deploy|release)\w{0,20})?",
            command.name,
        ) and not re.search(r"(?i)migrat|\bdb\b|database|sql",
        f"{command.name} {command.text}"):  # fmt: skip
            return passes(f"{command.name} goes back to an earlier version", command.place)
    return _deployed(facts) or fails("Neither a rollback job nor a documented command for it")


def _deployed(facts: Facts) -> Verdict | None:
    """What is not deployed from here is rolled out and back elsewhere."""
    for found in facts.pipelines.workflows:
        if any(each.kind == "deploy" for each in found.facts.commands):
            return None
    if facts.tree.glob("**/Chart.yaml", "**/kustomization.y*ml", "fly.toml", "render.yaml",
    "Procfile",
                       "**/skaffold.y*ml", "app.yaml", "vercel.json"):  # fmt: skip
        return None
    return skips("It is not deployed from here")
