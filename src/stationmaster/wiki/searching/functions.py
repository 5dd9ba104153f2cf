"""Functions and types of a commit that have the words of a question.

Called in a child process, because it reads and parses files that outsiders wrote. Nothing of it is
stored: files are read at the time of the question. Those with a block that has most of its words
are parsed, and their functions are ranked by the words in names, comments and bodies.
"""

from __future__ import annotations

import math
import textwrap
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from stationmaster.reading.code import explaining, reading
from stationmaster.reading.code.looks import SIZE_MAX
from stationmaster.reading.code.model import FileFacts, Symbol
from stationmaster.reading.projects import credentials
from stationmaster.reading.projects.test_files import may_be_test
from stationmaster.repos.files import Files
from stationmaster.repos.reading import Source
from stationmaster.wiki import secrets
from stationmaster.wiki.making.inventory import inventory
from stationmaster.wiki.model import CodePassage
from stationmaster.wiki.searching import words
from stationmaster.wiki.searching.wanted import OTHER, Shares, Wanted, best_of

SECONDS = 2.0
"""Of one question; half of it at most goes to reading files. What was read by then has to do."""
BYTES_MAX = 32 * 2**20
"""Of all files that are read; those with words of the question in their paths come first."""
FILES_MAX = 16
"""Files that are parsed."""
LINES_MAX, LINE_MAX = 60, 300
"""Lines of a passage, and characters of a line."""
_BLOCK = 2_000
"""Bytes of a file that are compared with the question together: a function with its comment."""
_RARE = 5
"""A word in fewer blocks weighs as much as one in so many."""
_NAME, _CONTAINER, _COMMENT, _BODY, _PATH = 2.5, 1.5, 1.5, 0.7, 0.7
"""What a word counts in a place, and below what it adds in further places."""
_AGAIN = 0.2
_EXACT = 0.2
"""What a name counts more that has no words but those of the question."""
_TYPE = 0.6
"""What types and constructors count: most questions are about what is done."""
_LINES_WHOLE = 12
"""Shorter functions count less: they seldom do the work."""
_THIN = 6
"""A function of fewer lines that calls another match only leads to it."""
_WEAK = 0.4
"""Less than this share of the best score is no answer."""
_FUNCTIONS = frozenset({"function", "method"})
_TYPES = frozenset(
    {"class", "interface", "struct", "enum", "trait", "protocol", "object", "type", "constructor"}
)
_FOR_TESTS = "cfg(test)"
_WITH_DOCSTRINGS = (".py", ".pyi")


class _Candidate(NamedTuple):
    score: float
    path: str
    symbol: Symbol
    calls: frozenset[str]

    @property
    def lines(self) -> int:
        return self.symbol.end - self.symbol.line + 1


def passages(source: Source, question: str, limit: int) -> list[CodePassage]:
    """The functions and types that have most of a question's words, best first, without addresses;
    fewer or none where the time does not suffice. Raises what reading a repository raises."""
    until = time.monotonic() + SECONDS
    wanted = Wanted(question)
    if not wanted.words:
        return []
    contents, languages = _read(source, wanted, until - SECONDS / 2)
    weights, paths = _ranked_files(contents, wanted)
    candidates: list[_Candidate] = []
    for path in paths[:FILES_MAX]:
        if time.monotonic() > until:
            break
        facts = reading.declarations(languages[path], contents[path])
        file = _File(path, contents[path].decode(errors="replace"), wanted)
        candidates += _candidates(file, facts, weights)
    candidates.sort(key=lambda it: (-it.score, it.path, it.symbol.line))
    best = [it for it in candidates[: 4 * limit] if it.score >= _WEAK * candidates[0].score]
    return [_shown(it, contents[it.path]) for it in _working(best)[:limit]]


def _read(source: Source, wanted: Wanted, until: float) -> tuple[dict[str, bytes], dict[str, str]]:
    """The contents and languages of the files that are code of the product for its wiki, too."""
    contents: dict[str, bytes] = {}
    with source.open() as snapshot:
        files = Files(snapshot, BYTES_MAX, is_closed=credentials.never_opened)
        records = inventory(files)[0].records.values()
        languages = {
            it.path: it.language for it in records if it.is_code and it.file_class == "source"
        }
        paths = sorted(languages, key=lambda path: -len(wanted.within(path)))
        for path, data in files.contents_of(paths, SIZE_MAX):
            contents[path] = data
            if time.monotonic() > until:
                break
    return contents, languages


