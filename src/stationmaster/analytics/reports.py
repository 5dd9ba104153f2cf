"""Answering a question from finished documents: find them, tag them, join their bytes.

What is found is the digest of every document of the range and, while it is small, its bytes. A
larger answer reads its bytes again in slices while they are sent; a document that was restated
in between ends it with an error, so that an answer never mixes revisions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

import msgspec

from stationmaster.analytics.model import Question
from stationmaster.db.engine import Database
from stationmaster.errors import Unavailable
from stationmaster.rollups import serving
from stationmaster.rollups.serving import Document

WHOLE_BYTES_MAX = 1024 * 1024
"""Up to this size an answer is made at once and has a length."""
SLICE_BYTES = 512 * 1024
"""How much of a larger answer is read at a time (one document or user may be more)."""


@dataclass(frozen=True, slots=True)
class Found:
    """The documents that answer a question, in the order of its rows."""

    question: Question
    documents: list[Document]
    revision: int
    """The highest revision of any day of the range; 0 when none is stored."""
    next_cursor: str | None = None

    @property
    def size(self) -> int:
        """Bytes of all documents."""
        return sum(document.size for document in self.documents)


def find(db: Database, question: Question) -> Found:
    """The documents of a question, which must be current already."""
    if question.report == "users":
        return _find_users(db, question)
    first, last = question.range.first, question.range.last
    documents = serving.list_documents(db, question.org, question.name, first, last)
    return Found(question, documents, max((d.revision for d in documents), default=0))


def _find_users(db: Database, question: Question) -> Found:
    span = (question.org, question.range.first, question.range.last)
    after, limit = question.cursor, question.limit
    users = serving.list_users(db, *span, after=after, count=limit + 1)
    shown = users[:limit]
    documents = (
        serving.list_user_documents(db, *span, after=after, through=shown[-1]) if shown else []
    )
    next_cursor = shown[-1] if len(users) > limit else None
    return Found(question, documents, serving.revision(db, *span), next_cursor)


def etag(found: Found, form: str) -> str:
    """A strong entity tag: equal exactly when the bytes of the answer are.

    Made from the documents' digests and everything else that shapes the answer.
    """
    question = found.question
    asked = (
        question.org,
        question.name,
        question.range.first.isoformat(),
        question.range.last.isoformat(),
        found.next_cursor or "",
        form,
    )
    tag = blake2b("\n".join(asked).encode(), digest_size=16)
    tag.update(b"".join([document.digest for document in found.documents]))
    return f'"{tag.hexdigest()}"'


def envelope(db: Database, found: Found) -> Iterator[bytes]:
    """The JSON answer `{"data": [...], "meta": {...}}` in chunks."""
    yield b'{"data":['
    is_first = True
    for chunk in slices(db, found):
        joined = b",".join([body for body in chunk if body])
        if joined:
            yield joined if is_first else b"," + joined
            is_first = False
    yield b'],"meta":' + _meta(found) + b"}"


def _meta(found: Found) -> bytes:
    question = found.question
    meta: dict[str, object] = {
        "org_id": question.org,
        "start_date": question.range.first.isoformat(),
        "end_date": question.range.last.isoformat(),
    }
    if question.report == "users":
        meta["has_more"] = found.next_cursor is not None
        meta["next_cursor"] = found.next_cursor
    return msgspec.json.encode(meta)


def documents(db: Database, found: Found) -> Iterator[bytes]:
    """The bytes of every document in order. A grouped report's hold any number of rows."""
    for chunk in slices(db, found):
        yield from (body for body in chunk if body)


def slices(db: Database, found: Found) -> Iterator[list[bytes]]:
    """The bytes of the documents in lists of about SLICE_BYTES.

    Raises Unavailable `restated` when a document has changed since it was found.
    """
    for part in _parts(found):
        inline = [document.body for document in part if document.body is not None]
        yield inline if len(inline) == len(part) else _read(db, found, part)


def _parts(found: Found) -> Iterator[list[Document]]:
    """Documents in order, cut where SLICE_BYTES are reached; a user is never cut."""
    part: list[Document] = []
    size = 0
    for document in found.documents:
        is_new_user = not part or part[-1].user_id != document.user_id or not document.user_id
        if size >= SLICE_BYTES and is_new_user:
            yield part
            part, size = [], 0
        part.append(document)
        size += document.size
    if part:
        yield part


def _read(db: Database, found: Found, part: list[Document]) -> list[bytes]:
    question = found.question
    first, last = part[0], part[-1]
    if question.report == "users":
        days, users = question.range, (first.user_id, last.user_id)
        bodies = serving.user_bodies(db, question.org, days.first, days.last, users=users)
    else:
        bodies = serving.bodies(db, question.org, question.name, first.day, last.day)
    if [digest for digest, _ in bodies] != [bytes(document.digest) for document in part]:
        raise Unavailable(
            "A day of the range was restated meanwhile; ask again.",
            retry_after_s=1,
            code="restated",
        )
    return [body for _, body in bodies]
