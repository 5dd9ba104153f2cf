"""What bodies and parameters of routers share: camelCase members on the wire, closed questions,
pages of a list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

T = TypeVar("T")

PAGE_DEFAULT = 20
PAGE_MAX = 100

ID = r"^[A-Za-z0-9_-]{1,100}$"
"""The form of every identifier of ours; one that is not known is 404, any other text 400."""
ONE_LINE = r"^[^\x00-\x1f\x7f]*$"
"""Text that any database keeps and any log shows on one line."""
Identifier = Annotated[str, Path(pattern=ID)]
AfterUser = Annotated[str | None, Query(pattern=ID, description="The user id before the page.")]
PageLimit = Annotated[int, Query(ge=1, le=PAGE_MAX, description="The length of a page.")]


class Answer(BaseModel):
    """A body that we send."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class Question(BaseModel):
    """A body that we take: with other members than the described ones it is refused."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid")


class Pagination(Answer):
    """`nextCursor`, null on the last page, is the `cursor` of the next request."""

    has_more: bool
    next_cursor: str | None


def paged(
    found: Sequence[T], limit: int, cursor_of: Callable[[T], str]
) -> tuple[Sequence[T], Pagination]:
    """A page and where the next one begins, of a list that was asked for one more than `limit`."""
    page = found[:limit]
    has_more = len(found) > limit
    return page, Pagination(
        has_more=has_more, next_cursor=cursor_of(page[-1]) if has_more else None
    )
