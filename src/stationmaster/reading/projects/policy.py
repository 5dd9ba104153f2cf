"""What a repository says of contributions by agents, sentence by sentence: words of agents near
words of refusal, and what it is that is refused. Source: docs/reference/applications.md.

It is data about the repository, never an order to whoever reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stationmaster.pipelines.model import line as on_one_line
from stationmaster.reading.projects.documents import Document, is_agent_file
from stationmaster.reading.projects.model import AgentPolicy, Place, Policy
from stationmaster.repos.files import Files

_FILES_MAX = 40
_TEXT_MAX = 100_000
_SENTENCE_MAX = 1_000
_NEAR = 100
"""Characters between a word of agents and one of refusal that speak of each other."""
_INSTRUCTIONS_MIN = 200
"""Characters of a file of instructions; a shorter one says nothing of substance."""

_INSTRUCTIONS = frozenset(
    {
        "AGENTS.md",
        "AGENT.md",
        "CLAUDE.md",
        "GEMINI.md",
        "WARP.md",
        "copilot-instructions.md",
        ".cursorrules",
    }
)
_FILE = re.compile(
    r"(?i)(?:(?:docs?|help|\.github|\.gitlab|documentation)/(?:[\w.-]{1,60}/){0,3})?"
    r"(?:contributing(?:[._-][\w.-]{0,40})?|pull_request_template(?:[._-][\w.-]{0,40})?"
    r"|merge_request_template.{0,40}"
    r"|[\w.-]{0,40}?(?:ai|llm|genai|generative[-_]?ai)[-_](?:[\w-]{1,30}[-_])?"
    r"(?:policy|usage|guidelines?|contributions?|disclosure)[\w.-]{0,20})"
)
_ABOUT = re.compile(
    r"\b(?:AI|A\.I\.|LLMs?|Gen-?AI|(?i:artificial intelligence|language models?|agentic"
    r"|(?:coding|autonomous|software|ai|llm) (?:agents?|assistants?)|copilot|chatgpt|claude"
    r"|code generation assistants?|vibe[- ]cod\w{1,5}|machine[- ]generated))(?![\w])"
)
_REFUSED = re.compile(
    r"(?i)\b(?:forbid(?:s|den)?|prohibit(?:s|ed)?|ban(?:s|ned)?|disallow(?:s|ed)?|unwelcome"
    r"|refuses?|absolutely no"
    r"|(?:not|never|cannot|n['’]t) (?:be )?(?:\w{1,20} ){0,2}?(?:allow(?:ed)?|accept(?:ed|able)?"
    r"|permit(?:ted)?|welcomed?|tolerated?|merged?|used to)"
    r"|(?:do|must|may|should|please do) ?(?:not|n['’]t) (?:submit|open|send|contribute|use|create"
    r"|make)"
    r"|no (?:ai|llms?)\b[^.]{0,40}(?:contributions?|code|allowed))"
)
_NOT_REFUSED = re.compile(
    r"(?i)(?:not|n['’]t|never) (?:\w{1,20} ){0,2}?(?:oppose|prohibit|forbid|ban|refuse|reject)"
)
_WORK = re.compile(
    r"(?i)\b(?:contribut\w{1,10}|code|pull requests?|merge requests?|prs?|patch(?:es)?|commits?"
    r"|content|submissions?|tools?|project|changes)\b"
)
_TALK = re.compile(
    r"(?i)\b(?:comments?|responses?|repl(?:y|ies|ying)|discussions?|descriptions?|communicat\w{1,6}"
    r"|co-?authors?|listed|credit(?:ed)?|interact\w{0,5}|automates?)\b"
)
_ONLY_IF = re.compile(
    r"(?i)^if\b|\b(?:without|unless|except|entirely|fully|solely|purely|wholly|low[- ]quality|slop"
    r"|unreviewed|excessive\w{0,2}|blindly|if you|don['’]t understand|not understand|as long as"
    r"|so long as|just not|must (?:be |always )?disclos\w{1,3}|only (?:if|when|with)"
    r"|less than)\b"
)
_ALONE = re.compile(
    r"(?i)\b(?:autonomous(?:ly)?|unsupervised|unattended)\b[^.]{0,40}\b(?:agents?|agentic|ai|bots?)\b"
)
_WELCOME = re.compile(
    r"(?i)\b(?:welcome[sd]?|encouraged?|allowed|accepted|permitted|perfectly fine|embrace"
    r"|(?:may|can|free to) use|supports? the|not oppose)\b"
)
_MARKUP = re.compile(r"^[\s>*+#-]*(?:\d{1,3}[.)]\s+)?|\*\*|__|(?<=\s)[*_]|[*_](?=[\s.,])")
_SENTENCE_END = re.compile(r"(?<=[.!?:])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)\s+")
_CHECKBOX = re.compile(r"\s*[-*+]\s*\[[ xX]?\]")


class _Said(NamedTuple):
    policy: Policy
    place: Place
    text: str


def read(files: Files) -> AgentPolicy:
    """The strictest that any of its documents says; instructions for agents are leave to work."""
    chosen = sorted(filter(_may_say, files.paths()), key=lambda path: (path.count("/"), path))
    said = [each for path in chosen[:_FILES_MAX] for each in _of_file(path, files)]
    for policy in ("forbidden", "restricted", "allowed"):
        found = next((each for each in said if each.policy == policy), None)
        if found is not None:
            return AgentPolicy(found.policy, found.place, found.text)
    return AgentPolicy("unknown")


def _may_say(path: str) -> bool:
    if _FILE.fullmatch(path):
        return True
    folder, _, name = path.rpartition("/")
    return folder in ("", ".github", ".claude") and name in _INSTRUCTIONS


def _of_file(path: str, files: Files) -> Iterator[_Said]:
    text = _blanked(files.contents.text(path)[:_TEXT_MAX])
    instructs = is_agent_file(path)
    found = []
    if not (instructs and _has_command(path, text)):
        for sentence, line in _sentences(text):
            policy = _judged(sentence, is_for_agents=instructs)
            if policy is not None:
                found.append(_Said(policy, Place(path, line), on_one_line(sentence)))
    if instructs and not found and len(text) >= _INSTRUCTIONS_MIN:
        found.append(_Said("allowed", Place(path), "It has instructions for agents."))
    yield from found


def _blanked(text: str) -> str:
    """Without what nobody sees of a page, on the same lines."""
    return re.sub(
        r"<!--.*?(?:-->|\Z)", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL
    )


def _has_command(path: str, text: str) -> bool:
    document = Document(path, lambda _: text)
    return bool(document.code) or any(" " in word.text for word in document.inline)


def _judged(sentence: str, *, is_for_agents: bool) -> Policy | None:
    about = _ABOUT.search(sentence)
    if about is None and not is_for_agents:
        return None
    refused = None if _NOT_REFUSED.search(sentence) else _REFUSED.search(sentence)
    is_limited = bool(_ONLY_IF.search(sentence) or _TALK.search(sentence))
    if refused is not None:
        if _ALONE.search(sentence):
            return "forbidden"
        is_near = about is None or abs(about.start() - refused.start()) <= _NEAR
        is_work = _WORK.search(sentence) is not None
        return "forbidden" if is_work and is_near and not is_limited else "restricted"
    if about is not None and _WELCOME.search(sentence):
        return "restricted" if _ONLY_IF.search(sentence) else "allowed"
    return None


def _sentences(text: str) -> Iterator[tuple[str, int]]:
    """With the line that each begins on: paragraphs are joined first, points of lists apart."""
    for begin, lines in _paragraphs(text.split("\n")):
        plain = [_MARKUP.sub("", line).strip() for line in lines]
        joined = " ".join(plain)
        at = 0
        for sentence in _SENTENCE_END.split(joined):
            before = joined[:at]
            number = sum(1 for count in range(1, len(plain)) if len(" ".join(plain[:count])) < at)
            at = len(before) + len(sentence) + 1
            yield sentence[:_SENTENCE_MAX], begin + number


def _paragraphs(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Without boxes that contributors are to tick, and without code."""
    paragraph: list[str] = []
    begin, fenced = 1, False
    for number, line in enumerate([*lines, ""], start=1):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        starts = re.match(r"\s*(?:[-*+]|\d{1,3}[.)])\s|#", line) is not None
        titled = bool(paragraph) and paragraph[-1].startswith("#")
        if paragraph and (starts or titled or not line.strip() or fenced):
            yield begin, paragraph
            paragraph = []
        if line.strip() and not fenced and not _CHECKBOX.match(line):
            begin = begin if paragraph else number
            if len(paragraph) < 50:
                paragraph.append(line)
