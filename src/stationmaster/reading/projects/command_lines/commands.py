"""Every command line that a repository knows: of packages, tasks, hooks, workflows, containers and
documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.catalogue.repositories.work import work
from stationmaster.pipelines import idle
from stationmaster.pipelines.model import Pipelines
from stationmaster.reading.projects import documents
from stationmaster.reading.projects.applications import deploys
from stationmaster.reading.projects.command_lines import hooks, scripts, tasks
from stationmaster.reading.projects.documents import Code, Document
from stationmaster.reading.projects.manifests.common import Reading
from stationmaster.reading.projects.model import Command, Hook, Manifest, Place
from stationmaster.reading.projects.paths import folder_of, parents

_LIKE = expressions("commands")

COMMANDS_MAX = 20_000
"""Of one repository; further ones are left out."""
_LINE_MAX = 2_000
"""Characters of a line in which a command is looked for again: it may hold very many."""
_NEAR = 40
"""Characters before a command in which a document says not to run it."""
_ABOVE = 10
"""Lines above a block of commands that speak of it."""
_ABOVE_WORD = 2
"""Lines above a command within a text that speak of it, such as the step before."""
_DOCUMENTS_MAX = 300
_OF_DOCUMENTS = lists.words("folder-of-documents")
_README = re.compile(r"(?i)readme\b")
_FOLDER = re.compile(r"#\s{1,3}(?:\./)?([\w.-][\w./-]{0,200}?)/")
"""A comment that is nothing but a folder."""
_LINES = work().lines
_PROGRAM = re.compile(r"[\w./$~-]+")
_INTO = re.compile(r"(?:cd|pushd)\s+[\"']?(?:\./)?([\w.][\w./-]{0,200})[\"']?\s*(?:&&|;|$)")


def read(
    paths: Sequence[str], manifests: Sequence[Manifest], pipelines: Pipelines, reading: Reading
) -> tuple[tuple[Command, ...], tuple[Hook, ...]]:
    """By source, those of packages first, each by path; and the hooks of git among them."""
    declared = [*tasks.of_manifests(manifests, reading), *tasks.of_files(paths, reading)]
    declared += dict.fromkeys(_of_workflows(pipelines, {folder_of(path) for path in paths}))
    others = [*_of_containers(paths, reading)]
    others += _of_documents(paths, {manifest.folder for manifest in manifests}, reading)
    git_folders = hooks.folders_of_git([*declared, *others])
    own_hooks = hooks.read(paths, manifests, git_folders, reading)
    everything = chain(declared, hooks.commands(own_hooks), others)
    return tuple(islice(everything, COMMANDS_MAX)), own_hooks


def _of_workflows(pipelines: Pipelines, folders: Collection[str]) -> Iterator[Command]:
    """Where a script changes its folder, what follows runs there."""
    for workflow in pipelines.workflows:
        off = idle.jobs(workflow.facts)
        for step in workflow.facts.steps:
            if step.job in off or idle.is_false(step.condition):
                continue
            begin = (step.script_at or step.place).line
            folder = "."
            for line, below in scripts.lines(step.script or ""):
                into = _INTO.match(line)
                if into is not None and into[1].rstrip("/") in folders:
                    folder = into[1].rstrip("/")
                yield Command(step.job, line, "ci", folder, Place(step.path, begin + below))


def _of_containers(paths: Sequence[str], reading: Reading) -> Iterator[Command]:
    """What container files run when they are built and started."""
    for path in paths:
        if deploys.is_container_file(path):
            for line, at in scripts.lines(reading.contents.text(path)):
                word, _, rest = line.partition(" ")
                if word.upper() in ("RUN", "CMD", "ENTRYPOINT"):
                    yield Command(
                        word.lower(),
                        _plain(rest),
                        "container",
                        folder_of(path),
                        Place(path, at + 1),
                    )


def _plain(rest: str) -> str:
    """`["a", "b"]` as `a b`; without the options of RUN itself."""
    rest = re.sub(r"^(?:--\w[\w-]{0,30}=\S{0,300}\s+){0,8}", "", rest.strip())
    if rest.startswith("["):
        return " ".join(re.findall(r'"([^"]{0,500})"', rest))
    return rest


def _of_documents(
    paths: Sequence[str], roots: Collection[str], reading: Reading
) -> Iterator[Command]:
    guides = [
        path for path in paths if _LIKE["developers"].search(path.lower(), path.rfind("/") + 1)
    ]
    chosen = documents.choose(guides, reading.contents.text)[:_DOCUMENTS_MAX]
    reading.contents.fetch(document.path for document in chosen)
    folders = {parent for path in paths for parent in parents(folder_of(path))}
    for document in chosen:
        yield from dict.fromkeys(_of_document(document, _home(document.path, roots), folders))


def _home(path: str, roots: Collection[str]) -> str:
    """Where the commands of a document run unless it says otherwise: in the folder of the nearest
    manifest. What is needed to make a site of documents matters to their README alone."""
    start = folder_of(path)
    in_documents = not _OF_DOCUMENTS.isdisjoint(start.split("/"))
    if in_documents and _README.match(path.rpartition("/")[2]):
        return start
    near = (
        parent for parent in parents(start)
        if parent in roots and _OF_DOCUMENTS.isdisjoint(parent.split("/"))
    )  # fmt: skip
    return next(near, ".")


class _Named(NamedTuple):
    """A folder that a line says commands run in, those near it or all that follow."""

    folder: str
    is_all: bool


def _of_document(document: Document, home: str, folders: Collection[str]) -> Iterator[Command]:
    lines = document.text.split("\n")
    named = _named(lines, home, folders)
    rest = min(
        (at for at, it in named.items() if it == _Named(".", is_all=True)), default=len(lines) + 1
    )
    end = 0
    for block in document.code:
        if block.language in _LINES.sure | _LINES.unsure:
            near = _near(named, lines, range(max(end + 1, block.line - _ABOVE), block.line))
            own = near or ("." if block.line > rest else home)
            yield from _of_block(block, own, document.path, folders)
        end = block.line + block.text.count("\n")
    for word in document.inline:
        first, _, after = word.text.partition(" ")
        if not (after and _is_tool(first)):
            continue
        text_before = lines[word.line - 1][:_LINE_MAX].partition(word.text)[0]
        if not _LIKE["forbidden"].search(text_before[-_NEAR:]):
            near = _near(named, lines, range(max(1, word.line - _ABOVE_WORD), word.line + 1))
            own = near or ("." if word.line > rest else home)
            yield Command(first, word.text, "document", own, Place(document.path, word.line))


def _named(lines: Sequence[str], home: str, folders: Collection[str]) -> dict[int, _Named]:
    """By line the folder of the repository that it says commands run in."""
    named = {}
    for at, line in enumerate(lines, 1):
        text = line[:_LINE_MAX]
        is_all = _LIKE["all_below"].search(text) is not None
        if home != "." and _LIKE["rooted"].search(text):
            named[at] = _Named(".", is_all)
        elif inside := _LIKE["inside"].search(text):
            folder = _existing(inside[1] or inside[2], home, folders)
            if folder:
                named[at] = _Named(folder, is_all)
    return named


def _existing(written: str, home: str, folders: Collection[str]) -> str:
    """A folder as it is written in a document, '' where the repository has none of the name."""
    name = written.removeprefix("./").rstrip("/")
    below = name if home == "." else f"{home}/{name}"
    return below if below in folders else name if name in folders else ""


def _near(named: Mapping[int, _Named], lines: Sequence[str], numbers: range) -> str:
    """The folder that the last of some lines names that has no heading below it, '' without one."""
    for number in reversed(numbers):
        if number in named:
            return named[number].folder
        if _is_heading(lines[number - 1]):
            return ""
    for number in range(numbers.start - 1, 0, -1) if numbers else ():
        if _is_heading(lines[number - 1]):
            break
        if number in named and named[number].is_all:
            return named[number].folder
    return ""


def _is_heading(line: str) -> bool:
    return line.startswith("#")


def _of_block(
    block: Code, folder: str, path: str, folders: Collection[str]
) -> Iterator[Command]:
    """With prompts, lines with one are the commands and others what they print."""
    lines = list(scripts.lines(block.text))
    prompted = [_LIKE["prompt"].match(line) is not None for line, _ in lines]
    for (line, at), has_prompt in zip(lines, prompted, strict=True):
        if (comment := _FOLDER.fullmatch(line.strip())) and comment[1] in folders:
            folder = comment[1]
        plain = _LIKE["prompt"].sub("", line).strip()
        first = plain.partition(" ")[0]
        is_shell = has_prompt or block.language in _LINES.sure
        if has_prompt >= any(prompted) and (
            _is_tool(first) or (is_shell and _PROGRAM.fullmatch(first))
        ):
            yield Command(first, plain, "document", folder, Place(path, block.line + at))


def _is_tool(word: str) -> bool:
    return word.rpartition("/")[2] in _LINES.programs or word.startswith(
        ("./", "bin/", "script/", "scripts/")
    )
