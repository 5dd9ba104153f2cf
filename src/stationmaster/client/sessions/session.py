"""One session: its agent, its state, and the updates that are kept for who watches."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any

from stationmaster import clock
from stationmaster.client.sessions.process import AgentFault
from stationmaster.client.sessions.speaking import Report, Speaker
from stationmaster.session_messages import Kind, Option, Reason, SessionState, State, Update

UPDATES_MAX = 5_000
CHARACTERS_MAX = 4_000_000
"""Of the updates that are kept; the oldest go first."""


class SessionRefused(Exception):
    """A session does not do what it is asked: a stable word and a sentence for a person."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class Session:
    """`speaker_of` makes its agent, `changed` is called at every change of state."""

    def __init__(
        self, session: str, speaker_of: Callable[[Report], Speaker], changed: Callable[[], None]
    ) -> None:
        self.id = session
        self.state: State = "starting"
        self._reason: Reason | None = None
        self._prompts = self._permissions = self._seq = self._characters = 0
        self._updates: deque[Update] = deque()
        self._waiting: dict[str, tuple[Option, ...]] = {}
        self._news = asyncio.Event()
        self._changed = changed
        self._fault = ""
        self._speaker = speaker_of(self._report)
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def standing(self) -> SessionState:
        """The session's state and counts, as the relay is sent them."""
        return SessionState(
            session=self.id,
            state=self.state,
            reason=self._reason,
            prompts=self._prompts,
            permissions=self._permissions,
            updates=self._seq,
        )

    async def start(self) -> None:
        """Start the agent. Raises SessionRefused where that fails; the session has ended then."""
        try:
            await self._speaker.begin()
        except AgentFault as fault:
            self._report("note", text=str(fault))
            self.finish("failed")
            await self._speaker.end()
            raise SessionRefused("agent_failed", str(fault)) from None
        if self.state == "ended":  # Stopped meanwhile.
            await self._speaker.end()
            raise SessionRefused(
                "session_ended", "This session was stopped before its agent was ready."
            )
        self._become("idle")
        self._run(self._watch())

    def prompt(self, text: str, by: str) -> None:
        """Give the agent a prompt. Raises SessionRefused while it works."""
        self._check_lives()
        if self.state != "idle":
            raise SessionRefused(
                "agent_busy", "The agent works on a prompt; wait for it, or cancel that first."
            )
        self._prompts += 1
        self._report("prompt", text=text, by=by)
        self._become("working")
        self._run(self._turn(text))

    async def decide(self, permission: str, option: str | None, by: str) -> None:
        """Answer a permission request. Raises SessionRefused for one that does not wait."""
        options = self._waiting.get(permission)
        if options is None:
            raise SessionRefused(
                "not_waiting", "This permission request does not wait for an answer."
            )
        name = next((choice.name for choice in options if choice.id == option), None)
        if option is not None and name is None:
            ids = ", ".join(choice.id for choice in options)
            raise SessionRefused(
                "unknown_option", f"This option does not exist; the options are: {ids}."
            )
        del self._waiting[permission]
        self._report("decision", id=permission, status=option or "", text=name or "Refused", by=by)
        if not self._waiting:
            self._become("working")
        await self._speak(self._speaker.decide(permission, option))

    async def cancel(self, by: str, why: str = "") -> None:
        """Have the agent stop what it works on. `why` is a sentence."""
        self._check_lives()
        self._waiting.clear()
        self._report("note", text=f"Cancelled. {why}".strip(), by=by)
        await self._speak(self._speaker.cancel())

    async def stop(self, by: str, why: str = "") -> None:
        """End the session and its agent; again is fine."""
        if self.state != "ended":
            self._report("note", text=f"Stopped. {why}".strip(), by=by)
        self.finish("stopped")
        await self.close()

    def finish(self, reason: Reason) -> None:
        """The session has ended, if it had not."""
        if self.state != "ended":
            self._reason = reason
            self._waiting.clear()
            self._become("ended")

    async def close(self) -> None:
        """End the agent's process, whatever the session's state."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._speaker.end()

    async def follow(self, after: int, *, stays: bool) -> AsyncIterator[Update]:
        """The updates after a number that are kept; with `stays` later ones, too, until the
        session has ended."""
        first = self._updates[0].seq if self._updates else 1
        if after < first - 1:
            text = "Earlier updates are not kept any more."
            yield Update(seq=first - 1, at=clock.now_ms(), kind="note", text=text)
        while True:
            news = self._news
            for update in [later for later in self._updates if later.seq > after]:
                after = update.seq
                yield update
            if self._seq > after:
                continue
            if not stays or self.state == "ended":
                return
            await news.wait()

    async def _turn(self, text: str) -> None:
        try:
            stopped = await self._speaker.prompt(text)
        except AgentFault as fault:
            self._explain(str(fault))
            stopped = "failed"
        if self.state != "ended":
            self._waiting.clear()
            self._report("turn", status=stopped)
            self._become("idle")

    async def _watch(self) -> None:
        end = await self._speaker.ended()
        if self.state != "ended":
            self._explain(end)
            self.finish("exited")
        await self._speaker.end()

    def _explain(self, fault: str) -> None:
        """Report what went wrong, once: a prompt fails as its agent ends."""
        if fault != self._fault:
            self._report("note", text=fault)
        self._fault = fault

    def _report(self, kind: Kind, **members: Any) -> None:
        self._seq += 1
        update = Update(seq=self._seq, at=clock.now_ms(), kind=kind, **members)
        if kind == "permission":
            self._permissions += 1
            self._waiting[update.id] = update.options
        self._updates.append(update)
        self._characters += len(update.text) + len(update.title)
        while len(self._updates) > UPDATES_MAX or self._characters > CHARACTERS_MAX:
            oldest = self._updates.popleft()
            self._characters -= len(oldest.text) + len(oldest.title)
        self._news.set()
        self._news = asyncio.Event()
        if kind == "permission":
            self._become("waiting")

    def _become(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self._report("state", status=state)
        self._changed()

    def _check_lives(self) -> None:
        if self.state == "ended":
            raise SessionRefused("session_ended", "This session has ended.")

    async def _speak(self, speaking: Any) -> None:
        try:
            await speaking
        except AgentFault as fault:
            raise SessionRefused("agent_failed", str(fault)) from None

    def _run(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
