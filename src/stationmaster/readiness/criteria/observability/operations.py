"""How a running service is operated: runbooks, alerts, dashboards, and how good its code is."""

from __future__ import annotations

import re

from stationmaster.projects.model import App, Place
from stationmaster.readiness.criteria.observability import tools
from stationmaster.readiness.criterion import Criterion, Verdict, fails, passes, skips
from stationmaster.readiness.evidence import deployment, traces
from stationmaster.readiness.evidence.prose import plain
from stationmaster.readiness.facts import Facts

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
_MONITORS = re.compile(
    r"resource\s+\"(?:datadog_monitor\w*|aws_cloudwatch_metric_alarm"
    r"|aws_cloudwatch_composite_alarm|google_monitoring_alert_policy"
    r"|azurerm_monitor_\w*alert\w*|pagerduty_\w+|opsgenie_\w+|newrelic_(?:nrql_)?alert_\w+"
    r"|grafana_rule_group|sentry_issue_alert|sentry_metric_alert|honeycombio_trigger"
    r"|betteruptime_monitor|checkly_check)\""
)
_MONITOR_CODE = re.compile(
    r"\bnew\s+(?:cloudwatch\.)?Alarm\(|AWS::CloudWatch::Alarm|\bMicrosoft\.Insights/metricAlerts"
)
_DASHBOARDS = (
    "**/*dashboard*.{json,jsonnet,libsonnet}",
    "**/{dashboards,grafana}/**/*.{json,jsonnet,libsonnet}",
)
_DASHBOARD = re.compile(r'"panels"\s*:|"widgets"\s*:|"schemaVersion"\s*:|grafana', re.I)
_DASHBOARD_CODE = re.compile(
    r"resource\s+\"(?:datadog_dashboard\w*|aws_cloudwatch_dashboard|google_monitoring_dashboard"
    r"|grafana_dashboard|newrelic_one_dashboard\w*)\""
)
_MARKERS = (
    "getsentry/action-release", "getsentry/action-gh*", "*honeycomb*", "datadog/*",
        "newrelic/deployment-marker-action",
    "slackapi/slack-github-action", "8398a7/action-slack", "rtcamp/action-slack-notify",
        "*discord*", "*telegram*", "*teams-notif*", "*ms-teams*",
    "chrnorm/deployment-action", "bobheadxi/deployments", "act10ns/slack",
        "ravsamhq/notify-slack-action",
)  # fmt: skip
_MARKING = (
    "sentry-cli releases", "sentry-cli deploys", "honeymarker", "datadog-ci deployment",
        "newrelic entity deployment create", "sentry-cli sourcemaps",
)  # fmt: skip


def _runbooks(facts: Facts) -> Verdict:
    for path in facts.tree.glob(*_RUNBOOKS, any_case=True):
        if len(plain(facts.tree.text(path))) >= _PAGE_CHARACTERS and not _is_ansible(facts, path):
            return passes("A page tells what to do when something fails", Place(path))
    for path in facts.tree.glob(*_RULE_FILES):
        if _RUNBOOK_LINK.search(facts.tree.text(path)):
            return passes("Alerts lead to runbooks", Place(path))
    return fails("There is no runbook, and no page on incidents, operations or troubleshooting")


def _is_ansible(facts: Facts, path: str) -> bool:
    folder = path.rpartition("/")[0]
    return bool(folder) and bool(facts.tree.glob("*.{yml,yaml}", under=folder))


_RULE_FILES = tuple(pattern for tool in tools.ALERTS for pattern in tool.files)


def _alerts(facts: Facts, _: App) -> Verdict:
    for path in facts.tree.glob(*_RULE_FILES):
        if _ALERT_RULE.search(facts.tree.text(path)) or path.endswith(".libsonnet"):
            return passes("There are alert rules", Place(path))
    for path in facts.tree.glob("**/*.{tf,tofu}"):
        if _MONITORS.search(facts.tree.text(path)):
            return passes("Infrastructure code has alerts", Place(path))
    for path in deployment.kubernetes(facts):
        if re.search(r"\bkind:\s*(?:PrometheusRule|AlertPolicy)\b", facts.tree.text(path)):
            return passes("There are alert rules", Place(path))
    return fails("There are no alert rules as code, for Prometheus, Grafana or a cloud's monitors")


def _quality(facts: Facts, _: App) -> Verdict:
    if found := traces.of_repository(facts, tools.QUALITY):
        return passes(f"{found.tool} keeps the history of quality", found.place, weak=found.is_weak)
    if not facts.pipelines.workflows:
        return skips("There is no CI that could report")
    if facts.hosting is not None and facts.hosting.code_scanning:
        return passes("The hosting service scans the code")
    return fails("No step reports coverage or quality to a service or on changes")


def _deploys(facts: Facts, _: App) -> Verdict:
    for path in facts.tree.glob(*_DASHBOARDS):
        if _DASHBOARD.search(facts.tree.text(path)):
            return passes("There are dashboards as code", Place(path))
    for path in facts.tree.glob("**/*.{tf,tofu}"):
        if _DASHBOARD_CODE.search(facts.tree.text(path)):
            return passes("Infrastructure code has dashboards", Place(path))
    if marker := traces.action(facts, *_MARKERS):
        return passes("A step tells of deployments", marker)
    if run := facts.run(None, *_MARKING):
        return passes("A command marks deployments", run.command.place)
    for workflow in facts.pipelines.workflows:
        for job in workflow.facts.jobs:
            if job.environment:
                return passes(
                    "Deployments are recorded for an environment",
                    Place(*workflow.at(job.place)),
                    weak=True,
                )
    return fails("There is no dashboard as code, no mark or message of a deployment")


RUNBOOKS = Criterion(
    id="runbooks_documented",
    title="Runbooks",
    level=2,
    pillar="Debugging & Observability",
    scope="repository",
    looks_for="A page that tells what to do when something fails, or alerts that lead to one.",
    remedy="Write one page for each alert: what shows, what to check, what to do.",
    kinds=frozenset({"service"}),
    repository=_runbooks,
)
ALERTING = Criterion(
    id="alerting_configured",
    title="Alert rules",
    level=3,
    pillar="Debugging & Observability",
    scope="application",
    looks_for="An alert rule as code, for Prometheus, Grafana or a cloud's monitors.",
    remedy="Keep the alert rules in the repository.",
    kinds=frozenset({"service"}),
    app=_alerts,
)
CODE_QUALITY = Criterion(
    id="code_quality_metrics",
    title="Quality metrics tracked",
    level=4,
    pillar="Debugging & Observability",
    scope="application",
    looks_for="A step that reports coverage or quality to a service which keeps them.",
    remedy="Upload the coverage of every change.",
    needs=frozenset({"tree", "hosting"}),
    app=_quality,
)
DEPLOYMENT_OBSERVABILITY = Criterion(
    id="deployment_observability",
    title="Deploy visibility",
    level=4,
    pillar="Debugging & Observability",
    scope="application",
    looks_for="Dashboards as code, or marks and messages of deployments.",
    remedy="Mark every deployment in the monitoring tool.",
    kinds=frozenset({"service"}),
    app=_deploys,
)
