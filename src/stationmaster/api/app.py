"""The application: every route, above what each process has."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fastapi import APIRouter

from stationmaster.api import organization, relay
from stationmaster.api.application import Application, application
from stationmaster.api.background.worker import Background, Worker
from stationmaster.api.edge import ErrorPage, Route
from stationmaster.api.monitoring import health
from stationmaster.api.platform import alerts, coverage, jobs, sessions, telemetry, today
from stationmaster.api.platform.access import (
    audit,
    auth,
    decisions,
    identity_providers,
    keys,
    members,
    oidc,
    people,
)
from stationmaster.api.platform.computers import registry, sessions as computer_sessions
from stationmaster.api.platform.repositories import (
    ci,
    evaluations,
    generated_wikis,
    readiness,
    registry as repositories,
)
from stationmaster.api.platform.spending import budgets, costs, limits, rates
from stationmaster.api.services import Services
from stationmaster.api.telemetry import otlp
from stationmaster.api.v0 import (
    automations,
    ci_edits,
    computers,
    managed_computers,
    organization as organization_v0,
    wiki,
)
from stationmaster.api.v1 import analytics
from stationmaster.settings import Settings

ROUTES: tuple[Route, ...] = (
    *analytics.ROUTES,
    *otlp.ROUTES,
    *telemetry.ROUTES,
    *health.ROUTES,
)

ROUTERS: tuple[APIRouter, ...] = (
    organization_v0.routes,
    organization_v0.user_routes,
    organization.routes,
    computers.routes,
    managed_computers.secret_routes,
    managed_computers.routes,
    registry.history_routes,
    computer_sessions.routes,
    registry.open_routes,
    registry.pairing_routes,
    registry.routes,
    wiki.routes,
    automations.routes,
    ci_edits.routes,
    members.routes,
    people.routes,
    people.erasure_routes,
    people.export_routes,
    decisions.privacy_routes,
    decisions.retention_routes,
    keys.account_routes,
    decisions.time_zone_routes,
    keys.routes,
    audit.routes,
    limits.routes,
    alerts.routes,
    budgets.routes,
    costs.routes,
    rates.routes,
    coverage.routes,
    sessions.routes,
    today.routes,
    readiness.routes,
    evaluations.routes,
    generated_wikis.routes,
    repositories.routes,
    jobs.routes,
    ci.routes,
    auth.routes,
    oidc.routes,
    identity_providers.routes,
    oidc.well_known,
    relay.routes,
)


def create_app(
    settings: Settings,
    *,
    background: Callable[[Services], Background] | None = Worker,
    pages: Sequence[APIRouter] = (),
    error_page: ErrorPage | None = None,
    with_grpc: bool = False,
) -> Application:
    """The application of one installation. Databases open when it starts, not before.

    `pages` are what browsers see, in addition to the API, and `error_page` is how they see errors.

    `background` moves telemetry to the lake and rolls days up, by default in threads of this
    process. Without it `stationmaster worker` does, and a question still gets a current answer.

    `with_grpc` also takes OTLP/gRPC, where the settings name a port for it.
    """
    app = application(settings, ROUTES, background, with_grpc=with_grpc)
    app.error_page = error_page
    for router in (*ROUTERS, *pages):
        # `include_router` would make every route a second time, at the first request.
        app.router.routes.extend(router.routes)
    return app
