"""How contributors begin, by a document: its commands in their order, with its words for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.projects.model import Command
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts import documents, passages
from stationmaster.wiki.facts.tooling import named, tasks, written
from stationmaster.wiki.facts.tooling.kinds import names, purposes
from stationmaster.wiki.text.inline import Place
from stationmaster.wiki.text.quoting import EMPHASIS, bare

_FOR_DEVELOPERS = expressions("passages")["for_developers"]
_ON_BEGINNING = expressions("passages")["beginning_file"]
_WORKING = expressions("passages")["working"]
_BRINGING: tuple[names.Purpose, ...] = ("install", "configure", "services", "prepare", "build")
_ITEM = re.compile(r"^\s{0,12}(?:[-*+]|\d{1,2}[.)]|#\.)\s+")
_NUMBERED = re.compile(r"\s{0,12}(?:\d{1,2}[.)]|#\.)\s+")
_LISTED = re.compile(r"(?:[-*+]|\d{1,2}[.)]|#\.)\s+")
_OF_STEPS = re.compile(r"(?i)\bsteps?\b[^.:]{0,60}:\s*$")
"""What leads to a list whose points are steps, numbered or not."""
_EDGE = re.compile(r"\s{0,12}(?:```|~~~|\.\. |:[\w-]+:|#+ |=+\s*$|-+\s*$|~+\s*$)")
"""Lines without words: of fences, directives and headings."""
_ACTIVATES = re.compile(r"(?:source|\.) \S{0,200}activate\b")
_NOT_FIRST = re.compile(
    r"(?i)\b(?:troubleshoot|problems?\b|failures?\b|issues?\b|cross[- ]?compil)"
)
"""What sections are on that are no part of how to begin."""
_SETS_UP = re.compile(r"(?i)\bconfigur|\bdatabase\b|\binitiali[sz]")
_CHOICE = re.compile(r"\[\w{1,20}\] ")
_OUTPUT = re.compile(r"[\W\d](?<![./~$])")
"""How a line begins that a program prints."""
_OPTIONAL = re.compile(r"(?i)(?:optional\b|alternatively\b|want\b|or\b|if\b)")
_GOES_ON = re.compile(r"(?i)(?:(?:and )?then|next|afterwards|after (?:that|this)|finally)\b")
_MANAGERS = frozenset({"bun", "npm", "pnpm", "yarn"})
_STAGES_MIN, STAGES_MAX = 2, 12
_WORDS_MAX = 400


class Stage(NamedTuple):
    """`words` come before the `commands` in the document, or are its heading; the first of these is
    typed in `folder`. One that `names` a command has it in the sentence, and one that is a point is
    an item of a list of steps."""

    words: str
    commands: tuple[str, ...]
    place: Place
    names: bool = False
    is_point: bool = False
    folder: str = "."


@query
def stages(facts: Facts) -> tuple[Stage, ...]:
    """Those of the first document for developers that has several, else of the sections of a README
    on work, up to the last that brings what the work needs; of sections between those on beginning
    the ones that do so, too."""
    by_path: dict[str, list[passages.Passage]] = {}
    for passage in passages.on_beginning(facts):
        titles = (passage.title, passage.parent)
        is_of_work = _FOR_DEVELOPERS.match(passage.path) or any(map(_WORKING.search, titles))
        if is_of_work and not any(map(_NOT_FIRST.search, titles)):
            by_path.setdefault(passage.path, []).append(passage)
    whole = sorted(by_path, key=lambda it: _FOR_DEVELOPERS.match(it) is None)
    whole.sort(key=lambda it: not _ON_BEGINNING.fullmatch(it))
    for path, begun in ((it, by_path[it]) for it in whole):
        every = passages.sections_of(documents.documents_by_path(facts)[path], is_short=True)
        between = [it for it in every if begun[0].line <= it.line <= begun[-1].line]
        if not _FOR_DEVELOPERS.match(path):
            between = begun  # What else is in a README is for users.
        stated = {it: list(_of_passage(facts, it)) for it in between}
        sections = [
            own
            for it, own in stated.items()
            if (it in begun or _SETS_UP.search(it.title) or _brings(facts, own))
            and not any(map(_makes_image, own))
        ]
        while sections and not _brings(facts, sections[-1]):
            sections.pop()
        together = [stage for section in sections for stage in section]
        if len(together) >= _STAGES_MIN:
            return tuple(together[:STAGES_MAX])
    return ()


class Typed(NamedTuple):
    """A command as it is typed in the root; one that `goes_on` serves and does not end."""

    text: str
    place: Place
    goes_on: bool


@query
def recipe(facts: Facts) -> tuple[Typed, ...]:
    """The commands of those stages, those that do not end behind the others, and without those of
    git and one that goes to the clone, where all are points of a list, or say that they go on with
    one, and can be typed one after the other; () where one is a choice or has gaps."""
    rows = [
        (command, stage)
        for stage in stages(facts)
        for command in stage.commands
        if not (_OPTIONAL.match(stage.words) or command.startswith("git "))
        and not (command.startswith("cd ") and stage.commands[0].startswith("git clone "))
    ]
    is_whole = all(
        (it.is_point or _GOES_ON.match(it.words)) and not (it.names and len(it.commands) > 1)
        for it in stages(facts)
    ) and all(purposes.is_clear(it) and not it.startswith("cd ") for it, _ in rows)
    typed = [_typed(existing(facts, stage.folder, it), stage) for it, stage in rows]
    is_whole &= all(it.text for it in typed) and len(rows) > _STAGES_MIN
    return tuple(sorted(typed, key=lambda it: it.goes_on)) if is_whole else ()


def _typed(text: str, stage: Stage) -> Typed:
    at_root = f"(cd {stage.folder} && {text})" if text and stage.folder != "." else text
    # What compose starts is there for the steps behind it.
    goes_on = purposes.of_text(text, ()) == "run" and not purposes.does(text, "compose_up")
    return Typed(at_root, stage.place, goes_on)


@query
def existing(facts: Facts, folder: str, text: str) -> str:
    """A command, or where it asks for a script that the package of its folder does not have, the
    one that this has for the same; '' where it has none."""
    name = names.of_runner(text)
    own = [it for it in named.named(facts) if it.folder == folder and it.source == "script"]
    is_script = (
        text.partition(" ")[0] in _MANAGERS and names.by_name(name)[:1] in written.OF_SCRIPTS
    )
    if not (own and is_script) or name in {it.name for it in own}:
        return text
    purpose = names.by_name(name)[0]
    same = {it.text for it in own if names.by_name(it.name)[:1] == (purpose,)}
    ways = (*tasks.tasks(facts, purpose), *tasks.tasks(facts, "assets"))
    return next((it.text for it in ways if it.folder == folder and it.text in same), "")


def _makes_image(stage: Stage) -> bool:
    return any(purposes.of_text(it, ()) == "image" for it in stage.commands)


def _brings(facts: Facts, section: Sequence[Stage]) -> bool:
    bringing = {task.text for it in _BRINGING for task in tasks.tasks(facts, it)}
    commands = [_CHOICE.sub("", it) for stage in section for it in stage.commands]
    if any(map(_ACTIVATES.match, commands)):
        return True
    return any(
        it in bringing or purposes.of_text(it, ()) in _BRINGING or purposes.does(it, "compose_up")
        for it in commands
    )


def _of_passage(facts: Facts, passage: passages.Passage) -> Iterator[Stage]:
    """Blocks of code with the text above them, and the points of a list of steps that has commands,
    all of them; a command that a sentence or another list only mentions is none."""
    lines = facts.tree.text(passage.path).split("\n")
    blocks = documents.lines_of_code(facts, passage.path)
    is_of_steps = any(map(_OF_STEPS.search, lines[passage.line : passage.end]))
    point_of_list = _LISTED if is_of_steps else _NUMBERED
    points = [
        line
        for line in range(passage.line + 1, min(passage.end, len(lines)) + 1)
        if line not in blocks and point_of_list.match(lines[line - 1])
    ]
    steps: dict[int, tuple[str, list[Command]]] = {}
    naming: set[int] = set()
    for command in _by_document(facts, passage.path):
        line = command.place.line or 0
        if not passage.line < line <= passage.end or _OUTPUT.match(command.text):
            continue
        first = blocks.get(line, line)
        point = max((it for it in points if it <= first), default=0)
        is_of_point = line in blocks or line == point
        if point and is_of_point and not any(it in blocks for it in range(point, first)):
            steps.setdefault(point, (_plain(lines[point - 1 : point]), []))[1].append(command)
            naming |= {point} if line == point else set()
        elif line in blocks:
            words = _above(lines[passage.line : first - 1], blocks, passage.line)
            steps.setdefault(first, (words or passage.title, []))[1].append(command)
    for line in points if not steps.keys().isdisjoint(points) else ():
        steps.setdefault(line, (_plain(lines[line - 1 : line]), []))
    for line, (words, commands) in sorted(steps.items()):
        place = Place(passage.path, line)
        distinct = tuple(dict.fromkeys(it.text for it in commands))
        folder = commands[0].folder if commands else "."
        yield Stage(words, distinct, place, line in naming, line in points, folder)


def _above(lines: Sequence[str], blocks: Mapping[int, int], first: int) -> str:
    """The paragraph above a block of code, which these lines end with, and a list behind it."""
    paragraphs: list[list[str]] = [[]]
    for at in range(len(lines) - 1, -1, -1):
        is_edge = _EDGE.match(lines[at]) or first + at + 1 in blocks
        if is_edge and any(paragraphs):
            break
        if is_edge or not lines[at].strip():
            if paragraphs[-1] and not _ITEM.match(paragraphs[-1][0]):
                break
            paragraphs.append([])
        else:
            paragraphs[-1].insert(0, lines[at])
    return _plain([line for paragraph in reversed(paragraphs) for line in paragraph])


def _plain(lines: Sequence[str]) -> str:
    """Lines as one sentence, with the points of a list behind each other; '' for too many words."""
    words = ""
    for line in lines:
        is_next = words and _ITEM.match(line) and not words.endswith((":", ";", ",", "."))
        words += f"{';' if is_next else ''} {_ITEM.sub('', line, count=1).strip()}"
    plain = bare(EMPHASIS.sub("", words.strip()))
    return plain if len(plain) <= _WORDS_MAX else ""


@query
def _by_document(facts: Facts, path: str) -> tuple[Command, ...]:
    every = facts.tree.project.commands
    return tuple(it for it in every if it.source == "document" and it.place.path == path)
