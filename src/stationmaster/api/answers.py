"""JSON answers that skip the framework's second look at what they hold, and whether a request has
the answer already (RFC 9110 section 13)."""

from __future__ import annotations

import re
from asyncio import sleep
from collections.abc import AsyncIterator, Iterable
from typing import Any

import msgspec
from pydantic import BaseModel
from starlette.responses import Response


class JsonResponse(Response):
    """The framework's response class, encoded by msgspec."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The content as bytes of JSON."""
        return msgspec.json.encode(content)


def json_answer(body: bytes, response: Response, status: int = 200) -> Response:
    """Finished JSON with the header fields that are known of the answer already."""
    return Response(body, status, response.headers, "application/json")


async def in_turn(parts: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Parts that are made at once, each a fraction of a millisecond's work: handing one to a thread
    costs as much. Others have their turn between two of them."""
    for part in parts:
        yield part
        await sleep(0)


def body_answer(
    body: BaseModel, response: Response, *, exclude_unset: bool = False, exclude_none: bool = False
) -> Response:
    """A body as the answer; the operation's `response_model` describes its form."""
    encoded = body.model_dump_json(
        by_alias=True, exclude_unset=exclude_unset, exclude_none=exclude_none
    )
    return json_answer(encoded.encode(), response)


_TAG = re.compile(r'(?:W/)?("[^"]*")')


def matches(if_none_match: str | None, tag: str) -> bool:
    """Whether `If-None-Match` names the tag of what we would answer, by weak comparison, as the
    field asks for: `*`, or a list in which the tag stands."""
    if if_none_match is None:
        return False
    return if_none_match.strip() == "*" or tag in _TAG.findall(if_none_match)
