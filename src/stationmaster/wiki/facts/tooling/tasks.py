"""What people type to install, configure, build, run, test and check the product.

A command is read from the repository: from a manifest, a file of tasks, a workflow or a document;
where none has one, it is what is usual for the files that are there. A script or a target is shown
as its runner is called.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import get_args

from msgspec.structs import replace

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories.test_runs import test_runs
from stationmaster.catalogue.repositories.work import work
from stationmaster.reading.projects.paths import parents
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling import deploys, purposes, spreading, written
from stationmaster.wiki.facts.tooling.named import (
    Task,
    begun_with,
    in_order,
    named,
    needs,
    prints,
    steps,
)
from stationmaster.wiki.facts.tooling.purposes import Purpose
from stationmaster.wiki.facts.tooling.usual import Usual, usual

PURPOSES: tuple[Purpose, ...] = get_args(Purpose)
TASKS_MAX = 60
"""Of one purpose."""
_SOURCES: Mapping[str, int] = {"task": 0, "script": 0, "document": 1, "usual": 2, "ci": 3}
_PLAIN = ("use", "install", "configure", "prepare")
"""Purposes for which documents are better than tasks, and pipelines do what is never typed."""


@query
def tasks(facts: Facts, purpose: str) -> tuple[Task, ...]:
    """Those of a purpose, the one to begin with first, without repetitions."""
    return _by_purpose(facts).get(purpose, ())


@query
def best(facts: Facts, purpose: str) -> Task | None:
    return next(iter(tasks(facts, purpose)), None)


def to_begin(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """The first of some commands, with what else is needed in its folder, in the order of its
    document: the first ones for other languages, and other steps of configuring and preparing. Of
    scripts those of the same name, but not two that start something."""
    together = list(tasks[:1])
    handled = set(purposes.languages(tasks[0].text)) if tasks else set()
    for task in tasks[1:]:
        is_same = task.name == tasks[0].name and purposes.of_name(task.name, task.runs) != "run"
        if task.folder != tasks[0].folder or not (task.source in ("document", "usual") or is_same):
            continue
        languages = purposes.languages(task.text)
        if handled and languages and handled.isdisjoint(languages):
            together.append(task)
            handled |= languages
        elif _is_step(task) and _is_near(task, tasks[0]):
            together.append(task)
    if any(task.source == "usual" for task in together):
        return tuple(together)
    return tuple(sorted(together, key=lambda it: (not written.is_before(it.text), it.place)))


def _is_step(task: Task) -> bool:
    """Is it one step of several, and no other way to do the same?"""
    return not task.name and purposes.of_text(task.text, ()) in ("configure", "prepare")


def _is_near(task: Task, other: Task) -> bool:
    """Are both in one part of a document? A command of another part is often another way."""
    lines = abs((task.place.line or 0) - (other.place.line or 0))
    return task.place.path == other.place.path and lines <= _NEAR


@query
def _by_purpose(facts: Facts) -> Mapping[str, tuple[Task, ...]]:
    by_purpose: dict[str, dict[tuple[str, str], Task]] = defaultdict(dict)
    mentions = _mentions(facts)
    for purpose, task in _with_purpose(facts):
        counted = replace(task, count=mentions[_short(task.text)])
        other = by_purpose[purpose].setdefault((task.folder, task.text), counted)
        if other.source == "ci" != task.source:
            by_purpose[purpose][task.folder, task.text] = counted
    for name, task in list(_usual(facts, by_purpose)):
        named_before = by_purpose[name].setdefault((task.folder, task.text), task)
        if named_before.source == "ci" and name in _PLAIN:
            by_purpose[name][task.folder, task.text] = task
    return {
        purpose: tuple(
            sorted(
                some.values(),
                key=lambda task: (
                    _is_minor(facts, task),
                    is_of_front_end(facts, task),
                    *_order(
                        purpose,
                        task,
                        advice=(advice(facts, task) is not None) - _is_guided(facts, purpose, task),
                        is_of_part=is_of_part(facts, task) or spreading.names_part(facts, task),
                    ),
                ),
            )[:TASKS_MAX]
        )
        for purpose, some in by_purpose.items()
    }


def _usual(
    facts: Facts, named: Mapping[str, Mapping[tuple[str, str], Task]]
) -> Iterator[tuple[str, Task]]:
    """What is usual in folders for which the repository itself names nothing of the kind that
    people type: pipelines have options and orders of their own."""
    for row in usual(facts):
        task = Task(row.text, row.folder, "", "", "usual", row.place)
        others = named.get(row.purpose, {}).values()
        if any(_is_instead(facts, other, task) for other in others if other.source != "ci"):
            continue
        if not _is_minor(facts, task) or any(
            _is_needed(row, other)
            for purpose in ("build", "run", "assets")
            for other in named.get(purpose, {}).values()
        ):
            yield row.purpose, task


def _is_needed(row: Usual, other: Task) -> bool:
    """Does a command for a folder bring what another one needs there, or in a folder below it?"""
    folders = parents(other.folder) if row.purpose == "install" else (other.folder,)
    both = purposes.languages(row.text), purposes.languages(other.text)
    return row.folder in folders and not both[0].isdisjoint(both[1])


def _is_instead(facts: Facts, other: Task, task: Task) -> bool:
    """Does one command do for a folder what another one would?"""
    is_part = purposes.program(other.text) in work().partial or is_of_front_end(facts, other)
    if other.folder != task.folder or (is_part and not is_of_front_end(facts, task)):
        return False
    if purposes.is_special(other.name) or spreading.names_part(facts, other):
        return False
    both = purposes.languages(other.text), purposes.languages(task.text)
    return not all(both) or not both[0].isdisjoint(both[1])


def _order(purpose: str, task: Task, *, advice: int, is_of_part: bool) -> tuple[object, ...]:
    """Nearest to the root first, what is named exactly so, what is named most often; what is usual
    behind all that documents name, in the order of the catalogue, then what only pipelines run.
    `advice` is below 0 for what a guide names, above it for what one advises against."""
    exact = 2 * purposes.is_called(purpose, task.name) if task.name else 4
    exact += 8 * advice
    extra = (
        (False, 0)
        if task.name
        else (not purposes.is_plain(purpose, task.text), purposes.extra_words(task.text))
    )
    if task.source == "document" and purpose == "configure":
        # Of several ways the one that a document begins with.
        extra = extra[0], task.place.line or 0
    elif task.source == "document" and not extra[1] and written.is_only_on_work(task.place.path):
        exact = 1  # A guide for developers comes first, except before a task of the plainest name.
    near = task.place.path.count("/") if task.source == "document" else 0
    depth = 0 if task.folder == "." else 1 + task.folder.count("/")
    depth += is_of_part and not task.name
    is_plain = purpose in _PLAIN
    # Commands of documents, and tasks that they name.
    is_documented = is_plain and (task.source == "document" or (task.name and task.count))
    source = 0 if is_documented else _SOURCES[task.source]
    aside = is_test(task.folder + "/x") or is_aside(f"{task.folder}/")
    does = {purposes.program(task.text), purposes.program(task.runs)}
    is_partial = purpose == "install" and not does.isdisjoint(work().partial)
    is_special = purpose in ("build", "run") and (purposes.is_special(task.name) or is_of_part)
    place = (aside, depth, is_partial, is_special, task.source == "ci")
    if task.source == "usual":
        return (*place, source if is_plain else len(_SOURCES))
    return (
        *place,
        source if is_plain else exact,
        near, extra, purposes.is_production(task.runs), -min(task.count, 4), source,
        task.place.path.count("/"), task.place if task.name else (), len(task.text), task.text,
        task.place,
    )  # fmt: skip


def _is_minor(facts: Facts, task: Task) -> bool:
    """Is it for a language that only a small part of the repository is written in?"""
    counts = facts.tree.project.languages
    handled = purposes.languages(task.text)
    own = sum(counts.get(language, 0) for language in handled)
    return bool(handled) and own * _MINOR < max(counts.values(), default=0)


def _is_guided(facts: Facts, purpose: str, task: Task) -> bool:
    """Is it a task that a guide for contributors names, and of the purpose as a whole?"""
    words = {*re.split("[^a-z0-9]", task.name.lower())}
    is_whole = purposes.is_called(purpose, task.name) < _OTHERWISE and words.isdisjoint(_PARTIAL)
    return bool(task.name) and is_whole and _short(task.text) in _guided(facts)


def advice(facts: Facts, task: Task) -> written.Advice | None:
    """The sentence of a document against a command."""
    return _advised(facts).get(_short(task.text))


@query
def _advised(facts: Facts) -> Mapping[str, written.Advice]:
    return {_short(it.command): it for it in reversed(written.advice(facts))}


@query
def _guided(facts: Facts) -> frozenset[str]:
    """What guides for contributors type without options."""
    return frozenset(
        _short(written.without_comment(command.text))
        for command in facts.tree.project.commands
        if command.source == "document" and written.is_guide(command.place.path)
    )


def is_scattered(tasks: Sequence[Task]) -> bool:
    """Are they all for parts of the repository, of which none is the whole?"""
    folders = {task.folder for task in tasks if not is_aside(f"{task.folder}/")}
    return "." not in folders and len(folders) >= _PARTS_MIN


def is_of_part(facts: Facts, task: Task) -> bool:
    """Is it no task of the repository, and does it name only one package that it works on?"""
    return not task.name and spreading.is_of_part(facts, task.text)


def is_aside(path: str) -> bool:
    """Is it in a folder aside from the product, such as its documents?"""
    return "/" in path and path.partition("/")[0].lower() in _ASIDE


def is_of_front_end(facts: Facts, task: Task) -> bool:
    """Is it only for the front end of an application whose back end is in another language?"""
    is_so = purposes.names_front_end(task.name)
    begun = [other.runs for other in begun_with(facts, task)]
    if not begun and task.source == "script":
        begun = [step.text for step in steps(facts, task.place.path, task.name)]
    begun = [it for it in begun if not purposes.removes(it)] or [task.runs or task.text]
    if not is_so and not all(map(purposes.is_front_end, begun)):
        return False
    own = purposes.languages(task.text)
    manifests = facts.tree.project.manifests
    has_other = any(it.folder == task.folder and it.ecosystem != "npm" for it in manifests)
    counts = facts.tree.project.languages
    others = (counts.get(name, 0) for name in set().union(*work().languages.values()) - own)
    return has_other or max(others, default=0) * _MINOR >= max(counts.values(), default=1)


_ASIDE = lists.words("folder-aside")


def _with_purpose(facts: Facts) -> Iterator[tuple[Purpose, Task]]:
    for task in named(facts):
        if task.folder.count("/") > 1 and is_test(task.folder + "/x"):
            continue  # A project that tests work on.
        if _PRINTS.fullmatch(task.runs):
            continue  # It states that something else is to be typed.
        purpose = purposes.of_name(task.name, task.runs or _starts(facts, task))
        if purpose == "run" and _composes_around(facts, task.runs):
            purpose = "services"
        if purpose == "run":
            purpose = _ends_with(facts, task)
        if purpose == "build" and _only_removes(facts, task):
            purpose = None
        if purpose is None and (
            purposes.names_setup(task.name) or _mentions(facts)[_short(task.text)]
        ):
            purpose = "install" if _brings(facts, task) else None
        if purpose is not None:
            if purpose == "run" and is_of_front_end(facts, task):
                done = [step.text for step in steps(facts, task.place.path, task.name)]
                purpose = "build" if done and all(map(purposes.bundles, done)) else "assets"
            yield purpose, task
    asked = {_short(task.text) for task in named(facts)}
    for line in written.lines(facts, _own_names(facts)):
        if _short(line.text) not in asked:
            is_around = line.purpose == "run" and _composes_around(facts, line.text)
            task = Task(line.text, line.folder, "", "", line.source, line.place)
            yield "services" if is_around else line.purpose, task


def _only_removes(facts: Facts, task: Task) -> bool:
    """Does a task, as far as its file shows, only remove what an earlier one made?"""
    done = [step.text for step in steps(facts, task.place.path, task.name)]
    return bool(done) and all(purposes.removes(it) and not re.search("[;&|]", it) for it in done)


def _brings(facts: Facts, task: Task) -> bool:
    """Does a task install what the product needs, among other things, and start nothing?"""
    done = [step.text for step in steps(facts, task.place.path, task.name)]
    scripts = {name for spread in spreading.spreads(facts, task) for name in spread.scripts}
    does = {purposes.of_text(text, ()) for text in done if not purposes.composes(text)}
    return "install" in does and "run" not in does and scripts.isdisjoint(work().words.runs)


def _composes_around(facts: Facts, text: str) -> bool:
    """Does a command start a compose file, and with it only what the product needs?"""
    return purposes.composes(text) and not _composes_itself(facts)


@query
def _composes_itself(facts: Facts) -> bool:
    """Does a compose file start the product, and not only what it needs?"""
    own = _own_names(facts)
    started = [service for _, services in deploys.services(facts) for service in services]
    return not started or any(
        service.build or not own.isdisjoint(re.split(r"[/:@]", service.image.lower()))
        for service in started
    )


def _ends_with(facts: Facts, task: Task) -> Purpose | None:
    """What a task that is named after starting ends with: a run, tests, checks or a build."""
    done = steps(facts, task.place.path, task.name) if in_order(task) else ()
    if not done and prints(task.runs):
        return None
    kind = purposes.last_of(done[-1].text) if done else None
    others = ("test", "lint", "build", "image", "install")
    return kind if kind in others else "run"


def _starts(facts: Facts, task: Task) -> str:
    """What a target without a recipe of its own runs: `make lint; make test`."""
    form = task.text.partition(" ")[0]
    others = needs(facts, task.place.path, task.name) if task.source == "task" else ()
    return "; ".join(f"{form} {other}" for other in others)


_RUN = re.compile(
    r"^(?:(?:uv|poetry|pdm|pipenv) run (?=(?:poe|task|invoke|inv|nox|tox) )|bundle exec (?=rake )"
    r"|(?:npm|bun) run |npm (?=(?:test|start)\b)"
    r"|(?:pnpm|yarn|rushx) (?:run )?"
    r"(?!(?:install|i|add|ci|exec|dlx|publish|pack|audit|create|init)\b))"
)
_NEAR = 20
"""Lines between the steps of one way."""
_OTHERWISE = 3
"""How tasks are called whose names do not begin with one of their purpose."""
_PARTIAL = (frozenset(test_runs().kinds) - {"unit"}) | work().words.partly
"""Words of tasks that do a part of what their purpose is, or do it otherwise."""
_PARTS_MIN = 3
_MINOR = 4
"""A language with less than a quarter of the main one's files is not what the project is about."""


