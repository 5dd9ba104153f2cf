"""Commands of workflows and documents, each in the folder of the repository that it is typed in."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.projects.model import Command
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling.kinds import purposes
from stationmaster.wiki.text.inline import Place

_LIKE = expressions("written_tasks")
_INTO = re.compile(r"cd\s+([\w./-]{1,200})\s*(?:(?:&&|;)\s*(\S.*)|$)")
_CLONE = re.compile(r"git\s+clone\s+([^&;]{1,500})(?:(?:&&|;)\s*(\S.*))?")
_MAKES = re.compile(r"mkdir (?:-p )?([\w.-]{1,100})")
_SETTING = re.compile(r"export ([A-Z_][A-Z0-9_]{0,60}=[\w.:@-][\w./:@-]{0,100})")
_NEAR = 4
"""Lines between commands of one block."""


def commands(facts: Facts, own: Collection[str]) -> Iterator[tuple[Command, str]]:
    """Those of workflows and documents, with the variables that the lines right above set; those
    below a `cd` of a document run in its folder. One that another command follows in its line
    applies until the next gap."""
    folder, cloned, at, is_of_line, is_other = "", "", Place(""), False, False
    exported, others, made = "", set[str](), set[str]()
    for command in facts.tree.project.commands:
        if command.source == "ci":
            command = _in_service(command)
            into = _INTO.match(command.text)
            is_there = into is not None and posixpath.normpath(into[1]) == command.folder
            is_whole = into and into[2] and is_there
            yield replace(command, text=into[2]) if into and is_whole else command, ""
        elif command.source == "document":
            place = place_of(command)
            near = 1 if is_of_line else _NEAR
            goes_on = place.path == at.path and 0 <= (place.line or 0) - (at.line or 0) <= near
            exported = exported if goes_on and place.line == (at.line or 0) + 1 else ""
            at = place
            if (setting := _SETTING.fullmatch(command.text)) and purposes.is_clear(command.text):
                exported += f"{setting[1]} "
                continue
            if not goes_on:
                folder, cloned, is_of_line, is_other = "", "", False, False
                others, made = set(), set()
            text = command.text
            clones = _clones(facts, place.path)
            if (clone := _CLONE.match(text)) is not None:
                address, cloning = _cloned(clone[1].split())
                # What is cloned next to this repository is another one.
                is_ours = not cloned and (address.lower() in own or clones.isdisjoint(own))
                cloned, text = cloning if is_ours else cloned, clone[2] or ""
                others |= set() if is_ours else {cloning}
            made.update(it[1] for it in _MAKES.finditer(text))
            while (into := _INTO.match(text)) is not None:
                first = into[1].removeprefix("./").partition("/")[0]
                is_own = first.lower() in own
                has_clone = "/" not in place.path and "git clone" in facts.tree.text(place.path)
                in_clone = cloned or (first if is_own and has_clone else "")
                is_next = first.lower() in clones and not (is_own or clones.isdisjoint(own))
                folder = _folder(facts, folder, into[1], in_clone)
                is_known = folder or is_own or first in made or not into[1].strip("./")
                is_other = first in others or (is_next and not cloned) or not is_known
                text = into[2] or ""
                is_of_line = bool(text) and not cloned
            if text and not is_other:
                text = text if folder else _from_clone(facts, place.path, text)
                yield replace(command, folder=folder or command.folder, text=text), exported
            exported = ""


def _in_service(command: Command) -> Command:
    """A command of a pipeline as it is typed outside of the container that runs it."""
    inside = _LIKE["in_service"].match(command.text)
    text = inside and (inside["shell"] or inside["plain"])
    return replace(command, text=text) if text else command


def _cloned(words: Sequence[str]) -> tuple[str, str]:
    """The name of what `git clone` brings, and the folder that it makes: the word behind the
    address, or the name."""
    at = next((at for at, word in enumerate(words) if "/" in word or ":" in word), len(words) - 1)
    named = (words[at], words[at + 1] if at + 1 < len(words) else words[at])
    name, folder = (it.rstrip("/").rpartition("/")[2].removesuffix(".git") for it in named)
    return name, folder


@query
def _clones(facts: Facts, path: str) -> frozenset[str]:
    """The names of repositories that a document has cloned, in lower case."""
    clones = _LIKE["clones"].finditer(facts.tree.text(path))
    return frozenset(it[1].removesuffix(".git").lower() for it in clones)


def _from_clone(facts: Facts, path: str, text: str) -> str:
    """A command that a document has typed beside its clone, as it is typed in the clone."""
    words = text.split(" ")
    for at, word in enumerate(words):
        clone, _, rest = word.partition("/")
        if clone.lower() in _clones(facts, path) and rest in facts.records:
            words[at] = word if word in facts.records else rest
    return " ".join(words)


def _folder(facts: Facts, start: str, written: str, cloned: str) -> str:
    """The target of `cd` from a folder of the repository, or from the folder that has a clone of
    it; '' where it cannot be determined."""
    path = written.rstrip("/").removeprefix("./")
    first, _, rest = path.partition("/")
    if cloned and not start and first == cloned:
        return rest or "."
    inside = posixpath.normpath(f"{start or '.'}/{path}")
    for name in (inside, path, rest):
        if name == "." or (name and has_folder(facts, name)):
            return name
    return ""


def has_folder(facts: Facts, path: str) -> bool:
    """Has the commit a file below a path?"""
    return any(facts.tree.glob(f"{path}/*", everywhere=True))


def place_of(command: Command) -> Place:
    """Where a command is written."""
    return Place(command.place.path, command.place.line)
