"""Speaking the Agent Client Protocol, version 1: JSON-RPC 2.0 in lines over standard input and
output.

The agent reads and writes files and runs commands by itself; what it asks of us is permission.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from stationmaster import __version__
from stationmaster.agents.cards.card import Program
from stationmaster.client.sessions.process import AgentFault
from stationmaster.client.sessions.speaking import Speaker, Tell, cut, member, parts
from stationmaster.session_messages import NAME_MAX, Option

VERSION = 1
BEGIN_S = 90.0
"""How long an agent may take until it takes prompts."""
OPTIONS_MAX = 10
_TOOLS_MAX = 500
_AUTH_REQUIRED = -32000
_UNKNOWN_METHOD = -32601
_CANCELLED = {"outcome": {"outcome": "cancelled"}}
_CHUNKS = {"agent_message_chunk": "message", "agent_thought_chunk": "thought"}


class Acp(Speaker):
    """Speaks with an agent that knows the protocol."""

    def __init__(self, program: Program, folder: str, tell: Tell) -> None:
        super().__init__(program, folder, tell)
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._titles: dict[str, str] = {}
        self._session = ""

    async def begin(self) -> None:
        """Start the agent and its session. Raises AgentFault, also when BEGIN_S are over."""
        await super().begin()
        try:
            async with asyncio.timeout(BEGIN_S):
                about = await self._ask(
                    "initialize",
                    protocolVersion=VERSION,
                    clientCapabilities={
                        "fs": {"readTextFile": False, "writeTextFile": False},
                        "terminal": False,
                    },
                    clientInfo={"name": "stationmaster", "version": __version__},
                )
                if member(about, "protocolVersion") != VERSION:
                    raise AgentFault(
                        f"the agent speaks version {member(about, 'protocolVersion')} of the Agent "
                        f"Client Protocol, not {VERSION}"
                    )
                made = await self._ask("session/new", cwd=self._folder, mcpServers=[])
        except TimeoutError:
            raise AgentFault(f"the agent was not ready within {BEGIN_S:.0f} seconds") from None
        self._session = str(member(made, "sessionId") or "")

    async def prompt(self, text: str) -> str:
        """The reason why the agent stopped (such as `end_turn`), once it has. Raises AgentFault."""
        content = [{"type": "text", "text": text}]
        done = await self._ask("session/prompt", sessionId=self._session, prompt=content)
        return cut(member(done, "stopReason"), NAME_MAX)

    async def decide(self, permission: str, option: str | None) -> None:
        """Answer a permission request with the id of an option; None cancels it."""
        request = self._permissions.pop(permission)
        outcome = {"outcome": "selected", "optionId": option}
        await self._answer(request, result={"outcome": outcome} if option else _CANCELLED)

    async def cancel(self) -> None:
        """Cancel the prompt, and every permission request that waits."""
        await self._send(method="session/cancel", params={"sessionId": self._session})
        for permission in [*self._permissions]:
            await self.decide(permission, None)

    async def end(self) -> None:
        """Cancel what runs, then end the process and all that it started; again is fine."""
        if self._process is not None and self._session:
            with suppress(AgentFault):
                await self.cancel()
        await super().end()

    def _waiting(self) -> Iterable[asyncio.Future[Any]]:
        return self._asked.values()

    def _take(self, answer: dict[str, Any]) -> None:
        number = answer.get("id")
        future = self._asked.get(number) if isinstance(number, int) else None
        if future is not None and not future.done():
            future.set_result(answer)

    async def _hear(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            self._take(message)
            return
        method, params = message["method"], message.get("params")
        if method == "session/update":
            self._update(member(params, "update"))
        elif method == "session/request_permission" and "id" in message:
            self._request(message["id"], params)
        elif "id" in message:
            error = {"code": _UNKNOWN_METHOD, "message": "this client has no such method"}
            await self._answer(message["id"], error=error)

    def _update(self, update: Any) -> None:
        kind = cut(member(update, "sessionUpdate"), NAME_MAX)
        if kind in _CHUNKS:
            for part in parts(cut(member(update, "content", "text"), 10**6)):
                self._tell(_CHUNKS[kind], text=part)
        elif kind in ("tool_call", "tool_call_update"):
            self._tool(update)
        elif kind == "plan":
            entries = member(update, "entries")
            lines = [
                f"[{cut(member(entry, 'status'), 20)}] {cut(member(entry, 'content'), 500)}"
                for entry in (entries if isinstance(entries, list) else [])[:50]
            ]
            self._tell("plan", text=cut("\n".join(lines)))

    def _tool(self, update: Any) -> None:
        call = cut(member(update, "toolCallId"), NAME_MAX)
        title, status = member(update, "title"), cut(member(update, "status"), NAME_MAX)
        if title:
            if len(self._titles) >= _TOOLS_MAX:
                del self._titles[next(iter(self._titles))]
            self._titles[call] = cut(title, 500)
        elif not status:
            return
        self._tell("tool", id=call, title=self._titles.get(call, ""), status=status)

    def _request(self, request: Any, params: Any) -> None:
        self._count += 1
        permission = f"p{self._count}"
        call = member(params, "toolCall")
        title = self._titles.get(cut(member(call, "toolCallId"), NAME_MAX), "")
        options = member(params, "options")
        self._permissions[permission] = request
        self._tell(
            "permission",
            id=permission,
            title=cut(member(call, "title"), 500) or title,
            text=cut(member(call, "rawInput") or member(call, "content")),
            options=tuple(
                Option(
                    cut(member(option, "optionId"), NAME_MAX),
                    cut(member(option, "name"), NAME_MAX),
                    cut(member(option, "kind"), NAME_MAX),
                )
                for option in (options if isinstance(options, list) else [])[:OPTIONS_MAX]
            ),
        )

    async def _ask(self, method: str, **params: Any) -> Any:
        self._count += 1
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        number = self._count
        self._asked[number] = future
        try:
            if self._reading is None or self._reading.done():
                raise AgentFault("the agent has ended")
            await self._send(id=number, method=method, params=params)
            answer = await future
        finally:
            self._asked.pop(number, None)
        if error := member(answer, "error"):
            if member(error, "code") == _AUTH_REQUIRED:
                raise AgentFault("the agent is not signed in: run it once on the computer itself")
            raise AgentFault(f"the agent refused {method}: {cut(member(error, 'message'), 500)}")
        return member(answer, "result")

    async def _answer(self, request: Any, **outcome: Any) -> None:
        await self._send(id=request, **outcome)

    async def _send(self, **members: Any) -> None:
        assert self._process is not None
        await self._process.send({"jsonrpc": "2.0", **members})
