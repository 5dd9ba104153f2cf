"""`mcp`: the tools of agents over standard streams."""

from __future__ import annotations

import asyncio

import typer

from stationmaster.cli.api import Api
from stationmaster.cli.configure import configure
from stationmaster.cli.options import DataDir, Key, Org, Url


def register(app: typer.Typer) -> None:
    app.command("mcp")(serve)


def serve(
    data_dir: DataDir = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
) -> None:
    """Serve wikis, readiness, findings and your limits to an agent.

    An agent starts this command and speaks the Model Context Protocol with it.
    """
    from stationmaster.mcp import library

    serving = library.serving()
    api = Api(configure(data_dir, url=url, key=key), org)

    async def run() -> None:
        async with api.client() as client:
            await serving.over_streams(client)

    asyncio.run(run())
