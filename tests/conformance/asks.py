"""How to ask each operation so that it succeeds for whoever may: the requests of the matrix.

An operation without an entry is asked without parameters and body. An entry makes what it asks
about afresh, in the organization of `cast`, so that every cell stands alone.
"""

from __future__ import annotations

import json
import re
import secrets
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any
from urllib.parse import quote

import httpx

from stationmaster import clock, ids
from stationmaster.access import service
from stationmaster.access.authenticate import authenticate
from stationmaster.access.model import Caller
from stationmaster.access.signing_in import sessions
from stationmaster.analytics.model import INSIGHTS
from stationmaster.computers import presence, remote_access
from stationmaster.computers import service as computers
from stationmaster.computers import sessions as agent_sessions
from stationmaster.computers.model import Computer, Registration
from stationmaster.computers.pairings import Pairings, PairingStart
from stationmaster.ids import RepoId
from stationmaster.jobs import service as jobs
from stationmaster.lake.rollups import sessions as stored_sessions
from stationmaster.limits import asking
from stationmaster.limits.budgets.model import Budget
from stationmaster.people import erasure
from stationmaster.people import service as people
from stationmaster.pricing import store as prices_store
from stationmaster.pricing.credits import genai
from stationmaster.pricing.credits.lists import encode
from stationmaster.relay_messages import Hello
from stationmaster.repos.addresses import id_of
from stationmaster.wiki import service as wiki
from tests.conformance.conftest import House
from tests.conformance.matrix import Row
from tests.limits.cases import a_budget
from tests.support.builders import a_password, a_readiness_report, a_service_account, a_session
from tests.support.cast import Cast
from tests.support.scans import a_finding, store_scan
from tests.wiki.wikis import a_run


@dataclass(frozen=True)
class Ask:
    """One request: what fills its path, its query and its body."""

    path: dict[str, str] = field(default_factory=dict)
    params: dict[str, str] = field(default_factory=dict)
    json: Any = None
    content: bytes | None = None
    media: str | None = None
    subject: str = ""
    """What names the resource, wherever it stands; by default what fills the path's end."""

    def name(self) -> str:
        return self.subject or list(self.path.values())[-1]

    def of_nothing(self) -> Ask:
        """The same of something that nobody has: another name of the same form and length."""
        name = self.name()
        unknown = _other(name)
        path, params, body = json.loads(
            json.dumps([self.path, self.params, self.json]).replace(name, unknown)
        )
        return replace(self, path=path, params=params, json=body, subject=unknown)


Maker = Callable[[House, Cast, str], Ask]
ASKS: dict[str, Maker] = {}
_DAY = {"startDate": "2026-11-20", "endDate": "2026-11-20"}


def _other(name: str) -> str:
    """Letters and digits turned, the last twelve of them: prefixes and separators stay."""
    turned = {"a": "b", "1": "2"}
    kept, tail = name[:-12], name[-12:]
    return kept + "".join(
        turned.get(c, "a" if c.islower() else "1") if c.isalnum() else c for c in tail
    )


def asks(*operations: str) -> Callable[[Maker], Maker]:
    def enter(maker: Maker) -> Maker:
        for operation in operations:
            assert operation not in ASKS
            ASKS[operation] = maker
        return maker

    return enter


def send(house: House, row: Row, ask: Ask, caller: str) -> httpx.Response:
    """Ask with the key of a kind of caller of our organization."""
    headers = {} if ask.media is None else {"Content-Type": ask.media}
    # httpx decodes nothing in a path that is given whole, so that each segment stays one.
    path = re.sub(r"{(\w+)(?::path)?}", lambda found: ask.path[found[1]], row.path)
    return house.client(caller).request(
        row.method, path, params=ask.params, json=ask.json, content=ask.content, headers=headers
    )


def asked(house: House, row: Row, caller: str, of: str = "ours") -> Ask:
    """The request of a row, about something of ours or of theirs."""
    cast = house.ours if of == "ours" else house.theirs
    maker = ASKS.get(row.operation)
    return Ask() if maker is None else maker(house, cast, caller)


