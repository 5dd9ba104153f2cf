"""What running code reports: errors, logs without secrets, and how it calls other services."""

from __future__ import annotations

import re

from stationmaster.readiness.evidence import configs, signs, tools
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips
from stationmaster.reading.projects.model import App

_FRAMEWORK_FILE = "config/initializers/filter_parameter_logging.rb"
_DEFAULT_FILTERS = frozenset(
    {
        "passw",
        "password",
        "email",
        "secret",
        "token",
        "_key",
        "crypt",
        "salt",
        "certificate",
        "otp",
        "ssn",
        "cvv",
        "cvc",
    }
)
"""What Rails writes into a new application."""
_REDACTING = re.compile(r"^\s{0,20}(?:redaction|attributes/redact)\S{0,40}:", re.M)
_OUTGOING = (
    "axios",
    "js:got",
    "js:ky",
    "undici",
    "node-fetch",
    "superagent",
    "requests",
    "httpx",
    "aiohttp",
    "urllib3",
    "net/http",
    "google.golang.org/grpc",
    "@grpc/grpc-js",
    "py:grpc",
    "reqwest",
    "hyper",
    "tonic",
    "java.net.http",
    "okhttp3",
    "retrofit2",
    "feign",
    "org.springframework.web.client",
    "org.springframework.web.reactive.function.client",
    "io.grpc",
    "System.Net.Http",
    "Grpc.Net*",
    "faraday",
    "httparty",
    "rb:http",
    "rb:net/http",
    "typhoeus",
    "GuzzleHttp",
    "Illuminate\\Support\\Facades\\Http",
    "boto3",
    "@aws-sdk/*",
    "github.com/aws/aws-sdk-go*",
    "cloud.google.com/go/*",
    "stripe",
    "openai",
)
"""Modules that call other services."""


def error_tracking(facts: Facts, app: App) -> Verdict:
    """Passes where an error tracker is set up; weakly without a release, user or tags."""
    shown = tools.of_app(facts, app, "errors")
    if shown is None:
        return fails("No error tracker is set up, such as Sentry, Bugsnag, Rollbar or Honeybadger")
    if sights := signs.seen(facts, "error-context", app):
        return passes(f"{shown.name} is set up with context", *shown.places, sights[0].place)
    sentence = f"{shown.name} is set up; no release, user or tags were seen"
    return passes(sentence, *shown.places, weak=True)


def circuit_breakers(facts: Facts, app: App) -> Verdict:
    """Fails where the application imports clients of other services; skipped elsewhere."""
    if not any(tools.imported(facts, app, _OUTGOING)):
        return skips("It calls no other services")
    return fails("No retry, breaker or fallback guards the calls to other services")


def log_scrubbing(facts: Facts, app: App) -> Verdict:
    """Passes where code, the framework or the collector of telemetry redacts what is logged."""
    if seen := signs.seen(facts, "redaction", app):
        own = [each.place for each in seen if not each.place.path.endswith(_FRAMEWORK_FILE)]
        if own:
            return passes("A rule keeps secrets out of logs", *own)
        return passes(
            "The framework's filter of parameters is in place",
            seen[0].place,
            weak=_is_default_filter(facts, seen[0].place.path),
        )
    for path in facts.tree.glob("**/{otel,otelcol,collector}*.{yaml,yml}"):
        if (place := configs.line_of(facts, path, _REDACTING)) is not None:
            return passes("The collector of telemetry redacts", place)
    return fails("No rule that redacts logs was found")


def _is_default_filter(facts: Facts, path: str) -> bool:
    """Is it the list that the framework generates, untouched?"""
    names = set(re.findall(r":([a-z_]\w{0,60})", facts.tree.text(path)))
    return names <= _DEFAULT_FILTERS
