"""`computers sessions attach`: what happens in a session on the terminal, and lines typed to it."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import deque
from contextlib import suppress
from typing import Any

import httpx
import msgspec

from stationmaster.cli.api import Api, refusal
from stationmaster.cli.printing import output
from stationmaster.errors import OperatorError, StationmasterError

AGAIN_S = 2.0
"""Between two tries to reach the session."""
_SILENCE_S = 45.0
"""An empty line is sent every 15 seconds; without one for so long the connection is lost."""
_PARTS_OF_TEXT = ("message", "thought")
_CANCEL, _STOP = "/cancel", "/stop"


class Attached:
    """One terminal at one session: `path` is the session's, below the API, and `known` the number
    of its updates so far, which are printed before anything is sent."""

    def __init__(self, api: Api, path: str, updates: int, *, as_json: bool) -> None:
        self._api = api
        self._path = path
        self._newest = updates
        self._as_json = as_json
        self._last = 0
        self._state = ""
        self._permission: dict[str, Any] | None = None
        self._lines: deque[str] = deque()
        self._is_open = True
        """More lines may be typed."""
        self._changed = asyncio.Event()
        self._speaks = ""

    async def run(self) -> None:
        """Until the session ends, or its input does and the agent waits for more. Raises what
        the API refuses."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop,), daemon=True).start()
        async with self._api.client() as client:
            tasks = [
                asyncio.create_task(self._follow(client)),
                asyncio.create_task(self._type(client)),
            ]
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                self._end_speech()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(RuntimeError):  # The loop may have ended by the time that a line arrives.
            for line in sys.stdin:
                loop.call_soon_threadsafe(self._typed, line.strip())
            loop.call_soon_threadsafe(self._typed, None)

    def _typed(self, line: str | None) -> None:
        if line is None:
            self._is_open = False
        elif line:
            self._lines.append(line)
        self._changed.set()

    async def _follow(self, client: httpx.AsyncClient) -> None:
        """Show updates, coming back after a lost connection, until the session has ended."""
        is_lost = False
        while self._state != "ended":
            try:
                await self._stream(client)
                is_lost = False
            except httpx.HTTPError:
                if not is_lost:
                    output.remark("The connection was lost; trying again.")
                is_lost = True
            except StationmasterError as refused:
                if refused.code not in ("offline", "no_answer", "unavailable"):
                    raise
                if not is_lost:
                    output.remark(f"{refused.detail} Trying again.")
                is_lost = True
            if self._state != "ended":
                await asyncio.sleep(AGAIN_S)

    async def _stream(self, client: httpx.AsyncClient) -> None:

        parameters = {"after": self._last, "follow": True}
        timeout = httpx.Timeout(10, read=_SILENCE_S)
        path = f"{self._path}/updates"
        async with client.stream("GET", path, params=parameters, timeout=timeout) as answer:
            if answer.is_error:
                await answer.aread()
                raise refusal(answer)
            async for line in answer.aiter_lines():
                if line:
                    self._show(line)

    async def _type(self, client: httpx.AsyncClient) -> None:
        """Send typed lines as they can be taken, until there are no more."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            if self._last < self._newest:
                continue
            while self._lines and self._takes(self._lines[0]):
                await self._send(client, self._lines.popleft())
            is_idle = self._state == "idle" and not self._lines
            if not self._is_open and is_idle:
                return

    def _takes(self, line: str) -> bool:
        return line in (_CANCEL, _STOP) or self._permission is not None or self._state == "idle"

    async def _send(self, client: httpx.AsyncClient, line: str) -> None:
        if line in (_CANCEL, _STOP):
            answer = await client.post(f"{self._path}{line}")
        elif self._permission is not None:
            option = _chosen(self._permission, line)
            if option is None:
                output.remark(f"Answer with one of: {_choices(self._permission)}")
                return
            path = f"{self._path}/permissions/{self._permission['id']}"
            self._permission = None
            answer = await client.post(path, json={"option": option})
        else:
            # Until its updates report it.
            self._state = "working"
            answer = await client.post(f"{self._path}/prompts", json={"text": line})
        if not answer.is_error:
            return
        refused = refusal(answer)
        if refused.code == "agent_busy":
            # Another one has prompted it meanwhile.
            self._lines.appendleft(line)
            return
        if not self._is_open:
            raise OperatorError(refused.detail, code=refused.code)
        output.remark(refused.detail)
        if self._state == "working":
            self._state = "idle"

    def _show(self, line: str) -> None:
        update: dict[str, Any] = msgspec.json.decode(line)
        self._last = max(self._last, update["seq"])
        kind = update["kind"]
        if kind == "permission":
            self._permission = update
        elif kind in ("decision", "turn"):
            self._permission = None
        elif kind == "state":
            self._state = update["status"]
        self._changed.set()
        if self._as_json:
            sys.stdout.write(line + "\n")
        elif kind in _PARTS_OF_TEXT:
            self._speak(kind, update.get("text", ""))
        elif text := _described(update):
            self._end_speech()
            sys.stdout.write(_safe(text) + "\n")
        sys.stdout.flush()

    def _speak(self, kind: str, text: str) -> None:
        if self._speaks != kind:
            self._end_speech()
            if kind == "thought":
                sys.stdout.write("(thinks) ")
        self._speaks = kind
        sys.stdout.write(_safe(text))

    def _end_speech(self) -> None:
        if self._speaks:
            sys.stdout.write("\n")
        self._speaks = ""


def _described(update: dict[str, str]) -> str:
    """A line for a person; empty where there is nothing to show."""
    kind, text = update["kind"], update.get("text", "")
    title, status = update.get("title", ""), update.get("status", "")
    if kind == "prompt":
        return f"> {text}"
    if kind == "tool":
        return f"[{status or 'tool'}] {title or update.get('id', '')}"
    if kind == "permission":
        return f"? {title}\n{text}\n? {_choices(update)}"
    if kind == "decision":
        return f"= {text}"
    if kind == "plan":
        return text
    if kind == "state":
        return "The session has ended." if status == "ended" else ""
    return f"! {text}" if kind == "note" else ""


def _choices(permission: Any) -> str:
    options = permission.get("options", [])
    return ", ".join(f"{n} {option['name']}" for n, option in enumerate(options, 1))


def _chosen(permission: dict[str, Any], line: str) -> str | None:
    """The id of the option that a line means: by its number, id or name."""
    for n, option in enumerate(permission.get("options", []), 1):
        if line.lower() in (str(n), option["id"].lower(), option["name"].lower()):
            return str(option["id"])
    return None


def _safe(text: str) -> str:
    """An agent's text, without what would control the terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
