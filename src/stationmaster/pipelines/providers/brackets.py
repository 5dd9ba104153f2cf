"""Code of Groovy or Kotlin as brackets, words and literals: the literal parts of a pipeline in
code.

Neither language is understood, and nothing is computed: a value that is no literal stays unknown.
The reader forgives what it does not know and brackets that do not match, and takes as long as the
file does.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from stationmaster.catalogue import ci
from stationmaster.pipelines.model import Place
from stationmaster.repos.yaml_nodes import Fault

SIZE_MAX = 2**20
"""Bytes of one file of code."""
DEPTH_MAX = 64
_ITEMS_MAX = 50_000
_INTERPOLATION_MAX = 4_000
_WRITTEN_MAX = 80
_PAIRS = {")": "(", "]": "[", "}": "{"}
_TOKEN = re.compile(
    r"""(?P<space>[^\S\n]+|\\\r?\n)
    |(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<newline>\n)
    |(?P<word>[^\W\d][\w$]*(?:\??\.[^\W\d][\w$]*)*)
    |(?P<number>\d[\w.]*)
    |(?P<quote>\"{3}|'{3}|\"|')
    |(?P<open>[(\[{])
    |(?P<close>[)\]}])
    |(?P<mark>->|==~|=~|[=!<>+-]=|.)""",
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"/((?:[^/\\\n]|\\.)*)/")
_BEFORE_REGEX = frozenset("=~(,[:!&|?") | {"==~", "=~", "return", "case"}
_ENDS = {
    "'": re.compile(r"[\\\n']"),
    '"': re.compile(r'[\\\n"]|\$\{'),
    "'''": re.compile(r"\\|'{3}"),
    '"""': re.compile(r'\\|"{3}|\$\{'),
}
_IN_CODE = re.compile(r"[{}]|\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|\\.")
_ESCAPE = re.compile(r"\\(\r?\n|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\n": "", "\r\n": ""}
_GOES_ON = frozenset(",+:?=&|")
_KEYWORDS = frozenset(ci.words("brackets")["keywords"])


@dataclass(frozen=True, slots=True)
class Word:
    """A name, with those behind dots; or a number."""

    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Text:
    """A literal; `at` is where its content begins. `is_plain`: nothing in it is computed."""

    value: str
    is_plain: bool
    at: int


@dataclass(frozen=True, slots=True)
class Mark:
    """Any other sign. Ends of lines are marks too, but not within `(` and `[`."""

    text: str
    at: int


@dataclass(slots=True)
class Group:
    """The content of brackets. `at` and `end` include them."""

    bracket: str
    at: int
    end: int = 0
    items: list[Item] = field(default_factory=list)


Item = Word | Text | Mark | Group


@dataclass(frozen=True, slots=True)
class Call:
    """`name(arguments) { body }`, `name argument, key: argument`, `name = argument`; a group that
    belongs to no name is a call without one."""

    name: str
    at: int
    arguments: list[list[Item]] = field(default_factory=list)
    named: dict[str, list[Item]] = field(default_factory=dict)
    body: Group | None = None
    is_assignment: bool = False

    def parts(self) -> Iterator[list[Item]]:
        """Everything that may hold calls itself."""
        yield from self.arguments
        yield from self.named.values()
        if self.body is not None:
            yield self.body.items

    def word(self) -> str:
        """The name or number that its first argument begins with, '' for another one."""
        first = self.arguments[0][0] if self.arguments and self.arguments[0] else None
        return first.text if isinstance(first, Word) else ""

    def number(self) -> int | None:
        """The number that its first argument is."""
        digits = self.word()
        return int(digits) if digits.isdecimal() and len(digits) < 7 else None

    def literal(self, name: str | None = None, index: int = 0) -> str | None:
        """The argument of this name, or else the one at this place, if it is a literal."""
        if name is not None and name in self.named:
            return literal(self.named[name])
        return literal(self.arguments[index]) if index < len(self.arguments) else None


