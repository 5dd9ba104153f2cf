"""The policy of a repository for contributions by agents, sentence by sentence: words of agents
near words of refusal, and what is refused. Source: docs/reference/applications.md.

It is data about the repository, never an instruction to its reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from stationmaster.agents.cards import traces
from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.catalogue.repositories.layout import layout
from stationmaster.pipelines.model import line as on_one_line
from stationmaster.reading.projects import documents, test_files
from stationmaster.reading.projects.model import AgentPolicy, Place, Policy
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.repos.files import Files

_LICENCE = re.compile(r"(?i)(?:licen[cs]e|copying)(?:[.-].{1,40})?")
_SUITE = re.compile(
    r".{1,200}\.(?:feature|robot|cy\.[jt]sx?)|(?:playwright|cypress|jest|vitest|karma|wdio)\.conf.{1,40}"
    r"|pytest\.ini|phpunit\.xml.{0,20}|\.rspec"
)

_LIKE = expressions("policy")

_FILES_MAX = 40
_TEXT_MAX = 100_000
_SENTENCE_MAX = 1_000
_NEAR = 100
"""Characters between a word of agents and one of refusal that belong together."""
_INSTRUCTIONS_MIN = 200
"""The fewest characters of a file of instructions that counts."""

_MARKUP = re.compile(r"^[\s>*+#-]*(?:\d{1,3}[.)]\s+)?|\*\*|__|(?<=\s)[*_]|[*_](?=[\s.,])")
_SENTENCE_END = re.compile(r"(?<=[.!?:])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)\s+")
_CHECKBOX = re.compile(r"\s*[-*+]\s*\[[ xX]?\]")


def read(files: Files) -> AgentPolicy:
    """The strictest policy of any document; instructions for agents are permission to work."""
    chosen = sorted(filter(_may_say, files.paths()), key=lambda path: (path.count("/"), path))
    policies = [policy for path in chosen[:_FILES_MAX] for policy in _of_file(path, files)]
    order: tuple[Policy, ...] = ("forbidden", "restricted", "allowed")
    return min(
        policies, key=lambda policy: order.index(policy.policy), default=AgentPolicy("unknown")
    )


def _may_say(path: str) -> bool:
    return _LIKE["file"].fullmatch(path) is not None or path in _instructions()


@cache
def _instructions() -> frozenset[str]:
    """The files of instructions for agents that hold for the whole repository."""
    files = traces.files("nested", "instructions")
    names = {"AGENTS.md", "AGENT.md", *(path for path in files if "*" not in path)}
    return frozenset({*names, *(f".github/{name}" for name in names if "/" not in name)})


def _of_file(path: str, files: Files) -> Iterator[AgentPolicy]:
    text = _blanked(files.contents.text(path)[:_TEXT_MAX])
    instructs = documents.is_agent_file(path)
    policies = []
    if not (instructs and _has_command(path, text)):
        for sentence, line in _sentences(text):
            policy = _judged(sentence, is_for_agents=instructs)
            if policy is not None:
                policies.append(AgentPolicy(policy, Place(path, line), on_one_line(sentence)))
    if instructs and not policies and len(text) >= _INSTRUCTIONS_MIN:
        policies.append(AgentPolicy("allowed", Place(path), "It has instructions for agents."))
    yield from policies


def _blanked(text: str) -> str:
    """A text without comments of HTML, on the same lines."""
    return re.sub(
        r"<!--.*?(?:-->|\Z)", lambda match: "\n" * match[0].count("\n"), text, flags=re.DOTALL
    )


def _has_command(path: str, text: str) -> bool:
    document = documents.Document(path, lambda _: text)
    return bool(document.code) or any(" " in word.text for word in document.inline)


def _judged(sentence: str, *, is_for_agents: bool) -> Policy | None:
    about = _LIKE["about"].search(sentence)
    if about is None and not is_for_agents:
        return None
    refused = None if _LIKE["not_refused"].search(sentence) else _LIKE["refused"].search(sentence)
    is_limited = bool(_LIKE["only_if"].search(sentence) or _LIKE["talk"].search(sentence))
    if refused is not None:
        if _LIKE["alone"].search(sentence):
            return "forbidden"
        is_near = about is None or abs(about.start() - refused.start()) <= _NEAR
        is_work = _LIKE["work"].search(sentence) is not None
        return "forbidden" if is_work and is_near and not is_limited else "restricted"
    if about is not None and _LIKE["welcome"].search(sentence):
        return "restricted" if _LIKE["only_if"].search(sentence) else "allowed"
    return None


def _sentences(text: str) -> Iterator[tuple[str, int]]:
    """The sentences with their first lines: paragraphs are joined first, items of lists apart."""
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
    """The paragraphs with their first lines, without checkboxes for contributors and without
    code."""
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


def folders(paths: Sequence[str]) -> frozenset[str]:
    """The folders below one of tests with their own manifest that are not suites: none of their
    files has the name of a test or configures a runner, or they have their own licence."""
    candidates = {
        folder
        for path in paths
        if path.rpartition("/")[2] in layout().files.projects
        and _is_among_tests(folder := folder_of(path))
    }
    suites: set[str] = set()
    licensed: set[str] = set()
    for path in paths if candidates else ():
        name = path.rpartition("/")[2]
        if test_files.has_test_name(path) or _SUITE.fullmatch(name):
            suites.update(candidates.intersection(parents(folder_of(path))))
        elif _LICENCE.fullmatch(name) and folder_of(path) in candidates:
            licensed.add(folder_of(path))
    return frozenset(candidates - suites | licensed)


def _is_among_tests(folder: str) -> bool:
    above, _, name = folder.rpartition("/")
    return above != "" and test_files.in_tests(above) and not test_files.is_test_folder(name)
