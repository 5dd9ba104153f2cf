"""Sending events to a server: `POST /api/platform/v1/events`, with patience and without loss."""

from __future__ import annotations

import gzip
import time

import httpx
import msgspec

from stationmaster import __version__
from stationmaster.agents.dialect import Intake
from stationmaster.errors import OperatorError, Unavailable

_ITEMS_PER_REQUEST = 5_000
_ATTEMPTS_MAX = 6
_WAIT_MAX_S = 30
_ENCODER = msgspec.json.Encoder()


class HttpSink:
    """A server reached by its base URL with an API key (scope `ingest` is enough)."""

    def __init__(self, url: str, key: str) -> None:
        self._http = httpx.Client(
            base_url=url.rstrip("/"),
            headers={
                "authorization": f"Bearer {key}",
                "user-agent": f"stationmaster/{__version__}",
            },
            timeout=60,
        )

    def deliver(self, product: str, intake: Intake) -> None:  # noqa: ARG002 - events name it
        events = intake.events
        for start in range(0, len(events), _ITEMS_PER_REQUEST):
            body = b"\n".join(map(_ENCODER.encode, events[start : start + _ITEMS_PER_REQUEST]))
            answer = self.post("/api/platform/v1/events", body, "application/x-ndjson")
            rejected = answer.json().get("rejected", 0)
            if rejected:
                first = answer.json()["errors"][0]
                raise OperatorError(
                    f"the server refused {rejected} events, the first one because: "
                    f"{first['error']}; is it older than this client?",
                    code="events_refused",
                )

    def post(self, path: str, body: bytes, content_type: str) -> httpx.Response:
        """POST until it is acknowledged; waits as the server asks, gives up after some tries."""
        headers = {"content-type": content_type, "content-encoding": "gzip"}
        content = gzip.compress(body, 1)
        reason = ""
        for attempt in range(_ATTEMPTS_MAX):
            wait_s = float(min(2**attempt, _WAIT_MAX_S))
            try:
                answer = self._http.post(path, content=content, headers=headers)
            except httpx.TransportError as fault:
                reason = str(fault) or type(fault).__name__
            else:
                if answer.status_code < 300:
                    return answer
                reason = _reason(answer)
                if answer.status_code not in (429, 502, 503, 504):
                    raise OperatorError(reason, code="server_refused")
                if answer.headers.get("retry-after", "").isdecimal():
                    wait_s = min(float(answer.headers["retry-after"]), _WAIT_MAX_S)
            if attempt + 1 < _ATTEMPTS_MAX:
                time.sleep(wait_s)
        raise Unavailable(
            f"{self._http.base_url} does not take data now ({reason}); "
            "nothing is lost, run it again later"
        )

    def close(self) -> None:
        self._http.close()


def _reason(answer: httpx.Response) -> str:
    try:
        detail = answer.json().get("detail")
    except ValueError:
        detail = None
    return f"{answer.status_code} {detail or answer.reason_phrase}"
