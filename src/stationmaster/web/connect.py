"""`/connect`: choose an agent and where it runs, get a key and the lines to paste."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form
from starlette.responses import Response

from stationmaster.access import reads, service
from stationmaster.access.model import Principal
from stationmaster.errors import NotFound, StationmasterError
from stationmaster.lake import senders
from stationmaster.web import install
from stationmaster.web.figures.blocks import agent_name, agent_names
from stationmaster.web.frame.pages import AnyVisit, MemberVisit, Visit, listing, router

PATH = "/connect"
WAYS = {
    "laptop": "On my computer",
    "fleet": "On many computers, by managed settings",
    "ci": "In CI",
}
_FIRST = next(iter(agent_names()))
"""The agent that is chosen until another one is."""

routes = router()


@routes.get(PATH)
def show_connect(visit: MemberVisit, agent: str = _FIRST, way: str = "laptop") -> Response:
    return _form(visit, agent, way)


@routes.post(PATH)
def connect(
    visit: MemberVisit,
    agent: Annotated[str, Form()],
    way: Annotated[str, Form()],
    account: Annotated[str, Form()] = "",
) -> Response:
    """Make a key that can only send telemetry, and show the lines that use it, this once."""
    try:
        if agent not in agent_names() or way not in WAYS:
            raise NotFound("Choose one of the offered agents and places.")
        holder = _holder(visit, way, account)
        key, secret = service.create_key(
            visit.db,
            visit.org,
            holder,
            name=f"{agent_name(agent)}: {WAYS[way].lower()}"[:100],
            role="guest",
            scope="ingest",
            by=visit.caller,
            only_by_managers=visit.settings.restrict_api_key_creation_to_managers,
        )
    except StationmasterError as fault:
        return _form(visit, agent, way, account=account, fault=fault)
    lines, remark = install.connecting(visit, agent, way, secret.reveal())
    return visit.page(
        "connected.html",
        agent=agent,
        name=agent_name(agent),
        way=way,
        key=key,
        secret=secret.reveal(),
        lines=lines,
        remark=remark,
        arrived=[],
    )


@routes.get(PATH + "/{key_id}")
def show_arrival(visit: AnyVisit, key_id: str, agent: str = _FIRST) -> Response:
    """What has arrived with a key: whether it was used, and what is stored since it was made."""
    key = service.get_key(visit.db, visit.org, key_id, by=visit.caller)
    own = key.principal_kind == "human"
    if own:
        arrived = senders.last_of(visit.db, visit.org, key.principal_id)
    else:
        arrived = senders.last_since(visit.db, visit.org, key.created_at)
    columns = "product: Agent, source: How it was sent, at: Last event (UTC)"
    call = visit.call("/api/platform/v1/coverage" + ("/me" if own else ""))
    return visit.lists(
        "arrival.html",
        f"{PATH}/{key_id}",
        [listing("arrived", "What is stored", columns, arrived, call)],
        agent=agent if agent in agent_names() else _FIRST,
        names=agent_names(),
        key=key,
        arrived=arrived,
    )


def _form(
    visit: Visit,
    agent: str,
    way: str,
    *,
    account: str = "",
    fault: StationmasterError | None = None,
) -> Response:
    ways = WAYS if visit.is_manager else {"laptop": WAYS["laptop"]}
    return visit.page(
        "connect.html",
        error=fault,
        agent=agent if agent in agent_names() else _FIRST,
        way=way if way in ways else "laptop",
        account=account,
        agents=list(agent_names().items()),
        ways=list(ways.items()),
    )


def _holder(visit: Visit, way: str, account: str) -> Principal:
    """Who the key is for: oneself on one's computer, else the service account of that name, by
    default `fleet` or `ci`, which is made where it is missing.
    """
    if way == "laptop":
        return service.get_principal(visit.db, visit.org, visit.caller.principal_id)
    visit.require_manager()
    name = account.strip() or way
    for list_service_account in reads.list_service_accounts(visit.db, visit.org):
        if list_service_account.name == name:
            return list_service_account
    return service.create_service_account(visit.db, visit.org, name, "guest", by=visit.caller)
