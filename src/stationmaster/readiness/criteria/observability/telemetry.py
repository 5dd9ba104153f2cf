"""What running code tells of itself: logs, errors, traces, metrics, profiles, and how it fails."""

from __future__ import annotations

import re

from stationmaster.projects.model import App, Place
from stationmaster.readiness.criteria.observability import tools
from stationmaster.readiness.criterion import Criterion, Verdict, fails, passes, skips
from stationmaster.readiness.evidence import code, deployment, traces
from stationmaster.readiness.facts import Facts

_LAYOUTS = "**/{log4j2,logback}{,-*}.{xml,groovy,yaml,yml,json,properties}"
_JSON_LAYOUT = re.compile(
    r"Json(?:Template)?Layout|LogstashEncoder|LoggingEventCompositeJsonEncoder|EcsLayout|EcsEncoder"
    r"|JsonEncoder|StackdriverJsonLayout|GelfLayout|StructuredLogEncoder"
)
_SETTINGS = "**/application*.{properties,yml,yaml}"
_JSON_SETTING = re.compile(
    r"^[ \t]*logging\.structured\.format|^[ \t]{0,20}structured:\s*\n\s{0,20}format:"
    r"|^[ \t]*quarkus\.log\.\w+\.json",
    re.M,
)
_FRAMEWORK_FILE = "config/initializers/filter_parameter_logging.rb"
_LARAVEL_LOG = "config/logging.php"
_DEFAULT_FILTERS = frozenset({
    "passw", "password", "email", "secret", "token", "_key", "crypt", "salt", "certificate", "otp",
    "ssn", "cvv", "cvc",
})  # fmt: skip
"""What Rails writes into a new application."""
_MONITORS = re.compile(
    r"\bkind:\s*(?:ServiceMonitor|PodMonitor|PodMonitoring)\b|prometheus\.io/scrape"
)
_MESH_POLICIES = re.compile(r"\boutlierDetection:|\bretries:\s*\n\s{0,40}attempts:|\bretryPolicy:")
_OUTGOING = (
    "axios", "js:got", "js:ky", "undici", "node-fetch", "superagent", "requests", "httpx",
        "aiohttp",
    "urllib3", "net/http", "google.golang.org/grpc", "@grpc/grpc-js", "py:grpc", "reqwest", "hyper",
    "tonic", "java.net.http", "okhttp3", "retrofit2", "feign", "org.springframework.web.client",
    "org.springframework.web.reactive.function.client", "io.grpc", "System.Net.Http", "Grpc.Net*",
    "faraday", "httparty", "rb:http", "rb:net/http", "typhoeus", "GuzzleHttp",
        "Illuminate\\Support\\Facades\\Http",
    "boto3", "@aws-sdk/*", "github.com/aws/aws-sdk-go*", "cloud.google.com/go/*", "stripe",
        "openai",
)  # fmt: skip
"""Modules that call other services."""


def _logging(facts: Facts, app: App) -> Verdict:
    if found := traces.of_app(facts, app, tools.LOGGING):
        return passes(f"It logs with {found.tool}", found.place, weak=found.is_weak)
    for path in facts.tree.glob(_LAYOUTS, under=app.path):
        if _JSON_LAYOUT.search(facts.tree.text(path)):
            return passes("It logs in a JSON layout", Place(path))
    for path in facts.tree.glob(_SETTINGS, under=app.path):
        if _JSON_SETTING.search(facts.tree.text(path)):
            return passes("Its settings choose structured logs", Place(path))
    if seen := code.seen(facts, "json log", app):
        return passes("It logs in JSON", seen[0].place)
    if seen := code.seen(facts, "exported log", app):
        return passes("It exports structured logs through OpenTelemetry", seen[0].place)
    if laravel := facts.tree.glob(_LARAVEL_LOG, under=app.path):
        return passes("Its framework logs with Monolog", Place(laravel[0]), weak=True)
    return fails("No library of structured logs is imported, and no layout is JSON")


def _errors(facts: Facts, app: App) -> Verdict:
    found = traces.of_app(facts, app, tools.ERRORS)
    if found is None:
        return fails("No error tracker is set up, such as Sentry, Bugsnag, Rollbar or Honeybadger")
    if seen := code.seen(facts, "error context", app):
        return passes(f"{found.tool} is set up with context", found.place, seen[0].place)
    return passes(
        f"{found.tool} is set up; no release, user or tags were seen", found.place, weak=True
    )


def _tracing(facts: Facts, app: App) -> Verdict:
    if found := traces.of_app(facts, app, tools.TRACING):
        return passes(f"It traces with {found.tool}", found.place)
    if seen := code.seen(facts, "request id", app):
        return passes("It gives requests an id", seen[0].place)
    return fails("No tracing library is imported, and no request id is passed on")


