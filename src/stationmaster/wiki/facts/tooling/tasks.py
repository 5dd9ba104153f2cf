"""What people type to install, configure, build, run, test and check the product.

A command is read from the repository: from a manifest, a file of tasks, a workflow or a document;
where none has one, it is what is usual for the files that are there. A script or a target is shown
as its runner is called.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import get_args

from msgspec.structs import replace

from stationmaster.catalogue.repositories.work import work
from stationmaster.reading.projects.paths import parents
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts import documents
from stationmaster.wiki.facts.tooling import composed, spreading, tests, written
from stationmaster.wiki.facts.tooling.kinds import purposes, recipes
from stationmaster.wiki.facts.tooling.kinds.names import Purpose, by_name, is_otherwise, is_special
from stationmaster.wiki.facts.tooling.kinds.purposes import Work
from stationmaster.wiki.facts.tooling.named import Task, named, needs, prints, started, steps
from stationmaster.wiki.facts.tooling.ordering import (
    PLAIN,
    is_minor,
    is_of_front_end,
    is_partial,
    order,
    says_nothing,
    short,
)
from stationmaster.wiki.facts.tooling.usual import Usual, usual

PURPOSES: tuple[Purpose, ...] = get_args(Purpose)
TASKS_MAX = 60
"""Of one purpose."""
_NEAR = 20
"""Lines between the steps of one way."""
_WEAK: Mapping[str, int] = {"mention": 1, "ci": 2}
"""What is found elsewhere, too, counts as that."""
_OPTION = re.compile(r"\s--?[\w-]{1,60}(?:=\S{0,200})?")
_JOINED = re.compile("[;&]")
_EMPTY = re.compile(r"[\w.-]{1,80}\s{0,9}::?\s{0,9}(?:#.{0,300})?")
_GOAL = re.compile(r"(?m)^\.DEFAULT_GOAL\s{0,9}:?=\s{0,9}([\w-]+)")
_LABEL = re.compile(r"\s{0,12}(?:[-*+]|\d{1,2}[.)])\s+([A-Za-z][\w /-]{1,40}):\s*`{1,3}$")
_LATER_YARN = re.compile(r'"packageManager"\s{0,9}:\s{0,9}"yarn@(?:[2-9]|\d\d)')
_EARLY_YARN = re.compile(r"\byarn workspaces (?:run|info)\b")
_LINE_MAX = 400
_DJANGO = "manage.py "
_SETTINGS = re.compile(r"^DJANGO_SETTINGS_MODULE=\S+ ")
_LIFECYCLE = re.compile(
    r"(?:pre|post)(?:\w*install|pack|publish\w*|version|build|compile|test|start|dev|lint|pare|deploy)"
    r"(?:[:-].*)?"
)
"""Scripts that managers of packages start by themselves."""
_HATCH, _OF_HATCH = "hatch run ", "hatch-test:"
"""How a script of an environment of Hatch is typed, and what `hatch test` runs is called."""


@query
def tasks(facts: Facts, purpose: str) -> tuple[Task, ...]:
    """Those of a purpose, the one to begin with first, without repetitions and those that run no
    tests."""
    idle = _without_tests(facts)
    return tuple(it for it in _by_purpose(facts).get(purpose, ()) if it not in idle)


@query
def _without_tests(facts: Facts) -> tuple[Task, ...]:
    """Those for tests of Go, where no file has any."""
    every = _by_purpose(facts)
    testing = (*every.get("test", ()), *every.get("single", ()))
    return tuple(it for it in testing if tests.runs_none(facts, it.runs or it.text))


def in_order(facts: Facts, steps: Sequence[str]) -> list[str]:
    """Steps, with processes behind what prepares the database where a document has them so."""
    places = [it.place for name in ("prepare", "services") for it in tasks(facts, name)[:1]]
    is_one = len({it.path for it in places}) == 1 and places[0] < places[-1]
    is_behind = is_one and purposes.does(tasks(facts, "services")[0].text, "processes")
    return sorted(steps, key=lambda it: steps.index(it) + 1.5 * (is_behind and it == "services"))


@query
def best(facts: Facts, purpose: str) -> Task | None:
    return next(iter(tasks(facts, purpose)), None)


def to_begin(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """The first of some commands, with what else is needed in its folder, in the order of its
    document: the first ones for other languages, and other steps of configuring and preparing. Of
    scripts those of the same name, but not two that start something."""
    together = list(tasks[:1])
    handled = set(purposes.languages(tasks[0].runs or tasks[0].text)) if tasks else set()
    for task in tasks[1:]:
        is_same = task.name == tasks[0].name and by_name(task.name)[:1] != ("run",)
        is_script = task.source in ("task", "script", "ci")
        if task.is_before and not tasks[0].name and task.folder == tasks[0].folder:
            together.insert(0, task)
            continue
        if task.folder != tasks[0].folder or (is_script and not is_same):
            continue
        languages = purposes.languages(task.text)
        if handled and languages and handled.isdisjoint(languages):
            together.append(task)
            handled |= languages
        elif _is_step(task, tasks[0]) and not _is_other_way(task, together):
            together.append(task)
    if any(task.source == "usual" for task in together):
        return tuple(together)
    together.sort(key=lambda it: (not it.is_before, not written.is_before(it.text), it.place))
    return tuple(together)


def _is_step(task: Task, first: Task) -> bool:
    """Is it one step of several, and no other way to do the same? What makes the script that
    configures is one wherever it stands, a command of another part of a document often another
    way."""
    if task.name or purposes.of_text(task.text, ()) not in ("configure", "prepare"):
        return False
    if written.is_before(task.text) and not written.is_before(first.text):
        return task.source != "ci"
    lines = abs((task.place.line or 0) - (first.place.line or 0))
    return task.place.path == first.place.path and lines <= _NEAR


def _is_other_way(task: Task, others: Sequence[Task]) -> bool:
    """Does one of them do the same with other options?"""
    plain = _OPTION.sub("", task.text)
    return any(_OPTION.sub("", it.text) == plain for it in others)


@query
def _by_purpose(facts: Facts) -> Mapping[str, tuple[Task, ...]]:
    by_purpose: dict[str, dict[tuple[str, str], Task]] = defaultdict(dict)
    mentions = _mentions(facts)
    for purpose, task in _with_purpose(facts):
        is_before = purpose == "build" and task.text in composed.built_before(facts)
        counted = replace(task, count=mentions[short(task.text)], is_before=is_before)
        other = by_purpose[purpose].setdefault((task.folder, task.text), counted)
        if _WEAK.get(other.source, 0) > _WEAK.get(task.source, 0):
            by_purpose[purpose][task.folder, task.text] = counted
    for name, task in list(_usual(facts, by_purpose)):
        named_before = by_purpose[name].setdefault((task.folder, task.text), task)
        if named_before.source == "ci" and name in PLAIN:
            by_purpose[name][task.folder, task.text] = task
    configuring, builds = by_purpose["configure"], by_purpose["build"]
    for key in [key for key, it in configuring.items() if _by_task(facts, builds, it)]:
        del configuring[key]
    return {
        purpose: tuple(sorted(some.values(), key=partial(order, facts, purpose))[:TASKS_MAX])
        for purpose, some in by_purpose.items()
    }


def _usual(
    facts: Facts, named: Mapping[str, Mapping[tuple[str, str], Task]]
) -> Iterator[tuple[str, Task]]:
    """What is usual in folders for which the repository itself names nothing of the kind that
    people type: pipelines have options and orders of their own, but they do run the tests."""
    started: list[Task] = []
    for row in usual(facts):
        chosen = _chosen(named.get("run", {}).values(), row.folder) if _DJANGO in row.text else ""
        task = Task(f"{chosen}{row.text}", row.folder, "", "", "usual", row.place)
        others = named.get(row.purpose, {}).values()
        if any(
            _is_instead(facts, row.purpose, other, task)
            for other in others
            if other.source != "ci" or row.purpose == "test"
        ):
            continue
        if row.purpose == "run":
            # A script that only starts a Procfile does what that does.
            if composed.is_around(facts, row.text) or any(
                _is_instead(facts, "run", other, task) for other in started
            ):
                continue
            started.append(task)
        if not is_minor(facts, task) or any(
            _is_needed(row, other)
            for purpose in ("build", "run", "assets")
            for other in named.get(purpose, {}).values()
        ):
            yield row.purpose, task


def _chosen(running: Iterable[Task], folder: str) -> str:
    """The settings with which a folder's project of Django is started by all commands for it, which
    its other commands need, too."""
    texts = (task.text for task in running if task.folder == folder and _DJANGO in task.text)
    chosen = {"".join(_SETTINGS.findall(text)) for text in texts}
    return chosen.pop() if len(chosen) == 1 else ""


def _is_needed(row: Usual, other: Task) -> bool:
    """Does a command for a folder bring what another one needs there, or in a folder below it?"""
    folders = parents(other.folder) if row.purpose == "install" else (other.folder,)
    both = purposes.languages(row.text), purposes.languages(other.text)
    return row.folder in folders and not both[0].isdisjoint(both[1])


def _by_task(facts: Facts, builds: Mapping[tuple[str, str], Task], task: Task) -> bool:
    """Does a task that builds a folder see to what is usual to configure a build there?"""
    is_weak = task.source in ("usual", "ci") and purposes.does(task.text, "configures_build")
    own = (it for it in builds.values() if it.folder == task.folder and it.name)
    return is_weak and any(not is_of_front_end(facts, it) for it in own)


def _is_instead(facts: Facts, purpose: str, other: Task, task: Task) -> bool:
    """Does one command do for a folder what another one would?"""
    is_part = is_partial(purpose, other) or is_of_front_end(facts, other)
    if other.folder != task.folder or (is_part and not is_of_front_end(facts, task)):
        return False
    if says_nothing(other) or is_special(other.name) or spreading.names_part(facts, other):
        return False
    both = purposes.languages(other.text), purposes.languages(task.text)
    return not all(both) or not both[0].isdisjoint(both[1])


def _with_purpose(facts: Facts) -> Iterator[tuple[Purpose, Task]]:
    is_later = _LATER_YARN.search(facts.tree.text("package.json"))
    for task in named(facts):
        if task.folder.count("/") > 1 and is_test(task.folder + "/x"):
            continue  # A project that tests work on.
        if is_later and _EARLY_YARN.search(task.runs):
            continue
        purpose = _purpose(facts, task)
        if purpose == "run" and _is_aside(task.folder):
            continue
        if not by_name(task.name):
            # One that another starts is there for that, as far as documents and pipelines show.
            is_step = (task.place.path, task.name) in started(facts)
            is_step &= not _mentions(facts)[short(task.text)]
            purpose = _labelled(facts).get(short(task.text)) or (None if is_step else purpose)
        if purpose == "run" and is_of_front_end(facts, task):
            purpose = "assets"
        if purpose is not None:
            yield purpose, task
        if purpose == "run":
            yield from (("services", it) for it in _started_before(facts, task))
    asked = {short(task.text) for task in named(facts)}
    built = composed.built_services(facts)
    own = composed.own_names(facts)
    for line in written.lines(facts, own):
        is_other = _only_helps(facts, line) or composed.starts_unknown(facts, line.text)
        is_other |= line.purpose == "run" and _is_aside(line.folder)
        is_run = line.purpose == "run" and own.isdisjoint(line.text.split())
        is_begun = is_run or purposes.does(line.text, "compose_up")
        is_other |= is_begun and written.is_on_tests(facts, line.place)
        if short(line.text) not in asked and not is_other:
            purpose = line.purpose
            if purpose == "run" and composed.is_around(facts, line.text):
                purpose = "services"
            elif purpose == "services" and line.text.rpartition(" ")[2] in built:
                if line.source == "ci":
                    continue  # It starts the product for its tests.
                purpose = "run"
            yield purpose, Task(line.text, line.folder, "", "", line.source, line.place)


def _is_aside(folder: str) -> bool:
    """Is a folder called after what measures the product or renews it, and does not start it?"""
    return not work().words.aside.isdisjoint(folder.split("/"))


def _started_before(facts: Facts, task: Task) -> Iterator[Task]:
    """The steps by which a task starts what the product needs, before it starts that."""
    for step in steps(facts, task.place.path, task.name):
        is_whole = purposes.is_clear(step.text) and not _JOINED.search(step.text)
        is_compose = is_whole and purposes.does(step.text, "compose_up")
        if is_compose and _does(facts, step.text) == "services":
            yield Task(step.text, task.folder, "", "", task.source, step.place)


@query
def _labelled(facts: Facts) -> Mapping[str, Purpose]:
    """The purposes of commands by what entries of lists in documents for developers have before
    them: `- Run server: make rundev`."""
    purpose_of: dict[str, Purpose] = {}
    for document in documents.chosen(facts):
        lines = document.text.split("\n") if written.is_for_developers(document.path) else []
        for word in document.inline if lines else ():
            before = lines[word.line - 1][:_LINE_MAX].partition(word.text)[0].replace("**", "")
            if label := _LABEL.match(before):
                for purpose in by_name("-".join(label[1].split()))[:1]:
                    purpose_of.setdefault(short(word.text), purpose)
    return purpose_of


def _only_helps(facts: Facts, line: written.Line) -> bool:
    """Does a runner without the name of a task only print which tasks there are, or start one for
    something else than the line seems to be for?"""
    own = [it for it in named(facts) if it.folder == line.folder and it.source == "task"]
    first = next((it for it in own if it.text.partition(" ")[0] == line.text), None)
    if first is None:
        return False
    goal = _GOAL.search(facts.tree.text(first.place.path))
    name = goal[1] if goal else first.name
    task = next((it for it in own if (it.place.path, it.name) == (first.place.path, name)), None)
    if task is None or "help" in (name, *needs(facts, first.place.path, name)):
        return True
    purpose = _purpose(facts, task)
    is_none = purpose is None and name.lower() == "all"
    return is_none or prints(task.runs) or (purpose or line.purpose) != line.purpose


def _purpose(facts: Facts, task: Task) -> Purpose | None:
    """What a task of a file is for; None for what its manager starts by itself, too."""
    if task.source == "script" and _LIFECYCLE.fullmatch(task.name):
        return None
    name = task.text.removeprefix(_HATCH) if task.text.startswith(_HATCH) else task.name
    if name.startswith(_OF_HATCH):
        return None
    done = [step.text for step in steps(facts, task.place.path, task.name)]
    others = needs(facts, task.place.path, task.name) if task.name.lower() == "all" else ()
    if (not done and _is_empty(facts, task)) or (others and all(map(is_otherwise, others))):
        return None
    does = partial(_does, facts)
    done = done or [it for it in (task.runs,) if it]
    purpose = recipes.of_task(name, done, does)
    is_named = purpose is None and _mentions(facts)[short(task.text)] > 0
    if is_named and recipes.brings(done, does):
        return "install"
    return purpose or _of_packages(facts, task)


def _of_packages(facts: Facts, task: Task) -> Purpose | None:
    """What all scripts of packages are for that a script of the root runs and does nothing else."""
    is_plain = task.source == "script" and not _JOINED.search(task.runs)
    if task.folder != "." or not is_plain or by_name(task.name):
        return None
    has_folder = facts.tree.project.products.has_folder
    begun = {
        (folder, name)
        for spread in spreading.spreads(facts, task)
        for folder in spread.folders
        for name in spread.scripts
        if has_folder(folder) and task.name.endswith(name)
    }
    own = [it for it in named(facts) if (it.folder, it.name) in begun and it.folder != "."]
    purposes_of = {_purpose(facts, it) for it in own}
    # A single one may start anything beside the product, such as a preview of its mails.
    is_clear = len(purposes_of) == 1 and (len(own) > 1 or "run" not in purposes_of)
    return purposes_of.pop() if is_clear else None


def _is_empty(facts: Facts, task: Task) -> bool:
    """Does a target neither have a recipe nor need anything?"""
    if task.runs or task.source != "task":
        return False
    lines = facts.tree.text(task.place.path).split("\n")
    return _EMPTY.fullmatch("".join(lines[(task.place.line or 1) - 1 :][:1])) is not None


def _does(facts: Facts, text: str) -> Work | None:
    purpose = purposes.of_line(text, ())
    if purpose not in (None, "run"):
        return purpose
    is_other = purpose is None and purposes.does(text, "compose_up")
    return "services" if is_other or composed.is_around(facts, text) else purpose


@query
def _mentions(facts: Facts) -> Counter[str]:
    """How many documents and workflows name a command."""
    named = {
        (short(command.text), command.place.path)
        for command in facts.tree.project.commands
        if command.source in ("ci", "document")
    }
    return Counter(text for text, _ in named)


@query
def by_folder(facts: Facts) -> tuple[tuple[str, Mapping[str, Task]], ...]:
    """Folders below the root that have commands of their own, and the best one of each purpose."""
    by_purpose: dict[str, dict[str, Task]] = defaultdict(dict)
    for purpose in PURPOSES:
        for task in tasks(facts, purpose):
            if task.folder != "." and purpose != "use":
                by_purpose[task.folder].setdefault(purpose, task)
    return tuple(sorted(by_purpose.items()))
