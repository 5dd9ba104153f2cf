"""An agent's process: JSON lines in, JSON lines out, ended with all that it started.

On Linux it ends so also where this process is killed. Both share a pipe of which this one alone has
the end that is written to. When that closes, the kernel kills the agent's whole process group,
whatever the agent reads.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from stationmaster.children import process as children

LINE_MAX = 16 * 1024 * 1024
"""Bytes of one line of an agent."""
END_S = 5.0
"""How long an agent may take to end before it is killed."""
_STDERR_MAX = 2_000


class AgentFault(Exception):
    """An agent does not do what it should; the text is a sentence for a person."""


class Process:
    """One process in a group of its own. Raises AgentFault where it cannot be started."""

    def __init__(self, process: asyncio.subprocess.Process, lifeline: int) -> None:
        self._process = process
        self._lifeline = lifeline
        self._stderr: deque[bytes] = deque(maxlen=20)
        self._reading = asyncio.create_task(self._read_stderr())

    @classmethod
    async def start(
        cls, command: Sequence[str], folder: str, variables: Mapping[str, str]
    ) -> Process:
        """A command's process, with these variables in addition to this one's. Raises
        AgentFault."""
        try:
            watched, lifeline = os.pipe()
        except OSError as fault:
            raise _not_started(command[0], fault) from None
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=folder,
                env={**os.environ, **variables},  # noqa: TID251 - an agent has that of this machine
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=LINE_MAX,
                start_new_session=True,
                pass_fds=(watched,),
            )
            children.kill_at_close(watched, process.pid)
        except OSError as fault:
            os.close(lifeline)
            raise _not_started(command[0], fault) from None
        except asyncio.CancelledError:
            os.close(lifeline)
            raise
        finally:
            os.close(watched)
        return cls(process, lifeline)

    async def send(self, message: Any) -> None:
        """One line of JSON. Raises AgentFault where the process has ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(msgspec.json.encode(message) + b"\n")
            await self._process.stdin.drain()
        except (OSError, RuntimeError):
            raise AgentFault(await self.last_words()) from None

    async def give(self, text: str) -> None:
        """All that the process is given: a text. Raises AgentFault where it has ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text.encode())
            await self._process.stdin.drain()
        except (OSError, RuntimeError):
            raise AgentFault(await self.last_words()) from None
        self._close_input()

    def _close_input(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        """The JSON objects of the output until it ends; other lines are left out. Raises
        AgentFault for a line that is too long."""
        assert self._process.stdout is not None
        while True:
            try:
                line = await self._process.stdout.readline()
            except ValueError:
                raise AgentFault(f"the agent wrote a line of over {LINE_MAX} bytes") from None
            if not line:
                return
            with suppress(msgspec.DecodeError, UnicodeDecodeError):
                message = msgspec.json.decode(line)
                if isinstance(message, dict):
                    yield message

    async def last_words(self) -> str:
        """How the process ended, once it has: its status and the end of what it wrote as errors."""
        with suppress(TimeoutError):
            async with asyncio.timeout(END_S):
                await self._process.wait()
                await self._reading
        words = b"".join(self._stderr).decode(errors="replace").strip()[-_STDERR_MAX:]
        status = f"the agent ended with status {self._process.returncode}"
        return f"{status}: {words}" if words else status

    async def end(self) -> None:
        """End the process and all that it started: politely, then by force."""
        self._close_input()
        self._signal(signal.SIGTERM)
        with suppress(TimeoutError):
            async with asyncio.timeout(END_S):
                await self._process.wait()
        # What it started may still run, whether it ended politely or not.
        self._signal(signal.SIGKILL)
        await self._process.wait()
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1
        self._reading.cancel()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    async def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        while data := await self._process.stderr.read(4096):
            self._stderr.append(data)


def _not_started(program: str, fault: OSError) -> AgentFault:
    return AgentFault(f"{program} cannot be started on the computer: {fault.strerror}")