@asks(
    "GET /api/v1/analytics/tokens",
    "GET /api/v1/analytics/tools",
    "GET /api/v1/analytics/activity",
    "GET /api/v1/analytics/productivity",
    "GET /api/v1/analytics/users",
    *(f"GET /api/platform/v1/analytics/{report}" for report in INSIGHTS),
    "GET /api/platform/v1/costs",
    "GET /api/platform/v1/me/usage",
)
def _analytics(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(params=_DAY)


@asks("POST /api/platform/v1/costs/what-if")
def _what_if(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={**_DAY, "card": "families = []"})


_PRICES = b'{"m-1": {"litellm_provider": "openai", "input_cost_per_token": 1e-6}}'


@asks("POST /api/platform/v1/rates/import")
def _price_list(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(content=_PRICES, media="application/octet-stream")


@asks("DELETE /api/platform/v1/rates/{origin}")
def _imported_price_list(house: House, cast: Cast, _caller: str) -> Ask:
    prices = genai.read({"id": "x", "models": []}, clock.today())
    stored = prices_store.StoredList(prices.origin, clock.now_ms(), secrets.token_hex(8))
    with cast.db.transaction() as connection:
        for each in (house.ours, house.theirs):
            # Both organizations call an origin by the same name.
            prices_store.remove_list(connection, each.org, prices.origin)
        packed = zlib.compress(encode(prices))
        prices_store.put_list(connection, cast.org, stored, packed)
    return Ask({"origin": prices.origin})


@asks("POST /v1/metrics", "POST /v1/logs", "POST /v1/traces")
def _otlp(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(content=b"{}", media="application/json")


@asks("POST /")
def _otlp_by_content(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(content=b'{"resourceLogs": []}', media="application/json")


@asks("POST /api/platform/v1/events")
def _events(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json=[])


@asks("PUT /api/v0/organization/usage/limits/users")
def _user_limits(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask(json={"users": [{"email": cast.people["member"].email, "limit": 1_000_000}]})


@asks("PUT /api/v0/organization/usage/limits/global")
def _global_limit(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"globalLimit": 1_000_000})


@asks("PUT /api/platform/v1/limits/service-accounts/{account_id}")
def _service_account_limit(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask({"account_id": cast.program.service_account_id}, json={"limit": 1_000_000})


@asks("PUT /api/platform/v1/limits/budgets")
def _new_budget(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"scope": "organization", "amount": "5", "currency": "usd"})


@asks(
    "GET /api/platform/v1/limits/budgets/{budget_id}",
    "DELETE /api/platform/v1/limits/budgets/{budget_id}",
)
def _budget(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask({"budget_id": a_budget(cast.db, cast.org, "team", ids.new("team")).id})


@asks("PUT /api/platform/v1/limits/budgets/{budget_id}")
def _changed_budget(house: House, cast: Cast, caller: str) -> Ask:
    return replace(_budget(house, cast, caller), json={"amount": "6", "atEnd": "refuse"})


def _budget_of_everybody(cast: Cast) -> Budget:
    """One that applies to whoever asks."""
    return a_budget(cast.db, cast.org, "model", ids.new("model"))


@asks("POST /api/platform/v1/limits/requests")
def _request_for_more(_house: House, cast: Cast, _caller: str) -> Ask:
    budget = _budget_of_everybody(cast).id
    return Ask(json={"budgetId": budget, "reason": "a migration"}, subject=budget)


@asks("POST /api/platform/v1/limits/requests/{request_id}/deny")
def _denied_request(_house: House, cast: Cast, caller: str) -> Ask:
    budget = _budget_of_everybody(cast)
    asked = asking.ask(cast.db, _maker(cast, caller), budget, "a migration", None)
    return Ask({"request_id": asked.request_id}, json=None)


@asks("POST /api/platform/v1/limits/requests/{request_id}/approve")
def _approved_request(house: House, cast: Cast, caller: str) -> Ask:
    return replace(_denied_request(house, cast, caller), json={"amount": "1"})


def _maker(cast: Cast, caller: str) -> Caller:
    """Who makes what the caller asks about: itself, or the owner where it can make nothing."""
    holder = caller if caller in ("owner", "manager", "member", "svc", "svc-mgr") else "owner"
    return authenticate(cast.db, cast.keys[holder] or "")


def _a_computer(cast: Cast, caller: str) -> Computer:
    name = f"pc-{secrets.token_hex(6)}"
    made, _ = computers.register(
        cast.db, _maker(cast, caller), Registration(name=name, remote_user="dev")
    )
    return made


@asks("GET /api/v0/computers/name/{name}")
def _computer_named(_house: House, cast: Cast, caller: str) -> Ask:
    return Ask(path={"name": _a_computer(cast, caller).name})


@asks(
    "GET /api/v0/computers/{computer_id}",
    "DELETE /api/v0/computers/{computer_id}",
    "POST /api/v0/computers/{computer_id}/refresh",
    "POST /api/v0/computers/{computer_id}/install-deps",
    "POST /api/v0/computers/{computer_id}/activity",
    "POST /api/v0/computers/{computer_id}/retry",
    "GET /api/v0/computers/{computer_id}/metrics",
    "GET /api/platform/v1/computers/{computer_id}/history",
    "GET /api/platform/v1/computers/{computer_id}/steps",
    "GET /api/v0/computers/{computer_id}/connection",
)
def _computer(_house: House, cast: Cast, caller: str) -> Ask:
    return Ask(path={"computer_id": _a_computer(cast, caller).computer_id})


@asks("GET /api/platform/v1/computers/{computer_id}/sessions")
def _agent_sessions(_house: House, cast: Cast, caller: str) -> Ask:
    return Ask(path={"computer_id": _a_computer(cast, caller).computer_id})


@asks("POST /api/platform/v1/computers/{computer_id}/sessions")
def _new_agent_session(_house: House, cast: Cast, caller: str) -> Ask:
    path = {"computer_id": _a_computer(cast, caller).computer_id}
    return Ask(path=path, json={"agent": "gemini-cli"})


_SESSION = "/api/platform/v1/computers/{computer_id}/sessions/{session_id}"


@asks(
    f"GET {_SESSION}", f"GET {_SESSION}/updates", f"POST {_SESSION}/cancel", f"POST {_SESSION}/stop"
)
def _agent_session(_house: House, cast: Cast, caller: str) -> Ask:
    computer = _a_computer(cast, caller)
    made = agent_sessions.begin(cast.db, _maker(cast, caller), computer, "gemini-cli")
    return Ask(path={"computer_id": computer.computer_id, "session_id": made.session_id})


@asks(f"POST {_SESSION}/prompts")
def _agent_prompt(house: House, cast: Cast, caller: str) -> Ask:
    return replace(_agent_session(house, cast, caller), json={"text": "Add a test."})


@asks(f"POST {_SESSION}/permissions/{{permission_id}}")
def _permission_answer(house: House, cast: Cast, caller: str) -> Ask:
    ask = _agent_session(house, cast, caller)
    return replace(ask, path={**ask.path, "permission_id": "p1"}, json={"option": "yes"})


@asks("POST /api/v0/computers/{computer_id}/restart")
def _restarted_computer(_house: House, cast: Cast, caller: str) -> Ask:
    path = {"computer_id": _a_computer(cast, caller).computer_id}
    return Ask(path=path, json={"mode": "reboot"})


@asks("POST /api/v0/computers/{computer_id}/host-keys/trust")
def _other_host_key(_house: House, cast: Cast, caller: str) -> Ask:
    host = ids.new_uuid()
    new = Registration(name=f"pc-{secrets.token_hex(6)}", remote_user="dev", host_id=host)
    made, _ = computers.register(cast.db, _maker(cast, caller), new)
    for key in ("a", "b"):
        hello = Hello(
            agent_version="1", host_id=host, hostname="h", remote_user="dev", ssh_host_keys=(key,)
        )
        presence.came(cast.db, cast.org, made.computer_id, hello, "00000000")
    return Ask(path={"computer_id": made.computer_id})


@asks("POST /api/v0/computers/{computer_id}/ssh-grants")
def _ssh_grant(_house: House, cast: Cast, caller: str) -> Ask:
    path = {"computer_id": _a_computer(cast, caller).computer_id}
    return Ask(path=path, json={"publicKey": f"ssh-ed25519 {'A' * 68}"})


def _a_pairing(cast: Cast) -> PairingStart:
    """What a machine of nobody's is answered."""
    new = Registration(name="pc", remote_user="dev", host_id=ids.new_uuid())
    return Pairings(cast.db).begin(new, None)


@asks("POST /api/platform/v1/pairings")
def _new_pairing(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"name": "pc", "remoteUser": "dev", "hostId": ids.new_uuid()})


@asks("POST /api/platform/v1/pairings/claim")
def _claimed_pairing(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask(json={"credential": _a_pairing(cast).credential.reveal()})


@asks("POST /api/platform/v1/pairings/look-up")
def _typed_code(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask(json={"code": _a_pairing(cast).code})


@asks("POST /api/platform/v1/pairings/approve")
def _approved_code(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask(json={"code": _a_pairing(cast).code, "name": f"pc-{secrets.token_hex(6)}"})


@asks("PUT /api/platform/v1/remote-access")
def _remote_access(_house: House, cast: Cast, caller: str) -> Ask:
    if caller == "owner":
        owner = _maker(cast, caller)
        remote_access.switch(cast.db, owner, owner.principal_id, is_on=False)
    return Ask(json={"of": "me", "isOn": True})


@asks("PATCH /api/v0/computers/{computer_id}")
def _changed_computer(_house: House, cast: Cast, caller: str) -> Ask:
    return Ask(path={"computer_id": _a_computer(cast, caller).computer_id}, json={"hostname": "a"})


@asks("POST /api/v0/computers")
def _new_computer(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"name": f"pc-{secrets.token_hex(6)}", "remoteUser": "dev"})


@asks("POST /api/v0/computers/bulk")
def _new_computers(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"namePrefix": "pc", "count": 2, "remoteUser": "dev"})


@asks("PATCH /api/v0/organization/computer-secrets")
def _computer_secrets(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"upsert": [{"key": "TOKEN", "value": "hunter2"}]})


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


@asks("GET /api/platform/v1/sessions/{session_id}")
def _session(_house: House, cast: Cast, _caller: str) -> Ask:
    """A session of somebody whom only telemetry names."""
    row = a_session(cast.org)
    with cast.db.transaction() as connection:
        stored_sessions.replace(connection, cast.org, date(2026, 11, 20), [row])
    return Ask(path={"session_id": row.session_id})


@asks("GET /api/platform/v1/jobs/{job_id}", "POST /api/platform/v1/jobs/{job_id}/cancel")
def _job(_house: House, cast: Cast, _caller: str) -> Ask:
    # No process knows this kind, so it waits until it is called off.
    waiting = jobs.ask(cast.db, cast.org, "of-tomorrow", ids.new("repo"), by=None)
    return Ask(path={"job_id": waiting.job_id})


_DESTINATIONS = "/api/platform/v1/alerts/destinations"
_HOOK = {"format": "webhook", "url": "https://192.88.98.1/hook"}
"""Of a public network that nobody uses, so nothing is looked up or reached."""


@asks(f"POST {_DESTINATIONS}")
def _new_destination(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"name": ids.new("hook"), **_HOOK})


@asks(
    f"GET {_DESTINATIONS}/{{destination_id}}",
    f"DELETE {_DESTINATIONS}/{{destination_id}}",
    f"POST {_DESTINATIONS}/{{destination_id}}/rotate",
    f"POST {_DESTINATIONS}/{{destination_id}}/test",
)
def _alert_destination(house: House, cast: Cast, _caller: str) -> Ask:
    owner = house.client("owner", cast)
    # An organization has a limited number of them.
    for other in owner.get(_DESTINATIONS).json()["destinations"]:
        owner.delete(f"{_DESTINATIONS}/{other['destinationId']}")
    made = owner.post(_DESTINATIONS, json={"name": ids.new("hook"), **_HOOK}).json()
    return Ask(path={"destination_id": made["destination"]["destinationId"]}, json={})


@asks(f"PATCH {_DESTINATIONS}/{{destination_id}}")
def _changed_destination(house: House, cast: Cast, caller: str) -> Ask:
    return replace(_alert_destination(house, cast, caller), json={"name": ids.new("hook")})


@asks(f"POST {_DESTINATIONS}/{{destination_id}}/replay")
def _replay_since(house: House, cast: Cast, caller: str) -> Ask:
    return replace(_alert_destination(house, cast, caller), json={"since": 0})


@asks("GET /api/platform/v1/alerts/deliveries/{delivery_id}")
@asks("POST /api/platform/v1/alerts/deliveries/{delivery_id}/replay")
def _alert_delivery(house: House, cast: Cast, caller: str) -> Ask:
    place = _alert_destination(house, cast, caller).path["destination_id"]
    made = house.client("owner", cast).post(f"{_DESTINATIONS}/{place}/test").json()
    return Ask(path={"delivery_id": made["deliveryId"]})


_PROVIDERS = "/api/platform/v1/identity-providers"
_PROVIDER = {"issuer": "https://192.88.98.1", "clientId": "c", "clientSecret": "s"}
"""At an address that nobody uses."""


@asks(f"POST {_PROVIDERS}")
def _new_provider(house: House, cast: Cast, _caller: str) -> Ask:
    owner = house.client("owner", cast)
    for other in owner.get(_PROVIDERS).json()["identityProviders"]:
        owner.delete(f"{_PROVIDERS}/{other['name']}")
    return Ask(json={"name": ids.new("p").replace("_", "-"), **_PROVIDER})


@asks(
    f"PATCH {_PROVIDERS}/{{name}}",
    f"DELETE {_PROVIDERS}/{{name}}",
    f"POST {_PROVIDERS}/{{name}}/test",
)
def _identity_provider(house: House, cast: Cast, caller: str) -> Ask:
    new = _new_provider(house, cast, caller).json
    house.client("owner", cast).post(_PROVIDERS, json=new).raise_for_status()
    return Ask({"name": new["name"]}, json={"allowedDomains": ["a.example"]})


@asks("POST /api/platform/v1/members")
def _invite(_house: House, _cast: Cast, caller: str) -> Ask:
    return Ask(json={"email": f"asked-by-{caller}@example.com", "role": "guest"})


@asks(
    "GET /api/platform/v1/members/{user_id}",
    "PATCH /api/platform/v1/members/{user_id}",
    "DELETE /api/platform/v1/members/{user_id}",
    "POST /api/platform/v1/members/{user_id}/link",
)
def _member(_house: House, cast: Cast, _caller: str) -> Ask:
    member = service.add_member(cast.db, cast.org, f"{ids.new('a')}@{cast.mark}.example", "guest")
    return Ask(path={"user_id": member.user_id}, json={"role": "member"})


def _a_former_member(cast: Cast) -> str:
    member = service.add_member(cast.db, cast.org, f"{ids.new('a')}@{cast.mark}.example", "guest")
    service.remove_member(cast.db, cast.org, member.user_id)
    return member.user_id


@asks("GET /api/platform/v1/people/{user_id}", "POST /api/platform/v1/people/{user_id}/merge")
def _person(_house: House, cast: Cast, _caller: str) -> Ask:
    into = cast.people["member"].email
    return Ask(path={"user_id": _a_former_member(cast)}, json={"into": into})


@asks("POST /api/platform/v1/erasures")
def _erase(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask(json={"person": _a_former_member(cast), "reports": "anonymise"})


@asks("GET /api/platform/v1/person-export")
def _export(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask(params={"person": _a_former_member(cast)})


@asks("GET /api/platform/v1/erasures/{erasure_id}")
def _erasure(_house: House, cast: Cast, _caller: str) -> Ask:
    owner = _maker(cast, "owner")
    asked = erasure.request(cast.db, cast.org, _a_former_member(cast), "restate", by=owner)
    return Ask(path={"erasure_id": asked.erasure_id})


@asks("PUT /api/platform/v1/privacy")
def _privacy(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"mode": "named", "minimum": 6})


@asks("PUT /api/platform/v1/time-zone")
def _time_zone(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"timeZone": "Asia/Tokyo"})


@asks("PUT /api/platform/v1/retention")
def _retention(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"days": 90})


@asks("POST /api/platform/v1/people/{user_id}/unmerge")
def _alias(_house: House, cast: Cast, _caller: str) -> Ask:
    merged, into = _a_former_member(cast), cast.people["member"]
    people.merge(cast.db, cast.org, merged, into.email, by=_maker(cast, "owner"))
    return Ask(path={"user_id": merged})


@asks("POST /api/platform/v1/service-accounts")
def _new_account(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"name": ids.new("a"), "role": "guest"})


@asks(
    "GET /api/platform/v1/service-accounts/{service_account_id}",
    "PATCH /api/platform/v1/service-accounts/{service_account_id}",
    "DELETE /api/platform/v1/service-accounts/{service_account_id}",
)
def _account(_house: House, cast: Cast, _caller: str) -> Ask:
    account = a_service_account(cast.db, cast.org, f"{cast.mark}-{ids.new('a')}")
    return Ask(path={"service_account_id": account.service_account_id}, json={"isActive": False})


@asks("POST /api/platform/v1/keys")
def _new_key(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"name": "laptop", "scope": "full"})


