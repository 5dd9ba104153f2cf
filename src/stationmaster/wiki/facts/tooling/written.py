"""Commands of workflows and documents, with what they are for and where they run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Set
from itertools import takewhile
from typing import NamedTuple

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.catalogue.repositories.work import work
from stationmaster.reading.projects.applications.units import is_tooling
from stationmaster.reading.projects.command_lines.documented import is_of_documents, is_readme
from stationmaster.reading.projects.documents import is_agent_file
from stationmaster.reading.projects.model import Command
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts import documents
from stationmaster.wiki.facts.texts.passages import section_at, titles_at
from stationmaster.wiki.facts.tooling import in_pipelines, launchers
from stationmaster.wiki.facts.tooling.in_folders import commands, has_folder, place_of
from stationmaster.wiki.facts.tooling.kinds import purposes
from stationmaster.wiki.facts.tooling.kinds.names import Purpose, by_name, of_runner
from stationmaster.wiki.facts.tooling.named import Source, declared
from stationmaster.wiki.text.inline import Place
from stationmaster.wiki.text.quoting import EMPHASIS, bare

_RUN = re.compile(r"(?:go run|node|python3?|ruby|php) (?:\./)?(\w[\w./-]{0,200})(?=\s|$)")
"""A file or folder that is run."""
_LIKE = expressions("written_tasks")
_FOR_DEVELOPERS = expressions("passages")["for_developers"]
_WORKING = expressions("passages")["working"]
_OF_USERS = ("use", "run")
_OF_PRODUCT = ("build", "run", "test")
_LINE_MAX = 1000
OF_SCRIPTS = (("build",), ("format",), ("lint",), ("run",), ("test",))
"""What scripts of packages are for that the manager itself has no word for."""
_ON_FILES = ("format", "lint", "run", "single", "test")
_SOURCE = re.compile(r"[\w./-]{1,200}\.(?:vue|py|[jt]sx?|go|rs|rb|php|java|kt|cs|s?css)")
_OWN_PROGRAM = re.compile(r"(?:\./([\w.-]{1,100})|([\w-]{1,60}/[\w./-]{1,100}))(?=\s|$)")
_AGAINST = expressions("commands")["forbidden"]
_AGAINST_MAX = 40
"""Letters before a command in which a document advises against it."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_WORDS_MAX = 40
_NUMBERED = re.compile(r"[ \t]{0,8}\d{1,3}[.)][ \t]")
_LIST_MAX = 60
"""Lines of a list above and below a command that are searched."""
_EXPORT = re.compile(
    r"^(?:export \w{1,60}=(?:\"[^\"]{0,300}\"|\S{0,300})\s{0,9}(?:&&|;)\s{0,9}){1,9}"
)
"""What one machine needs before a command."""
_NOT_ALL = re.compile(r"\s(?:\./)?(?:docs?|documentation)/\S|\s[A-Z]{3,40}$")
"""What installs what a site of documents needs, or one package that a reader chooses."""
_COMMENT = re.compile(r"(?<!\s)\s++#\s.{0,300}$")


class Line(NamedTuple):
    """A command that is typed in `folder`, as `place` shows."""

    purpose: Purpose
    text: str
    folder: str
    source: Source
    place: Place


