"""Claude Code as one Agent: where its records come from and who reads them."""

from __future__ import annotations

from stationmaster.agents.card import Agent, Intake, Log, Resource
from stationmaster.agents.claude_code import attempts, attributes, counters, hooks, otlp, repeats
from stationmaster.agents.claude_code.transcript import ClaudeTranscript
from stationmaster.agents.claude_code.words import PRODUCT
from stationmaster.agents.hooks import read_by

_SERVICES = frozenset({"claude-code", "claude-code-desktop"})
_HEAD_MARKS = (b'"sessionId"', b'"leafUuid"', b'"parentUuid"', b'"isSidechain"', b'"costUSD"')


def _sends(service_name: str, scope: str, name: str) -> bool:
    if service_name.startswith("opencode") or scope.startswith("com.opencode"):
        # A plugin of that agent can be told to imitate these names.
        return False
    if name.startswith("claude_code.") or scope.startswith("com.anthropic.claude_code"):
        return True
    return service_name in _SERVICES and not name.startswith("codex.")


def _log(resource: Resource, record: Log, intake: Intake) -> None:
    reader = attempts.READERS.get(record.name, otlp.read_log)
    reader(resource, record, intake)


def _is_transcript(path: str, head: bytes) -> bool:
    if not path.endswith(".jsonl") or head[:1] != b"{":
        return False
    first_line = head.split(b"\n", 1)[0]
    if b'"payload":{' in first_line:
        return False
    return any(mark in head for mark in _HEAD_MARKS)


AGENT = Agent(
    product=PRODUCT,
    sends=_sends,
    attributes_of=attributes.of,
    log=_log,
    span=repeats.read_span,
    points=counters.read_points,
    is_transcript=_is_transcript,
    transcript=ClaudeTranscript,
    hook=read_by(PRODUCT, hooks.read_hook),
)
