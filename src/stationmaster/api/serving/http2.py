"""A client that speaks HTTP/2 to the HTTP port: nearly always an exporter of OTLP/gRPC.

Its library shows a person nothing but the status of the refusal, so the log says what to set.
"""

from __future__ import annotations

import logging
import time

PREFACE = b"PRI * HTTP/2.0\r\n"
"""How every connection of HTTP/2 begins (RFC 9113, 3.4)."""
ADVICE = (
    "this is the port for HTTP/1.1; set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf in the client, "
    "or send to the port of OTLP/gRPC (STATIONMASTER_GRPC_PORT, usually 4317)"
)
LOGGED_EVERY_S = 60.0
"""One line for each peer in so long: a client tries again within a second."""
PEERS_MAX = 1000

_log = logging.getLogger(__name__)
_logged: dict[str, float] = {}
"""When a peer was last written about."""


def note(client: tuple[str, int] | None) -> None:
    """Write to the log that a client connected, and what it should do."""
    peer = client[0] if client is not None else "unknown"
    now = time.monotonic()
    if now - _logged.get(peer, -LOGGED_EVERY_S) < LOGGED_EVERY_S:
        return
    if len(_logged) >= PEERS_MAX:
        _logged.clear()
    _logged[peer] = now
    _log.warning("a gRPC client connected to the HTTP port from %s: %s", peer, ADVICE)
