"""Reading a Gemini CLI chat file of the newer form, which is added to line by line.

The first line introduces the session, and so does each process that resumes it. Later lines are
messages, or `$set` with what changed in the session. A `$set` of messages is the model's view of
them after a resume or a compression: under other times, with summaries among them and nothing new
that a person or a model did.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

from stationmaster.agents.card import Intake
from stationmaster.agents.gemini_cli import words
from stationmaster.agents.gemini_cli.words import LINEAGE
from stationmaster.agents.gemini_lineage import chats
from stationmaster.agents.gemini_lineage.chats import Message, Messages, Session
from stationmaster.agents.lenient import decoder
from stationmaster.agents.line_reader import LineReader

BLANKS = words.blanks(chats.KINDS, "transcript")


class Line(Message, gc=False, rename="camel"):
    """A message, the introduction of a session, or a change (`$set`, `$rewindTo`) of one."""

    session_id: str | None = None
    kind: str | None = None
    set: Raw = msgspec.field(default=Raw(), name="$set")
    rewind_to: Raw = msgspec.field(default=Raw(), name="$rewindTo")


_decode_line = decoder(Line)


class GeminiTranscript(LineReader[Line]):
    """See card.Transcript."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        self._path = path
        self._session = msgspec.convert(state, Session) if state else Session()
        if not self._session.id:
            self._session.introduce(chats.stem_of(path), None, path)
        self._messages = Messages(LINEAGE, BLANKS, self._session)

    def _decode(self, line: bytes) -> Line:
        return _decode_line(line)

    def _read(self, record: Line, intake: Intake) -> None:
        if record.type is not None:
            self._messages.read(record, intake)
        elif bytes(record.set) or bytes(record.rewind_to):
            # What was rewound had been paid for, and done.
            intake.drop("redundant")
        elif record.session_id is not None:
            self._session.introduce(record.session_id, record.kind, self._path)
            intake.drop("not_counted")
        else:
            intake.drop("unknown_record")

    def finish(self, intake: Intake) -> None:
        """Nothing waits for a following line."""

    def state(self) -> dict[str, Any]:
        """JSON-able members: the session's id, its root, and whether it is a subagent's."""
        snapshot: dict[str, Any] = msgspec.to_builtins(self._session)
        return snapshot
