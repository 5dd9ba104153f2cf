"""Gemini CLI as one Agent: the sources of its records and their readers, chats in the newer form
that is added to line by line among them.

The first line introduces the session, and so does each process that resumes it. Later lines are
messages, or `$set` with what changed in the session. A `$set` of messages is the model's view of
them after a resume or a compression: under other times, with summaries among them and nothing new
that a person or a model did.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

from stationmaster.agents.gemini_cli import hooks, spans
from stationmaster.agents.gemini_cli.words import LINEAGE, PRODUCT
from stationmaster.agents.gemini_lineage import chats, counters, otlp
from stationmaster.agents.gemini_lineage.chats import Message, Messages, Session
from stationmaster.agents.gemini_lineage.words import hook_event
from stationmaster.agents.hooks import read_by
from stationmaster.agents.interface import Agent, Blanks, Intake, SessionFile, has
from stationmaster.agents.values import LineReader, decoder

BLANKS = Blanks(PRODUCT, "transcript")


class Line(Message, gc=False, rename="camel"):
    """A message, the introduction of a session, or a change (`$set`, `$rewindTo`) of one."""

    session_id: str | None = None
    kind: str | None = None
    set: Raw = msgspec.field(default=Raw(), name="$set")
    rewind_to: Raw = msgspec.field(default=Raw(), name="$rewindTo")


_decode_line = decoder(Line)


class GeminiTranscript(LineReader[Line]):
    """See agent.Transcript."""

    def __init__(self, path: str, state: dict[str, Any] | None = None) -> None:
        self._path = path
        self._now: Session = msgspec.convert(state, Session) if state else Session()
        if not self._now.id:
            self._now.introduce(chats.stem_of(path), None, path)
        self._messages = Messages(LINEAGE, BLANKS, self._now)

    decode = staticmethod(_decode_line)

    def _read(self, record: Line, intake: Intake) -> None:
        if record.type is not None:
            self._messages.read(record, intake)
        elif bytes(record.set) or bytes(record.rewind_to):
            # What was rewound had been paid for, and done.
            intake.drop("redundant")
        elif record.session_id is not None:
            self._now.introduce(record.session_id, record.kind, self._path)
            intake.drop("not_counted")
        else:
            intake.drop("unknown_record")


AGENT = Agent(
    product=PRODUCT,
    log=otlp.Logs(LINEAGE, Blanks(PRODUCT, "otlp_logs")).read,
    span=spans.read_span,
    points=counters.Counters(LINEAGE, Blanks(PRODUCT, "otlp_metrics")).read,
    files=(
        chats.whole_chat(r"\.json$", LINEAGE, BLANKS),
        SessionFile(
            GeminiTranscript,
            r"\.jsonl$",
            lambda _, first: has(first, b'"sessionId"', b'"projectHash"'),
        ),
    ),
    hook=read_by(PRODUCT, hooks.read_hook, hook_event),
)
