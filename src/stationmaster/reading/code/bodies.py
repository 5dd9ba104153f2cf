"""The statements of a function, and the conditions under which each of them runs. Lines count from
1; blocks are recognized by indentation."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from stationmaster.reading.code.explaining import (
    COMMENT_BEHIND,
    behind,
    docstring,
    guard,
    head_end,
    indent,
    unwrapped,
)
from stationmaster.reading.code.languages.closures import closure
from stationmaster.reading.code.model import Symbol

FUNCTION_LINES_MAX = 1000
LINE_MAX = 300
"""Characters of a line that are read."""
_STATEMENT_MAX = 6
"""Lines of one statement that are shown."""
_BLANK = re.compile(r"\A\s*+(?:(?://|#(?!\[)|/?\*|--|\"\"\"|''').*)?$")
CLOSES = re.compile(r"\A\s*+(?:[)\]}]+[;,)]{0,3}|end)\s*$")
_OPENS = re.compile(r"\A\s*+\{\s*+$")
_GOES_ON = re.compile(r"\s*(?:&&|\|\||(?:and|or)\b|\??\.\w|->\w)")
_HEAD_END = re.compile(r"\A\s*+\).*[{:]\s*$")
"""The last line of a head of several lines, or of the parameters of a call that opens a block."""
_DECIDES_NOTHING = re.compile(
    "|".join(form.pattern for form in (_BLANK, CLOSES, _HEAD_END, _OPENS))
)
_UNFINISHED = re.compile(r"(?:[,(\[\\*=<|&^]|(?<!\+)\+|(?<!-)-|\b(?:and|or|not))\s*(?:#.*|//.*)?$")
_PARAMETERS = re.compile(r"(?:\bdo|\{) ?\|[^|]*+\|$")
"""What a block of Ruby takes."""
CONDITION = re.compile(
    r"\s*(?:\}\s*)?(?:@?(?:if|elif|elsif|elseif|unless|guard|switch|match|case|when|while|until|for"
    r"|foreach|catch|except|rescue)\b|else\b|default\b|loop\b)"
)
_DECIDES = re.compile(r"\s*(?:\}\s*)?(?:else )?(?:if|elif|elsif|elseif|unless)\b")
_BRANCH = re.compile(r"\s*(?:\}\s*)?(?:else|elif|elsif|elseif)\b")
_CHOICE = re.compile(r"\s*(?:(case|default)|when|else)\b")
_OPENING = re.compile(r"\s*(?:(switch|match|select)|case)\b")
_FALLING = re.compile(r"\s*switch ?\(")
"""A choice in the languages whose cases go on into the next one."""
_LEAVES = re.compile(
    r"(?:^|[:;])\s*+(?:return|break|throw|raise|continue|goto|die|exit|process\.exit|System\.exit)\b"
)
LOOP = re.compile(r"\s*(?:for|foreach|while|until|loop)\b|.*\.each\b")
PASSED_ON = re.compile(
    r"\b\w{0,40}[eE]rr(?:or)? ?!= ?nil\b"
    r"|\bif ?\(err(?:or)?\)|^\s*(?:\}\s*)?(?:catch|except|rescue)\b"
)
"""The condition of an exit that passes an error on, which every call has."""
_FAILS = re.compile(r"\s*(?:return )?[\w.$>:-]{1,80}\((?:new \w*Error\b|(?:err|error|ex)[,)])")
_TRIED = re.compile(r"\s*(?:\}\s*)?(?:catch|except|rescue|finally|ensure)\b")
_TAKEN = re.compile(
    r"^\s*(?:let [^=\n]{1,80}= |return |[\w.@]{1,80} = )(?=(?:if|match|switch|unless|case)\b)"
)
_CASE = re.compile(r"(?:else )?(if|elif|elsif|elseif|unless)\b\s*(.+)", re.DOTALL)
_WORDS: tuple[Literal["where", "unless"], ...] = ("where", "unless")
_NEGATED = re.compile(r"(?:!|not )([\w.$@>:-]{1,80}(?:\([^()]{0,80}\))?)")
_MATCH = re.compile(r"\s*match\b")
_COMPARED = re.compile(r"([^=!<>&|]{1,80}?) ?={2,3} ?[\w.:\"'-]+")
_PATTERN = re.compile(r"[^\s)\]}]")
_ENDS = re.compile(r"(?:(?::[ \t]{0,4})?\{|:|\bthen|\bdo)(?:[ \t]{0,20}\|[^|]{0,200}\|)?$")


class Body:
    """The statements of a function and how they are nested."""

    def __init__(self, lines: Sequence[str], symbol: Symbol, language: str = "") -> None:
        """Read the statements. With a `language`, functions within the function are recognized."""
        self.lines = lines
        self.language = language
        self.first = symbol.line
        self.last = min(symbol.end, symbol.line + FUNCTION_LINES_MAX)
        self.outer: dict[int, int] = {}
        """The line of the enclosing statement, by the line of a statement."""
        self.beside: dict[int, int] = {}
        """The line of a condition, by that of its next branch."""
        self.chosen: dict[int, int] = {}
        """The line of a `switch` or `match`, by that of a case with the same indentation."""
        self.tried: dict[int, int] = {}
        """The line of a `try`, by that of its handler."""
        self._read(symbol.line)

    def _read(self, head: int) -> None:
        open_ = [head]
        first, last = docstring(self.lines, head) or (0, 0)
        start = head_end(self.lines, head) if head else 0
        for at in range(start + 1, self.last + 1):
            text = self.lines[at - 1]
            if first <= at <= last or _DECIDES_NOTHING.match(text):
                continue
            depth, above = indent(text), 0
            while len(open_) > 1 and indent(self.lines[open_[-1] - 1]) >= depth:
                above = open_.pop()
            is_level = above and indent(self.lines[above - 1]) == depth
            if is_level and (choice := self._choice(text, above)):
                self.chosen[at] = choice
            elif is_level and _BRANCH.match(text):
                self.beside[at] = above
            elif is_level and _TRIED.match(text):
                self.tried[at] = above
            self.outer[at] = self.chosen.get(at, open_[-1])
            open_.append(at)

    def _choice(self, text: str, above: int) -> int:
        """The line of the `switch` or `match` of a case below a line of its indentation, or 0."""
        choice, opening = _CHOICE.match(text), _OPENING.match(self.text(above))
        if choice is None or above in self.chosen:
            return self.chosen[above] if choice else 0
        return above if opening and bool(opening[1]) == bool(choice[1]) else 0

    def text(self, line: int) -> str:
        return self.lines[line - 1][:LINE_MAX]

    def holders(self, line: int) -> list[int]:
        """The enclosing lines of one, the outermost first, and the conditions before them."""
        lines: set[int] = set()
        waiting = [line]
        while waiting:
            at = waiting.pop()
            if at != line and at != self.first:
                lines.add(at)
            near = (self.beside.get(at), self.tried.get(at), self.outer.get(at))
            waiting += [other for other in near if other and other not in lines]
        return sorted(lines)

    @cached_property
    def statements_in(self) -> Mapping[int, Sequence[int]]:
        """The lines of nested statements, by that of the enclosing one."""
        lines = defaultdict[int, list[int]](list)
        for at, outer in self.outer.items():
            lines[outer].append(at)
        return dict(lines)

    @cached_property
    def leaving(self) -> Mapping[int, Sequence[tuple[int, str, str]]]:
        """Lines that leave a statement under a condition, with that, by the statement's line."""
        return {
            outer: [(at, *it) for at in lines if (it := _left_on(self, at))[1]]
            for outer, lines in self.statements_in.items()
        }

    def siblings(self, line: int) -> Sequence[int]:
        """The lines in the same enclosing statement as one, with itself."""
        return self.statements_in.get(self.outer.get(line, -1), ())

    def within(self, line: int) -> list[int]:
        """The enclosing lines of one, the outermost first."""
        lines = []
        while line in self.outer:
            line = self.outer[line]
            lines.append(line)
        return lines[-2::-1]


