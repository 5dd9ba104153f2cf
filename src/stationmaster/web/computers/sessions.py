"""`/computers/ID/sessions`: sessions of agents on a computer, and one as it goes on, with what it
asks, prompts and its end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, NamedTuple

from anyio import from_thread, to_thread
from fastapi import Form
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from stationmaster.access import service as access
from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller
from stationmaster.computers import presence, sessions, steering, tickets
from stationmaster.computers.model import Computer
from stationmaster.computers.sessions import Session
from stationmaster.computers.steering import Steering
from stationmaster.errors import NotFound, StationmasterError
from stationmaster.session_messages import PROMPT_BYTES_MAX, Update
from stationmaster.web.figures.agent_names import agent_name
from stationmaster.web.figures.reports import call_of
from stationmaster.web.frame import menu
from stationmaster.web.frame.lists import list_page, listing, moment
from stationmaster.web.frame.pages import page, router, see_other
from stationmaster.web.frame.requests import SignedIn, services_of, signed_in

PATH = "/computers/{computer_id}/sessions"
ONE = PATH + "/{session_id}"
SHOWN_MAX = 2_000
"""Updates on a page, the newest."""
_STREAM = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_FOLLOWING = ("message", "thought")
_Text = Annotated[str, Form(max_length=PROMPT_BYTES_MAX)]

routes = router()


class Said(NamedTuple):
    """One or several updates as one entry of the page; a permission request that `waits`."""

    update: Update
    text: str
    waits: bool


@routes.get(PATH)
def show_sessions(request: Request, caller: SignedIn, computer_id: str) -> Response:
    return _listed(request, caller, computer_id)


@routes.post(PATH)
def start(
    request: Request,
    caller: SignedIn,
    computer_id: str,
    agent: Annotated[str, Form(max_length=200)] = "",
    workspace: Annotated[str, Form(max_length=1024)] = "",
    prompt: _Text = "",
) -> Response:
    """Start a session, with a first prompt where there is one."""
    require(caller, *menu.MEMBERS)
    steering = services_of(request).steering
    try:
        made = from_thread.run(
            steering.start, caller, computer_id, agent, workspace.strip() or None
        )
        if prompt.strip():
            from_thread.run(steering.prompt, caller, computer_id, made.session_id, prompt)
    except NotFound:
        raise
    except StationmasterError as fault:
        return _listed(request, caller, computer_id, fault)
    return see_other(f"/computers/{computer_id}/sessions/{made.session_id}")


@routes.get(ONE)
async def show_session(
    request: Request, caller: SignedIn, computer_id: str, session_id: str
) -> Response:
    return await _one(request, caller, computer_id, session_id)


@routes.post(ONE + "/prompts")
async def prompt(
    request: Request, caller: SignedIn, computer_id: str, session_id: str, text: _Text = ""
) -> Response:
    """Give the agent a prompt."""
    steering = services_of(request).steering
    about = (caller, computer_id, session_id)
    return await _steered(request, *about, lambda: steering.prompt(*about, text), text)


@routes.post(ONE + "/permissions/{permission}")
async def decide(
    request: Request,
    caller: SignedIn,
    computer_id: str,
    session_id: str,
    permission: str,
    option: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Answer a permission request; without an option it is refused."""
    steering = services_of(request).steering
    about = (caller, computer_id, session_id)
    answer = (permission, option or None)
    return await _steered(request, *about, lambda: steering.decide(*about, *answer))


@routes.post(ONE + "/cancel")
async def cancel(request: Request, caller: SignedIn, computer_id: str, session_id: str) -> Response:
    """Have the agent stop what it works on."""
    about = (caller, computer_id, session_id)
    return await _steered(request, *about, lambda: services_of(request).steering.cancel(*about))


@routes.post(ONE + "/stop")
async def stop(request: Request, caller: SignedIn, computer_id: str, session_id: str) -> Response:
    """End the session and its agent."""
    about = (caller, computer_id, session_id)
    return await _steered(request, *about, lambda: services_of(request).steering.stop(*about))


@routes.post(ONE + "/ticket")
def issue_ticket(request: Request, caller: SignedIn, computer_id: str, session_id: str) -> Response:
    """What opens the stream of a session once, for the script of its page."""
    require(caller, *menu.MEMBERS)
    db = services_of(request).db
    sessions.one(db, caller, computer_id, session_id)
    ticket = tickets.issue(db, caller, session_id)
    return JSONResponse({"ticket": ticket}, headers={"Cache-Control": "no-store"})