_PRINTS = re.compile(
    r"@?(?:echo|printf)\s[^;&|]{0,500}|exit \d+"
    r"|node (?:-e|--eval) [\\'\"]{1,4}console\.\w+\([^;]{0,500}"
)


def _short(text: str) -> str:
    """A script or task as it is asked for in the fewest words, without its environment."""
    return _RUN.sub("", text)


@query
def _mentions(facts: Facts) -> Counter[str]:
    """How many documents and workflows name a command."""
    named = {
        (_short(command.text), command.place.path)
        for command in facts.tree.project.commands
        if command.source in ("ci", "document")
    }
    return Counter(text for text, _ in named)


def _own_names(facts: Facts) -> frozenset[str]:
    """What packages of the repository are called by who installs them, in lower case."""
    names = {manifest.name.lower() for manifest in facts.tree.project.manifests if manifest.name}
    names |= {name.rpartition("/")[2] for name in names if "." in name.partition("/")[0]}
    names |= {facts.commit.name.lower()}
    return frozenset(names)


@query
def by_folder(facts: Facts) -> tuple[tuple[str, Mapping[str, Task]], ...]:
    """Folders below the root that have commands of their own, and the best one of each purpose."""
    by_purpose: dict[str, dict[str, Task]] = defaultdict(dict)
    for purpose in PURPOSES:
        for task in tasks(facts, purpose):
            if task.folder != "." and purpose != "use":
                by_purpose[task.folder].setdefault(purpose, task)
    return tuple(sorted(by_purpose.items()))
