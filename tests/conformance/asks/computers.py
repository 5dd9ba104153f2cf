"""Requests about computers, their agents and pairings."""

from __future__ import annotations

import secrets
from dataclasses import replace

from stationmaster import ids
from stationmaster.access.authenticate import authenticate
from stationmaster.access.model import Caller
from stationmaster.computers import (
    presence,
    remote_access,
    service as computers,
    sessions as agent_sessions,
)
from stationmaster.computers.model import Computer, Registration
from stationmaster.computers.pairings import Pairings, PairingStart
from stationmaster.relay_messages import Hello
from tests.conformance.asks.ask import Ask, asks
from tests.conformance.conftest import House
from tests.support.cast import Cast


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
