"""WebSockets under uvicorn: at the relay's addresses alone, without compression, and informed of a
stop before they are closed."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from stationmaster.relay_messages import FRAME_BYTES_MAX

PATHS = b"/relay/v1/"
STOPPING = "stationmaster.stopping"
"""Where the scope of a socket keeps an event that is set once the server stops."""


class Socket(WebSocketsSansIOProtocol):
    """uvicorn's, which its application may finish in order when the server stops."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._stopping = asyncio.Event()
        self.close_timeout = 1.0

    async def run_asgi(self) -> None:
        """Run the application with the event STOPPING in its scope."""
        cast(dict[str, Any], self.scope)[STOPPING] = self._stopping
        await super().run_asgi()

    async def send(self, message: ASGISendEvent) -> None:
        """Send a message of the application."""
        await super().send(message)
        is_refusal = message["type"] == "websocket.http.response.body"
        if is_refusal and not message.get("more_body", False):
            # The library logs an error for every refusal otherwise.
            self.handshake_complete = True

    def shutdown(self) -> None:
        """Set the event at the first call, so that the application ends; at the next, close."""
        if self.handshake_complete and not self._stopping.is_set():
            self._stopping.set()
        else:
            super().shutdown()


OPTIONS: dict[str, Any] = {
    "ws": Socket,
    "ws_max_size": FRAME_BYTES_MAX,
    "ws_ping_interval": 15.0,
    "ws_ping_timeout": 10.0,
    # What passes is encrypted already: compressing it costs ten times the processor time.
    "ws_per_message_deflate": False,
}
"""The settings of uvicorn for WebSockets."""
