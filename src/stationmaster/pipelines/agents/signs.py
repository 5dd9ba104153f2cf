"""Signs of coding agents in workflows that run none, as far as can be seen. They are scored, and
nothing is asserted of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter

import msgspec

from stationmaster.pipelines.model import AgentSign, Job, line
from stationmaster.pipelines.view import View
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault

_SETUP = "copilot-setup-steps"
_KEYS = {
    "ANTHROPIC_API_KEY": "claude-code",
    "CLAUDE_CODE_OAUTH_TOKEN": "claude-code",
    "OPENAI_API_KEY": "codex",
    "CODEX_API_KEY": "codex",
    "GEMINI_API_KEY": "gemini-cli",
    "FACTORY_API_KEY": "droid",
    "COPILOT_GITHUB_TOKEN": "copilot-cli",
    "COPILOT_TOKEN": "copilot-cli",
    "CURSOR_API_KEY": "cursor",
    "OPENROUTER_API_KEY": None,
    "AMP_API_KEY": "amp",
}
"""Names of secrets and variables, and the agent that mostly reads them."""
_MENTIONS: tuple[tuple[str, str], ...] = (
    (r"copilot-swe-agent|@copilot\b", "copilot-cli"),
    (r"@claude\b", "claude-code"),
    (r"@codex\b", "codex"),
    (r"@droid\b", "droid"),
    (r"@gemini-cli\b", "gemini-cli"),
    (r"@cursoragent\b", "cursor"),
    (r"@coderabbitai\b", "coderabbit"),
)
_PATTERNS = tuple((re.compile(rf"(?<![\w./-])(?:{text})"), agent) for text, agent in _MENTIONS)
_NAMED = re.compile(
    r"(?i)(?<![a-z])(claude|codex|gemini|droid|copilot|opencode|openhands)(?![a-z])"
)
_AGENTS = {"claude": "claude-code", "gemini": "gemini-cli", "copilot": "copilot-cli"}
_PRODUCTS = {
    "@anthropic-ai/claude-code": "claude-code",
    "@anthropic-ai/claude-code-action": "claude-code",
    "@openai/codex": "codex",
    "@google/gemini-cli": "gemini-cli",
    "@qwen-code/qwen-code": "qwen-code",
    "@github/copilot": "copilot-cli",
    "opencode": "opencode",
    "opencode-ai": "opencode",
    "aider-chat": "aider",
}
"""Packages that are an agent, by the name in their repository's manifest."""
_MANIFEST = "package.json"
_MANIFEST_MAX = 2**18
_TEXT_MAX = 20_000
_SCORE_MAX = 5
_LINES_MAX = 2_000
_LINE_MAX = 500
_ABOUT_AGENTS = re.compile(
    r"(?i)(?<!user-)(?<!user )(?<![\w/.])(?:agents?|agentic|llms?)(?![\w/.])"
)


def product(files: Files) -> str | None:
    """The agent whose own repository this is."""
    if _MANIFEST not in files:
        return None
    try:
        told = msgspec.json.decode(files.content(_MANIFEST, _MANIFEST_MAX))
    except (Fault, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    name = told.get("name") if isinstance(told, dict) else None
    return _PRODUCTS.get(name) if isinstance(name, str) else None


def of(view: View, own: str | None) -> Iterator[AgentSign]:
    """Those of one workflow; `own` is the agent that the repository makes."""
    if view.path.rpartition("/")[2].partition(".")[0] == _SETUP:
        yield AgentSign("agent_setup", _SETUP, 1, "copilot-cli")
    if view.facts.agents or view.facts.agent_steps:
        return  # Its jobs work for the agent that it runs.
    for job in view.facts.jobs:
        signs = list(_signs(view, job))
        if signs:
            agent = next((agent for _, agent in signs if agent is not None), None)
            is_test = own is not None and any(agent == own for _, agent in signs)
            yield AgentSign(
                "agent_product_test" if is_test else "possible",
                line(", ".join(dict.fromkeys(text for text, _ in signs))),
                min(len(signs), _SCORE_MAX),
                agent,
                job.id,
            )


def _signs(view: View, job: Job) -> Iterator[tuple[str, str | None]]:
    """One of each kind at most: a key, a mention, the name of what is called."""
    steps = view.steps.get(job.id, [])
    names = [*job.secrets, *(name for step in steps for name in step.env)]
    key = next((name for name in names if name in _KEYS), None)
    if key is not None:
        yield key, _KEYS[key]
    texts = [view.condition(job.id)]
    for step in steps:
        texts += [step.condition or "", step.script or "", *step.inputs.values()]
    mentions = (_mentions(text[:_TEXT_MAX]) for text in texts if text)
    known = (mention for mention in mentions if mention is not None)
    first = min(known, key=itemgetter(0), default=None)
    if first is not None:
        yield first[1], _PATTERNS[first[0]][1]
    is_elsewhere = job.uses is not None and not job.uses.startswith(("./", "$/"))
    called = _NAMED.search(job.uses or "") if is_elsewhere else None
    if called is not None and job.uses is not None:
        word = called[0].lower()
        yield job.uses, _AGENTS.get(word, word)
    elif is_elsewhere and view.open_triggers and _speaks_of_agents(view):
        yield f"{job.uses} was not read, and the file mentions agents", None


def _speaks_of_agents(view: View) -> bool:
    """Do the words of a file, its comments too, say that it is about agents?"""
    return any(_ABOUT_AGENTS.search(each[:_LINE_MAX]) for each in view.lines()[:_LINES_MAX])


@lru_cache(maxsize=256)
def _mentions(text: str) -> tuple[int, str] | None:
    """The first pattern that a text, which many jobs may share, has, and what it has of it."""
    found = ((place, pattern.search(text)) for place, (pattern, _) in enumerate(_PATTERNS))
    return next(((place, match[0]) for place, match in found if match is not None), None)