@asks("GET /api/platform/v1/keys/{key_id}", "DELETE /api/platform/v1/keys/{key_id}")
def _key(_house: House, cast: Cast, caller: str) -> Ask:
    """The caller's own, or of the cast's member where a caller has none."""
    holder = cast.program if caller == "svc" else cast.people.get(caller, cast.people["member"])
    key, _ = service.create_key(cast.db, cast.org, holder, name="asked about")
    return Ask(path={"key_id": key.key_id})


@asks("POST /api/platform/v1/keys/{key_id}/revoke")
def _key_and_its_makes(house: House, cast: Cast, caller: str) -> Ask:
    return Ask(path=_key(house, cast, caller).path, json={"includeMade": True})


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


@asks("POST /api/platform/v1/auth/token")
def _sign_in(_house: House, cast: Cast, _caller: str) -> Ask:
    member = cast.people["member"]
    a_password(cast.db, cast.org, member, "a long enough sentence")
    return Ask(json={"email": member.email, "password": "a long enough sentence"})


@asks("POST /api/platform/v1/auth/join")
def _join(_house: House, cast: Cast, _caller: str) -> Ask:
    _, link = service.make_link(cast.db, cast.org, cast.people["member"].user_id, by=None)
    return Ask(json={"token": link.reveal(), "password": "a long enough sentence"})


