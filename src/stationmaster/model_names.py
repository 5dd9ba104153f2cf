"""The names under which agents, clouds and price lists know one model, in one place.

`parse` takes an id apart into the model and the region that a cloud serves it in; `spellings` are
the names under which a list may have the model. A spelling never shortens a name to its family:
what is left out are dates, versions of a cloud's package, and words for how a call was made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

# `us-gov.anthropic.claude-opus-5-5`, `global.openai.gpt-6-sol`, `eu-west-1.mistral.devstral-2`: any
# region before any vendor. Without a region only these vendors, because `llama.cpp-x` is no vendor.
_BEDROCK = re.compile(
    r"(?:(?P<region>[a-z]{2,8}(?:-[a-z]+)*(?:-\d)?)\.(?:[a-z][a-z0-9]*)"
    r"|(?:ai21|amazon|anthropic|cohere|deepseek|google|luma|meta|minimax|mistral|moonshot|moonshotai"
    r"|nvidia|openai|qwen|stability|twelvelabs|writer|xai|zai))"
    r"\.(?P<model>[a-z].*)",
    re.IGNORECASE,
)
_VERTEX = re.compile(r"projects/[^/]+/locations/(?P<region>[^/]+)/publishers/")

_CONTEXT = re.compile(r"\[\d+[mk]\]$")
_PACKAGE = re.compile(r"(?:-v\d+)?:\d+$")
_PACKAGE_ALONE = re.compile(r"-v\d$")
_DATE = re.compile(r"[-@](?:20\d\d-?[01]\d-?[0-3]\d|default|latest)$")
_PREVIEW = re.compile(r"-(?:preview|exp)(?:-\d\d-(?:\d\d|20\d\d))?$")
_EFFORT = re.compile(r"-(?:none|minimal|low|medium|high|xhigh|max|thinking|reasoning)$")
_CLAUDE_TURNED = re.compile(r"claude-(\d+(?:-\d+)?)-(opus|sonnet|haiku|fable|mythos)(?![a-z])")
_POINT = re.compile(r"(?<=\d)\.(?=\d)")


class ModelName(NamedTuple):
    """The model and the region that an id names."""

    model: str
    """The model's own id as it was spelled, dates kept."""
    region: str | None
    """Where a cloud was asked to serve it (`jp`, `us-gov`, `europe-west1`); None if the id does not
    name it."""


def parse(name: str) -> ModelName:
    """An id as agents report it, as the model without its provider, and the region."""
    last = name.rsplit("/", 1)[-1]
    place = _VERTEX.search(name)
    bedrock = _BEDROCK.fullmatch(last)
    if bedrock is not None:
        last, place = bedrock["model"], bedrock
    region = place["region"] if place is not None else None
    return ModelName(last, region.lower() if region else None)


def key(name: str) -> str:
    """The one spelling of a name that lists are searched by: in lower case, versions with dashes,
    Claude's class before its version."""
    text = _POINT.sub("-", name.strip().lower())
    return _CLAUDE_TURNED.sub(r"claude-\2-\1", text)


def spellings(name: str) -> Iterator[str]:
    """The keys of a model's id without its provider, most exact first: `claude-opus-5-5-20260922`,
    then `claude-opus-5-5`. A list's first hit is the model's price."""
    text = key(name)
    yield text
    for pattern in (_CONTEXT, _PACKAGE, _PACKAGE_ALONE, _EFFORT, _EFFORT, _DATE, _PREVIEW):
        shorter = pattern.sub("", text)
        if shorter and shorter != text:
            text = shorter
            yield text
    yield f"{text}-latest"


def matches_any(model: str, patterns: Iterable[str]) -> bool:
    """Whether a model fits one of some patterns such as `claude-haiku-*`, in any spelling."""
    names = _all_spellings(model)
    return any(fnmatchcase(name, pattern.lower()) for pattern in patterns for name in names)


@lru_cache(maxsize=1_024)
def _all_spellings(model: str) -> frozenset[str]:
    return frozenset({model.lower(), *spellings(parse(model).model)})
