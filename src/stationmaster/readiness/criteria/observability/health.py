"""Whether something asks services if they are well: routes, container checks, probes."""

from __future__ import annotations

import re

from stationmaster.readiness.evidence import configs, deployment, signs
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes
from stationmaster.reading.projects.model import App, Place
from stationmaster.repos.yaml_nodes import get, members, text

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
"""Who asks for health is not who answers for it."""
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


def health_checks(facts: Facts, app: App) -> Verdict:
    """Passes where a route, container check, probe or platform checks the application's health."""
    for sight in signs.seen(facts, "health", app):
        if not _CLIENT.search(sight.place.path):
            return passes("A route answers for its health", sight.place)
    if routes := facts.tree.glob(*_ROUTE_FILES, under=app.path):
        return passes("A route answers for its health", Place(routes[0]))
    for path in deployment.of_app(
        facts, app, "**/{Dockerfile,Containerfile}*", "**/*.{Dockerfile,dockerfile}"
    ):
        if (place := configs.line_of(facts, path, _CONTAINER)) is not None:
            return passes("Its container is checked", place)
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
            if (place := configs.line_of(facts, path, pattern)) is not None:
                return place
    for path in deployment.of_app(facts, app, "**/*.tf"):
        if (place := configs.line_of(facts, path, _BALANCER)) is not None:
            return place
    return None
