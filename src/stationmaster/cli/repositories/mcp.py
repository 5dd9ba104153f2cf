"""`mcp`: the tools of agents over standard streams."""

from __future__ import annotations

import asyncio

from stationmaster.cli.options import Connection


def mcp(connection: Connection) -> None:
    """Serve wikis, readiness, findings and your limits to an agent.

    An agent starts this command and speaks the Model Context Protocol with it.
    """
    from stationmaster.api.mcp import library

    serving = library.serving()
    api = connection.api()

    async def run() -> None:
        async with api.client() as client:
            await serving.over_streams(client)

    asyncio.run(run())
