"""`/computers/ID/sessions`: sessions of agents on a computer, and one as it runs, with its
questions, prompts and its end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, NamedTuple

from anyio import from_thread, to_thread
from fastapi import Form
from starlette.responses import JSONResponse, Response, StreamingResponse

from stationmaster.access import service as access
from stationmaster.access.model import Caller
from stationmaster.computers import model, presence, sessions, tickets
from stationmaster.computers.steering import Steering, lines as lines_of
from stationmaster.errors import NotFound, StationmasterError
from stationmaster.session_messages import PROMPT_BYTES_MAX, Update
from stationmaster.web.figures.blocks import agent_name
from stationmaster.web.frame.pages import MemberVisit, Visit, listing, router, see_other

PATH = "/computers/{computer_id}/sessions"
ONE = PATH + "/{session_id}"
SHOWN_MAX = 2_000
"""Updates on a page, the newest."""
_STREAM = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_FOLLOWING = ("message", "thought")
_Text = Annotated[str, Form(max_length=PROMPT_BYTES_MAX)]

routes = router()


class SessionEntry(NamedTuple):
    """One or several updates as one entry of the page; a permission request that `waits`."""

    update: Update
    text: str
    waits: bool


@routes.get(PATH)
def show_sessions(visit: MemberVisit, computer_id: str) -> Response:
    return _listed(visit, computer_id)


@routes.post(PATH)
def start(
    visit: MemberVisit,
    computer_id: str,
    agent: Annotated[str, Form(max_length=200)] = "",
    workspace: Annotated[str, Form(max_length=1024)] = "",
    prompt: _Text = "",
) -> Response:
    """Start a session, with a first prompt where there is one."""
    steering = visit.services.steering
    try:
        made = from_thread.run(
            steering.start, visit.caller, computer_id, agent, workspace.strip() or None
        )
        if prompt.strip():
            from_thread.run(steering.prompt, visit.caller, computer_id, made.session_id, prompt)
    except NotFound:
        raise
    except StationmasterError as fault:
        return _listed(visit, computer_id, fault)
    return see_other(f"/computers/{computer_id}/sessions/{made.session_id}")


@routes.get(ONE)
async def show_session(visit: MemberVisit, computer_id: str, session_id: str) -> Response:
    return await _one(visit, computer_id, session_id)


@routes.post(ONE + "/prompts")
async def prompt(
    visit: MemberVisit, computer_id: str, session_id: str, text: _Text = ""
) -> Response:
    """Give the agent a prompt."""
    steer = visit.services.steering.prompt
    return await _steered(visit, computer_id, session_id, steer, text, text=text)


@routes.post(ONE + "/permissions/{permission}")
async def decide(
    visit: MemberVisit,
    computer_id: str,
    session_id: str,
    permission: str,
    option: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Answer a permission request; without an option it is refused."""
    steer = visit.services.steering.decide
    return await _steered(visit, computer_id, session_id, steer, permission, option or None)


@routes.post(ONE + "/cancel")
async def cancel(visit: MemberVisit, computer_id: str, session_id: str) -> Response:
    """Have the agent stop what it works on."""
    return await _steered(visit, computer_id, session_id, visit.services.steering.cancel)


@routes.post(ONE + "/stop")
async def stop(visit: MemberVisit, computer_id: str, session_id: str) -> Response:
    """End the session and its agent."""
    return await _steered(visit, computer_id, session_id, visit.services.steering.stop)


@routes.post(ONE + "/ticket")
def issue_ticket(visit: MemberVisit, computer_id: str, session_id: str) -> Response:
    """What opens the stream of a session once, for the script of its page."""
    sessions.one(visit.db, visit.caller, computer_id, session_id)
    ticket = tickets.issue(visit.db, visit.caller, session_id)
    return JSONResponse({"ticket": ticket}, headers={"Cache-Control": "no-store"})


