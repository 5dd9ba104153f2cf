"""Claude Code as one Agent: the sources of its records and their readers."""

from __future__ import annotations

from stationmaster.agents.claude_code import attempts, counters, hooks, otlp, repeats
from stationmaster.agents.claude_code.transcript import ClaudeTranscript
from stationmaster.agents.claude_code.words import PRODUCT, WORDS
from stationmaster.agents.hooks import read_by
from stationmaster.agents.interface import Agent, ByName, SessionFile

_HEAD_MARKS = (b'"sessionId"', b'"leafUuid"', b'"parentUuid"', b'"isSidechain"', b'"costUSD"')


def _is_session(head: bytes, first: bytes) -> bool:
    is_ours = head[:1] == b"{" and b'"payload":{' not in first
    return is_ours and any(mark in head for mark in _HEAD_MARKS)


AGENT = Agent(
    product=PRODUCT,
    log=ByName({**otlp.READERS, **attempts.READERS}, WORDS.plain, WORDS.unread),
    span=ByName(repeats.READERS, str, repeats.unread),
    points=counters.read_points,
    files=(SessionFile(ClaudeTranscript, r"\.jsonl$", _is_session),),
    hook=read_by(PRODUCT, hooks.read_hook),
)
