"""What programs say of themselves where they are asked for help: texts of code with the form of a
call (`Usage: shop add [options]`), and lines of options and commands with their meanings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from stationmaster.reading.code.languages.source import one_line
from stationmaster.reading.code.model import HELP_MAX, Option
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.extending.offered import is_aside, public
from stationmaster.wiki.facts.model import Facts, of_file, query
from stationmaster.wiki.facts.tooling.programs.declared import programs

_OPTIONS_MIN = 4
"""Fewer without the form of a call may be an example."""
_APART_MAX = 8
"""Lines between two options or commands."""
_ABOVE_MAX, _BELOW_MAX = 15, 3
"""Lines above the form of the call, and to it from its heading."""
_LINES_MAX, _LENGTH_MAX, _ROWS_MAX = 20_000, 300, 500
_SHELLS = (".sh", ".bash", ".zsh", ".fish", ".ksh")
_SHOWN = re.compile(r"(?i)(?:[\w-]{0,40}[_-])?(?:usage|help)\.txt")
"""What files are called that a program shows."""
_CALL = re.compile(
    r"[\w.!:]{1,40}\s?\((?:[\w.()]{1,30},\s?)?[rf]?([\"'`])(.{0,300})\1(?:,[^\"'`]{0,200})?\)?\s?[;,]?"
)
"""A call that prints a line."""
_USAGE = re.compile(r"(?i)(?:^[^\w\n]{0,20}|[\"'`]\s{0,10})usage\s{0,4}:\s{0,20}(.{0,300})")
_FORM = re.compile(
    r"\s{0,20}(?:\$\s)?([A-Za-z][\w.-]{1,40})((?:\s+[a-z][\w:-]{1,40})*+)(?=\s+[\[<(|{A-Z-]|\s*$)"
)
"""The form of a call: a program, words, then what varies."""
_OPTION = re.compile(
    r"(-{1,2}(?:\[no-?\])?[A-Za-z0-9?#][\w.-]{0,60}(?:[ ,|/=\[<{:][^\n]{0,80}?)?)"
    r"(?:[ ]{2,}|\t+)(\S[^\n]*)"
)
"""An option with its meaning."""
_ALONE = re.compile(
    r"-{1,2}[A-Za-z][\w-]{0,60}(?:,? -{1,2}[\w-]{1,60})?(?:[ =][\w<\[|.\]>-]{1,40})?"
)
"""One whose meaning is below it."""
_NAMES = re.compile(r"(?<![\w-])-{1,2}(?:\[no-?\])?[A-Za-z0-9?#][\w.-]{0,60}")
_COMMANDS = re.compile(r"(?i)(?:[\w-]{1,20} ){0,3}(?:sub-?)?commands?(?: (?:are|include))?\s?:?")
_HEADING = re.compile(r"[A-Z][\w ,/-]{1,40}:|[A-Z][A-Z ]{3,30}")
_COMMAND = re.compile(
    r"([a-z][\w:.-]{0,40})((?:, ?[a-z][\w-]{0,30})*+)"
    r"((?:\s(?:[\[<|]\S{0,40}|[A-Z][A-Z_]{1,30}(?=\s)))*+)"
    r"(?:\s{2,}|\t+|(?<=[\]>]) (?=[A-Z]))(\S.*)"
)
_DEFAULT = re.compile(r"(?i)[\[(](?:default:?|defaults to) {0,2}([^\])]{1,60})[\])]")
_COLOUR = re.compile(r"\\(?:x1[bB]|e|033|u001[bB])?\[?\d{1,3}(?:;\d{1,3}){0,3}m")
_HOLE = re.compile(r"%[sdiquvx]|\{\}")
_OPENED = re.compile(r"[^\"'`]{0,80}[=(,] ?[rfb]?(?:\"\"\"|\'\'\'|`|\")(\s{0,20}-[^\"`]{1,200})")
"""A line of code in which a text begins with an option."""
_TAIL = re.compile(r"(?:\\n)?(?:\'\'\'|\"\"\"|[\"\'`])[)\];,]{1,3}$")
_OPENS = re.compile(r"(?:[\"`]|'''|\"\"\"|#\"|EOF)\\?\s*$|^\s*(?:\"\"\"|''')")


class Help(NamedTuple):
    """What a text says of the command `words` of a `program`, '' where it names none; `line` is
    that of the form of the call or of its first option. `is_called`: it has the form of a call."""

    program: str
    words: tuple[str, ...]
    line: int
    about: str
    options: tuple[Option, ...]
    commands: tuple[tuple[str, int, str], ...]
    is_called: bool


@query
def helps(facts: Facts) -> tuple[tuple[str, Help], ...]:
    """Those of the product's code, with their files."""
    # What is next to a library, which has no program, only helps to build it.
    has_main = any(it.kind == "main" for file in interfaces(facts) for it in file.entries)
    is_library = bool(public(facts)) and not (has_main or programs(facts))
    paths = (it for it in facts.records if not is_library or "bin" in it.split("/")[:-1])
    return tuple(
        (path, each)
        for path in paths
        if _may_have(facts, path) and not is_aside(path)
        for each in helps_in(facts, path)
    )


