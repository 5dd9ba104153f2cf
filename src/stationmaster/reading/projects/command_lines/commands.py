"""Every command line that a repository knows: of packages, tasks, hooks, workflows, containers and
documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice

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
_DOCUMENTS_MAX = 300
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
    own_hooks = tuple(hooks.read(paths, manifests, git_folders, reading))
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
    for document in chosen:
        near = (parent for parent in parents(folder_of(document.path)) if parent in roots)
        yield from dict.fromkeys(_of_document(document, next(near, ".")))


def _of_document(document: Document, folder: str) -> Iterator[Command]:
    """`folder` is that of the nearest manifest, where commands run unless the text says that they
    run in the root."""
    where = _Where(document, folder)
    end = 0
    for block in document.code:
        if block.language in _LINES.sure | _LINES.unsure:
            yield from _of_block(block, where.of_block(block, end), document.path)
        end = block.line + block.text.count("\n")
    for word in document.inline:
        first, _, rest = word.text.partition(" ")
        if not (rest and _is_tool(first)):
            continue
        text_before = where.lines[word.line - 1][:_LINE_MAX].partition(word.text)[0]
        if not _LIKE["forbidden"].search(text_before[-_NEAR:]):
            place = Place(document.path, word.line)
            yield Command(first, word.text, "document", where.of_line(word.line), place)


class _Where:
    """In which folder the commands of a document run, the one given or the root. Its lines are
    searched once a command asks: most documents have none."""

    def __init__(self, document: Document, folder: str) -> None:
        self.lines = document.text.split("\n")
        self._folder = folder

    def of_block(self, block: Code, end: int) -> str:
        """That of a block of code, after one that ended in line `end`."""
        near = range(max(end + 1, block.line - _ABOVE), block.line)
        is_rooted = block.line > self._all_below or any(
            number in self._rooted
            and not any(map(_is_heading, self.lines[number : block.line - 1]))
            for number in near
        )
        return "." if is_rooted else self._folder

    def of_line(self, number: int) -> str:
        """That of a command within a line of text."""
        is_rooted = number in self._rooted or number > self._all_below
        return "." if is_rooted else self._folder

    @cached_property
    def _rooted(self) -> dict[int, bool]:
        """Lines that name the root, and whether they speak of all that stands below."""
        return {
            at: _LIKE["all_below"].search(line) is not None
            for at, line in enumerate(self.lines, 1)
            if self._folder != "." and _LIKE["rooted"].search(line[:_LINE_MAX])
        }

    @cached_property
    def _all_below(self) -> int:
        numbers = (number for number, is_all in self._rooted.items() if is_all)
        return min(numbers, default=len(self.lines) + 1)


def _is_heading(line: str) -> bool:
    return line.startswith("#")


def _of_block(block: Code, folder: str, path: str) -> Iterator[Command]:
    """With prompts, lines with one are the commands and others what they print."""
    lines = list(scripts.lines(block.text))
    prompted = [_LIKE["prompt"].match(line) is not None for line, _ in lines]
    for (line, at), has_prompt in zip(lines, prompted, strict=True):
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
