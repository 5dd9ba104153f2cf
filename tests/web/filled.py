"""A filled installation for tests of pages: the demo's organization, hostile names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import demo
import httpx
import msgspec
from demo_data import events, git_server, organization, people, repositories

from stationmaster import clock
from stationmaster.access import operator, service
from stationmaster.access.authenticate import authenticate
from stationmaster.access.signing_in import ways as signin
from stationmaster.aggregate import schedule
from stationmaster.computers import service as computers, sessions
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.people.service import set_team
from tests.support import processes
from tests.support.builders import a_key, a_member, an_organization
from tests.support.servers import Server, running_server, settings_for
from tests.web.conftest import PASSWORD, Office

DAYS = 7
MARK = "hostile-name"
"""The class that a hostile name would give an element, if it were markup."""
HOSTILE = f"""</script><b class="{MARK}">'"&amp;{{{{7*7}}}}</b>"""
HOSTILE_EMAIL = f"""<i/class={MARK}>"'@hostile.example"""
OWNER = people.OWNER
MEMBER = people.PEOPLE[1].email


class Filled(NamedTuple):
    """A running server with people who have PASSWORD, and the key of the organization's owner."""

    office: Office
    key: str

    @property
    def server(self) -> Server:
        return self.office.server


@contextmanager
def filled(folder: Path) -> Iterator[Filled]:
    """Serve it until the block ends."""
    port = processes.free_port()
    at = f"{events.HOST}:{port}"
    bare = folder / "git" / "demo"
    bare.mkdir(parents=True)
    repositories.make(bare, clock.today(), ("shop-api", "reports"))
    settings = settings_for(
        folder,
        "sqlite",
        notice=demo.NOTICE,
        repos_private_hosts=at,
        repos_http_hosts=at,
        credit_reset_day=organization.reset_day(clock.today()),
    )
    with (
        git_server.serving(folder / "git", port),
        running_server(settings, with_worker=True) as server,
    ):
        org = an_organization(server.services.db, HOSTILE)
        key = _people(server, org)
        with server.client(key) as http:
            _fill(server, http, bare, port)
        _begin_session(server, key)
        yield Filled(Office(server, org), key)


def _people(server: Server, org: OrgId) -> str:
    """Everybody is a member, owner and MEMBER with a password; the owner's key."""
    db = server.services.db
    owner = a_member(db, org, OWNER, "owner")
    by = operator.owner(db, org)
    for person in people.PEOPLE:
        member = a_member(db, org, person.email, "member")
        set_team(db, org, member.user_id, person.team, by=by)
    hostile = a_member(db, org, HOSTILE_EMAIL, "member")
    set_team(db, org, hostile.user_id, HOSTILE, by=by)
    service.create_service_account(db, org, HOSTILE, "member", by=by)
    for email in (OWNER, MEMBER):
        member = a_member(db, org, email, "owner" if email == OWNER else "member")
        _, link = service.make_link(db, org, member.user_id, by=None)
        signin.with_link(db, link, PASSWORD)
    service.create_key(db, org, owner, name=HOSTILE)
    return a_key(db, org, owner)


def _fill(server: Server, http: httpx.Client, bare: Path, port: int) -> None:
    state = demo.State("", str(clock.today()), DAYS, port)
    demo._send(http, state, clock.now_ms())
    http.post(
        "/api/platform/v1/events", json={"events": msgspec.to_builtins(list(_hostile_events()))}
    ).raise_for_status()
    repositories.read(http, bare, port)
    server.services.mover.drain()
    schedule.roll_up_due(server.services.db, server.services.settings)
    organization.set_up(http)
    http.patch(
        "/api/v0/organization/computer-secrets", json={"upsert": [{"key": "TOKEN", "value": "x"}]}
    ).raise_for_status()
    destination = {"name": HOSTILE, "format": "webhook", "url": "https://192.88.98.1/hook"}
    made = http.post("/api/platform/v1/alerts/destinations", json=destination).json()
    place = made["destination"]["destinationId"]
    http.post(f"/api/platform/v1/alerts/destinations/{place}/test").raise_for_status()
    http.patch(
        f"/api/platform/v1/alerts/destinations/{place}", json={"enabled": False}
    ).raise_for_status()
    client = f'"><b/class={MARK}>'
    provider = {"name": "corp", "issuer": "https://192.88.98.1", "clientId": client}
    http.post("/api/platform/v1/identity-providers", json=provider).raise_for_status()
    _ask_for_more(http)
    prices = {HOSTILE: {"litellm_provider": "openai", "input_cost_per_token": 1e-06}}
    http.post("/api/platform/v1/rates/import", json=prices).raise_for_status()
    repositories._wait_for_jobs(http)


def _begin_session(server: Server, key: str) -> None:
    """A session of an agent on a computer that is not connected."""
    db = server.services.db
    caller = authenticate(db, key)
    sessions.begin(db, caller, computers.list_all(db, caller)[0], HOSTILE)


def _ask_for_more(http: httpx.Client) -> None:
    """A budget of a hostile team, and a hostile request for more of that of each user."""
    base = "/api/platform/v1/limits"
    terms = {"amount": "5", "currency": "usd", "atEnd": "refuse"}
    for scope in (f"team:{HOSTILE}", "each-user"):
        made = http.put(f"{base}/budgets", json=terms | {"scope": scope}).raise_for_status().json()
    ask = {"budgetId": made["id"], "reason": HOSTILE, "amount": "3"}
    http.post(f"{base}/requests", json=ask).raise_for_status()


def _hostile_events() -> Iterator[Event]:
    """A session on each of the last days in which everything has a hostile name."""
    for ago in range(DAYS):
        session = f"{ago}{HOSTILE}"
        at = clock.now_ms() - ago * 86_400_000 - 60_000
        common: dict[str, object] = {
            "product": "codex",
            "source": "transcript",
            "session_id": session,
            "user_email": HOSTILE_EMAIL,
            "branch": HOSTILE,
            "product_version": HOSTILE,
            "repo": f"{events.HOST}/demo/shop-api",
        }
        rows: list[dict[str, object]] = [
            {"kind": "user_message"},
            {
                "kind": "model_call",
                "model": HOSTILE,
                "input_tokens": 90_000,
                "output_tokens": 9_000,
            },
            {"kind": "tool_call", "tool": HOSTILE, "tool_call_id": "1", "success": True},
            {
                "kind": "tool_call",
                "tool": "search",
                "tool_kind": "mcp",
                "mcp_server": HOSTILE,
                "mcp_tool": HOSTILE,
                "tool_call_id": "2",
                "success": False,
            },
            {"kind": "skill", "skill": HOSTILE},
            {"kind": "slash_command", "slash_command": HOSTILE},
            {"kind": "hook", "hook_event": "Stop", "hook_command": "<b>hook</b>"},
            {"kind": "file_change", "file_op": "edited", "language": HOSTILE, "file_ext": "py"},
            {"kind": "git_commit", "commit_sha": "abc123"},
        ]
        for number, row in enumerate(rows):
            identity = f"{ago:016x}{number:016x}"
            yield msgspec.convert(
                {**common, **row, "event_id": identity, "ts": at + 1_000 * number}, Event
            )