def explained(
    options: Sequence[Option], explaining: Sequence[Option], path: str, *, is_whole: bool
) -> tuple[Option, ...]:
    """Options with the meanings that a help in the file `path` says; if it is all of a command's
    help, with the options that only it names, too."""
    by_name = {name: option for option in explaining for name in option.names}
    whole = []
    for option in options:
        same = next((by_name[name] for name in option.names if name in by_name), None)
        if same is not None and not option.help:
            option = replace(option, help=same.help)
        whole.append(option)
    names = {name for option in options for name in option.names}
    more = [replace(it, path=path) for it in explaining if names.isdisjoint(it.names)]
    return (*whole, *more) if is_whole else tuple(whole)


def _may_have(facts: Facts, path: str) -> bool:
    """Is a file source, or a script without an ending that names what runs it?"""
    record = facts.records[path]
    is_bare = record.file_class == "unknown" and "." not in path.rpartition("/")[2]
    if is_bare:
        return facts.tree.text(path).startswith("#!")
    is_text = record.file_class == "source" and (path in facts.code or path.endswith(_SHELLS))
    return is_text or _SHOWN.fullmatch(path.rpartition("/")[2]) is not None


@of_file
def helps_in(facts: Facts, path: str) -> list[Help]:
    """Those of one file."""
    text = facts.tree.text(path)
    if "sage" not in text and "SAGE" not in text:
        return []
    return [*_Reader(text.split("\n")[:_LINES_MAX]).read()]


