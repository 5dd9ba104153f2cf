"""Speaking with Claude Code over its stream of JSON lines (`--output-format stream-json`), and
with Codex over `codex exec --json`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from stationmaster.client.sessions.process import AgentFault, Process
from stationmaster.client.sessions.speaking import Speaker, cut, member, parts
from stationmaster.session_messages import NAME_MAX, Option

_TEXTS = {"agent_message": "message", "reasoning": "thought"}
_TITLES = ("command", "query", "tool", "type")

ALLOW, DENY = "allow", "deny"
_OPTIONS = (Option(ALLOW, "Allow once", "allow_once"), Option(DENY, "Deny", "reject_once"))


class Claude(Speaker):
    """Speaks with Claude Code."""

    _turn: asyncio.Future[str] | None = None

    async def prompt(self, text: str) -> str:
        """How the turn ended (such as `success`), once it has. Raises AgentFault."""
        assert self._process is not None
        self._turn = asyncio.get_running_loop().create_future()
        if self._reading is None or self._reading.done():
            raise AgentFault("the agent has ended")
        content = [{"type": "text", "text": text}]
        await self._process.send(
            {"type": "user", "message": {"role": "user", "content": content}, "session_id": ""}
        )
        return await self._turn

    async def decide(self, permission: str, option: str | None) -> None:
        """Answer a permission request: the option `allow` allows it, all else denies."""
        request = self._permissions.pop(permission)
        answer = (
            {"behavior": "allow", "updatedInput": member(request, "request", "input") or {}}
            if option == ALLOW
            else {"behavior": "deny", "message": "The person who watches refused this."}
        )
        response = {
            "subtype": "success",
            "request_id": request.get("request_id"),
            "response": answer,
        }
        assert self._process is not None
        await self._process.send({"type": "control_response", "response": response})

    async def cancel(self) -> None:
        """Deny every permission request that waits, and interrupt the turn."""
        assert self._process is not None
        for permission in [*self._permissions]:
            await self.decide(permission, None)
        self._count += 1
        request = {"subtype": "interrupt"}
        await self._process.send(
            {"type": "control_request", "request_id": f"c{self._count}", "request": request}
        )

    def _waiting(self) -> Iterable[asyncio.Future[Any]]:
        return () if self._turn is None else (self._turn,)

    async def _hear(self, message: dict[str, Any]) -> None:
        kind = message.get("type")
        content = member(message, "message", "content")
        if kind in ("assistant", "user") and isinstance(content, list):
            for block in content:
                self._block(block)
        elif kind == "control_request" and member(message, "request", "subtype") == "can_use_tool":
            self._request(message)
        elif kind == "result" and self._turn is not None and not self._turn.done():
            if message.get("is_error"):
                self._tell("note", text=cut(message.get("result") or message.get("subtype")))
            self._turn.set_result(cut(message.get("subtype"), NAME_MAX))

    def _block(self, block: Any) -> None:
        kind = member(block, "type")
        if kind == "text":
            for part in parts(cut(member(block, "text"), 10**6)):
                self._tell("message", text=part)
        elif kind == "thinking":
            for part in parts(cut(member(block, "thinking"), 10**6)):
                self._tell("thought", text=part)
        elif kind == "tool_use":
            title = cut(member(block, "name"), NAME_MAX)
            call = cut(member(block, "id"), NAME_MAX)
            self._tell("tool", id=call, title=title, status="in_progress")
        elif kind == "tool_result":
            status = "failed" if member(block, "is_error") else "completed"
            self._tell("tool", id=cut(member(block, "tool_use_id"), NAME_MAX), status=status)

    def _request(self, message: dict[str, Any]) -> None:
        permission = cut(message.get("request_id"), NAME_MAX)
        self._permissions[permission] = message
        request = message["request"]
        self._tell(
            "permission",
            id=permission,
            title=cut(request.get("tool_name"), NAME_MAX),
            text=cut(request.get("input")),
            options=_OPTIONS,
        )


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
