"""The criteria of the pillar Debugging & Observability: what checks, alerts and reports."""

from __future__ import annotations

import re

from stationmaster.catalogue import lists
from stationmaster.readiness.evidence import configs, deployment, signs, tools
from stationmaster.readiness.evidence.prose import plain
from stationmaster.readiness.facts import Facts, Verdict, fails, passes
from stationmaster.reading.projects.model import App, Place
from stationmaster.repos.yaml_nodes import get, members, text


def health_checks(facts: Facts, app: App) -> Verdict | None:
    """Passes where a compose file checks the application's health."""
    for path in facts.tree.glob(*lists.files("compose")):
        for name, service in members(get(facts.tree.yaml(path), "services")).items():
            check = get(service, "healthcheck")
            if check is None or text(get(check, "disable")) == "true":
                continue
            if deployment.is_named(app, name) or deployment.built(path, service) == app.path:
                place = Place(path, check.line)
                return passes("A check of its deployment reads its health", place)
    return None


_PAGE_CHARACTERS = 200
_ALERT_OBJECT = re.compile(r"\bkind:\s*(?:PrometheusRule|AlertPolicy)\b")


def runbooks_documented(facts: Facts) -> Verdict | None:
    """Passes where a page describes what to do when something fails."""
    for path in facts.tree.glob(*lists.files("runbook"), any_case=True):
        folder = path.rpartition("/")[0]
        is_ansible = folder and facts.tree.glob("*.{yml,yaml}", under=folder)
        if len(plain(facts.tree.text(path))) >= _PAGE_CHARACTERS and not is_ansible:
            return passes("A page explains what to do when something fails", path)
    return None


def alerting_configured(facts: Facts, _: App) -> Verdict | None:
    """Passes where files of the repository define alert rules or a cloud's monitors."""
    for path in facts.tree.glob(*lists.files("alert-rules")):
        place = configs.line_of(facts, path, lists.pattern("alert-rule"))
        if place is not None or path.endswith(".libsonnet"):
            return passes("There are alert rules", place or Place(path))
    for path in facts.tree.glob("**/*.{tf,tofu}"):
        if (place := configs.line_of(facts, path, lists.pattern("monitor-resource"))) is not None:
            return passes("Infrastructure code has alerts", place)
    for path in deployment.kubernetes(facts):
        if (place := configs.line_of(facts, path, _ALERT_OBJECT)) is not None:
            return passes("There are alert rules", place)
    return None


def deployment_observability(facts: Facts, _: App) -> Verdict | None:
    """Passes weakly where a job of a pipeline deploys to a named environment."""
    for workflow in facts.pipelines.workflows:
        for job in workflow.facts.jobs:
            if job.environment:
                place = Place(*workflow.at(job.place))
                return passes("Deployments are recorded for an environment", place, weak=True)
    return None


_REDACTING = re.compile(r"^\s{0,20}(?:redaction|attributes/redact)\S{0,40}:", re.M)


def error_tracking_contextualized(facts: Facts, app: App) -> Verdict:
    """Passes where an error tracker is set up; weakly without a release, user or tags."""
    shown = tools.of_app(facts, app, "errors")
    if shown is None:
        return fails("No error tracker is set up, such as Sentry, Bugsnag, Rollbar or Honeybadger")
    if sights := signs.seen(facts, "error-context", app):
        return passes(f"{shown.name} is set up with context", *shown.places, sights[0].place)
    sentence = f"{shown.name} is set up; no release, user or tags were seen"
    return passes(sentence, *shown.places, weak=True)


def log_scrubbing(facts: Facts, app: App) -> Verdict | None:
    """Passes where the framework or the collector of telemetry redacts what is logged."""
    # What code of its own redacts is a step of the row.
    if seen := signs.seen(facts, "redaction", app):
        names = set(re.findall(r":([a-z_]\w{0,60})", facts.tree.text(seen[0].place.path)))
        is_default = names <= lists.words("rails-filter")
        sentence = "The framework's filter of parameters is in place"
        return passes(sentence, seen[0].place, weak=is_default)
    for path in facts.tree.glob("**/{otel,otelcol,collector}*.{yaml,yml}"):
        if (place := configs.line_of(facts, path, _REDACTING)) is not None:
            return passes("The collector of telemetry redacts", place)
    return None
