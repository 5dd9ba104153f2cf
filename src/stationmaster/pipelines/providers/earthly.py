"""Earthly: targets that other CI calls.

The root's file is the workflow; without one, those in folders are. What it refers to in folders is
told as included. The language is lines: a target is a name before a colon at the beginning of one.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from stationmaster.pipelines import agents, pinning
from stationmaster.pipelines.model import (
    Facts,
    Include,
    Job,
    NoWorkflow,
    Pin,
    Place,
    Step,
    Use,
    distinct,
    line,
)
from stationmaster.pipelines.providers.draft import LIST_MAX, Draft
from stationmaster.repos.files import Files

NAME = "earthly"
_FILE = "Earthfile"
_FROM_FILE = "Dockerfile"
_SIZE_MAX = 2**18
_BASE = "base"
"""The target of what stands before all others; those without an image of their own begin there."""
_TARGET = re.compile(r"([A-Za-z][\w.-]{0,100}):\s*(?:#.*)?")
_COMMAND = re.compile(r"\s*([A-Z]+)(?:\s+(.*))?", re.DOTALL)
_REFERENCE = re.compile(
    r"(?:(?<!\S)|(?<==)|(?<=\())([\w./:@-]{0,300})\+([A-Za-z][\w-]{0,100})(?=[\s/)]|$)"
)
_FLAG = re.compile(r"\s*--[a-z][\w-]*(?:=(?:\"[^\"]*\"|\S*)|(?=\s|$))")
_SECRET = re.compile(r"--secret[ =](\w{1,100})(?:=([\w./+-]{1,200}))?")
_CALLS = frozenset({"BUILD", "FROM", "COPY", "DO", "IMPORT", "WITH"})
_TAKES_A_WORD = re.compile(r"\s*--(?:secret|mount|network|aws|oidc)\s+\S+")


@dataclass(slots=True)
class _Target:
    name: str
    place: Place
    image: str | None = None
    is_local: bool = False
    needs: list[str] = field(default_factory=list)


class _Line(NamedTuple):
    command: str
    text: str
    place: Place


def is_workflow(path: str) -> bool:
    return path.endswith(_FILE) and path.rpartition("/")[2] == _FILE


class Reader:
    """Reads the targets of one commit."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._commands = agents.Commands()

    def read(self, path: str) -> Facts | None:
        """Raises Fault, NoWorkflow."""
        if path != _FILE and _FILE in self._files:
            raise NoWorkflow("the Earthfile of the root is the one that is called")
        text = self._files.content(path, _SIZE_MAX).decode("utf-8-sig", errors="replace")
        draft = Draft(path, self._commands)
        draft.kind = "reusable"
        draft.beside = self._files
        targets = [_Target(_BASE, Place(1, 1))]
        for each in _lines(text):
            if each.command:
                _take(draft, targets[-1], each)
            else:
                targets.append(_Target(each.text, each.place))
        base, *others = targets
        for target in others:
            draft.job(
                Job(
                    id=line(target.name),
                    needs=distinct(target.needs, LIST_MAX),
                    runs_on=["local"] if target.is_local else [],
                    agents=[],
                    image=target.image or base.image,
                    place=target.place,
                ),
                lists_image=False,
            )
        return draft.facts() if others else None


def _lines(text: str) -> Iterator[_Line]:
    """Commands with the lines that they go on for, and targets, whose command is empty."""
    parts: list[str] = []
    start = 0
    for number, row in enumerate(text.splitlines(), 1):
        is_comment = row.lstrip().startswith("#")
        if is_comment or (not parts and not row.strip()):
            if parts:
                parts.append("")  # So that the places of a script's lines stay true.
            continue
        start = number if not parts else start
        parts.append(row.rstrip().removesuffix("\\"))
        if row.rstrip().endswith("\\"):
            continue
        whole = "\n".join(parts)
        parts = []
        if target := _TARGET.fullmatch(whole):
            yield _Line("", target[1], Place(start, 1))
        elif command := _COMMAND.match(whole):
            at = command.start(2) if command[2] else command.start(1)
            yield _Line(command[1], command[2] or "", Place(start, at + 1))


def _take(draft: Draft, target: _Target, each: _Line) -> None:
    if each.command == "LOCALLY":
        target.is_local = True
    elif each.command == "RUN":
        script = _flagless(each.text)
        before = each.text[: each.text.find(script)].split("\n")
        at = Place(each.place.line + len(before) - 1, len(before[-1]) + 1)
        for name, stored in _SECRET.findall(each.text):
            draft.secret((stored or name).rpartition("/")[2], target.name)
        draft.step(
            Step(
                job=line(target.name),
                path=draft.path,
                place=each.place,
                script=script,
                script_at=at if len(before) > 1 else each.place,
            )
        )
    elif each.command == "CACHE":
        draft.caching.append(_flagless(each.text))
    elif each.command == "SAVE" and each.text.startswith("ARTIFACT"):
        draft.artifacts.append(_flagless(each.text.removeprefix("ARTIFACT")).partition(" ")[0])
    if each.command in _CALLS:
        _call(draft, target, each)


def _call(draft: Draft, target: _Target, each: _Line) -> None:
    references = _REFERENCE.findall(each.text)
    for place_of, name in references:
        if not place_of:
            target.needs.append(name)
        elif place_of.startswith((".", "/")):
            path = posixpath.normpath(
                posixpath.join(posixpath.dirname(draft.path), place_of, _FILE)
            )
            draft.includes.append(
                Include(
                    "target", line(f"{place_of}+{name}"), path in draft.beside, "local", each.place
                )
            )
        elif "/" in place_of:
            _use(draft, target, f"{place_of}+{name}", place_of, each.place)
    if each.command == "IMPORT" and not references:
        location = _flagless(each.text).partition(" ")[0]
        if location and not location.startswith((".", "/")):
            _use(draft, target, location, location, each.place)
    if each.command == "FROM" and not references:
        image = _flagless(each.text).partition(" ")[0]
        if image == "DOCKERFILE":
            draft.image(_FROM_FILE, target.name, each.place, "local")
        elif image and target.image is None:
            target.image = line(image)
            draft.image(image, line(target.name), each.place)


def _use(draft: Draft, target: _Target, told: str, location: str, place: Place) -> None:
    version = location.partition(":")[2]
    pin: Pin = pinning.of_ref(version) if version else "branch"
    is_own = location.startswith("github.com/earthly/")
    draft.use(Use(line(told), pin, is_own, version or None, line(target.name), place))


def _flagless(text: str) -> str:
    """Without the options before the words."""
    at = 0
    while found := _TAKES_A_WORD.match(text, at) or _FLAG.match(text, at):
        at = found.end()
    return text[at:].strip()