def lines(facts: Facts, own: Collection[str]) -> Iterator[Line]:
    """Those that work on the product; `own` are the names of the repository's packages."""
    by_runner = declared(facts)
    for command, exported in commands(facts, own):
        whole = _EXPORT.sub("", without_comment(command.text))
        text = _LIKE["filled_in"].sub("", whole)
        if "${{" in whole[len(text) :] and _LIKE["open"].search(text):
            continue
        purpose = purposes.of_text(text, own) or launchers.purpose(facts, command, text)
        if command.source == "ci" and purpose in ("build", "test"):
            is_checked = in_pipelines.is_only_of_linting(facts, place_of(command))
            purpose = "lint" if is_checked else purpose
        program = purposes.program(text).lower()
        # A tool for the work of developers is used for the work on itself.
        is_used = program in work().lines.programs and is_guide(command.place.path)
        is_own = program in own and not is_used
        starts = purpose == "run" and is_own and command.source == "document"
        if purpose is None or not purposes.is_clear(
            _LIKE["filled_by_reader"].sub("x", text) if starts else text
        ):
            continue
        if _LIKE["downloaded"].match(text) or (starts and _is_prebuilt(facts, command)):
            purpose = "use"
        if _is_of_another(facts, text, purpose):
            continue
        if purpose == "install" and (_NOT_ALL.search(text) or _LIKE["of_pipeline"].search(text)):
            continue
        if _LIKE["installed"].fullmatch(text) and not is_only_on_work(command.place.path):
            continue  # It is how others have it, who do not change it.
        is_of_users = not (purpose == "prepare" and is_only_on_work(command.place.path))
        if is_own and command.source == "document" and is_of_users and purpose not in _OF_USERS:
            continue  # It shows what users do with the product.
        place = place_of(command)
        source: Source = "mention" if command.is_mention else command.source
        if purpose == "use":
            if command.source == "document" and not _is_step_of_building(facts, command):
                yield Line(purpose, text, ".", source, place)
            continue
        folder = _with_files(facts, _runs_in(facts, command, text), text)
        is_for_work = _is_for_work(command, purpose) and not _packs(facts, text)
        is_for_work &= not (purpose == "run" and _runs_tool(text))
        is_declared = _is_declared(by_runner, text)
        is_for_work &= not (command.source == "document" and _is_of_users(facts, command, purpose))
        if folder and is_for_work and is_declared and not _makes_documents(command, folder):
            typed = f"{exported}{_wrapped(facts, text, folder)}"
            yield Line(purpose, typed, folder, source, place)


class Advice(NamedTuple):
    """A sentence of a document that advises against a command."""

    command: str
    sentence: str
    place: Place


@query
def advice(facts: Facts) -> tuple[Advice, ...]:
    """Those of documents for developers, in their order."""
    advised = []
    for document in documents.chosen(facts):
        lines = document.text.split("\n") if is_for_developers(document.path) else []
        for word in document.inline if lines else ():
            line = lines[word.line - 1][:_LINE_MAX]
            before, _, behind = line.partition(word.text)
            if " " in word.text and _AGAINST.search(before[-_AGAINST_MAX:]):
                ends = [*_SENTENCE.finditer(before)]
                begun = before[ends[-1].end() if ends else 0 :]
                rest = _SENTENCE.split(behind, maxsplit=1)[0]
                sentence = bare(EMPHASIS.sub("", f"{begun}{word.text}{rest}").lstrip(" -*>"))
                advised.append(Advice(word.text, sentence, Place(document.path, word.line)))
    return tuple(advised)


def without_comment(text: str) -> str:
    """A line of a document without the remark behind the command."""
    return _COMMENT.sub("", text)


def is_before(text: str) -> bool:
    """Does a command make the script that configures?"""
    return _LIKE["before_configuring"].match(text) is not None


def is_for_developers(path: str) -> bool:
    """Does a document describe work on the product itself?"""
    is_so = _LIKE["developers"].fullmatch(path) or _FOR_DEVELOPERS.match(path)
    return is_so is not None and _LIKE["tutorial"].search(path) is None


def is_guide(path: str) -> bool:
    """Is a document only for contributors?"""
    return is_only_on_work(path) and _LIKE["guide"].search(path) is not None


def is_only_on_work(path: str) -> bool:
    """Is a document about nothing else than work on the product?"""
    return _FOR_DEVELOPERS.match(path) is not None and _LIKE["tutorial"].search(path) is None


def is_on_tests(facts: Facts, place: Place) -> bool:
    """Is a place of a document in a section on tests?"""
    titles = titles_at(facts, place.path, place.line or 0)[:2]
    return any(map(expressions("passages")["tests"].search, titles))