@routes.post(ONE + "/updates")
async def stream_updates(
    request: Request,
    caller: SignedIn,
    computer_id: str,
    session_id: str,
    ticket: Annotated[str, Form(max_length=100)] = "",
    after: Annotated[str, Form(max_length=16)] = "",
) -> Response:
    """What happens in a session from now on, one JSON object a line."""
    require(caller, *menu.MEMBERS)
    services = services_of(request)
    await to_thread.run_sync(sessions.one, services.db, caller, computer_id, session_id)
    await to_thread.run_sync(tickets.redeem, services.db, caller, session_id, ticket)

    async def caller_now() -> Caller:
        return await to_thread.run_sync(signed_in, request)

    updates = services.steering.watch(
        caller,
        computer_id,
        session_id,
        int(after) if after.isascii() and after.isdecimal() else 0,
        stays=True,
        caller_now=caller_now,
        is_over=lambda: request.scope["app"].condition.is_stopping,
    )
    await anext(updates)
    lines = steering.lines(updates)
    return StreamingResponse(lines, media_type="application/x-ndjson", headers=_STREAM)


def _listed(
    request: Request, caller: Caller, computer_id: str, fault: StationmasterError | None = None
) -> Response:
    require(caller, *menu.MEMBERS)
    db = services_of(request).db
    computer, found = sessions.of_computer(db, caller, computer_id)
    known = presence.of(db, caller.org_id, computer_id)
    owners = access.names(db, caller.org_id)
    rows = [
        (
            *(each.agent, each.state, owners.get(each.started_by, each.started_by)),
            *(each.prompts, each.permissions, moment(each.created_at), moment(each.ended_at)),
        )
        for each in found
    ]
    heads = ("Agent", "State", "Started by", "Prompts", "Permission requests", "Started (UTC)")
    path = f"/computers/{computer_id}/sessions"
    call = call_of(request, f"/api/platform/v1{path}")
    return list_page(
        "computer_sessions.html",
        caller,
        request,
        path,
        [listing("sessions", "Sessions", (*heads, "Ended (UTC)"), rows, call)],
        status=200 if fault is None else fault.status,
        computer=computer,
        sessions=found,
        presence=known,
        agents=[(name, agent_name(name)) for name in ([] if known is None else known.agents)],
        owners=owners,
        fault=fault,
    )


async def _steered(
    request: Request,
    caller: Caller,
    computer_id: str,
    session_id: str,
    steer: Callable[[], Awaitable[None]],
    text: str = "",
) -> Response:
    """The page after a form: with what was typed where it was refused."""
    require(caller, *menu.MEMBERS)
    try:
        await steer()
    except NotFound:
        raise
    except StationmasterError as fault:
        return await _one(request, caller, computer_id, session_id, fault, text)
    return see_other(f"/computers/{computer_id}/sessions/{session_id}#end")


async def _one(
    request: Request,
    caller: Caller,
    computer_id: str,
    session_id: str,
    fault: StationmasterError | None = None,
    text: str = "",
) -> Response:
    """One session with what the computer still knows of it, and why a form failed."""
    require(caller, *menu.MEMBERS)
    services = services_of(request)
    updates, missing = await _known(services.steering, caller, computer_id, session_id)

    def read() -> tuple[Computer, Session, dict[str, str]]:
        known = sessions.one(services.db, caller, computer_id, session_id)
        return *known, access.names(services.db, caller.org_id)

    computer, session, owners = await to_thread.run_sync(read)
    return page(
        "computer_session.html",
        caller,
        request,
        status=200 if fault is None else fault.status,
        computer=computer,
        session=session,
        # The row follows the updates a moment later.
        state=next(
            (update.status for update in updates[::-1] if update.kind == "state"), session.state
        ),
        entries=_entries(updates),
        last=updates[-1].seq if updates else 0,
        missing=missing,
        owners=owners,
        fault=fault,
        text=text,
        text_max=PROMPT_BYTES_MAX,
    )


async def _known(
    steering: Steering, caller: Caller, computer_id: str, session_id: str
) -> tuple[list[Update], str]:
    """The newest updates that the computer still knows, and why there are none. Raises NotFound
    for a session that the caller may not see."""
    watched = steering.watch(
        caller,
        computer_id,
        session_id,
        0,
        stays=False,
        caller_now=lambda: _same(caller),
        is_over=lambda: False,
    )
    try:
        updates = [update async for update in watched if update is not None]
    except NotFound as unknown:
        if unknown.code != "session_lost":
            raise
        return [], unknown.detail
    except StationmasterError as unreachable:
        return [], unreachable.detail
    return updates[-SHOWN_MAX:], ""


async def _same(caller: Caller) -> Caller:
    return caller


def _entries(updates: list[Update]) -> list[Said]:
    """Updates as entries: what is said in pieces is one, and a state is only shown at the end."""
    waiting: set[str] = set()
    for update in updates:
        if update.kind == "permission":
            waiting.add(update.id)
        elif update.kind == "decision":
            waiting.discard(update.id)
        elif update.kind == "turn" or update.status == "ended":
            waiting.clear()
    entries: list[Said] = []
    for update in updates:
        is_more = entries and update.kind in _FOLLOWING and entries[-1].update.kind == update.kind
        if is_more:
            entries[-1] = entries[-1]._replace(text=entries[-1].text + update.text)
        elif update.kind not in ("state", "turn"):
            waits = update.kind == "permission" and update.id in waiting
            entries.append(Said(update, update.text, waits))
    return entries
