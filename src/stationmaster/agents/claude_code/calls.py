"""Which records of Claude Code report one and the same model call, and what it used."""

from __future__ import annotations

import re
from functools import lru_cache

from stationmaster.agents.claude_code.lines import Line, Message, Usage
from stationmaster.agents.values import model_name, model_region, name, speed, tier, tokens, word
from stationmaster.events.model import Event, mark

_RANDOM = re.compile(r"(?<![0-9A-Za-z])(?=[0-9A-Za-z]{16})[A-Za-z]*[0-9]+[A-Za-z]")
"""The beginning of 16 characters or more of which a letter follows a digit."""
_REQUESTS_KEPT = 8
_QUOTA_PROMPT_MAX = 100


def is_unique(request_id: str) -> bool:
    """Does no other request in the world have this id?

    Gateways that count their requests give the same ids (`req_001`) in every session, and so do
    files made by hand. Random ids have digits between letters, over 16 characters or more.
    """
    return _RANDOM.search(request_id.replace("-", "")) is not None


def of_request(request_id: str | None) -> str | None:
    """The id of a call in records that name its request alone; None where that is not enough."""
    return request_id if request_id is not None and is_unique(request_id) else None


class Requests:
    """The last requests of one file with the message that answered each.

    A request with a unique id is the call, because exports name nothing else; a second message
    under the same id is a call of its own, of a gateway that passes on the id of something larger.
    """

    def __init__(self, answers: dict[str, str | None]) -> None:
        self.answers = answers
        self._last: tuple[str | None, str | None] | None = None
        self._last_key: tuple[str, ...] = ()

    def key(self, record: Line, message: Message) -> tuple[str, ...]:
        """What distinguishes the call of an answer from all others; empty without any id."""
        ids = record.request_id, message.id
        if ids == self._last:
            # The next line of the same answer.
            return self._last_key
        request, answer = name(record.request_id), name(message.id)
        if request is None or not is_unique(request):
            if not answer:
                line = name(record.uuid)
                return (line,) if line else ()
            key = (answer, request) if request else (answer,)
        else:
            first = self.answers.pop(request, answer)
            self.answers[request] = first
            if len(self.answers) > _REQUESTS_KEPT:
                del self.answers[next(iter(self.answers))]
            key = (request,) if first == answer or not answer else (answer, request)
        self._last, self._last_key = ids, key
        return key


def fill(event: Event, record: Line, message: Message, usage: Usage) -> None:
    """Set model, tier and tokens of a call from one line of its answer."""
    take_usage(event, usage)
    event.model, region = _model(message.model)
    event.region = event.region or region
    event.provider = "anthropic"
    event.model_tier = tier(event.reasoning_tokens, record.effort)
    if message.stop_reason is None:
        event.quality = "output_lower_bound"


def take_usage(event: Event, usage: Usage) -> None:
    """Set the token counts, speed, service tier and region of a call. Raises InvalidRecord."""
    event.input_tokens = tokens(usage.input_tokens)
    event.output_tokens = tokens(usage.output_tokens)
    event.cache_read_tokens = tokens(usage.cache_read_input_tokens)
    event.cache_write_tokens = tokens(usage.cache_creation_input_tokens)
    creation = usage.cache_creation
    if creation is not None:
        event.cache_write_1h_tokens = tokens(creation.ephemeral_1h_input_tokens)
    event.speed = speed(usage.speed)
    event.service_tier = word(usage.service_tier)
    # Set where the API was asked to stay in a region, which costs more there.
    if usage.inference_geo != "not_available":
        event.region = word(usage.inference_geo) or event.region
    details = usage.output_tokens_details
    if details is not None:
        event.reasoning_tokens = tokens(details.thinking_tokens)


@lru_cache(maxsize=256)
def _model(raw: str | None) -> tuple[str | None, str | None]:
    """A model's name and the region that its id names."""
    return model_name(raw), model_region(raw)


def has_figures(event: Event) -> bool:
    """A call without any token figure, or of the agent's own placeholder model, is no model
    call."""
    return event.model != "<synthetic>" and (
        event.input_tokens is not None or event.output_tokens is not None
    )


def mark_unfinished(event: Event) -> None:
    """Flag what early exports report of a call that was repeated: its figures from before.

    They are none at all after a refusal, and an output of one after a stream that was interrupted;
    only the question whether there is quota left, of a few tokens, truly has such an answer.
    """
    if event.output_tokens is None or event.output_tokens > 1:
        return
    prompt = (event.input_tokens, event.cache_read_tokens, event.cache_write_tokens)
    size = sum(filter(None, prompt))
    if size == 0:
        mark(event, "estimated")
    if size == 0 or size > _QUOTA_PROMPT_MAX:
        mark(event, "output_lower_bound")