@asks("POST /api/platform/v1/auth/refresh", "POST /api/platform/v1/auth/sign-out")
def _session(_house: House, cast: Cast, _caller: str) -> Ask:
    user = cast.people["member"].user_id
    _, secret = sessions.start(cast.db, cast.org, user, "password")
    return Ask(json={"refreshToken": secret.reveal()})


@asks(
    "GET /api/platform/v1/auth/oidc/{name}/start", "GET /api/platform/v1/auth/oidc/{name}/callback"
)
def _provider(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(path={"name": "nobodys"})


def _wiki_address(cast: Cast) -> str:
    return f"https://git.example.com/{cast.mark}/enginerooms00"


def _a_wiki(cast: Cast, caller: str) -> dict[str, str]:
    """What names a run of the caller's own, and its first page."""
    maker = _maker(cast, caller)
    run = a_run(cast.db, maker, repo_url=_wiki_address(cast))
    [page, *_] = wiki.get(cast.db, maker, run.run_id)[1]
    return {"wikiRunId": run.run_id, "pageId": page.page_id or ""}


@asks("POST /api/v0/wiki")
def _upload(_house: House, cast: Cast, _caller: str) -> Ask:
    pages = [{"path": "index.md", "content": "# Engine"}]
    return Ask(json={"repoUrl": _wiki_address(cast), "pages": pages})


@asks("GET /api/v0/wiki/upload-access")
def _upload_access(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask(params={"repoUrl": _wiki_address(cast)})


@asks("GET /api/v0/wiki/history/{repoUrl}")
def _wiki_history(_house: House, cast: Cast, caller: str) -> Ask:
    _a_wiki(cast, caller)
    return Ask(path={"repoUrl": quote(_wiki_address(cast), safe="")})


@asks(
    "GET /api/v0/wiki/{wikiRunId}",
    "DELETE /api/v0/wiki/{wikiRunId}",
    "GET /api/v0/wiki/{wikiRunId}/pages/{pageId}",
    "GET /api/v0/wiki/{wikiRunId}/export",
    "GET /api/platform/v1/wiki/runs/{wikiRunId}",
    "POST /api/platform/v1/wiki/runs/{wikiRunId}/cancel",
)
def _wiki_run(_house: House, cast: Cast, caller: str) -> Ask:
    return Ask(path=_a_wiki(cast, caller))


@asks("GET /api/platform/v1/wiki/runs/{wikiRunId}/files/{name}")
def _wiki_file(_house: House, cast: Cast, caller: str) -> Ask:
    return Ask(path={**_a_wiki(cast, caller), "name": "llms.txt"})


@asks("GET /api/v0/wiki/{wikiRunId}/search", "GET /api/platform/v1/wiki/runs/{wikiRunId}/ask")
def _wiki_search(_house: House, cast: Cast, caller: str) -> Ask:
    return Ask(path=_a_wiki(cast, caller), params={"q": "engine"})


@asks("GET /api/platform/v1/wiki/runs/{wikiRunId}/difference/{other}")
def _wiki_difference(_house: House, cast: Cast, caller: str) -> Ask:
    run = _a_wiki(cast, caller)
    return Ask(path={**run, "other": run["wikiRunId"]})


@asks("POST /api/v0/wiki/{wikiRunId}/privacy")
def _wiki_privacy(_house: House, cast: Cast, caller: str) -> Ask:
    return Ask(path=_a_wiki(cast, caller), json={"privacyLevel": "private"})
