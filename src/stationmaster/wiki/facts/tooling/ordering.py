"""Which of several commands for one purpose comes first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories.test_runs import test_runs
from stationmaster.catalogue.repositories.work import work
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling import in_pipelines, spreading, written
from stationmaster.wiki.facts.tooling.kinds import names, purposes
from stationmaster.wiki.facts.tooling.named import Task, begun_with, steps

PLAIN = ("use", "install", "configure", "prepare")
"""Purposes for which documents are better than tasks, and pipelines do what is never typed."""
_SOURCES: Mapping[str, int] = {
    "task": 0,
    "script": 0,
    "document": 1,
    "mention": 2,
    "usual": 3,
    "ci": 4,
}
_ADVISED = 8
"""More than what else speaks for or against a command."""
_RUN = re.compile(
    r"^(?:(?:uv|poetry|pdm|pipenv) run (?=(?:poe|task|invoke|inv|nox|tox) )|bundle exec (?=rake )"
    r"|(?:npm|bun) run |npm (?=(?:test|start)\b)"
    r"|(?:pnpm|yarn|rushx) (?:run )?"
    r"(?!(?:install|i|add|ci|exec|dlx|publish|pack|audit|create|init)\b))"
)
_BUILT = re.compile(r"(?:[\w.-]+/){0,6}(?:bin|build|dist|out|target|\.build)/\S+(?:\s|$)")
"""What a build of the repository has made."""
_STARTS_BUILT = re.compile(r"\bnode\s(?:-\S{1,80}\s)*(?:\./)?(?:build|dist|out)/")
_OTHERWISE = 3
"""How tasks are called whose names do not begin with one of their purpose."""
_BEYOND_UNITS = frozenset(test_runs().kinds) - {"unit"}
_PARTIAL = _BEYOND_UNITS | work().words.partly
"""Words of tasks that do a part of what their purpose is, or do it otherwise."""
_OF_EXAMPLE = re.compile(r"\s--example[ =]")
_PARTS_MIN = 3
_OUTPUT = re.compile(r"\s--?(?:out(?:file|dir|-file|-dir|put)?|dist-dir|o)[= ][\"']?([^\s\"']+)")
_SERVED = re.compile(
    r"(?:^|/)(?:app|assets|priv|public|resources|static|web|www|wwwroot)(?:/|$)"
    r"|^(?:\./)?(?:build|dist|out)(?:/|$)"
)
"""Where what browsers load is put."""
_MINOR = 4
"""A language with less than a quarter of the main one's files is not what the project is about."""
_HANDLED = frozenset[str]().union(*work().languages.values())
_ASIDE = lists.words("folder-aside")
_EXAMPLES = frozenset({"example", "examples", "sample", "samples", "demo", "demos"})


def order(facts: Facts, purpose: str, task: Task) -> tuple[object, ...]:
    """The key to sort by. Commands are compared by

    1. how much of the product they work on: all of it, before a part or what is beside it;
    2. whether a document, a task or only a pipeline has them, and how plainly (`_standing`);
    3. how near to the root and how short they are, and how often they are named.

    What is usual comes in the order of the catalogue, in front of what stands equally.
    """
    reach = (*_reach(facts, purpose, task), _standing(facts, purpose, task))
    return reach if task.source == "usual" else (*reach, *_plainness(facts, purpose, task))


def _reach(facts: Facts, purpose: str, task: Task) -> tuple[object, ...]:
    is_part = is_of_part(facts, task) or spreading.names_part(facts, task)
    depth = 0 if task.folder == "." else 1 + task.folder.count("/")
    return (
        is_minor(facts, task),
        is_of_front_end(facts, task),
        in_pipelines.limits(facts, task.place) if task.source == "ci" else 0,
        purpose == "test" and selects(task),
        purpose == "test" and task.source == "ci" and is_partial(purpose, task),
        is_test(task.folder + "/x") or is_aside(f"{task.folder}/"),
        purpose == "run" and _OF_EXAMPLE.search(task.text) is not None,
        depth + (is_part and not task.name),
        is_partial(purpose, task),
        purpose == "run" and not _starts_several(facts, task),
        purpose in ("build", "run") and (names.is_special(task.name) or is_part),
        # What starts one module of a build starts the product.
        purpose != "run" and purposes.does(task.text, "works_on_part"),
        task.source == "ci",
    )


