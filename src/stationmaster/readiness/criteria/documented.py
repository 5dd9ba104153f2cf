"""Commands that documents show: how to build, to set up, to run it and to see that it works."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial

from stationmaster.catalogue import lists
from stationmaster.readiness.evidence import shell
from stationmaster.readiness.facts import Facts, Verdict, once, passes, skips, unknown
from stationmaster.reading.projects.documents import Code, Document
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.test_files import is_test

_OWN = frozenset({".", "..", "-e", "--editable", "-r", "--requirement", "-U"})
_PROMPT = re.compile(r"^\s*(?:[$%>]|PS[^>]{0,80}>|\(\w{1,40}\)\s*\$)\s+")
_PAST = re.compile(r"(?i)change|news|history|releases?\b|upgrad|migrat")
_BLOCK_LINES_MAX = 3


def build_cmd_doc(facts: Facts) -> Verdict | None:
    """Passes where a document has a command that builds it or installs its dependencies."""
    if all(app.family is None for app in facts.project.apps):
        return skips("There is nothing to build")
    install: Place | None = None
    for document in sorted(guides(facts), key=lambda guide: not _is_for_newcomers(guide)):
        for words, place in _commands(document):
            if (
                _is_any(words, lists.phrases("build"))
                and _is_build(words)
                and not shell.fetches(words)
            ):
                return passes(f"{' '.join(words[:4])} is documented", place)
            if install is None and _is_install(words):
                install = place
    if install is not None:
        return passes("The command that installs its dependencies is documented", install)
    return None


def _is_build(words: shell.Words) -> bool:
    """Of a runner of tasks: by the name of its target, or without one."""
    if shell.program(words) not in lists.words("task-runner"):
        return True
    targets = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return not targets or any(map(lists.pattern("make-target").fullmatch, targets))


def single_command_setup(facts: Facts) -> Verdict | None:
    """Passes where one script, task, dev container or short block sets up a fresh clone."""
    if all(app.family is None for app in facts.project.apps):
        return skips("There is nothing to set up")
    path = next(
        (file for file in lists.files("setup-script") if facts.files.behind(file) is not None), None
    )
    if path is not None:
        return passes("A script sets it up", path)
    for command in facts.project.commands:
        if (
            command.source in ("script", "task")
            and command.folder == "."
            and (lists.pattern("setup-task").fullmatch(command.name))
        ):
            return passes(f"{command.name} sets it up", command.place)
    for container in facts.tree.glob(*lists.files("dev-container")):
        data = facts.tree.json(container)
        for name in ("postCreateCommand", "onCreateCommand", "updateContentCommand"):
            if isinstance(data, dict) and data.get(name):
                return passes(f"The dev container's {name} sets it up", container)
    return _block(facts)


def _block(facts: Facts) -> Verdict | None:
    """A block of few lines that ends up with something runnable."""
    for document in filter(_is_for_newcomers, guides(facts)):
        for code in document.code:
            if code.language not in lists.words("command-block") or lists.pattern(
                "fetched-source"
            ).search(code.text):
                continue
            lines = [_PROMPT.sub("", line) for line in code.text.split("\n")]
            words = [command for line in lines for command in shell.simple(line)]
            words = [word for word in words if word[0] not in ("cd", "git", "pushd", "popd")]
            if words and len(words) <= _BLOCK_LINES_MAX and any(map(_sets_up, words)):
                place = Place(document.path, code.line)
                return passes("A short block of commands sets it up", place)
    return None


def _is_for_newcomers(document: Document) -> bool:
    """Is a page about working on the repository, rather than about one part or feature of it?"""
    folder, _, name = document.path.rpartition("/")
    return folder in ("", ".github") or lists.pattern("guide-name").search(name) is not None


def _sets_up(words: shell.Words) -> bool:
    starts = _is_any(words, lists.phrases("install", "start"))
    return starts and (_is_install(words) or not shell.fetches(words))


def guides(facts: Facts) -> Iterator[Document]:
    """The texts about using and working on the repository, and not about its past."""
    for document in facts.tree.documents:
        is_past = _PAST.match(document.path.rpartition("/")[2]) is not None
        if not is_past and not is_test(document.path):
            yield document


def _commands(document: Document) -> Iterator[tuple[shell.Words, Place]]:
    """The commands of a document that may build or install something."""
    programs = [name for name in _programs() if name in document.text]
    if not programs:
        return
    for code in document.code:
        if code.language in lists.words("command-block") and not lists.pattern(
            "fetched-source"
        ).search(code.text):
            for number, line in enumerate(code.text.split("\n")[:500]):
                for words in _commands_of(line, programs):
                    yield words, Place(document.path, code.line + number)
    for code in document.inline:
        for words in _commands_of(code.text, programs):
            if len(words) > 1:
                yield words, Place(document.path, code.line)


def _commands_of(line: str, programs: Sequence[str]) -> Sequence[shell.Words]:
    """The commands of a line that has the name of one of these programs; to parse every line of all
    documents takes long."""
    return shell.simple(_PROMPT.sub("", line)) if any(name in line for name in programs) else ()


@cache
def _programs() -> frozenset[str]:
    heads = map(shell.head, lists.phrases("build", "install"))
    return lists.words("install-script").union(heads)


def _is_any(words: shell.Words, phrases: tuple[str, ...]) -> bool:
    """Does a line begin with one of these, runners and flags aside?"""
    program = shell.program(words)
    if program in lists.words("tool-runner"):
        return shell.matches_any(words, phrases)
    return any(shell.matches(words, phrase) for phrase in _by_program(phrases).get(program, ()))


@cache
def _by_program(phrases: tuple[str, ...]) -> Mapping[str, Sequence[str]]:
    by_program: dict[str, list[str]] = defaultdict(list)
    for phrase in phrases:
        by_program[phrase.partition(" ")[0]].append(phrase)
    return by_program


def _is_install(words: shell.Words) -> bool:
    """Installs what a repository requires, rather than a published product."""
    if "/" in words[0] and shell.program(words) in lists.words("install-script"):
        return True
    if not _is_any(words, lists.phrases("install")):
        return False
    named = [w for w in words[2:] if not w.startswith("-")]
    if words[0] in ("pip", "pip3", "uv", "python", "python3") and "install" in words:
        return any(word.startswith(".") or word in _OWN or word.endswith(".txt") for word in words)
    return not named or words[0] in ("uv", "poetry", "pdm", "bundle", "conda", "mamba", "mise")


def interactive_qa_exists(facts: Facts, app: App) -> Verdict:
    """Passes where a skill or document describes how to run it and try it; unknown elsewhere."""
    path = _qa_skill(facts)
    if path is not None:
        return passes("A skill or command explains how to try it", path)
    names = {app.name.rpartition("/")[2], *_installed(app)} if "cli" in app.kinds else set()
    for document, names_folder, blocks in _shown(facts):
        if facts.tree.owner(document.path) not in (app.path, None, "."):
            continue
        for code in blocks:
            if not any(word in code.text for word in (*names, *_heads())):
                continue  # Classifying the commands of all documents takes long.
            for words in shell.simple(code.text):
                place = Place(document.path, code.line)
                if shell.program(words) in names and len(words) > 1:
                    return passes("A document shows how to run it, and what to try", place)
                if shell.matches_any(words, lists.phrases("run")) and names_folder():
                    return passes("A document explains how to run it, and where to look", place)
    return unknown("No document has both a command that runs it and a step that tries it")


@cache
def _heads() -> frozenset[str]:
    return frozenset(map(shell.head, lists.phrases("run")))


@once
def _qa_skill(facts: Facts) -> str | None:
    return next(filter(lists.pattern("trial-skill").fullmatch, facts.tree.all_paths), None)


@once
def _shown(facts: Facts) -> Sequence[tuple[Document, Callable[[], bool], Sequence[Code]]]:
    """Each guide that has blocks of commands, and these; between them whether the guide describes
    how to see that something runs, for which its whole text is searched at the first use."""
    shown = (
        (document, [c for c in document.code if c.language in lists.words("command-block")])
        for document in guides(facts)
    )
    return [
        (document, cache(partial(_names_folder, document)), blocks)
        for document, blocks in shown
        if blocks
    ]


def _names_folder(document: Document) -> bool:
    return lists.pattern("look-at").search(document.text) is not None


def _installed(app: App) -> set[str]:
    """Names of the programs that an application installs."""
    programs: set[str] = set()
    for manifest in app.manifests:
        binaries = manifest.data.get("bin")
        project = manifest.data.get("project")
        scripts = project.get("scripts") if isinstance(project, dict) else None
        for table in (binaries, scripts):
            programs |= set(map(str, table)) if isinstance(table, dict) else set()
        for binary in binaries if isinstance(binaries, list) else ():
            if isinstance(binary, dict) and isinstance(binary.get("name"), str):
                programs.add(binary["name"])
    return programs