def _is_for_work(command: Command, purpose: str) -> bool:
    """What a workflow runs is a tool of its own, seldom the product; what it configures, its
    variables and what it has made are its own, and releases and documents are made by who maintains
    the project."""
    if command.source == "ci":
        is_aside = _LIKE["releases"].search(command.place.path.rpartition("/")[2])
        is_own = purpose in ("configure", "run") or _LIKE["made_by_pipeline"].search(command.text)
        return not (is_aside or is_own)
    return is_for_developers(command.place.path)


def _is_of_users(facts: Facts, command: Command, purpose: str) -> bool:
    """Does a document of a library show its users how to start or build something with it? Its
    sections on work have such headings."""
    path = command.place.path
    if purpose not in _OF_PRODUCT or is_only_on_work(path) or is_agent_file(path):
        return False
    if any(it.kinds != {"library"} for it in facts.tree.project.apps):
        return False
    section = section_at(facts, path, command.place.line or 0)
    first = documents.documents_by_path(facts)[path].headings[:1] if section else ()
    if section is None or all(section.line == it.line for it in first):
        return False  # Right below the title it is what the whole document is about.
    return not any(map(_WORKING.search, (section.title, *section.above, folder_of(path))))


def _makes_documents(command: Command, folder: str) -> bool:
    """Does the README of a folder of documents have a command that runs in another folder?"""
    path = command.place.path
    is_theirs = is_of_documents(folder_of(path)) and is_readme(path)
    return is_theirs and not is_of_documents(folder)


def _packs(facts: Facts, text: str) -> bool:
    """Does a command start a script of the repository that packs a release?"""
    named = _LIKE["source_file"].match(text)
    path = named[1] if named else text.partition(" ")[0].removeprefix("./")
    return path in facts.records and _LIKE["packing"].search(facts.tree.text(path)) is not None


def _runs_tool(text: str) -> bool:
    """Does a command run something in a folder of tools whose names say nothing of starting?"""
    named = _RUN.match(text)
    if named is None or not is_tooling(folder_of(named[1])):
        return False
    return not any("run" in by_name(step) for step in re.split(r"[/.]", named[1]))


def _runs_in(facts: Facts, command: Command, text: str) -> str | None:
    """The nearest folder, from the one of a command upwards, that has the program where it is a
    file, else what it works on; None where that is missing."""
    wanted = purposes.needs(text)
    own = _OWN_PROGRAM.match(text)
    if own and purposes.program(text) not in work().needs:
        return _own_folder(facts, command, own[1] or own[2])
    if _LIKE["elsewhere"].search(text):
        return command.folder
    if _LIKE["of_project"].fullmatch(text):
        apps = [it.path for it in facts.tree.project.apps if "service" in it.kinds]
        is_here = facts.tree.glob("*.[cfv]*proj", under=command.folder, everywhere=True)
        return command.folder if is_here else apps[0] if len(apps) == 1 else None
    for names in ((own[1] or own[2],) if own else (), wanted):
        for folder in (*parents(command.folder), folder_of(command.place.path)):
            base = "" if folder == "." else folder + "/"
            if any(base + name in facts.records for name in names):
                return command.folder if purposes.program(text) in work().in_place else folder
    return None if wanted else command.folder


def _own_folder(facts: Facts, command: Command, program: str) -> str | None:
    """The nearest folder upwards that has a program of the repository, else the only one of all;
    None where several have it, or a sentence names one that a build puts somewhere."""
    paths = facts.tree.glob(f"**/{program}")
    folders = [path.removesuffix(program).rstrip("/") or "." for path in paths]
    near = [folder for folder in parents(command.folder) if folder in folders]
    is_unknown = bool(folders) or command.is_mention
    only = folders[0] if len(folders) == 1 else None if is_unknown else command.folder
    return near[0] if near else only


