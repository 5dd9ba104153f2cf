"""Sessions of coding agents on computers: start, watch, prompt, answer what they ask, stop."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from stationmaster.access.model import Caller
from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, Opened, router
from stationmaster.computers import presence, sessions, steering
from stationmaster.session_messages import NAME_MAX, PROMPT_BYTES_MAX

routes = router("/api/platform/v1/computers/{computer_id}/sessions", "Computers")

MEDIA_TYPE = "application/x-ndjson"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Of a stream: each update is to arrive when it happens."""
_WORKSPACE_MAX = 1024
_PROBLEMS = problems(404, 409, 429, 503)
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One JSON object a line, and empty lines between them.",
        "content": {MEDIA_TYPE: {"schema": {"type": "string"}}},
    }
}
Agent = Annotated[
    str,
    Field(min_length=1, max_length=NAME_MAX, pattern=wire.ONE_LINE, examples=["gemini-cli"]),
]
Text = Annotated[str, Field(min_length=1, max_length=PROMPT_BYTES_MAX)]


class AgentSession(wire.Answer, record=sessions.Session, without=("computer_id",)):
    """A session of a coding agent. `startedBy` is a principal; times are Unix milliseconds, and
    `changedAt` is of the state. The counts are since its start."""

    session_id: str = wire.sent_as("id")


class AgentSessions(wire.Answer):
    """The newest 200, newest first. `isConnected` is whether the computer is connected now, and
    `agents` which coding agents it allows."""

    is_connected: bool
    agents: list[str]
    sessions: list[AgentSession]


class NewAgentSession(wire.Question):
    """`workspace` is a folder on the computer, absolute or below the first allowed one; by
    default that one. With `prompt` the agent begins immediately."""

    agent: Agent
    workspace: Annotated[
        str | None, Field(min_length=1, max_length=_WORKSPACE_MAX, pattern=wire.ONE_LINE)
    ] = None
    prompt: Text | None = None


class AgentPrompt(wire.Question):
    text: Text


class PermissionAnswer(wire.Question):
    """The `id` of one of the request's options; null refuses it."""

    option: Annotated[
        str | None, Field(min_length=1, max_length=NAME_MAX, pattern=wire.ONE_LINE)
    ] = None


@routes.get("")
@blocking.reads
def list_agent_sessions(db: Db, computer_id: str, caller: callers.Member) -> AgentSessions:
    """The sessions of a computer, and the allowed agents."""
    computer, listed = sessions.of_computer(db, caller, computer_id)
    connection = presence.of(db, caller.org_id, computer.computer_id)
    return AgentSessions.of(
        is_connected=connection is not None and connection.state == "online",
        agents=[] if connection is None else connection.agents,
        sessions=listed,
    )


@routes.post("", status_code=201, response_model=AgentSession, responses=_PROBLEMS)
async def start_agent_session(
    services: Opened, computer_id: str, asked: NewAgentSession, caller: callers.Member
) -> AgentSession:
    """Start a coding agent on a computer, and wait until it accepts prompts.

    403 `agent_not_allowed` and `workspace_not_allowed` if the computer does not allow it,
    `budget_used_up` with the text of the gate; 409 `no_agents` if it allows none,
    `agent_failed` with the agent's message, `too_many_sessions`.
    """
    made = await services.steering.start(caller, computer_id, asked.agent, asked.workspace)
    if asked.prompt is not None:
        await services.steering.prompt(caller, computer_id, made.session_id, asked.prompt)
    return await _one(services, caller, computer_id, made.session_id)


@routes.get("/{session_id}")
async def get_agent_session(
    services: Opened, computer_id: str, session_id: str, caller: callers.Member
) -> AgentSession:
    """The state of a session."""
    return await _one(services, caller, computer_id, session_id)


@routes.post("/{session_id}/prompts", status_code=202, responses=_PROBLEMS)
async def prompt_agent(
    services: Opened, computer_id: str, session_id: str, asked: AgentPrompt, caller: callers.Member
) -> Response:
    """Send a prompt to the agent. 409 `agent_busy` while it works, `session_ended`; 403
    `budget_used_up` with the text of the gate."""
    await services.steering.prompt(caller, computer_id, session_id, asked.text)
    return Response(status_code=202)


@routes.post("/{session_id}/permissions/{permission_id}", status_code=204, responses=_PROBLEMS)
async def answer_permission_request(
    services: Opened,
    computer_id: str,
    session_id: str,
    permission_id: str,
    asked: PermissionAnswer,
    caller: callers.Member,
) -> Response:
    """Answer a permission request of the agent. 409 `not_waiting` for one that was answered."""
    await services.steering.decide(caller, computer_id, session_id, permission_id, asked.option)
    return Response(status_code=204)


@routes.post("/{session_id}/cancel", status_code=204, responses=_PROBLEMS)
async def cancel_agent_turn(
    services: Opened, computer_id: str, session_id: str, caller: callers.Member
) -> Response:
    """Cancel the current prompt; the session accepts another one."""
    await services.steering.cancel(caller, computer_id, session_id)
    return Response(status_code=204)


@routes.post("/{session_id}/stop", status_code=204, responses=_PROBLEMS)
async def stop_agent_session(
    services: Opened, computer_id: str, session_id: str, caller: callers.Member
) -> Response:
    """End a session and its agent; a repeated request succeeds."""
    await services.steering.stop(caller, computer_id, session_id)
    return Response(status_code=204)


@routes.get(
    "/{session_id}/updates",
    response_class=StreamingResponse,
    responses=_PROBLEMS | _STREAM,
)
async def watch_agent_session(
    services: Opened,
    request: Request,
    computer_id: str,
    session_id: str,
    caller: callers.Member,
    after: Annotated[
        int, Query(ge=0, le=2**53, description="The `seq` of the last received update.")
    ] = 0,
    follow: Annotated[
        bool,
        Query(description="Keep the connection open, and send updates until the session ends."),
    ] = False,
) -> StreamingResponse:
    """The updates of a session, from the computer's memory: `seq`, `at`, `kind`, and `text`,
    `title`, `id`, `status`, `by`, `options` where they apply.

    Kinds: `prompt`, `message`, `thought`, `tool`, `plan`, `permission`, `decision`, `turn`,
    `state`, `note`. An empty line is sent every 15 seconds.
    """
    updates = services.steering.watch(
        caller,
        computer_id,
        session_id,
        after,
        stays=follow,
        caller_now=lambda: callers.now(request),
        is_over=lambda: request.scope["app"].condition.is_stopping,
    )
    # The computer accepts or refuses before there is a response.
    await anext(updates)
    return StreamingResponse(steering.lines(updates), media_type=MEDIA_TYPE, headers=HEADERS)


async def _one(services: Opened, caller: Caller, computer_id: str, session_id: str) -> AgentSession:
    def read() -> AgentSession:
        return AgentSession.of(sessions.one(services.db, caller, computer_id, session_id)[1])

    return await blocking.read(services.db, read)
