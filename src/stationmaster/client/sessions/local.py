"""All sessions of this computer, and the answers to the server's questions about them.

An agent that is started here gets an environment in which it sends what it does to the server. That
is added only where this machine has no settings of telemetry: what its owner has set up holds for
sessions, too, and a token of ours is never sent to another server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from stationmaster.agents.cards.card import Language, Program
from stationmaster.client.server import Server
from stationmaster.client.sessions.acp import Acp, Claude, Codex
from stationmaster.client.sessions.session import Session, SessionRefused
from stationmaster.client.sessions.speaking import Report, Speaker
from stationmaster.client.settings import telemetry as agent_settings
from stationmaster.session_messages import (
    Cancel,
    Decide,
    Done,
    Failed,
    Follow,
    Prompt,
    Question,
    SessionState,
    Start,
    Stop,
    encoded,
    question,
)

LIVING_MAX = 16
ENDED_MAX = 16
"""Sessions that have ended and are kept, so that their last updates can be read."""
_QUESTION_S = 10.0
_SPEAKERS: Mapping[Language, type[Acp] | type[Claude] | type[Codex]] = {
    "acp": Acp,
    "claude": Claude,
    "codex": Codex,
}


class LocalSessions:
    """One per agent of a computer. `programs` are allowed by name, in and below `workspaces`."""

    def __init__(self, programs: Mapping[str, Program], workspaces: Sequence[Path]) -> None:
        self._programs = programs
        self._workspaces = [folder.resolve() for folder in workspaces]
        self._sessions: dict[str, Session] = {}
        self.changed = asyncio.Event()
        """Set at every change of a session's state, and cleared by who takes the states."""
        self.server: Server | None = None
        """Where agents that are started send what they do; None before a server named it."""

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents that are allowed, in alphabetical order."""
        return tuple(sorted(self._programs))

    @property
    def states(self) -> tuple[SessionState, ...]:
        """The state of each session, also those that have ended and are kept."""
        return tuple(session.standing for session in self._sessions.values())

    async def serve(self, socket: ClientConnection) -> None:
        """Answer the question of a stream."""
        with suppress(ConnectionClosed, TimeoutError, ValueError):
            async with asyncio.timeout(_QUESTION_S):
                frame = await socket.recv()
            message = question(frame.encode() if isinstance(frame, str) else frame)
            try:
                if isinstance(message, Follow):
                    await self._follow(socket, message)
                else:
                    await self._do(message)
            except SessionRefused as refusal:
                await socket.send(encoded(Failed(code=refusal.code, detail=refusal.detail)))
            else:
                await socket.send(encoded(Done()))

    def finish(self) -> None:
        """All sessions have ended, because the agent of this computer does."""
        for session in self._sessions.values():
            session.finish("exited")

    async def close(self) -> None:
        """End the processes of all sessions."""
        self.finish()
        await asyncio.gather(*(session.close() for session in self._sessions.values()))

    async def _do(self, message: Question) -> None:
        if isinstance(message, Start):
            await self._start(message)
            return
        session = self._session(message.session)
        if isinstance(message, Prompt):
            session.prompt(message.text, message.by)
        elif isinstance(message, Decide):
            await session.decide(message.permission, message.option, message.by)
        elif isinstance(message, Cancel):
            await session.cancel(message.by, message.why)
        elif isinstance(message, Stop):
            await session.stop(message.by, message.why)

    async def _start(self, message: Start) -> None:
        if message.session in self._sessions:
            return
        program = self._programs.get(message.agent)
        if program is None:
            names = ", ".join(self.agents) or "none"
            raise SessionRefused(
                "agent_not_allowed",
                f"This computer does not allow {message.agent} (allowed: {names}); allow it with "
                "`computers serve --allow-agent`.",
            )
        if self.server is not None:
            variables = agent_settings.recorded_by(message.agent, self.server, Path.home())
            program = msgspec.structs.replace(program, variables=variables)
        folder = self._folder(message.workspace)
        self._make_room()

        def speaker_of(report: Report) -> Speaker:
            return _SPEAKERS[program.language](program, str(folder), report)

        session = Session(message.session, speaker_of, self.changed.set)
        self._sessions[message.session] = session
        await session.start()

    def _folder(self, workspace: str | None) -> Path:
        if workspace is None:
            return self._workspaces[0]
        # A relative one is below the first that is allowed.
        folder = (self._workspaces[0] / workspace).resolve()
        if not any(folder.is_relative_to(allowed) for allowed in self._workspaces):
            raise SessionRefused(
                "workspace_not_allowed",
                "This computer does not allow this folder; allow it with "
                "`computers serve --workspace`.",
            )
        if not folder.is_dir():
            raise SessionRefused("no_workspace", "There is no such folder on this computer.")
        return folder

    def _make_room(self) -> None:
        ended = [one.id for one in self._sessions.values() if one.state == "ended"]
        if len(self._sessions) - len(ended) >= LIVING_MAX:
            raise SessionRefused(
                "too_many_sessions",
                f"This computer has {LIVING_MAX} sessions; stop one before another is started.",
            )
        for session in ended[: len(ended) - ENDED_MAX + 1]:
            del self._sessions[session]

    def _session(self, session: str) -> Session:
        one = self._sessions.get(session)
        if one is None:
            raise SessionRefused("session_lost", "The computer no longer has this session.")
        return one

    async def _follow(self, socket: ClientConnection, message: Follow) -> None:
        following = asyncio.create_task(self._send(socket, message))
        # Who watches may leave while nothing happens.
        leaving = asyncio.create_task(socket.wait_closed())
        try:
            await asyncio.wait({following, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if following.done():
                following.result()
        finally:
            following.cancel()
            leaving.cancel()

    async def _send(self, socket: ClientConnection, message: Follow) -> None:
        session = self._session(message.session)
        await socket.send(encoded(Done()))
        async for update in session.follow(message.after, stays=message.stays):
            await socket.send(encoded(update))
