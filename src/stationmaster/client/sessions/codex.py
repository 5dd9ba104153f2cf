"""Speaking with Codex over `codex exec --json`: one process a prompt, each resuming the last one's
thread. It asks for no permission; its own sandbox holds."""

from __future__ import annotations

import asyncio
from typing import Any

from stationmaster.client.sessions.process import AgentFault, Process
from stationmaster.client.sessions.speaking import Speaker, cut, member, parts
from stationmaster.session_messages import NAME_MAX

_TEXTS = {"agent_message": "message", "reasoning": "thought"}
_TITLES = ("command", "query", "tool", "type")


class Codex(Speaker):
    """Speaks with Codex."""

    _thread: str | None = None
    _failure = ""

    async def begin(self) -> None:
        """Nothing runs before the first prompt."""

    async def prompt(self, text: str) -> str:
        """`end_turn` once a process has worked on the text. Raises AgentFault."""
        resumed = [] if self._thread is None else ["resume", self._thread]
        command = [*self._program.command, *resumed, "--json", "--skip-git-repo-check", "-"]
        self._failure = ""
        self._process = process = await Process.start(
            command, self._folder, self._program.variables
        )
        # As an argument, other users of the machine could read it.
        await process.give(text)
        is_done = False
        async for message in process.messages():
            is_done = is_done or message.get("type") == "turn.completed"
            await self._hear(message)
        await process.end()
        if not is_done:
            raise AgentFault(self._failure or await process.last_words())
        return "end_turn"

    async def decide(self, permission: str, option: str | None) -> None:
        """It asks for none."""

    async def cancel(self) -> None:
        """End the process of the prompt; the thread can be resumed."""
        await self.end()

    async def ended(self) -> str:
        """Between prompts nothing runs that could end."""
        never: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        return await never

    async def _hear(self, message: dict[str, Any]) -> None:
        kind, item = message.get("type"), message.get("item")
        if kind == "thread.started":
            self._thread = cut(message.get("thread_id"), NAME_MAX)
        elif kind == "turn.failed":
            self._failure = cut(member(message, "error", "message"), 1000)
        elif kind in ("item.started", "item.completed") and isinstance(item, dict):
            self._item(item, is_complete=kind == "item.completed")

    def _item(self, item: dict[str, Any], *, is_complete: bool) -> None:
        kind = cut(item.get("type"), NAME_MAX)
        if kind in _TEXTS:
            for part in parts(cut(item.get("text"), 10**6)) if is_complete else ():
                self._tell(_TEXTS[kind], text=part)
            return
        title = next((cut(item[name], 500) for name in _TITLES if item.get(name)), "")
        status = cut(item.get("status"), NAME_MAX) or ("completed" if is_complete else "")
        self._tell("tool", id=cut(item.get("id"), NAME_MAX), title=title, status=status)
