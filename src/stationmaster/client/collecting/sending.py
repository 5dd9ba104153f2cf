"""Sending events to a server: `POST /api/platform/v1/events`, with patience and without loss."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import httpx
import msgspec

from stationmaster import __version__
from stationmaster.agents.interface import Intake
from stationmaster.client import machine, unreachable
from stationmaster.client.hooks.run import client_folder
from stationmaster.client.server import EVENTS_PATH
from stationmaster.errors import BadRequest, OperatorError, Unavailable

_ITEMS_PER_REQUEST = 5_000
_ATTEMPTS_MAX = 6
_WAIT_MAX_S = 30
_ENCODER = msgspec.json.Encoder()


class _Refused(msgspec.Struct):
    error: str


class _Outcome(msgspec.Struct):
    """What a server answers to events: see `POST /api/platform/v1/events`."""

    accepted: int
    rejected: int
    errors: list[_Refused]


class HttpSink:
    """A server reached by its base URL with an API key (scope `ingest` is enough).

    `attempts_max` is how often one request is tried while the server takes nothing.
    """

    def __init__(self, url: str, key: str, *, attempts_max: int = _ATTEMPTS_MAX) -> None:
        self._attempts_max = attempts_max
        if not url.startswith(("http://", "https://")):
            raise BadRequest(f"a server's address begins with http://: {url}", code="bad_url")
        if not (key.isascii() and key.isprintable()):
            raise BadRequest("this is no API key", code="bad_key")
        try:
            self._http = httpx.Client(
                base_url=url.rstrip("/"),
                headers={
                    "authorization": f"Bearer {key}",
                    "user-agent": f"stationmaster/{__version__}",
                    **_of_machine(),
                },
                timeout=60,
            )
        except httpx.InvalidURL as fault:
            raise BadRequest(f"{url}: {fault}", code="bad_url") from fault

    def deliver(self, product: str, intake: Intake) -> None:  # noqa: ARG002 - events name it
        """Send an intake's events, 5,000 in a request. Raises what `post` does."""
        events = intake.events
        for start in range(0, len(events), _ITEMS_PER_REQUEST):
            self.post_events(
                b"\n".join(map(_ENCODER.encode, events[start : start + _ITEMS_PER_REQUEST]))
            )

    def post_events(self, lines: bytes) -> None:
        """Send events, one JSON a line. Raises what `post` does."""
        self.post(EVENTS_PATH, lines, "application/x-ndjson")

    def post(self, path: str, body: bytes, content_type: str) -> None:
        """POST until it is acknowledged; waits as the server requires, gives up after some tries.

        Raises OperatorError for what no repetition heals, Unavailable when the tries are over.
        """
        answer = self._post(path, body, content_type)
        if path != EVENTS_PATH:
            return
        try:
            outcome = msgspec.json.decode(answer.content, type=_Outcome)
        except (msgspec.DecodeError, UnicodeDecodeError) as fault:
            raise OperatorError(
                f"{self._http.base_url} answers, but not as a Stationmaster server",
                code="not_a_server",
            ) from fault
        if outcome.rejected:
            why = outcome.errors[0].error if outcome.errors else "no reason was given"
            raise OperatorError(
                f"the server refused {outcome.rejected} events, the first one because: {why}",
                code="events_refused",
            )

    def _post(self, path: str, body: bytes, content_type: str) -> httpx.Response:
        headers = {"content-type": content_type, "content-encoding": "gzip"}
        content = gzip.compress(body, 1)
        why = ""
        for attempt in range(self._attempts_max):
            wait_s = float(min(2**attempt, _WAIT_MAX_S))
            try:
                answer = self._http.post(path, content=content, headers=headers)
            except httpx.TransportError as fault:
                why = unreachable.reason(fault)
            else:
                # The body of 422 lists events that were refused, as that of 207 does.
                if answer.status_code < 300 or (answer.status_code == 422 and path == EVENTS_PATH):
                    return answer
                why = unreachable.refusal(answer)
                if answer.status_code not in (429, 502, 503, 504):
                    raise OperatorError(why, code="server_refused")
                if answer.headers.get("retry-after", "").isdecimal():
                    wait_s = min(float(answer.headers["retry-after"]), _WAIT_MAX_S)
            if attempt + 1 < self._attempts_max:
                time.sleep(wait_s)
        raise Unavailable(
            f"{self._http.base_url} does not accept data now ({why}); "
            "nothing is lost, run it again later"
        )

    def close(self) -> None:
        """Close the connections to the server."""
        self._http.close()


def _of_machine() -> dict[str, str]:
    """The header that distinguishes this machine from the sender's others, and reveals nothing
    else."""
    named = machine.of(Path(client_folder()))
    return {} if named is None else {"x-stationmaster-machine": named}
