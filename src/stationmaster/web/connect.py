"""`/connect`: choose an agent and where it runs, get a key and the lines to paste."""

from __future__ import annotations

import shlex
from typing import Annotated, NamedTuple

from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access import reads, service
from stationmaster.access.authenticate import require
from stationmaster.access.model import ApiKey, Caller, Principal
from stationmaster.client.server import Server
from stationmaster.client.settings import telemetry as agent_settings
from stationmaster.errors import NotFound, StationmasterError
from stationmaster.ids import KeyId, UserId
from stationmaster.lake import senders
from stationmaster.web import install
from stationmaster.web.figures.agent_names import AGENT_NAMES
from stationmaster.web.figures.reports import call_of
from stationmaster.web.frame import menu
from stationmaster.web.frame.lists import list_page, listing, moment
from stationmaster.web.frame.pages import page, router
from stationmaster.web.frame.requests import SignedIn, services_of, visited_address

PATH = "/connect"
WAYS = {
    "laptop": "On my computer",
    "fleet": "On many computers, by managed settings",
    "ci": "In CI",
}
_FIRST = "claude-code"
"""The agent that is chosen until another one is."""

routes = router()


class Lines(NamedTuple):
    """What to paste somewhere: `where` says where, `text` may contain the key."""

    where: str
    text: str


@routes.get(PATH)
def show_connect(
    request: Request, caller: SignedIn, agent: str = _FIRST, way: str = "laptop"
) -> Response:
    return _form(request, caller, agent, way)


@routes.post(PATH)
def connect(
    request: Request,
    caller: SignedIn,
    agent: Annotated[str, Form()],
    way: Annotated[str, Form()],
    account: Annotated[str, Form()] = "",
) -> Response:
    """Make a key that can only send telemetry, and show the lines that use it, this once."""
    require(caller, *menu.MEMBERS)
    services = services_of(request)
    try:
        if agent not in AGENT_NAMES or way not in WAYS:
            raise NotFound("Choose one of the offered agents and places.")
        holder = _holder(request, caller, way, account)
        key, secret = service.create_key(
            services.db,
            caller.org_id,
            holder,
            name=f"{AGENT_NAMES[agent]}: {WAYS[way].lower()}"[:100],
            role="guest",
            scope="ingest",
            by=caller,
            only_by_managers=services.settings.restrict_api_key_creation_to_managers,
        )
    except StationmasterError as fault:
        return _form(request, caller, agent, way, account=account, fault=fault)
    server = Server(visited_address(request), secret.reveal())
    return page(
        "connected.html",
        caller,
        request,
        agent=agent,
        name=AGENT_NAMES[agent],
        way=way,
        key=key,
        secret=server.key,
        lines=_lines(agent, way, server, install.wheel_address(request)),
        remark=_remark(agent, server),
        arrived=[],
    )


@routes.get(PATH + "/{key_id}")
def show_arrival(request: Request, caller: SignedIn, key_id: str, agent: str = _FIRST) -> Response:
    """What has arrived with a key: whether it was used, and what is stored since it was made."""
    db = services_of(request).db
    key = service.get_key(db, caller.org_id, KeyId(key_id), by=caller)
    arrived = _arrived(request, caller, key)
    own = key.principal_kind == "human"
    heads = ("Agent", "How it was sent", "Last event (UTC)")
    rows = [(each.product, each.source, moment(each.at)) for each in arrived]
    call = call_of(request, "/api/platform/v1/coverage" + ("/me" if own else ""))
    return list_page(
        "arrival.html",
        caller,
        request,
        f"{PATH}/{key_id}",
        [listing("arrived", "What is stored", heads, rows, call)],
        agent=agent if agent in AGENT_NAMES else _FIRST,
        names=AGENT_NAMES,
        key=key,
        arrived=arrived,
    )


def _form(
    request: Request,
    caller: Caller,
    agent: str,
    way: str,
    *,
    account: str = "",
    fault: StationmasterError | None = None,
) -> Response:
    require(caller, *menu.MEMBERS)
    ways = WAYS if caller.role in menu.MANAGERS else {"laptop": WAYS["laptop"]}
    return page(
        "connect.html",
        caller,
        request,
        status=200 if fault is None else fault.status,
        fault=None if fault is None else fault.detail,
        agent=agent if agent in AGENT_NAMES else _FIRST,
        way=way if way in ways else "laptop",
        account=account,
        agents=list(AGENT_NAMES.items()),
        ways=list(ways.items()),
    )


def _holder(request: Request, caller: Caller, way: str, account: str) -> Principal:
    """Who the key is for: oneself on one's computer, else the service account of that name, by
    default `fleet` or `ci`, which is made where it is missing.
    """
    db = services_of(request).db
    if way == "laptop":
        return service.get_member(db, caller.org_id, UserId(caller.principal_id))
    require(caller, *menu.MANAGERS)
    name = account.strip() or way
    for list_service_account in reads.list_service_accounts(db, caller.org_id):
        if list_service_account.name == name:
            return list_service_account
    return service.create_service_account(db, caller.org_id, name, "guest", by=caller)


def _arrived(request: Request, caller: Caller, key: ApiKey) -> list[senders.Last]:
    db = services_of(request).db
    if key.principal_kind == "human":
        return senders.last_of(db, caller.org_id, key.principal_id)
    return senders.last_since(db, caller.org_id, key.created_at)


def _lines(agent: str, way: str, server: Server, wheel: str) -> list[Lines]:
    url = shlex.quote(server.url)
    setup = _setup(agent)
    if way == "laptop":
        text = f"uv tool install --force {wheel} && {setup} --url {url} --key {server.key}"
        return [
            Lines("In a terminal on your computer", text),
            Lines(
                "Then, to send earlier sessions as well",
                f"stationmaster collect --url {url}",
            ),
        ]
    if way == "ci":
        step = (
            f"- run: uvx --from {wheel} {setup} --url {url}\n"
            "  env:\n"
            "    STATIONMASTER_KEY: ${{ secrets.STATIONMASTER_KEY }}\n"
        )
        return [
            Lines("Store this as the secret STATIONMASTER_KEY of the repository", server.key),
            Lines("The step before the agent's, here for GitHub Actions", step),
        ]
    return _managed(agent, server, wheel)


def _setup(agent: str) -> str:
    """The command that makes an agent report."""
    if agent in agent_settings.RECIPES:
        return f"stationmaster agents setup {agent} --apply"
    return f"stationmaster hooks install {agent}"


def _managed(agent: str, server: Server, wheel: str) -> list[Lines]:
    """Settings for software distribution, which puts them on every computer."""
    if agent not in agent_settings.RECIPES:
        command = f"{_setup(agent)} --url {shlex.quote(server.url)} --key {server.key}"
        return [
            Lines("On every computer, the program", f"uv tool install {wheel}"),
            Lines("On every computer, as the person who uses it", command),
        ]
    recipe = agent_settings.recipe_of(agent, server)
    lines = [
        Lines(f"In the agent’s managed settings, or in ~/{file.path} of each person", file.text)
        for file in recipe.files
    ]
    if recipe.environment:
        lines.append(
            Lines("In the environment of each person", agent_settings.exports(recipe).strip())
        )
    return lines


def _remark(agent: str, server: Server) -> str:
    if agent not in agent_settings.RECIPES:
        return ""
    return agent_settings.recipe_of(agent, server).remark