class Condition(NamedTuple):
    """A condition with its `texts` as written. `in`: a line in it runs if it is true; `where` and
    `unless` are for negated conditions and for those before an `else`; `else` is that of a loop or
    of a `try`. A line `within` a function, or in one that is an argument (`given`) or `returned`,
    runs when that function does. Those `before` an `else if` are false there."""

    word: Literal["in", "where", "unless", "else", "within", "given", "returned"]
    texts: tuple[str, ...]
    before: tuple[str, ...] = ()

    @property
    def is_function(self) -> bool:
        """Is it a function within the function and not a condition?"""
        return self.word in ("within", "given", "returned")


Chance = Literal["always", "condition", "failure"]
_TRIED_WELL = Condition("else", ("try",))


def conditions(body: Body, line: int, name: str = "", first: int = 0) -> list[Condition]:
    """The conditions under which the call of a name in a line runs, the outermost first, without
    functions down to the one of the line `first`."""
    holders = [at for at in body.within(line) if line not in statement(body, at)]
    both = ((at, of(body, at)) for at in holders for of in (_condition, _nested))
    by_line = [(at, condition) for at, condition in both if condition]
    inner = next((at for at, it in by_line if it.is_function and at >= first), 0) if first else -1
    result = [it for at, it in by_line if at > inner or not it.is_function]
    if line not in body.outer:
        return result
    text = body.text(line)
    for before, rest in (_arm(body, line), guard(text), behind(text)):
        if before and (not name or name in rest or name not in text):
            result.append(Condition("in", (before,)))
    return result