class Code:
    """A file as a tree. `fault` is where brackets do not match."""

    def __init__(self, data: bytes) -> None:
        """Raises Fault for what is too much."""
        if len(data) > SIZE_MAX:
            raise Fault(f"the file is larger than {SIZE_MAX} bytes")
        self.source = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
        self._starts = [0, *(match.end() for match in re.finditer("\n", self.source))]
        self._interpolates = True
        self._open = [Group("", 0, len(self.source))]
        self.fault: Fault | None = None
        self._read()

    @property
    def items(self) -> list[Item]:
        """The items outside all brackets, in the order of the file."""
        return self._open[0].items

    def place(self, at: int) -> Place:
        """The line and column of an offset in the source, from 1."""
        line = bisect_right(self._starts, at)
        return Place(line, at - self._starts[line - 1] + 1)

    def inside(self, group: Group) -> str:
        """The text between a group's brackets, as written."""
        return self.source[group.at + 1 : group.end].removesuffix("}").strip()

    def written(self, items: list[Item]) -> str:
        """What these items were read from: the beginning of it, as written."""
        last = items[-1]
        if isinstance(last, Group):
            end = last.end
        else:
            end = last.at + len(last.value if isinstance(last, Text) else last.text)
        return self.source[items[0].at : min(end, items[0].at + _WRITTEN_MAX)]

    def _read(self) -> None:
        at = 0
        if self.source.startswith("#!"):
            at = self.source.find("\n") if "\n" in self.source else len(self.source)
        count, before = 0, "="
        while at < len(self.source):
            match = _TOKEN.match(self.source, at)
            assert match is not None  # The last alternative takes anything.
            kind, text, start = match.lastgroup, match[0], at
            at = match.end()
            if kind in ("space", "comment"):
                continue
            count += 1
            if count > _ITEMS_MAX:
                raise self._wrong("the file is too long", start)
            if text == "/" and before in _BEFORE_REGEX:
                if regex := _REGEX.match(self.source, start):
                    at = regex.end()
                    self._add(Text(regex[1], "$" not in regex[1], start + 1))
            elif kind == "quote":
                at = self._string(text, at)
            elif kind in ("word", "number"):
                self._add(Word(text.replace("?.", "."), start))
            elif kind == "open":
                if len(self._open) > DEPTH_MAX:
                    raise self._wrong("the file is nested too deeply", start)
                self._open.append(Group(text, start))
            elif kind == "close":
                self._close(_PAIRS[text], start)
            elif kind == "mark" or self._open[-1].bracket in ("", "{"):
                self._add(Mark(text, start))
            before = text
        while len(self._open) > 1:
            self._unmatched(self._open[-1].at)
            self._end(len(self.source))

    def _add(self, item: Item) -> None:
        self._open[-1].items.append(item)

    def _close(self, bracket: str, at: int) -> None:
        if all(group.bracket != bracket for group in self._open):
            self._unmatched(at)
            return
        while self._open[-1].bracket != bracket:
            self._unmatched(self._open[-1].at)
            self._end(at)
        self._end(at + 1)

    def _end(self, at: int) -> None:
        done = self._open.pop()
        done.end = at
        self._add(done)

    def _string(self, quote: str, start: int) -> int:
        """Where the literal ends that begins here, behind its quote."""
        at, is_plain, ends = start, True, _ENDS[quote]
        while match := ends.search(self.source, at):
            at = match.end()
            if match[0] == "\\":
                at += 1
            elif match[0] == "${":
                is_plain = False
                at = self._interpolation(at, len(quote) == 3)
            else:
                self._text(start, match.start(), is_plain)
                return match.start() if match[0] == "\n" else at
        self._text(start, len(self.source), is_plain)
        if len(quote) == 3:
            self._unmatched(start)
        return len(self.source)

    def _text(self, start: int, end: int, is_plain: bool) -> None:
        value = _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), self.source[start:end])
        self._add(Text(value, is_plain, start))

    def _interpolation(self, start: int, is_long: bool) -> int:
        """Where code within a literal ends. The first that does not is the last that is tried."""
        depth, at, end = 1, start, start + _INTERPOLATION_MAX
        if not is_long and (line := self.source.find("\n", start, end)) >= 0:
            end = line
        while self._interpolates and (match := _IN_CODE.search(self.source, at, end)):
            at = match.end()
            depth += {"{": 1, "}": -1}.get(match[0], 0)
            if depth == 0:
                return at
        self._interpolates = False
        return start

    def _unmatched(self, at: int) -> None:
        if self.fault is None:
            self.fault = self._wrong("its brackets or quotes do not match", at)

    def _wrong(self, reason: str, at: int) -> Fault:
        place = self.place(at)
        return Fault(reason, place.line, place.column)