def _standing(facts: Facts, purpose: str, task: Task) -> int:
    """From the first to the last: a task that a guide for contributors names; one with the plainest
    name that anything names; a block of a guide without further words; such a task that nothing
    names; a task whose name begins so; what is usual; a block of another document; a mention in a
    sentence; a task that is called otherwise; one that tests more than units; what a document
    advises against."""
    if purpose in PLAIN:
        if says_nothing(task):
            return max(_SOURCES.values())
        is_documented = task.source == "document" or (task.name and task.count)
        return 0 if is_documented else _SOURCES[task.source]
    called = names.is_called(purpose, task.name)
    standing = (2 * called or int(not task.count)) if task.name else 4
    if task.source == "mention":
        standing = 5
    elif task.source == "document" and written.is_only_on_work(task.place.path):
        standing = 4 if purposes.extra_words(task.text) else 1
    elif task.source == "document" and purpose == "run" and _BUILT.match(task.text):
        standing = 3
    elif purpose == "run" and _STARTS_BUILT.search(task.runs):
        standing = max(standing, 4)  # It needs the build, which others make themselves.
    guided = _is_guided(facts, purpose, task)
    is_later = purpose == "test" and not _BEYOND_UNITS.isdisjoint(_words(task))
    return standing + _ADVISED * (is_later + (advice(facts, task) is not None) - guided)


def says_nothing(task: Task) -> bool:
    """Does the name of a task state no purpose, and no document or pipeline use it?"""
    return bool(task.name) and not (task.count or names.by_name(task.name))


def _plainness(facts: Facts, purpose: str, task: Task) -> tuple[object, ...]:
    is_written = task.source in ("document", "mention")
    is_stated = bool(task.name) or purpose == "prepare" or purposes.is_plain(purpose, task.text)
    extra, column = 0 if task.name else purposes.extra_words(task.text), 0
    is_of_work = written.is_only_on_work(task.place.path)
    if is_written and purpose in ("install", "configure", "prepare"):
        extra = task.place.line or 0  # Of several ways the one that a document begins with.
        lines = facts.tree.text(task.place.path).split("\n")
        column = lines[extra - 1].find(task.text) if extra else 0
    return (
        purpose == "install" and is_written and not is_of_work,
        task.place.path.count("/") if is_written else 0,
        not is_stated,
        extra,
        column,
        purposes.does(task.runs, "production"),
        -min(task.count, 4),
        _SOURCES[task.source],
        task.place.path.count("/"),
        task.place if task.name else (),
        len(task.text),
        task.text,
        task.place,
    )


def is_minor(facts: Facts, task: Task) -> bool:
    """Is it for a language that only a small part of the repository is written in, and for no
    build of the root in a language that is compiled?"""
    counts = facts.tree.project.languages
    handled = purposes.languages(task.text)
    own = sum(counts.get(language, 0) for language in handled)
    program = purposes.program(task.text)
    builds = program in work().fetches and task.folder == "."
    is_of_root = builds and any(it in facts.records for it in work().needs[program])
    return bool(handled) and own * _MINOR < max(counts.values(), default=0) and not is_of_root


def is_partial(purpose: str, task: Task) -> bool:
    """Does a program do it that does a part of the purpose, or does it in a way of its own?"""
    does = {purposes.program(task.text), purposes.program(task.runs)}
    partial = work().partial
    return not does.isdisjoint(partial["any"] | partial.get(purpose, frozenset()))