def guards(body: Body, line: int) -> Iterator[tuple[int, Condition]]:
    """The conditions of early exits above a line, which must be false for it to run, or true; with
    the line of the last of each block."""
    for inner in (*body.within(line), line):
        branches_ = {inner}
        while (above := body.beside.get(min(branches_), 0)) and above not in branches_:
            branches_.add(above)
        leaving = body.leaving.get(body.outer.get(inner, -1), ())
        above_it = [it for it in leaving if it[0] < inner and it[0] not in branches_]
        for word in _WORDS:
            texts = {text: at for at, its, text in above_it if its == word}
            if texts:
                yield max(texts.values()), Condition(word, (*texts,))


def _left_on(body: Body, line: int) -> tuple[Literal["where", "unless"], str]:
    """The condition that must be true, or false, for a statement not to leave the enclosing one; ''
    for one that does not leave it, or that passes an error on."""
    text = body.text(line)
    head, rest = guard(text)
    if not rest.rstrip("{ "):
        head, rest = behind(text)
    if not head and _DECIDES.match(text) and line not in body.beside:
        inner, one = body.statements_in.get(line), text.strip().rpartition(": ")
        head, _, rest = (_bare(body, line), "", body.text(inner[-1])) if inner else one
    case = _CASE.fullmatch(head)
    if case is None or PASSED_ON.search(head) or not _LEAVES.match(rest.lstrip("{ ")):
        return "unless", ""
    condition = unwrapped(case[2])
    if negated := _NEGATED.fullmatch(condition):
        return "unless" if case[1] == "unless" else "where", negated[1]
    return "where" if case[1] == "unless" else "unless", condition


def chance(body: Body, line: int) -> Chance:
    """How often a line runs: always, under a condition, or only after a failure, as what is called
    with an error."""
    stated = [it for it in conditions(body, line) if not it.is_function]
    is_failing = any(PASSED_ON.search(text) for it in stated for text in it.texts)
    if is_failing or _FAILS.match(body.text(line)):
        return "failure"
    is_open = all(LOOP.match(it.texts[0]) or it == _TRIED_WELL for it in stated)
    return "always" if is_open else "condition"


