"""A socket of the relay on standard input and output, as `ssh` wants of its ProxyCommand."""

from __future__ import annotations

import asyncio
import sys

from stationmaster.client.relay import sockets


async def connect(url: str, path: str, key: str) -> int:
    """Copy until both sides have ended; the code with which the socket ended.

    Raises Refused, and OperatorError (`unreachable`).
    """
    async with sockets.dialled(url, path, key) as socket:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        transport, protocol = await loop.connect_write_pipe(
            asyncio.streams.FlowControlMixin, sys.stdout
        )
        writer = asyncio.StreamWriter(transport, protocol, None, loop)
        return await sockets.copy(socket, reader, writer)
