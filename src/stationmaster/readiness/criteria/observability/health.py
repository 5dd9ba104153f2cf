"""Whether something asks services if they are well: routes, container checks, probes."""

from __future__ import annotations

import re

from stationmaster.projects.model import App, Place
from stationmaster.readiness.criterion import Criterion, Verdict, fails, passes
from stationmaster.readiness.evidence import code, deployment, traces
from stationmaster.readiness.evidence.traces import Tool
from stationmaster.readiness.facts import Facts
from stationmaster.repos.yaml_nodes import get, members, text

LIBRARIES = (
    Tool(name="a health library", imports=(
        "@nestjs/terminus", "@godaddy/terminus", "lightship", "express-healthcheck",
            "express-actuator", "@cloudnative/health*", "fastify-healthcheck",
            "grpc-js-health-check", "grpc-health-check",
        "health_check", "healthcheck", "fastapi_health", "fastapi_healthchecks", "grpc_health",
            "grpc_health.v1", "watchman",
        "google.golang.org/grpc/health", "github.com/heptiolabs/healthcheck",
            "github.com/alexliesenfeld/health", "github.com/hellofresh/health-go*",
            "github.com/dimiro1/health*", "github.com/etherlabsio/healthcheck*",
            "sigs.k8s.io/controller-runtime/pkg/healthz",
        "tonic_health", "org.springframework.boot.actuate", "org.eclipse.microprofile.health",
            "io.grpc.health", "io.grpc.protobuf.services.healthstatusmanager",
            "Microsoft.Extensions.Diagnostics.HealthChecks", "Grpc.HealthCheck"),
        packages=("org.springframework.boot:spring-boot-starter-actuator",
            "org.springframework.boot:spring-boot-actuator*", "io.quarkus:quarkus-smallrye-health",
            "io.micronaut:micronaut-management",
                  "grpc.aspnetcore.healthchecks", "aspnetcore.healthchecks.*", "okcomputer",
                      "health_check", "rails-healthcheck", "health-monitor-rails", "easymon",
                      "spatie/laravel-health", "django-health-check", "liip/monitor-bundle",
                      "healthchex", "plug_checkup")),
)  # fmt: skip
_ROUTE_FILES = tuple(
    f"**/{folder}/**/{{health,healthz,healthcheck,heartbeat,ping,livez,readyz,ready,live}}{ending}"
    for folder in ("api", "routes", "pages")
    for ending in (
        ".{ts,js,tsx}",
        "/route.{ts,js}",
        "/+server.{ts,js}",
        "/index.{ts,js}",
        ".get.{ts,js}",
    )
)
"""Of frameworks in which a file is a route."""
_CLIENT = re.compile(r"(?:^|/)(?:[\w.-]{0,40}client|clients|sdk|cli|cmd)s?/|[._-]client\.", re.I)
"""Who asks for health is not who tells it."""
_CONTAINER = re.compile(r"^\s{0,20}HEALTHCHECK\s+(?!NONE\b)", re.M | re.I)
_PROBE = re.compile(r"\b(?:liveness|readiness|startup)Probe:")
_BALANCER = re.compile(
    r"^\s{0,40}(?:health_check|liveness_probe|startup_probe)\s*\{|^\s{0,40}healthcheck_path\b", re.M
)
_PLATFORMS = {
    "fly.toml": re.compile(
        r"^[ \t]*\[\[(?:http_service|services\.http|services\.tcp|services)?\.?_?checks\]\]"
        r"|^[ \t]*\[checks\b|_checks\]\]|\.checks\]\]",
        re.M,
    ),
    "render.yaml": re.compile(r"^[ \t]*healthCheckPath:", re.M),
    "app.json": re.compile(r'"healthchecks"\s*:'),
    "railway.json": re.compile(r'"healthcheckPath"\s*:'),
    "railway.toml": re.compile(r"^[ \t]*healthcheckPath\s*=", re.M),
}


def _health(facts: Facts, app: App) -> Verdict:
    if found := traces.of_app(facts, app, LIBRARIES):
        return passes("A library tells its health", found.place)
    for seen in code.seen(facts, "health", app):
        if not _CLIENT.search(seen.place.path):
            return passes("A route tells its health", seen.place)
    if routes := facts.tree.glob(*_ROUTE_FILES, under=app.path):
        return passes("A route tells its health", Place(routes[0]))
    for path in deployment.of_app(
        facts, app, "**/{Dockerfile,Containerfile}*", "**/*.{Dockerfile,dockerfile}"
    ):
        if _CONTAINER.search(facts.tree.text(path)):
            return passes("Its container is checked", Place(path))
    if probe := deployment.declares(facts, app, _PROBE):
        return passes("A probe checks it", probe)
    if place := _in_compose(facts, app) or _on_platform(facts, app):
        return passes("A check of its deployment asks for its health", place)
    return fails("There is no health route, container check or probe for it")


def _in_compose(facts: Facts, app: App) -> Place | None:
    for path in facts.tree.glob(*deployment.COMPOSE):
        for name, service in members(get(facts.tree.yaml(path), "services")).items():
            check = get(service, "healthcheck")
            if check is None or text(get(check, "disable")) == "true":
                continue
            if deployment.is_named(app, name) or deployment.built(path, service) == app.path:
                return Place(path, check.line)
    return None


def _on_platform(facts: Facts, app: App) -> Place | None:
    for name, pattern in _PLATFORMS.items():
        for path in deployment.of_app(facts, app, f"**/{name}"):
            if pattern.search(facts.tree.text(path)):
                return Place(path)
    for path in deployment.of_app(facts, app, "**/*.tf"):
        if _BALANCER.search(facts.tree.text(path)):
            return Place(path)
    return None


HEALTH_CHECKS = Criterion(
    id="health_checks",
    title="Health checks",
    level=3,
    pillar="Debugging & Observability",
    scope="application",
    looks_for="A health route, a check of its container, or a probe of its deployment.",
    remedy="Add routes for liveness and readiness, and let the platform ask them.",
    kinds=frozenset({"service"}),
    app=_health,
)