def _condition(body: Body, line: int) -> Condition | None:
    if not CONDITION.match(_led(body.text(line))):
        arm, _ = _arm(body, line)
        inner = None if arm or not body.language else closure(body.text(line), body.language)
        if inner is not None:
            return Condition(inner.kind, (inner.name,))
        return Condition("in", (arm,)) if arm else None
    text, heads, at = _bare(body, line), list[str](), line
    while at in body.beside:
        at = body.beside[at]
        heads.insert(0, _bare(body, at))
    cases = [case for head in heads if (case := _CASE.fullmatch(head))]
    texts = tuple(unwrapped(case[2]) for case in cases)
    is_negated = any(case[1] == "unless" for case in cases)
    if text != "else" or not heads:
        here = (*(_bare(body, it) for it in _going_on(body, line)), text)
        is_unclear = is_negated or len(cases) < len(heads)
        return Condition("in", here, () if is_unclear else _before(text, texts))
    if _TRIED.match(body.text(at)):
        return _TRIED_WELL
    if len(cases) < len(heads):
        return Condition("else", (heads[-1],))
    return Condition("where" if is_negated and len(cases) == 1 else "unless", texts)


def _before(text: str, earlier: Sequence[str]) -> tuple[str, ...]:
    """Of the conditions before an `else if` those that it does not rule out itself, as it does
    where both compare the same with a value."""
    case = _CASE.fullmatch(text)
    own = _COMPARED.fullmatch(unwrapped(case[2])) if case else None
    others = [it for it in earlier if not PASSED_ON.search(it)]
    pairs = ((it, _COMPARED.fullmatch(it)) for it in others)
    return tuple(it for it, other in pairs if not (own and other and own[1] == other[1]))


def _going_on(body: Body, line: int) -> list[int]:
    """The cases before one that go on into it."""
    choice, cases = body.outer.get(line, line), list[int]()
    if _CHOICE.match(body.text(line)) and _FALLING.match(_led(body.text(choice))):
        for at in reversed([it for it in body.siblings(line) if it < line]):
            if "->" in body.text(at) or _leaves(body, at):
                break
            if _CHOICE.match(body.text(at)):
                cases.insert(0, at)
    return cases


def _leaves(body: Body, line: int) -> bool:
    """Does the last statement of a block leave it, or the only line of one?"""
    last = body.statements_in.get(line, (line,))[-1]
    is_else = last != line and last in body.beside and _bare(body, last) == "else"
    return _leaves(body, last) if is_else else _LEAVES.search(body.text(last)) is not None


def _led(text: str) -> str:
    """A line without the assignment or `return` before a condition."""
    return _TAKEN.sub("", text, count=1)


def _arm(body: Body, line: int) -> tuple[str, str]:
    """The pattern of an arm of a `match` of Rust, and the text after `=>`."""
    pattern, sign, rest = body.text(line).partition("=>")
    above = body.text(body.outer.get(line, line)).rpartition("=>")[2]
    is_arm = sign and _MATCH.match(_led(above))
    return (pattern.strip(), rest) if is_arm and _PATTERN.search(pattern) else ("", "")


def _nested(body: Body, line: int) -> Condition | None:
    """The `match` that is all that an arm of another one does."""
    rest = _arm(body, line)[1].strip()
    return Condition("in", (_ENDS.sub("", rest).rstrip(),)) if _MATCH.match(rest) else None


def _bare(body: Body, line: int) -> str:
    """A condition without what opens its block."""
    lines = [*statement(body, line)]
    parts = [COMMENT_BEHIND.sub("", body.text(at)).strip() for at in lines]
    after = body.text(lines[-1] + 1) if lines and lines[-1] < body.last else ""
    text = _led(" ".join(parts)).removeprefix("}").strip()
    is_cut = _is_unfinished(text) or _GOES_ON.match(after)
    text = _ENDS.sub("", text.rstrip()).rstrip()
    return f"{text} …" if is_cut else text


def _is_unfinished(text: str) -> bool:
    return _UNFINISHED.search(text) is not None and not _PARAMETERS.search(text)


def statement(body: Body, line: int) -> Iterator[int]:
    """The lines of a statement, the first ones of a long one."""
    for at in range(line, min(line + _STATEMENT_MAX, body.last + 1)):
        yield at
        after = body.text(at + 1) if at < body.last else ""
        if not (_is_unfinished(body.text(at)) or _GOES_ON.match(after)):
            if at > line and at < body.last and CLOSES.match(body.text(at + 1)):
                yield at + 1
            return
