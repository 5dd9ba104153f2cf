"""How a running service is operated: runbooks, alerts, dashboards, and how good its code is."""

from __future__ import annotations

import re

from stationmaster.readiness.evidence import configs, deployment
from stationmaster.readiness.evidence.prose import plain
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips
from stationmaster.reading.projects.model import App, Place

_TEXT = "{.md,.mdx,.rst,.adoc,.txt}"
_RUNBOOKS = (
    "**/{runbook,runbooks,playbooks,oncall,on-call}/**/*" + _TEXT,
    "**/*{runbook,playbook,oncall,on-call}*" + _TEXT,
    "{docs,doc,documentation,ops}/**/*{incident,operations,troubleshoot,disaster-recovery,disaster_recovery,operating,on_call}*"
    + _TEXT,
    "{docs,doc,documentation,ops}/**/{operations,incidents,troubleshooting,disaster-recovery}/**/*"
    + _TEXT,
    "{OPERATIONS,INCIDENT_RESPONSE,TROUBLESHOOTING}*" + _TEXT,
)
_RUNBOOK_LINK = re.compile(r"\brunbook(?:_url|Url|URL)\b")
_PAGE_CHARACTERS = 200
_ALERT_RULE = re.compile(
    r"^\s{0,40}-?\s{0,8}[\"']?alert[\"']?\s*:\s*\S|\bkind:\s*(?:PrometheusRule|AlertmanagerConfig"
    r"|AlertPolicy|SLO|PrometheusServiceLevel)\b"
    r"|^\s{0,20}receivers\s*:|\bapiVersion:\s*openslo/",
    re.M,
)
_ALERT_OBJECT = re.compile(r"\bkind:\s*(?:PrometheusRule|AlertPolicy)\b")
_MONITORS = re.compile(
    r"resource\s+\"(?:datadog_monitor\w*|aws_cloudwatch_metric_alarm"
    r"|aws_cloudwatch_composite_alarm|google_monitoring_alert_policy"
    r"|azurerm_monitor_\w*alert\w*|pagerduty_\w+|opsgenie_\w+|newrelic_(?:nrql_)?alert_\w+"
    r"|grafana_rule_group|sentry_issue_alert|sentry_metric_alert|honeycombio_trigger"
    r"|betteruptime_monitor|checkly_check)\""
)
_RULE_FILES = (
    "**/*.rules.{yml,yaml}",
    "**/*{alert,alerts,alerting,alertrules,alert_rules,alert-rules}*.{yml,yaml,jsonnet,tpl}",
    "**/*{prometheusrule,prometheus-rule,prometheus_rule}*.{yml,yaml,jsonnet,libsonnet,tpl}",
    "**/{alerts,alerting,rules}/**/*.{rules,libsonnet}",
    "**/alertmanager*.{yml,yaml}",
    "**/mixin.libsonnet",
    "**/alerts/*.{libsonnet,jsonnet}",
    "**/{slo,slos,sloth,openslo}/*.{yml,yaml}",
    "**/*.slo.{yml,yaml}",
    "**/provisioning/alerting/*.{yml,yaml,json}",
)


def runbooks(facts: Facts) -> Verdict:
    """Passes where a page says what to do when something fails, or alert rules link to one."""
    for path in facts.tree.glob(*_RUNBOOKS, any_case=True):
        if len(plain(facts.tree.text(path))) >= _PAGE_CHARACTERS and not _is_ansible(facts, path):
            return passes("A page says what to do when something fails", Place(path))
    for path in facts.tree.glob(*_RULE_FILES):
        if (place := configs.line_of(facts, path, _RUNBOOK_LINK)) is not None:
            return passes("Alerts lead to runbooks", place)
    return fails("There is no runbook, and no page on incidents, operations or troubleshooting")


def _is_ansible(facts: Facts, path: str) -> bool:
    folder = path.rpartition("/")[0]
    return bool(folder) and bool(facts.tree.glob("*.{yml,yaml}", under=folder))


def alerting(facts: Facts, _: App) -> Verdict:
    """Passes where files of the repository define alert rules or a cloud's monitors."""
    for path in facts.tree.glob(*_RULE_FILES):
        place = configs.line_of(facts, path, _ALERT_RULE)
        if place is not None or path.endswith(".libsonnet"):
            return passes("There are alert rules", place or Place(path))
    for path in facts.tree.glob("**/*.{tf,tofu}"):
        if (place := configs.line_of(facts, path, _MONITORS)) is not None:
            return passes("Infrastructure code has alerts", place)
    for path in deployment.kubernetes(facts):
        if (place := configs.line_of(facts, path, _ALERT_OBJECT)) is not None:
            return passes("There are alert rules", place)
    return fails("There are no alert rules as code, for Prometheus, Grafana or a cloud's monitors")


def code_quality(facts: Facts, _: App) -> Verdict:
    """Passes where the hosting service scans the code; skipped where there is no pipeline."""
    if not facts.pipelines.workflows:
        return skips("There is no CI that could report")
    if facts.hosting is not None and facts.hosting.code_scanning:
        return passes("The hosting service scans the code")
    return fails("No step reports coverage or quality to a service or on changes")


def deployment_observability(facts: Facts, _: App) -> Verdict:
    """Passes weakly where a job of a pipeline deploys to a named environment."""
    for workflow in facts.pipelines.workflows:
        for job in workflow.facts.jobs:
            if job.environment:
                place = Place(*workflow.at(job.place))
                return passes("Deployments are recorded for an environment", place, weak=True)
    return fails("There is no dashboard as code, no mark or message of a deployment")