def _ranked_files(contents: Mapping[str, bytes], wanted: Wanted) -> tuple[list[float], list[str]]:
    """The weight of each word, by the number of blocks that have it, and the files whose best block
    has most words, best first."""
    forms = [
        [
            *((form.encode(), 1.0) for form in word.forms),
            *((it.encode(), OTHER) for it in word.others),
        ]
        for word in wanted.words
    ]
    counts: Counter[int] = Counter()
    blocks: list[tuple[str, Shares]] = []
    for path, data in contents.items():
        lowered = data.lower()
        present = [[it for it in some if it[0] in lowered] for some in forms]
        for start in range(0, len(lowered), _BLOCK // 2):
            block = lowered[start : start + _BLOCK]
            shares: Shares = {
                at: next((share for form, share in some if form in block), 0.0)
                for at, some in enumerate(present)
            }
            counts.update(at for at, share in shares.items() if share == 1.0)
            blocks.append((path, shares))
    total = 1 + len(blocks)
    weights = [math.log(1 + total / max(counts[at], _RARE)) for at in range(len(wanted.words))]
    best: dict[str, float] = defaultdict(float)
    for path, shares in blocks:
        best[path] = max(best[path], sum(weights[at] * share for at, share in shares.items()))
    for path in best:
        in_path = wanted.within(path)
        best[path] += _PATH * sum(weights[at] * share for at, share in in_path.items())
    return weights, sorted(filter(best.get, best), key=lambda path: (-best[path], path))


class _File:
    """The words of the question in the path of a file and in each of its lines."""

    def __init__(self, path: str, text: str, wanted: Wanted) -> None:
        self.path = path
        self._wanted = wanted
        self._lines = text.split("\n")
        self._in_path = wanted.within(path)
        self._in_lines = [wanted.within(line) for line in self._lines]

    def score(self, symbol: Symbol, weights: Sequence[float]) -> float:
        """How well a function or type answers."""
        in_name = self._wanted.named(symbol.name)
        places = (
            (_NAME, in_name),
            (_CONTAINER, self._wanted.within(symbol.container)),
            (_COMMENT, self._in_comment(symbol)),
            (_BODY, self._between(symbol.line, symbol.end)),
            (_PATH, self._in_path),
        )
        score = 0.0
        for at, weight in enumerate(weights):
            parts = [place * shares[at] for place, shares in places if at in shares]
            if parts:
                score += weight * ((1 - _AGAIN) * max(parts) + _AGAIN * sum(parts))
        parts_of_name = max(1, len([*words.of_text(symbol.name)]) - 1)
        score *= 1 + _EXACT * min(1, len(in_name) / parts_of_name)
        if symbol.kind in _TYPES:
            score *= _TYPE
        return score * math.sqrt(min(1, (symbol.end - symbol.line + 1) / _LINES_WHOLE))

    def _in_comment(self, symbol: Symbol) -> Shares:
        span = explaining.comment_above(self._lines, symbol.line)
        if span is None and symbol.doc and self.path.endswith(_WITH_DOCSTRINGS):
            span = explaining.docstring(self._lines, symbol.line)
        return self._between(*span) if span else {}

    def _between(self, first: int, last: int) -> Shares:
        return best_of(self._in_lines[first - 1 : last])


def _candidates(file: _File, facts: FileFacts, weights: Sequence[float]) -> Iterator[_Candidate]:
    """The functions and types of a file with their scores; none of tests."""
    if may_be_test(file.path) and any(test.kind != "fixture" for test in facts.tests):
        return
    calls: dict[str, set[str]] = defaultdict(set)
    for call in facts.calls:
        calls[call.caller].add(call.name)
    tests = tuple(f"{it.qualified}." for it in facts.symbols if _FOR_TESTS in it.marks)
    for symbol in facts.symbols:
        lines = symbol.end - symbol.line + 1
        # A long type is found by its methods.
        is_listed = symbol.kind in _FUNCTIONS or (symbol.kind in _TYPES and lines <= LINES_MAX)
        if is_listed and lines > 1 and not f"{symbol.qualified}.".startswith(tests):
            score = file.score(symbol, weights)
            yield _Candidate(score, file.path, symbol, frozenset(calls[symbol.qualified]))


def _working(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """The candidates without those that only call another one, such as a handler that calls the
    function of its own name."""
    by_name: dict[str, list[_Candidate]] = defaultdict(list)
    for it in candidates:
        by_name[it.symbol.name].append(it)
    thin: set[_Candidate] = set()
    for it in candidates:
        called = [other for name in it.calls for other in by_name.get(name, ()) if other != it]
        if any(other not in thin and _leads_to(it, other) for other in called):
            thin.add(it)
    return [it for it in candidates if it not in thin]


def _leads_to(caller: _Candidate, called: _Candidate) -> bool:
    is_of_same_name = called.symbol.name == caller.symbol.name and called.lines >= caller.lines
    return 2 * called.score >= caller.score and (is_of_same_name or caller.lines < _THIN)


def _shown(candidate: _Candidate, content: bytes) -> CodePassage:
    symbol = candidate.symbol
    # The whole file is searched for secrets: some begin lines before what is shown.
    lines = secrets.masked_lines(content.decode(errors="replace"))
    last = min(symbol.end, symbol.line + LINES_MAX - 1)
    cut = (line[:LINE_MAX].expandtabs(4) for line in lines[symbol.line - 1 : last])
    text, is_cut = textwrap.dedent("\n".join(cut)), last < symbol.end
    return CodePassage(candidate.path, symbol.qualified, symbol.line, last, text, is_cut)