class _Reader:
    """Reads lines, of which those of options and commands belong to the form of a call that is
    above them."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._bare = [_bare(line) for line in lines]
        self._options: list[Option] = []
        self._commands: list[tuple[str, int, str]] = []
        self._form: tuple[str, tuple[str, ...], int] | None = None
        self._indent = -1
        self._last = -_APART_MAX

    def read(self) -> Iterator[Help]:
        lists_commands = False
        for at, bare in enumerate(self._bare):
            line = bare.strip()
            if not line:
                continue
            if (usage := _USAGE.search(bare)) and (form := self._called(at, usage[1])):
                if self._form is None or form[:2] != self._form[:2]:
                    yield from self._made()
                    self._form = form
                lists_commands, self._indent = False, -1
            elif (
                len(line) < 60 and _COMMANDS.fullmatch(line) and (line[-1] == ":" or line.isupper())
            ):
                lists_commands, self._last = True, at
            elif _HEADING.fullmatch(line):
                lists_commands, self._indent = False, -1
            elif option := _OPTION.fullmatch(line):
                self._add(at, option[1], option[2].strip())
            elif self._form and _ALONE.fullmatch(line) and self._is_explained(at):
                self._add(at, line, "")
            elif lists_commands and at - self._last <= _APART_MAX and bare[:1].isspace():
                if command := _COMMAND.fullmatch(line):
                    self._commands.append((command[1], at + 1, _also(command[4], command[2])))
                    self._last = at
            elif self._goes_on(at, bare):
                option_ = self._options[-1]
                text = one_line(f"{option_.help} {line}", HELP_MAX)
                self._options[-1] = _option(option_.names, option_.line, text)
                self._last = at
            else:
                lists_commands = lists_commands and at - self._last <= _APART_MAX
        yield from self._made()

    def _made(self) -> Iterator[Help]:
        """What was read since the last form of a call."""
        called = self._form
        if called or len(self._options) >= _OPTIONS_MIN:
            program, words, line = called or ("", (), self._options[0].line)
            rows = tuple(self._options[:_ROWS_MAX]), tuple(self._commands[:_ROWS_MAX])
            about = self._about(line - 1) if called else ""
            yield Help(program, words, line, about, *rows, called is not None)
        self._options, self._commands, self._form = [], [], None

    def _called(self, at: int, rest: str) -> tuple[str, tuple[str, ...], int] | None:
        """The program and the words of a form, on the line of its heading or below it."""
        below = range(at + 1, min(at + 1 + _BELOW_MAX, len(self._bare)))
        places = [(at, rest), *((it, self._bare[it]) for it in below)]
        for number, text in places:
            if text.strip(" \"'`\\n"):
                form = _FORM.match(text.replace("\\n", " "))
                return (form[1], tuple(form[2].split()), number + 1) if form else ("", (), at + 1)
        return None

    def _about(self, at: int) -> str:
        """The first paragraph of the text that a form is in."""
        for first in range(at - 1, max(-1, at - _ABOVE_MAX), -1):
            if _OPENS.search(self._lines[first]):
                words = (
                    [self._lines[first].strip(" \t\"'`")] if self._lines[first][:1] in "\"'" else []
                )
                for line in self._bare[first + 1 : at]:
                    if not line.strip() and words:
                        break
                    words += [line.strip()] if line.strip() else []
                text = one_line(" ".join(words), HELP_MAX)
                return text if text[:1].isupper() and " " in text and not _USAGE.match(text) else ""
        return ""

    def _add(self, at: int, head: str, meaning: str) -> None:
        names = tuple(dict.fromkeys(it.rstrip(".") for it in _NAMES.findall(head)))
        if names and not any(names == it.names for it in self._options):
            self._options.append(_option(names, at + 1, one_line(_end(meaning), HELP_MAX)))
            self._indent, self._last = _indent(self._bare[at]), at

    def _is_explained(self, at: int) -> bool:
        """Does an indented line below say what an option is for?"""
        below = self._bare[at + 1] if at + 1 < len(self._bare) else ""
        return bool(below.strip()) and _indent(below) > _indent(self._bare[at])

    def _goes_on(self, at: int, bare: str) -> bool:
        is_next = bool(self._options) and at == self._last + 1 and self._indent >= 0
        return is_next and _indent(bare) > self._indent and not bare.strip().startswith(("}", ")"))


def _option(names: tuple[str, ...], line: int, help_: str) -> Option:
    default = _DEFAULT.search(help_)
    value = default[1].strip("'\"` ") if default and not _HOLE.search(default[1]) else None
    return Option(names, line, _HOLE.sub("…", help_), value or None)


def _also(meaning: str, others: str) -> str:
    names = others.strip(", ")
    return one_line(_end(meaning) + (f" Also: {names}." if names else ""), HELP_MAX)


def _end(text: str) -> str:
    """The end of a text without that of the code around it."""
    text = _TAIL.sub("", text.rstrip())
    for sign in ("\\", '"', "\\n", "`", "'"):
        text = text.removesuffix(sign).rstrip()
    return text.replace("\\'", "'").replace('\\"', '"')


def _indent(line: str) -> int:
    return len(line.expandtabs()) - len(line.lstrip().expandtabs())


def _bare(line: str) -> str:
    """A line of a text, without the quotes, commas, signs and calls of code around it."""
    line = _COLOUR.sub("", line.rstrip()[:_LENGTH_MAX])
    whole = line.strip().rstrip(",+\\").strip()
    if len(whole) > 1 and whole[0] in "\"'`":
        return _end(whole[1:].removesuffix(");").removesuffix(";").removesuffix(")"))
    if call := _CALL.fullmatch(whole):
        return _end(call[2])
    if opened := _OPENED.fullmatch(line):
        return opened[1]
    return line.removesuffix("\\").removesuffix("\\n")
