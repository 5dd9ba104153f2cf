"""Command lines that documents show for those who work on the repository, each with the folder in
which it runs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import islice

from msgspec.structs import replace

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories import expressions, work
from stationmaster.reading.projects import documents
from stationmaster.reading.projects.command_lines import scripts
from stationmaster.reading.projects.manifests.common import Reading
from stationmaster.reading.projects.model import Command, Place
from stationmaster.reading.projects.paths import folder_of, parents

_LIKE = expressions.expressions("commands")

_LINE_MAX = 2_000
"""Characters of a line in which a command is looked for again: it may hold very many."""
_NEAR = 40
"""Characters before a command that are searched for a warning not to run it."""
_ABOVE = 10
"""Lines above a block of commands that speak of it."""
_ABOVE_WORD = 2
"""Lines above a command within a text that speak of it, such as the step before."""
_DOCUMENTS_MAX = 300
_FOR_DEVELOPERS = expressions.expressions("passages")["for_developers"]
_OF_DOCUMENTS = lists.words("folder-of-documents")
_README = re.compile(r"(?i)readme\b")
_FOLDER = re.compile(r"#\s{1,3}(?:\./)?([\w.-][\w./-]{0,200}?)/")
"""A comment that is nothing but a folder."""
_LINES = work.work().lines
_PROGRAM = re.compile(r"[\w./$~-]+")
_ASSIGNED = re.compile(r"^(?:[A-Z][A-Z0-9_]{0,60}=\S{0,200} +){1,6}")
"""Variables that are set for a command, before it."""
_PLACEHOLDER = re.compile(r"\s<[\w .-]{1,40}>$")
_APART = re.compile(r"[.;]\s|\bor\b")
"""What is between two ways, or the sentences about them."""
_INSTANCE = re.compile(r"(?i)\s*for (?:example|instance)\b")
"""The beginning of a line above a command that shows one of many."""
_TYPED = re.compile(r"(?i)(?:\b(?:run|running|execute|call|type|use)|:)\s{0,3}$")
"""What is before a command of one word."""
_STARTED_WITH = re.compile(r"(?i)\b(?:run|start|launch|build|test)\b[^.]{0,80}:\s{0,3}$")
"""What leads to a list of programs of the repository, of which each is typed."""
_ENTRY = re.compile(r"\s*(?:[-*+]|\d{1,2}[.)])\s+(?:\[[ x]\]\s+)?")
_EXPLAINED = re.compile(r"`+\s*(?:\Z|[-–—:(])")
"""What is before a command that is an entry of a list, and what is behind it."""
_OWN = re.compile(r"bin/[\w-]{1,60}")
"""A program of the repository without an ending."""
_PLAIN_TEXT = re.compile(r"(?i)(?:^|/)(?:[^/.]+|[^/]+\.txt)$")
"""Documents without marks, in which what is indented may be anything."""


def read(paths: Sequence[str], roots: Collection[str], reading: Reading) -> Iterator[Command]:
    """The commands by document; `roots` are the folders of manifests."""
    guides = [
        path for path in paths
        if _LIKE["developers"].search(path.lower(), path.rfind("/") + 1)
        or _FOR_DEVELOPERS.match(path)
    ]  # fmt: skip
    there = frozenset(paths)
    originals = (
        document
        for document in documents.choose(guides, reading.contents)
        if not documents.is_translation(document.path, there)
    )
    chosen = tuple(islice(originals, _DOCUMENTS_MAX))
    reading.contents.fetch(document.path for document in chosen)
    near = {folder_of(path) for path in reading.files.paths()}
    folders = {parent for folder in near for parent in parents(folder)}
    own = {path.removeprefix("bin/") for path in reading.files.paths() if _OWN.fullmatch(path)}
    for document in chosen:
        where = _Where(document, _home(document.path, roots), folders, own - _LINES.programs)
        yield from dict.fromkeys(_of_document(document, where))


def is_of_documents(folder: str) -> bool:
    """Does a folder hold documents, or what makes a site of them?"""
    return not _OF_DOCUMENTS.isdisjoint(folder.lower().split("/"))


def is_readme(path: str) -> bool:
    return _README.match(path.rpartition("/")[2]) is not None


def _home(path: str, roots: Collection[str]) -> str:
    """The folder in which the commands of a document run by default: that of the nearest manifest.
    That of a site of documents counts only for its README."""
    start = folder_of(path)
    if is_of_documents(start) and is_readme(path):
        return start
    near = (it for it in parents(start) if it in roots and not is_of_documents(it))
    return next(near, ".")


def _of_document(document: documents.Document, where: _Where) -> Iterator[Command]:
    end = 0
    for block in document.code:
        if block.language in _LINES.sure | _LINES.unsure:
            commands = _of_block(block, where.of_block(block, end), document.path, where)
            is_instance = _INSTANCE.match(where.above(block.line)) is not None
            yield from (replace(it, is_mention=is_instance) for it in commands)
        end = block.line + block.text.count("\n")
    for word in document.inline:
        first, _, rest = word.text.partition(" ")
        if not _is_tool(first):
            continue
        before, _, behind = where.lines[word.line - 1][:_LINE_MAX].partition(word.text)
        before = before[-_NEAR:].strip("`")
        if not (rest or _TYPED.search(before) or where.is_listed(word, before)):
            continue
        begun = before if before.strip() else f"{where.lines[word.line - 2][-_NEAR:]} "
        is_other = _LIKE["forbidden"].search(begun) or _LIKE["denied"].match(behind)
        if not (is_other or _LIKE["for_instance"].search(before)):
            place = Place(document.path, word.line)
            folder = where.of_line(word.line)
            text = _whole(document, word, where.lines[word.line - 1][:_LINE_MAX])
            is_entry = _ENTRY.fullmatch(before) and _EXPLAINED.match(behind)
            yield Command(first, text, "document", folder, place, is_mention=not is_entry)


def _whole(document: documents.Document, word: documents.Code, line: str) -> str:
    """A command within a text as the same sentence has it behind what it is started with."""
    for other in document.inline:
        text = _PLACEHOLDER.sub("", other.text)
        between = line.partition(word.text)[2].partition(other.text)[0]
        if (
            other.line == word.line
            and text.endswith(f" {word.text}")
            and not _APART.search(between)
        ):
            return text
    return word.text


class _Where:
    """The folders in which the commands of a document run: its home, or one that it names near them
    or for all that follow; and the `programs` of the repository's `bin`. Its lines are searched for
    the first command: most documents have none."""

    def __init__(
        self,
        document: documents.Document,
        home: str,
        folders: Collection[str],
        programs: Collection[str],
    ) -> None:
        self.lines = document.text.split("\n")
        self.folders = folders
        self.programs = programs
        self._home = home

    def of_block(self, block: documents.Code, end: int) -> str:
        """The folder of a block of code, after one that ended in line `end`."""
        return self._of(range(max(end + 1, block.line - _ABOVE), block.line), block.line)

    def above(self, number: int) -> str:
        """The nearest line above a line that is not empty."""
        near = reversed(self.lines[max(0, number - 2 - _ABOVE_WORD) : max(0, number - 2)])
        return next(filter(str.strip, near), "")

    def is_listed(self, word: documents.Code, before: str) -> bool:
        """Is a program of the repository the first entry of a list of what starts something?"""
        is_entry = word.text.startswith("./") and _ENTRY.fullmatch(before) is not None
        return is_entry and _STARTED_WITH.search(self.above(word.line + 1)[-_LINE_MAX:]) is not None

    def of_line(self, number: int) -> str:
        """The folder of a command within a line of text."""
        return self._of(range(max(1, number - _ABOVE_WORD), number + 1), number)

    def _of(self, near: range, number: int) -> str:
        for at in reversed(range(1, number + 1) if self._named else ()):
            if at in self._named and (at in near or self._named[at][1]):
                return self._named[at][0]
            if self.lines[at - 1].startswith("#"):
                break
        return "." if number > self._all_below else self._home

    @cached_property
    def _named(self) -> dict[int, tuple[str, bool]]:
        """The folders that lines name, by line, and whether they hold for all lines below."""
        named = {}
        for at, line in enumerate(self.lines, 1):
            text = line[:_LINE_MAX]
            inside = _LIKE["inside"].search(text) if "`" in text else None
            folder = self._existing(inside[1] or inside[2]) if inside else ""
            if self._home != "." and _LIKE["rooted"].search(text):
                folder = "."
            if folder:
                named[at] = folder, _LIKE["all_below"].search(text) is not None
        return named

    def _existing(self, written: str) -> str:
        """A folder as a document writes it, '' where the repository has none of the name."""
        name = written.removeprefix("./").rstrip("/")
        below = name if self._home == "." else f"{self._home}/{name}"
        return next((folder for folder in (below, name) if folder in self.folders), "")

    @cached_property
    def _all_below(self) -> int:
        """The line from which on everything runs in the root, whatever its heading."""
        numbers = (at for at, it in self._named.items() if it == (".", True))
        return min(numbers, default=len(self.lines) + 1)


def _of_block(block: documents.Code, folder: str, path: str, where: _Where) -> Iterator[Command]:
    """The commands of a block; with prompts, lines without one are output."""
    lines = list(scripts.lines(block.text))
    comments = ((at, _FOLDER.fullmatch(it.strip())) for at, it in enumerate(block.text.split("\n")))
    named = {at: match[1] for at, match in comments if match and match[1] in where.folders}
    prompted = [_LIKE["prompt"].match(line) is not None for line, _ in lines]
    if _PLAIN_TEXT.search(path) and not (any(prompted) or all(map(_is_typed, lines))):
        return
    is_of_own = bool(lines) and all(line.split()[0] in where.programs for line, _ in lines)
    for (line, at), has_prompt in zip(lines, prompted, strict=True):
        folder = next((named[above] for above in reversed(named) if above < at), folder)
        plain = _LIKE["prompt"].sub("", line).strip()
        plain = f"bin/{plain}" if is_of_own else plain
        first = _ASSIGNED.sub("", plain).partition(" ")[0]
        is_shell = has_prompt or block.language in _LINES.sure
        # A line that begins like a sentence is what a command prints.
        is_program = _PROGRAM.fullmatch(first) and (has_prompt or not first[0].isupper())
        if has_prompt >= any(prompted) and (_is_tool(first) or (is_shell and is_program)):
            yield Command(first, plain, "document", folder, Place(path, block.line + at))


def _is_typed(line: tuple[str, int]) -> bool:
    """Is a line of a text without marks a command, and no sentence that begins with `make`?"""
    words = line[0].split()
    return _is_tool(words[0]) and words[1:2] != ["sure"] and not line[0].endswith((".", ":", ","))


def _is_tool(word: str) -> bool:
    return word.rpartition("/")[2] in _LINES.programs or word.startswith(
        ("./", "bin/", "script/", "scripts/")
    )