def calls(items: list[Item]) -> Iterator[Call]:
    """The calls at this level, not those within them."""
    at = 0
    while at < len(items):
        item = items[at]
        at += 1
        if isinstance(item, Group):
            yield Call("", item.at, body=item)
        elif isinstance(item, Word) and item.text not in _KEYWORDS and at < len(items):
            call, at = _call(item, items, at)
            if call is not None:
                yield call


def literal(items: list[Item]) -> str | None:
    """The value of a literal alone, or with a call behind its dot."""
    if not items or not isinstance(items[0], Text):
        return None
    is_alone = len(items) == 1 or (is_mark(items[1], "."))
    return items[0].value if is_alone else None


def literals(items: list[Item]) -> Iterator[Text]:
    """All literals in it, at any depth, in order."""
    left = [iter(items)]
    while left:
        for item in left[-1]:
            if isinstance(item, Text):
                yield item
            elif isinstance(item, Group):
                left.append(iter(item.items))
                break
        else:
            left.pop()


def groups(items: list[Item]) -> Iterator[Group]:
    """All groups in it, at any depth."""
    left = [item for item in items if isinstance(item, Group)][::-1]
    while left:
        group = left.pop()
        yield group
        left += [item for item in group.items if isinstance(item, Group)][::-1]


def is_mark(item: Item | None, text: str) -> bool:
    """Is it this sign?"""
    return isinstance(item, Mark) and item.text == text


def within(items: list[Item]) -> Iterator[Call]:
    """All calls in it, at any depth, in order."""
    left = [calls(items)]
    while left:
        call = next(left[-1], None)
        if call is None:
            left.pop()
            continue
        yield call
        left += reversed([calls(part) for part in call.parts()])


def _call(name: Word, items: list[Item], at: int) -> tuple[Call | None, int]:
    """The call of a name, and where what follows it begins."""
    after = items[at]
    if isinstance(after, Group) and after.bracket == "(":
        arguments, named = arguments_of(after.items)
        body = items[at + 1] if at + 1 < len(items) else None
        if isinstance(body, Group) and body.bracket == "{":
            return Call(name.text, name.at, arguments, named, body), at + 2
        return Call(name.text, name.at, arguments, named), at + 1
    if isinstance(after, Group) and after.bracket == "{":
        return Call(name.text, name.at, body=after), at + 1
    is_assignment = is_mark(after, "=")
    if is_assignment or isinstance(after, Text) or _begins(after):
        start = at + is_assignment
        at = _end_of_statement(items, start)
        if is_assignment:
            return Call(name.text, name.at, [items[start:at]], is_assignment=True), at
        arguments, named = arguments_of(items[start:at])
        return Call(name.text, name.at, arguments, named), at
    return None, at


def _begins(item: Item) -> bool:
    return isinstance(item, Word) and item.text not in _KEYWORDS


def _end_of_statement(items: list[Item], at: int) -> int:
    """A line that ends with a comma or an operator continues.

    Two values side by side are two calls in a chain; so nothing is part of more than one of them.
    """
    before: Item | None = None
    while at < len(items):
        item = items[at]
        goes_on = isinstance(before, Mark) and before.text in _GOES_ON
        if isinstance(item, Mark):
            if item.text in (";", "=") or (item.text == "\n" and not goes_on):
                break
        elif _are_two(before, item):
            break
        if not (isinstance(item, Mark) and item.text == "\n"):
            before = item
        at += 1
    return at


def _are_two(before: Item | None, item: Item) -> bool:
    if isinstance(before, Text | Group):
        return not isinstance(item, Group)
    return before is not None and _begins(before) and _begins(item)


def arguments_of(items: list[Item]) -> tuple[list[list[Item]], dict[str, list[Item]]]:
    """Values between commas; those with a key, `key: value` or `key = value`, by it."""
    arguments: list[list[Item]] = []
    named: dict[str, list[Item]] = {}
    for part in between_commas(items):
        key, mark = part[0], part[1] if len(part) > 1 else None
        if isinstance(key, Word | Text) and isinstance(mark, Mark) and mark.text in (":", "="):
            named[key.text if isinstance(key, Word) else key.value] = part[2:]
        else:
            arguments.append(part)
    return arguments, named


def between_commas(items: list[Item]) -> Iterator[list[Item]]:
    """The parts of a list of arguments or parameters."""
    part: list[Item] = []
    for item in items:
        if isinstance(item, Mark) and item.text in (",", "\n"):
            if item.text == "," and part:
                yield part
                part = []
        else:
            part.append(item)
    if part:
        yield part
