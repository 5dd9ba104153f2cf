"""Speaking with Claude Code over its stream of JSON lines (`--output-format stream-json`)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from stationmaster.client.sessions.process import AgentFault
from stationmaster.client.sessions.speaking import Speaker, cut, member, parts
from stationmaster.session_messages import NAME_MAX, Option

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