def is_of_part(facts: Facts, task: Task) -> bool:
    """Is it no task of the repository, and does it name only one package that it works on?"""
    return not task.name and spreading.is_of_part(facts, task.text)


def selects(task: Task) -> bool:
    """Does a command run only the tests that it names?"""
    return purposes.does(task.runs or task.text, "selects_tests")


def _starts_several(facts: Facts, task: Task) -> bool:
    """Does it start several programs of the product at once?"""
    names_of = [it.name for it in begun_with(facts, task)]
    for spread in spreading.spreads(facts, task):
        names_of += [name for name in spread.scripts for _ in spread.folders]
    is_whole = len(names_of) > 1 and all(names.by_name(it)[:1] == ("run",) for it in names_of)
    return is_whole or purposes.does(task.runs or task.text, "processes")


def is_aside(path: str) -> bool:
    """Is it in a folder aside from the product, such as its documents?"""
    first = path.partition("/")[0].lower() if "/" in path else ""
    return first in _ASIDE or not _EXAMPLES.isdisjoint(re.split("[ _.-]", first))


def is_scattered(tasks: Sequence[Task]) -> bool:
    """Are they all for parts of the repository, of which none is the whole?"""
    folders = {task.folder for task in tasks if not is_aside(f"{task.folder}/")}
    return "." not in folders and len(folders) >= _PARTS_MIN


def is_of_front_end(facts: Facts, task: Task) -> bool:
    """Is it only for the front end of an application whose back end is in another language?"""
    script = purposes.program(task.text).partition(".")[0] if "/" in task.text else ""
    is_so = names.names_front_end(task.name or script)
    begun = [other.runs for other in begun_with(facts, task)]
    if not begun and task.source == "script":
        begun = [step.text for step in steps(facts, task.place.path, task.name)]
    begun = [it for it in begun if not purposes.does(it, "removes")] or [task.runs or task.text]
    if not is_so and not all(purposes.does(it, "front_end") for it in begun):
        return False
    own = purposes.languages(task.text)
    manifests = facts.tree.project.manifests
    has_other = any(it.folder == task.folder and it.ecosystem != "npm" for it in manifests)
    counts = facts.tree.project.languages
    others = (counts.get(name, 0) for name in _HANDLED - own)
    return has_other or max(others, default=0) * _MINOR >= max(counts.values(), default=1)


def is_served(task: Task) -> bool:
    """May browsers load what a task makes? Not where all that it says to write lies elsewhere."""
    outputs = _OUTPUT.findall(task.runs or task.text)
    return not outputs or any(map(_SERVED.search, outputs))


def short(text: str) -> str:
    """A script or task as it is asked for in the fewest words, without its environment."""
    return _RUN.sub("", text)


def advice(facts: Facts, task: Task) -> written.Advice | None:
    """The sentence of a document against a command."""
    return _advised(facts).get(short(task.text))


@query
def _advised(facts: Facts) -> Mapping[str, written.Advice]:
    return {short(it.command): it for it in reversed(written.advice(facts))}


def _is_guided(facts: Facts, purpose: str, task: Task) -> bool:
    """Is it a task that a guide for contributors names, and of the purpose as a whole?"""
    is_called = names.is_called(purpose, task.name) < _OTHERWISE
    is_whole = is_called and _PARTIAL.isdisjoint(_words(task))
    handled, counts = purposes.languages(task.text), facts.tree.project.languages
    first = next((it for it in counts if it in _HANDLED), "")
    is_main = not (handled and first) or first in handled
    is_whole = is_whole and not names.is_special(task.name)
    return bool(task.name) and is_whole and is_main and short(task.text) in _guided(facts)


def _words(task: Task) -> list[str]:
    return re.split("[^a-z0-9]", task.name.lower())


@query
def _guided(facts: Facts) -> frozenset[str]:
    """What guides for contributors type without options."""
    return frozenset(
        short(written.without_comment(command.text))
        for command in facts.tree.project.commands
        if command.source == "document" and written.is_guide(command.place.path)
    )