@routes.post(ONE + "/updates")
async def stream_updates(
    visit: MemberVisit,
    computer_id: str,
    session_id: str,
    ticket: Annotated[str, Form(max_length=100)] = "",
    after: Annotated[str, Form(max_length=16)] = "",
) -> Response:
    """What happens in a session from now on, one JSON object a line."""
    await to_thread.run_sync(sessions.one, visit.db, visit.caller, computer_id, session_id)
    await to_thread.run_sync(tickets.redeem, visit.db, visit.caller, session_id, ticket)

    async def caller_now() -> Caller:
        return await to_thread.run_sync(visit.caller_now)

    updates = visit.services.steering.watch(
        visit.caller,
        computer_id,
        session_id,
        int(after) if after.isascii() and after.isdecimal() else 0,
        stays=True,
        caller_now=caller_now,
        is_over=lambda: visit.request.scope["app"].condition.is_stopping,
    )
    await anext(updates)
    lines = lines_of(updates)
    return StreamingResponse(lines, media_type="application/x-ndjson", headers=_STREAM)


def _listed(visit: Visit, computer_id: str, fault: StationmasterError | None = None) -> Response:
    computer, listed = sessions.of_computer(visit.db, visit.caller, computer_id)
    connection = presence.of(visit.db, visit.org, computer_id)
    owners = access.names(visit.db, visit.org)
    rows = [(session, owners.get(session.started_by, session.started_by)) for session in listed]
    columns = (
        "0.agent: Agent, 0.state: State, 1: Started by, 0.prompts: Prompts, "
        "0.permissions: Permission requests, 0.created_at: Started (UTC), 0.ended_at: Ended (UTC)"
    )
    path = f"/computers/{computer_id}/sessions"
    call = visit.call(f"/api/platform/v1{path}")
    return visit.lists(
        "computer_sessions.html",
        path,
        [listing("sessions", "Sessions", columns, rows, call)],
        error=fault,
        computer=computer,
        sessions=listed,
        presence=connection,
        agents=[
            (name, agent_name(name)) for name in ([] if connection is None else connection.agents)
        ],
        owners=owners,
    )


async def _steered(
    visit: Visit,
    computer_id: str,
    session_id: str,
    steer: Callable[..., Awaitable[None]],
    *more: str | None,
    text: str = "",
) -> Response:
    """The page after a form: with what was typed where it was refused."""
    try:
        await steer(visit.caller, computer_id, session_id, *more)
    except NotFound:
        raise
    except StationmasterError as fault:
        return await _one(visit, computer_id, session_id, fault, text)
    return see_other(f"/computers/{computer_id}/sessions/{session_id}#end")


async def _one(
    visit: Visit,
    computer_id: str,
    session_id: str,
    fault: StationmasterError | None = None,
    text: str = "",
) -> Response:
    """One session with what the computer still knows of it, and why a form failed."""
    updates, missing = await _updates(
        visit.services.steering, visit.caller, computer_id, session_id
    )

    def read() -> tuple[model.Computer, sessions.Session, dict[str, str]]:
        session = sessions.one(visit.db, visit.caller, computer_id, session_id)
        return *session, access.names(visit.db, visit.org)

    computer, session, owners = await to_thread.run_sync(read)
    return visit.page(
        "computer_session.html",
        error=fault,
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
        text=text,
        text_max=PROMPT_BYTES_MAX,
    )


async def _updates(
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


def _entries(updates: list[Update]) -> list[SessionEntry]:
    """Updates as entries: a text in pieces is one, and a state is only shown at the end."""
    waiting: set[str] = set()
    for update in updates:
        if update.kind == "permission":
            waiting.add(update.id)
        elif update.kind == "decision":
            waiting.discard(update.id)
        elif update.kind == "turn" or update.status == "ended":
            waiting.clear()
    entries: list[SessionEntry] = []
    for update in updates:
        is_more = entries and update.kind in _FOLLOWING and entries[-1].update.kind == update.kind
        if is_more:
            entries[-1] = entries[-1]._replace(text=entries[-1].text + update.text)
        elif update.kind not in ("state", "turn"):
            waits = update.kind == "permission" and update.id in waiting
            entries.append(SessionEntry(update, update.text, waits))
    return entries
