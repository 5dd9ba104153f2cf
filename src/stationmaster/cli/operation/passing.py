"""The gateway's process: in this one, or next to the server of one machine."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager

from stationmaster import clock, logs, settings as settings_room
from stationmaster.cli.printing import output
from stationmaster.settings import Settings

_END_S = 5.0


def serve(settings: Settings) -> None:
    """Serve until it is stopped."""
    from stationmaster.api.serving import server
    from stationmaster.gateway.app import Gateway

    server.run(
        Gateway(settings),
        settings,
        settings.gateway_port,
        lambda: output.remark(f"The gateway listens on {settings.gateway_address}"),
        drain_s=settings.gateway_drain_seconds,
    )


@contextmanager
def gateway_process(settings: Settings) -> Iterator[None]:
    """A gateway process that ends with the block, or with this process however that ends."""
    settings_room.export(settings)
    process = multiprocessing.get_context("spawn").Process(target=_child, name="gateway")
    process.start()
    try:
        yield
    finally:
        process.terminate()
        process.join(settings.gateway_drain_seconds + _END_S)
        if process.is_alive():
            process.kill()


def _child() -> None:
    settings = settings_room.load()
    clock.freeze(settings.now)
    logs.configure(settings.log_format, settings.log_level)
    serve(settings)
