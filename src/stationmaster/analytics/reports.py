"""Answering a question from finished documents: find them, tag them, join their bytes. One about
slices of days is answered by `slices`, in documents made for it.

Where the answer is small its bytes are found with the digests. A larger one reads them again in
parts while they are sent; a document that was restated in between ends it with an error, so that
an answer never mixes revisions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b

import msgspec

from stationmaster.analytics import privacy
from stationmaster.analytics.days import slices
from stationmaster.analytics.formats.bodies import PART_BYTES, Bodies, parts_of
from stationmaster.analytics.insights import answers
from stationmaster.analytics.model import AnswerDocuments, Question
from stationmaster.db.engine import Database
from stationmaster.errors import Unavailable
from stationmaster.lake.rollups import serving

WHOLE_BYTES_MAX = 1024 * 1024
"""Up to this size an answer is made whole and has a length (a page of users may be larger)."""
WHOLE_ROWS_MAX = 10_000
"""Users times days up to which a page of users is read whole: about 5 MB."""


def find(db: Database, question: Question) -> AnswerDocuments:
    """What answers a question, whose range must be current already."""
    if question.policy is None:
        question = privacy.judged(db, question)
    if question.is_insight:
        return answers.find(db, question)
    if question.is_sliced:
        return slices.find(db, question)
    if question.report == "users":
        return _find_users(db, question)
    rows = serving.report_rows(db, question.org, question.name, *question.range.texts)
    if not rows:
        return AnswerDocuments(question, (), 0, (), [])
    digests, bodies, revisions = zip(*rows, strict=True)
    if None not in bodies:
        return AnswerDocuments(question, digests, max(revisions), bodies, [])
    sizes = serving.report_sizes(db, question.org, question.name, *question.range.texts)
    return _large(db, question, sizes, max(revisions), None)


def _find_users(db: Database, question: Question) -> AnswerDocuments:
    org, after, span = question.org, question.cursor, question.range.texts
    users = serving.users(db, org, after, *span, question.limit + 1)
    next_cursor = users[question.limit - 1] if len(users) > question.limit else None
    shown = users[: question.limit]
    revision = serving.revision(db, org, *span)
    if not shown:
        return AnswerDocuments(question, [], revision, [], [])
    if question.limit * question.range.days <= WHOLE_ROWS_MAX:
        rows = serving.user_rows(db, org, after, shown[-1], *span)
        digests, bodies = zip(*rows, strict=True)
        if None not in bodies:
            return AnswerDocuments(question, digests, revision, bodies, [], next_cursor)
    sizes = serving.user_sizes(db, org, after, shown[-1], *span)
    return _large(db, question, sizes, revision, next_cursor)


def _large(
    db: Database,
    question: Question,
    sizes: list[serving.Size],
    revision: int,
    next_cursor: str | None,
) -> AnswerDocuments:
    digests = [digest for _, digest, _ in sizes]
    answer = AnswerDocuments(question, digests, revision, None, sizes, next_cursor)
    if sum(size for _, _, size in sizes) > WHOLE_BYTES_MAX:
        return answer
    bodies = [body for part in parts(db, answer) for body in part]
    return AnswerDocuments(question, digests, revision, bodies, [], next_cursor)


_LAYOUTS = {"csv": " of one value in each cell"}
"""Forms whose bytes changed while documents did not, so that their tags differ from older ones."""


def etag(answer: AnswerDocuments, form: str) -> str:
    """A strong entity tag: equal exactly when the bytes of the answer are.

    Made from the documents' digests and everything else that shapes the answer.
    """
    question = answer.question
    first, last = question.range.texts
    asked = (
        question.org,
        question.name,
        first,
        last,
        answer.next_cursor or "",
        form + _LAYOUTS.get(form, ""),
    )
    content = b"".join(("\n".join(asked).encode(), *answer.digests))
    return f'"{blake2b(content, digest_size=16).hexdigest()}"'


def envelope(db: Database, answer: AnswerDocuments) -> Iterator[bytes]:
    """The JSON answer `{"data": [...], "meta": {...}}` in parts."""
    if answer.bodies is not None:
        yield b'{"data":['
        yield from parts_of(answer.bodies)
        yield b'],"meta":' + _meta(answer) + b"}"
        return
    before = b'{"data":['
    for part in parts(db, answer):
        # The document of a grouped report without any row is empty.
        joined = b",".join(filter(None, part))
        if joined:
            yield before
            yield joined
            before = b","
    yield (b"" if before == b"," else before) + b'],"meta":' + _meta(answer) + b"}"


def _meta(answer: AnswerDocuments) -> bytes:
    question = answer.question
    first, last = question.range.texts
    meta: dict[str, object] = {"org_id": question.org, "start_date": first, "end_date": last}
    if question.report == "users":
        meta["has_more"] = answer.next_cursor is not None
        meta["next_cursor"] = answer.next_cursor
    return msgspec.json.encode(meta | dict(answer.meta))


def documents(db: Database, answer: AnswerDocuments) -> Iterator[bytes]:
    """The bytes of every document in order. A grouped report's hold any number of rows."""
    for part in parts(db, answer):
        yield from filter(None, part)


def parts(db: Database, answer: AnswerDocuments) -> Iterator[Sequence[bytes]]:
    """The bytes of the documents in lists of about PART_BYTES.

    Raises Unavailable `restated` when a document has changed since it was found.
    """
    if answer.bodies is not None:
        yield answer.bodies.read() if isinstance(answer.bodies, Bodies) else answer.bodies
        return
    before = answer.question.cursor
    for part in _cut(answer.sizes):
        bodies = _read(db, answer.question, before, part)
        if [digest for digest, _ in bodies] != [digest for _, digest, _ in part]:
            raise Unavailable(
                "A day of the range was restated in the meantime; repeat the request.",
                retry_after_s=1,
                code="restated",
            )
        before = part[-1][0]
        yield [body for _, body in bodies]


def is_large(answer: AnswerDocuments) -> bool:
    """Is the answer to be sent in parts?"""
    bodies = answer.bodies
    return bodies is None or (isinstance(bodies, Bodies) and bodies.is_large)


def _cut(sizes: list[serving.Size]) -> Iterator[list[serving.Size]]:
    """Runs of about PART_BYTES, one document or user may be more; what has the same key is never
    cut apart."""
    part: list[serving.Size] = []
    total = 0
    for item in sizes:
        if total >= PART_BYTES and part[-1][0] != item[0]:
            yield part
            part, total = [], 0
        part.append(item)
        total += item[2]
    if part:
        yield part


def _read(
    db: Database, question: Question, before: str, part: list[serving.Size]
) -> list[serving.Body]:
    first, last = part[0][0], part[-1][0]
    if question.report == "users":
        return serving.user_bodies(db, question.org, before, last, *question.range.texts)
    return serving.report_bodies(db, question.org, question.name, first, last)
