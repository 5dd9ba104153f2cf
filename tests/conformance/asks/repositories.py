"""Requests about repositories and their CI scans."""

from __future__ import annotations

from dataclasses import replace

from stationmaster import ids
from stationmaster.ids import RepoId
from tests.conformance.asks.ask import Ask, asks
from tests.conformance.conftest import House
from tests.support.cast import Cast
from tests.support.scans import a_finding, store_scan


@asks("POST /api/v0/automations/ci/edit")
def _ci_edit(house: House, cast: Cast, _caller: str) -> Ask:
    name = f"{cast.mark}/{ids.new('x')}"
    house.client("owner", cast).post(_REPOSITORIES, json={"url": f"https://127.0.0.1/{name}"})
    place = {"repoFullName": name, "filePath": ".github/workflows/a.yml"}
    return Ask(json={"action": "delete", "repos": [place]})


_REPOSITORIES = "/api/platform/v1/repositories"


def _a_repository(house: House, cast: Cast) -> str:
    """One whose server is never asked: addresses of the machine itself are refused."""
    address = f"https://127.0.0.1/{cast.mark}/{ids.new('x')}"
    given = {"url": address, "credential": {"kind": "token", "secret": "hunter22"}}
    made = house.client("owner", cast).post(_REPOSITORIES, json=given)
    return str(made.json()["repoId"])


@asks(f"POST {_REPOSITORIES}")
def _new_repository(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask(json={"url": f"https://127.0.0.1/{cast.mark}/{ids.new('x')}"})


@asks(
    f"GET {_REPOSITORIES}/{{repo_id}}",
    f"DELETE {_REPOSITORIES}/{{repo_id}}",
    f"DELETE {_REPOSITORIES}/{{repo_id}}/credential",
    f"POST {_REPOSITORIES}/{{repo_id}}/refresh",
    "POST /api/platform/v1/readiness/repositories/{repo_id}/evaluate",
    "POST /api/platform/v1/wiki/repositories/{repo_id}/generate",
)
def _repository(house: House, cast: Cast, _caller: str) -> Ask:
    return Ask(path={"repo_id": _a_repository(house, cast)})


_DISMISSAL = "/api/platform/v1/ci/repositories/{repo_id}/findings/{fingerprint}/dismissal"


@asks(f"PUT {_DISMISSAL}")
def _dismissal(house: House, cast: Cast, _caller: str) -> Ask:
    repo, mark = _a_repository(house, cast), ids.new("f")
    store_scan(cast.db, cast.org, RepoId(repo), a_finding("rule", fingerprint=mark))
    return Ask(path={"repo_id": repo, "fingerprint": mark}, json={"reason": "accepted_risk"})


@asks(f"DELETE {_DISMISSAL}")
def _dismissed(house: House, cast: Cast, caller: str) -> Ask:
    ask = _dismissal(house, cast, caller)
    put = house.client("owner", cast).put(_DISMISSAL.format(**ask.path), json=ask.json)
    assert put.is_success, put.text
    return replace(ask, json=None)


@asks(f"GET {_REPOSITORIES}/{{repo_id}}/files")
def _file(house: House, cast: Cast, _caller: str) -> Ask:
    # Nothing was fetched, so there is no file for those who may read them.
    return Ask(path={"repo_id": _a_repository(house, cast)}, params={"path": "README.md"})


@asks(f"PUT {_REPOSITORIES}/{{repo_id}}/credential")
def _repository_credential(house: House, cast: Cast, _caller: str) -> Ask:
    path = {"repo_id": _a_repository(house, cast)}
    return Ask(path=path, json={"kind": "token", "secret": "t0ken"})
