"""`/connect`: choose an agent and where it runs, get a key and the lines to paste."""

from __future__ import annotations

import shlex
from typing import Annotated, NamedTuple

from fastapi import Form
from starlette.responses import Response

from stationmaster.access import reads, service
from stationmaster.access.model import Principal
from stationmaster.agents.cards import PRODUCTS
from stationmaster.client.server import Server
from stationmaster.client.settings import telemetry as agent_settings
from stationmaster.errors import NotFound, StationmasterError
from stationmaster.ids import KeyId, UserId
from stationmaster.lake import senders
from stationmaster.web import install
from stationmaster.web.figures.blocks import agent_name, agent_names
from stationmaster.web.frame import menu
from stationmaster.web.frame.pages import AnyVisit, MemberVisit, Visit, listing, moment, router

PATH = "/connect"
WAYS = {
    "laptop": "On my computer",
    "fleet": "On many computers, by managed settings",
    "ci": "In CI",
}
_FIRST = PRODUCTS[0]
"""The agent that is chosen until another one is."""

routes = router()


class Lines(NamedTuple):
    """What to paste somewhere: `where` says where, `text` may contain the key."""

    where: str
    text: str


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
        if agent not in PRODUCTS or way not in WAYS:
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
    server = Server(visit.address, secret.reveal())
    is_set_up = agent in agent_settings.products()
    return visit.page(
        "connected.html",
        agent=agent,
        name=agent_name(agent),
        way=way,
        key=key,
        secret=server.key,
        lines=_lines(agent, way, server, install.wheel_address(visit.request)),
        remark=agent_settings.recipe_of(agent, server).remark if is_set_up else "",
        arrived=[],
    )


@routes.get(PATH + "/{key_id}")
def show_arrival(visit: AnyVisit, key_id: str, agent: str = _FIRST) -> Response:
    """What has arrived with a key: whether it was used, and what is stored since it was made."""
    key = service.get_key(visit.db, visit.org, KeyId(key_id), by=visit.caller)
    own = key.principal_kind == "human"
    if own:
        arrived = senders.last_of(visit.db, visit.org, key.principal_id)
    else:
        arrived = senders.last_since(visit.db, visit.org, key.created_at)
    heads = ("Agent", "How it was sent", "Last event (UTC)")
    rows = [(arrival.product, arrival.source, moment(arrival.at)) for arrival in arrived]
    call = visit.call("/api/platform/v1/coverage" + ("/me" if own else ""))
    return visit.lists(
        "arrival.html",
        f"{PATH}/{key_id}",
        [listing("arrived", "What is stored", heads, rows, call)],
        agent=agent if agent in PRODUCTS else _FIRST,
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
        agent=agent if agent in PRODUCTS else _FIRST,
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
        return service.get_member(visit.db, visit.org, UserId(visit.caller.principal_id))
    visit.require(*menu.MANAGERS)
    name = account.strip() or way
    for list_service_account in reads.list_service_accounts(visit.db, visit.org):
        if list_service_account.name == name:
            return list_service_account
    return service.create_service_account(visit.db, visit.org, name, "guest", by=visit.caller)


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
    if agent in agent_settings.products():
        return f"stationmaster agents setup {agent} --apply"
    return f"stationmaster hooks install {agent}"


def _managed(agent: str, server: Server, wheel: str) -> list[Lines]:
    """Settings for software distribution, which puts them on every computer."""
    if agent not in agent_settings.products():
        command = f"{_setup(agent)} --url {shlex.quote(server.url)} --key {server.key}"
        return [
            Lines("On every computer, the program", f"uv tool install {wheel}"),
            Lines("On every computer, as the person who uses it", command),
        ]
    recipe = agent_settings.recipe_of(agent, server)
    lines = [
        Lines(
            f"In the agent’s managed settings, or in ~/{file.path} of each person",
            agent_settings.text_of(file),
        )
        for file in recipe.files
    ]
    if recipe.environment:
        lines.append(
            Lines("In the environment of each person", agent_settings.exports(recipe).strip())
        )
    return lines
