"""Speaking the Agent Client Protocol, version 1: JSON-RPC 2.0 in lines over standard input and
output; and with Claude Code and Codex over their streams of JSON lines (`--output-format
stream-json`, `codex exec --json`).

The agent reads and writes files and runs commands by itself; it requests only permission from us.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from stationmaster import __version__
from stationmaster.agents.cards.card import Program
from stationmaster.client.sessions.process import AgentFault, Process
from stationmaster.client.sessions.speaking import Report, Speaker, cut, member, parts
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

    def __init__(self, program: Program, folder: str, report: Report) -> None:
        super().__init__(program, folder, report)
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
                self._report(_CHUNKS[kind], text=part)
        elif kind in ("tool_call", "tool_call_update"):
            self._tool(update)
        elif kind == "plan":
            entries = member(update, "entries")
            lines = [
                f"[{cut(member(entry, 'status'), 20)}] {cut(member(entry, 'content'), 500)}"
                for entry in (entries if isinstance(entries, list) else [])[:50]
            ]
            self._report("plan", text=cut("\n".join(lines)))

    def _tool(self, update: Any) -> None:
        call = cut(member(update, "toolCallId"), NAME_MAX)
        title, status = member(update, "title"), cut(member(update, "status"), NAME_MAX)
        if title:
            if len(self._titles) >= _TOOLS_MAX:
                del self._titles[next(iter(self._titles))]
            self._titles[call] = cut(title, 500)
        elif not status:
            return
        self._report("tool", id=call, title=self._titles.get(call, ""), status=status)

    def _request(self, request: Any, params: Any) -> None:
        self._count += 1
        permission = f"p{self._count}"
        call = member(params, "toolCall")
        title = self._titles.get(cut(member(call, "toolCallId"), NAME_MAX), "")
        options = member(params, "options")
        self._permissions[permission] = request
        self._report(
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
                self._report("note", text=cut(message.get("result") or message.get("subtype")))
            self._turn.set_result(cut(message.get("subtype"), NAME_MAX))

    def _block(self, block: Any) -> None:
        kind = member(block, "type")
        if kind == "text":
            for part in parts(cut(member(block, "text"), 10**6)):
                self._report("message", text=part)
        elif kind == "thinking":
            for part in parts(cut(member(block, "thinking"), 10**6)):
                self._report("thought", text=part)
        elif kind == "tool_use":
            title = cut(member(block, "name"), NAME_MAX)
            call = cut(member(block, "id"), NAME_MAX)
            self._report("tool", id=call, title=title, status="in_progress")
        elif kind == "tool_result":
            status = "failed" if member(block, "is_error") else "completed"
            self._report("tool", id=cut(member(block, "tool_use_id"), NAME_MAX), status=status)

    def _request(self, message: dict[str, Any]) -> None:
        permission = cut(message.get("request_id"), NAME_MAX)
        self._permissions[permission] = message
        request = message["request"]
        self._report(
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
        """It requests none."""

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
                self._report(_TEXTS[kind], text=part)
            return
        title = next((cut(item[name], 500) for name in _TITLES if item.get(name)), "")
        status = cut(item.get("status"), NAME_MAX) or ("completed" if is_complete else "")
        self._report("tool", id=cut(item.get("id"), NAME_MAX), title=title, status=status)