def _metrics(facts: Facts, app: App) -> Verdict:
    if found := traces.of_app(facts, app, tools.METRICS):
        return passes(f"It counts with {found.tool}", found.place)
    if monitor := deployment.declares(facts, app, _MONITORS):
        return passes("Its metrics are collected", monitor)
    return fails("No metrics library is imported, and no monitor collects metrics")


def _profiling(facts: Facts, app: App) -> Verdict:
    if found := traces.of_app(facts, app, tools.PROFILERS):
        return passes(f"There is {found.tool}", found.place)
    if seen := code.seen(facts, "profiler", app):
        return passes("A profiler is switched on", seen[0].place)
    return fails("No profiler is wired or documented")


def _resilience(facts: Facts, app: App) -> Verdict:
    if found := traces.of_app(facts, app, tools.RESILIENCE):
        return passes(f"Calls are guarded by {found.tool}", found.place)
    if seen := code.seen(facts, "retry", app):
        return passes("Calls are tried again with a pause", seen[0].place)
    if policy := deployment.declares(facts, app, _MESH_POLICIES):
        return passes("The service mesh guards its calls", policy)
    if not any(traces.imported(facts, app, _OUTGOING)):
        return skips("No calls to other services were found")
    return fails("No retry, breaker or fallback guards the calls to other services")


def _scrubbing(facts: Facts, app: App) -> Verdict:
    if seen := code.seen(facts, "redaction", app):
        own = [each.place for each in seen if not each.place.path.endswith(_FRAMEWORK_FILE)]
        if own:
            return passes("A rule keeps secrets out of logs", *own)
        return passes(
            "The framework's filter of parameters is in place",
            seen[0].place,
            weak=_is_default_filter(facts, seen[0].place.path),
        )
    for path in facts.tree.glob("**/{otel,otelcol,collector}*.{yaml,yml}"):
        if re.search(
            r"^\s{0,20}(?:redaction|attributes/redact)\S{0,40}:", facts.tree.text(path), re.M
        ):
            return passes("The collector of telemetry redacts", Place(path))
    return fails("No rule that redacts logs was found")


def _is_default_filter(facts: Facts, path: str) -> bool:
    """Is it the list that the framework generates, untouched?"""
    names = set(re.findall(r":([a-z_]\w{0,60})", facts.tree.text(path)))
    return names <= _DEFAULT_FILTERS


STRUCTURED_LOGGING = Criterion(
    id="structured_logging",
    title="Structured logging",
    level=2,
    pillar="Debugging & Observability",
    scope="application",
    looks_for="A library or layout of structured logs in the application's code.",
    remedy="Log with the platform's structured logger, in JSON.",
    kinds=frozenset({"service", "job", "cli"}),
    app=_logging,
)
ERROR_TRACKING = Criterion(
    id="error_tracking_contextualized",
    title="Error tracking",
    level=2,
    pillar="Debugging & Observability",
    scope="application",
    looks_for=(
        "An error tracker that is set up in the application's code, with release, user or tags."
    ),
    remedy="Set the error tracker up with release and environment.",
    kinds=frozenset({"service", "web", "mobile"}),
    app=_errors,
)
DISTRIBUTED_TRACING = Criterion(
    id="distributed_tracing",
    title="Tracing or request ids",
    level=3,
    pillar="Debugging & Observability",
    scope="application",
    looks_for="A tracing library in the application's code, or a request id that is passed on.",
    remedy="Add OpenTelemetry's automatic instrumentation.",
    kinds=frozenset({"service"}),
    app=_tracing,
)
METRICS_COLLECTION = Criterion(
    id="metrics_collection",
    title="Metrics",
    level=3,
    pillar="Debugging & Observability",
    scope="application",
    looks_for="A metrics library in the application's code, or a monitor that collects metrics.",
    remedy="Expose an endpoint of metrics.",
    kinds=frozenset({"service", "job"}),
    app=_metrics,
)
LOG_SCRUBBING = Criterion(
    id="log_scrubbing",
    title="Log redaction",
    level=3,
    pillar="Debugging & Observability",
    scope="application",
    looks_for="A rule that keeps secrets and personal data out of logs.",
    remedy="Redact authorization headers, tokens and addresses in the logger.",
    kinds=frozenset({"service", "job"}),
    app=_scrubbing,
)
CIRCUIT_BREAKERS = Criterion(
    id="circuit_breakers",
    title="Resilience for outgoing calls",
    level=4,
    pillar="Debugging & Observability",
    scope="application",
    looks_for="Retries with a pause, breakers or fallbacks around calls to other services.",
    remedy="Give clients timeouts, retries with a growing pause, and a breaker.",
    kinds=frozenset({"service", "job"}),
    app=_resilience,
)
PROFILING = Criterion(
    id="profiling_instrumentation",
    title="Profiling",
    level=4,
    pillar="Debugging & Observability",
    scope="application",
    looks_for="A profiler that is wired into the application, or documented.",
    remedy="Switch on continuous profiling, or profiling on demand.",
    kinds=frozenset({"service"}),
    app=_profiling,
)
