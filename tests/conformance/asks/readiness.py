"""Requests about readiness reports."""

from __future__ import annotations

from stationmaster.repos.addresses import id_of
from tests.conformance.asks.ask import Ask, asks
from tests.conformance.conftest import House
from tests.support.builders import a_readiness_report
from tests.support.cast import Cast

_REPORTS = "/api/organization/agent-readiness-reports"


@asks(f"POST {_REPORTS}", "POST /api/organization/maturity-level-reports")
def _new_report(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask(json=a_readiness_report(repoUrl=f"https://git.example/{cast.mark}/shop"))


def _a_report(house: House, cast: Cast) -> str:
    report = a_readiness_report(repoUrl=f"https://git.example/{cast.mark}/shop")
    made = house.client("owner", cast).post(_REPORTS, json=report)
    return str(made.json()["reportId"])


@asks(
    "GET /api/platform/v1/readiness/reports/{report_id}",
    "GET /api/platform/v1/readiness/reports/{report_id}/level",
    "GET /api/platform/v1/readiness/reports/{report_id}/fixes",
    "DELETE /api/platform/v1/readiness/reports/{report_id}",
)
def _report(house: House, cast: Cast, _caller: str) -> Ask:
    return Ask(path={"report_id": _a_report(house, cast)})


@asks("GET /api/platform/v1/readiness/reports/{report_id}/difference")
def _difference(house: House, cast: Cast, _caller: str) -> Ask:
    report = _a_report(house, cast)
    return Ask(path={"report_id": report}, params={"since": report})


@asks(
    "GET /api/platform/v1/readiness/repositories/{repo_id}/history",
    "GET /api/platform/v1/readiness/repositories/{repo_id}/badge.svg",
)
def _reported_repository(house: House, cast: Cast, _caller: str) -> Ask:
    _a_report(house, cast)
    return Ask(path={"repo_id": id_of(cast.org, f"https://git.example/{cast.mark}/shop")})


@asks("GET /api/organization/maturity-level-reports")
def _reports_after(house: House, cast: Cast, _caller: str) -> Ask:
    last = _a_report(house, cast)
    return Ask(params={"startAfter": last}, subject=last)


@asks(f"GET {_REPORTS}")
def _reports_of_repository(house: House, cast: Cast, _caller: str) -> Ask:
    _a_report(house, cast)
    repo = id_of(cast.org, f"https://git.example/{cast.mark}/shop")
    return Ask(params={"repoId": repo}, subject=repo)