def _is_declared(names: Mapping[str, Set[str]], text: str) -> bool:
    """Is a script or task that a command runs one of the repository's, as far as is visible?"""
    if (asked := _LIKE["script"].match(text)) is not None:
        return (asked[1] or asked[2]) in names.get("", ())
    if text.startswith(("pnpm ", "yarn ")) and by_name(of_runner(text))[:1] in OF_SCRIPTS:
        return of_runner(text) in names.get("", ())
    task = _LIKE["task"].match(text)
    return task is None or task[1] not in names or task[2] in names[task[1]]


def _with_files(facts: Facts, start: str | None, text: str) -> str | None:
    """The nearest folder upwards, else the only one of the product, that has the files and folders
    that a command names; None without one."""
    file = _LIKE["source_file"].match(text) or _LIKE["requirements"].search(f" {text}")
    names = {file[1]} if file else set()
    if purposes.program(text) in work().in_place:
        places = (it[1].removeprefix("./") for it in _LIKE["named_place"].finditer(text))
        names |= {it.removesuffix("/...").rstrip("/") for it in places} - {"", "..."}
    if start is None or not names:
        return start

    def has_all(folder: str) -> bool:
        base = "" if folder == "." else f"{folder}/"
        return all(base + it in facts.records or has_folder(facts, base + it) for it in names)

    near = next(filter(has_all, parents(start)), None)
    if near is not None or len(names) < 2:  # A single file may be one of the reader.
        return near
    below = {path.removesuffix(f"/{it}") for it in names for path in facts.tree.glob(f"**/{it}")}
    having = [folder for folder in sorted(below) if has_all(folder)]
    return having[0] if len(having) == 1 else None


def _is_of_another(facts: Facts, text: str, purpose: Purpose) -> bool:
    """Does a command name a file of tests, a file to format, or a module of Python, that the
    repository does not have?"""
    if module := _LIKE["module"].match(text):
        path = module[1].replace(".", "/")
        return not any(facts.tree.glob(f"**/{path}{it}") for it in (".py", "/__init__.py"))
    words = (word.partition("::")[0].removeprefix("./") for word in text.split()[1:_WORDS_MAX])
    is_checked = purpose in ("format", "lint")
    is_file = _SOURCE.fullmatch if is_checked else purposes.is_test_file
    named = [word for word in words if "*" not in word and is_file(word)]
    return purpose in _ON_FILES and any(
        not facts.tree.glob(f"**/{word}", everywhere=True) for word in named
    )


def _is_step_of_building(facts: Facts, command: Command) -> bool:
    """Is a command in a numbered list of which another item compiles something?"""
    lines = facts.tree.text(command.place.path).split("\n")
    at = (command.place.line or 1) - 1
    if not _NUMBERED.match(lines[at][:_LINE_MAX]):
        return False
    above = list(takewhile(_is_listed, reversed(lines[max(0, at - _LIST_MAX) : at])))
    below = list(takewhile(_is_listed, lines[at + 1 : at + _LIST_MAX]))
    return any(
        _NUMBERED.match(it) and _LIKE["compiles"].search(it[:_LINE_MAX]) for it in above + below
    )


def _is_listed(line: str) -> bool:
    """Does a line belong to a list, as an item or as what is below one?"""
    return not line.strip() or line[0].isspace() or _NUMBERED.match(line) is not None


def _is_prebuilt(facts: Facts, command: Command) -> bool:
    """Does the line of a document that names a program of the product mention a download?"""
    lines = facts.tree.text(command.place.path).split("\n")
    line = "".join(lines[(command.place.line or 1) - 1 :][:1])
    return _LIKE["prebuilt"].search(line[:_LINE_MAX]) is not None


def _wrapped(facts: Facts, text: str, folder: str) -> str:
    """A command as the wrapper of its program runs it, in the version that the repository asks for,
    where the folder has one."""
    program, blank, rest = text.partition(" ")
    wrapper = work().wrappers.get(program, "")
    base = "" if folder == "." else f"{folder}/"
    return f"./{wrapper}{blank}{rest}" if wrapper and base + wrapper in facts.records else text
