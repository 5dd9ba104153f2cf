"""What bodies and parameters of routers share: camelCase members on the wire, closed questions,
pages of a list; header fields and quick query parameters; answers that skip the framework's second
read what they hold, and whether a request has the answer already (RFC 9110 section 13).
"""

from __future__ import annotations

import re
from asyncio import sleep
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from datetime import date
from inspect import get_annotations
from typing import Annotated, Any, Self, TypeVar, get_type_hints
from urllib.parse import parse_qsl

import msgspec
from fastapi import Path, Query
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from stationmaster import days
from stationmaster.access.model import EMAIL_LENGTH_MAX

_MACHINE_MAX = 200


def header(request: HTTPConnection, name: bytes) -> str | None:
    """A header field by its name in lower case; repeated ones joined with commas as HTTP
    defines."""
    values = [value for key, value in request.scope["headers"] if key == name]
    return b", ".join(values).decode("latin-1") if values else None


def media_type(request: Request) -> str:
    """The media type of the body in lower case, without parameters; "" where none is given."""
    return (header(request, b"content-type") or "").partition(";")[0].strip().lower()


def machine(request: Request) -> str | None:
    """What a sender's client calls the machine that it runs on: `X-Stationmaster-Machine`."""
    name = header(request, b"x-stationmaster-machine")
    return name[:_MACHINE_MAX] if name else None


def query(request: Request) -> dict[str, str]:
    """Query parameters; of a repeated one the last counts."""
    text: str = request.scope["query_string"].decode("latin-1")
    if "%" in text or "+" in text:
        return dict(parse_qsl(text, keep_blank_values=True))
    # Nothing is escaped, so the parser, which takes ten times as long, would find the same.
    pairs = [part.partition("=") for part in text.split("&")]
    return {name: value for name, _, value in pairs}


def values(request: Request, name: str) -> list[str]:
    """Every value of a query parameter, in their order."""
    pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
    return [value for key, value in pairs if key == name]


T = TypeVar("T")
P = TypeVar("P", bound="Answer")

PAGE_DEFAULT = 20
PAGE_MAX = 100

ID = r"^[A-Za-z0-9_-]{1,100}$"
"""The form of every identifier of ours; one that is not known is 404, any other text 400."""
ONE_LINE = r"^[^\x00-\x1f\x7f]*$"
"""Text that any database keeps and any log shows on one line."""
Identifier = Annotated[str, Path(pattern=ID)]
AfterUser = Annotated[
    str | None, Query(pattern=ID, description="The last user id of the previous page.")
]
PageLimit = Annotated[int, Query(ge=1, le=PAGE_MAX, description="The length of a page.")]


def described(**schema: Any) -> Any:
    """Members of a JSON schema that the code behind it checks with an error of its own."""
    return Field(json_schema_extra=schema)


def _whole(number: Any) -> Any:
    return int(number) if isinstance(number, float) and number.is_integer() else number


DayText = Annotated[str, BeforeValidator(str)]
"""A day of an answer, `YYYY-MM-DD`."""
WHOLE = BeforeValidator(_whole)
"""Of a strict integer: takes `292.0`, too, which JSON Schema and many clients call an integer."""
Day = Annotated[date, BeforeValidator(days.parse)]
"""A UTC day as exactly `YYYY-MM-DD`: a number is no day."""
Email = Annotated[
    str,
    Field(max_length=EMAIL_LENGTH_MAX, examples=["ada@example.com"]),
    described(format="email", pattern=r"^[^@\s\x00-\x1f\x7f]+@[^@\s\x00-\x1f\x7f]+$"),
]


NAMED = described(pattern=r"^(?=.*\S)[^\x00-\x1f\x7f-\x9f]*$")
"""Of a name to show: on one line, and not blank."""
LINES = described(propertyNames={"pattern": ONE_LINE, "minLength": 1, "maxLength": 500})
"""Of an object whose keys are lines of text."""


class Answer(BaseModel):
    """A body that we send.

    `record` is a class whose fields it sends, or several, in their order and except `without`;
    those that the body has itself are sent in its own form, where the record has them, and the
    others last.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, from_attributes=True)

    def __init_subclass__(
        cls, record: type | Sequence[type] = (), without: Sequence[str] = (), **settings: Any
    ) -> None:
        super().__init_subclass__(**settings)
        sent: dict[str, Any] = {}
        for kind in [record] if isinstance(record, type) else record:
            sent |= get_type_hints(kind, include_extras=True)
        sent = {name: field for name, field in sent.items() if name not in without}
        cls.__annotations__ = sent | get_annotations(cls)

    @classmethod
    def of(cls, *sources: Any, **members: Any) -> Self:
        """An answer of the attributes of records, and of records in them. `members` are those that
        no record has, or has in another form; of several records the first that has it counts."""
        if len(sources) == 1 and not members:
            return cls.model_validate(sources[0])
        values: dict[str, Any] = {}
        for source in reversed(sources):
            values |= {
                name: getattr(source, name) for name in cls.model_fields if hasattr(source, name)
            }
        return cls.model_validate(values | members)


def sent_as(name: str) -> Any:
    """Of a member of an answer that a record has under another name."""
    return Field(serialization_alias=name)


class Question(BaseModel):
    """A body that we take: with other members than the described ones it is refused."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid")


class Pagination(Answer):
    """`nextCursor`, null on the last page, is the `cursor` of the next request."""

    has_more: bool
    next_cursor: str | None


def page(
    kind: type[P],
    listed: Sequence[T],
    limit: int,
    cursor_of: Callable[[T], str],
    shown: Callable[[T], Answer] | None = None,
) -> P:
    """A page and where the next one begins, of a list that was asked for one more than `limit`.

    The page's first member is the list, of what `shown` makes of each row, or of its attributes.
    """
    rows, pagination = paged(listed, limit, cursor_of)
    items = rows if shown is None else [shown(row) for row in rows]
    return kind.of(**{next(iter(kind.model_fields)): items, "pagination": pagination})


def paged(
    listed: Sequence[T], limit: int, cursor_of: Callable[[T], str]
) -> tuple[Sequence[T], Pagination]:
    """A page's rows and where the next one begins, of a list asked for as for `page`."""
    rows = listed[:limit]
    has_more = len(listed) > limit
    return rows, Pagination(
        has_more=has_more, next_cursor=cursor_of(rows[-1]) if has_more else None
    )


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
    """Parts that are made in the loop, each a fraction of a millisecond's work: passing one to a
    thread costs as much. Others have their turn between two of them."""
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
    field requires: `*`, or a list that contains the tag."""
    if if_none_match is None:
        return False
    return if_none_match.strip() == "*" or tag in _TAG.findall(if_none_match)
