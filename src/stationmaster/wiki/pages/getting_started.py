"""What has to be there, and the commands to install, configure, build, run and test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from stationmaster.wiki.facts.data import stores
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.texts import passages
from stationmaster.wiki.facts.texts.needs import Stated, sentences_on_needs
from stationmaster.wiki.facts.texts.stages import Stage, existing, stages
from stationmaster.wiki.facts.tooling import (
    called,
    ordering,
    prerequisites,
    single_tests,
    spreading,
    tasks,
    tests,
)
from stationmaster.wiki.facts.tooling.kinds import purposes
from stationmaster.wiki.facts.tooling.named import Task
from stationmaster.wiki.facts.tooling.programs import beside
from stationmaster.wiki.facts.tooling.programs.declared import programs
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.pages.tasks import documents, first, in_pipeline
from stationmaster.wiki.text.inline import Md, Place, among, code, joined, md, text
from stationmaster.wiki.text.page import Page

KEY = "getting-started"
_STEPS = {
    "install": "Install dependencies",
    "configure": "Configure",
    "services": "Start the required services",
    "prepare": "Prepare the database",
    "build": "Build",
    "run": "Run",
    "assets": "Serve only the front end",
    "test": "Test",
    "lint": "Check",
    "format": "Format",
}
_RELEASES_MAX = 3
_PLACES_MAX = prerequisites.PLACES_MAX
_COMMANDS_MAX = 6
_RUNS_MAX = 80
"""Letters of the command of a further program."""
_STORES_MAX = 12
_COLUMNS = ("install", "build", "run", "test", "lint")


def plan(facts: Facts) -> Iterator[Planned]:
    if prerequisites.needs(facts) or any(tasks.tasks(facts, purpose) for purpose in tasks.PURPOSES):
        yield Planned(KEY, "Getting started", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    needs = prerequisites.needs(facts)
    page.summary(*_summary(facts, needs))
    _prerequisites(page, facts, needs)
    _releases(page, facts)
    _stages(page, facts, stages(facts))
    for purpose in tasks.in_order(facts, tuple(_STEPS)):
        listed = tasks.tasks(facts, purpose)
        examples = called.examples(facts) if purpose == "configure" else ()
        page.section(_STEPS[purpose])
        _examples(page, examples)
        if purpose == "install":
            page.items(
                md("{} brings the dependencies of {} when it builds.", tool, page.cite(place))
                for tool, place in called.fetchers(facts)
            )
        # What runs for want of anything else, such as the program of a library's own example.
        programs = listed if purpose == "run" and all(map(_is_aside, listed)) else ()
        if ordering.is_scattered(listed):
            page.text("Nothing at the root does it: parts of the repository have commands for it.")
            continue
        if purpose == "run":
            _own_program(page, facts, listed)
        # Others in other places are in the table of parts.
        places = (".", *(task.folder for task in listed[:1]))
        first(
            page,
            facts,
            [
                task
                for task in listed
                if task.folder in places and (task in programs or not _is_aside(task))
            ],
        )
        if purpose == "test" and listed:
            in_pipeline(page, facts, listed)
        if purpose == "run" and listed:
            _beside(page, facts)
            _listening(page, facts)
    _parts(page, facts, tasks.by_folder(facts))
    steps = [tasks.to_begin(tasks.tasks(facts, purpose)) for purpose in _STEPS if purpose != "test"]
    on_tests = () if page.link("testing").startswith("[") else passages.on_tests(facts)
    documents(page, facts, chain(*steps), (*passages.on_beginning(facts), *on_tests))
    page.see("configuration", "testing", "ci-and-tooling", "contributing", "architecture")


def _is_aside(task: Task) -> bool:
    return ordering.is_aside(f"{task.folder}/")


def _summary(facts: Facts, needs: Sequence[prerequisites.Need]) -> Iterator[Md]:
    own = [need for need in needs if need.version and not ordering.is_aside(need.places[0].path)]
    # What a package below asks for is for that package alone.
    whole = [need for need in own if "/" not in need.places[0].path]
    tools = list(prerequisites.ordered(whole or own).items())[:3]
    if tools:
        named = [md("{} {}", tool, code(rows[0].version)) for tool, rows in tools]
        yield md("To work on it you need {}.", joined(named, last=" and "))
    verbs = (("build", "builds it"), ("run", "starts it"))
    clauses = []
    for purpose, verb in verbs:
        best = tasks.best(facts, purpose)
        if best is not None and best.folder == "." and not ordering.is_of_part(facts, best):
            is_part = purpose == "build" and ordering.is_of_front_end(facts, best)
            if is_part and not ordering.is_served(best):
                continue
            does = "builds the front end" if is_part else verb
            does = "compiles it" if purposes.compiles(best.text) else does
            clauses.append(md("{} {}", code(best.text), does))
    testing = [
        task
        for task in tasks.to_begin(tasks.tasks(facts, "test"))
        if task.folder == "." and not ordering.is_of_part(facts, task)
    ]
    if testing and not tests.skips_all(facts, testing[0].runs or testing[0].text):
        run_them = joined([code(task.text) for task in testing], last=" and ")
        part = single_tests.part_of(testing[0]) if len(testing) == 1 else ""
        which = f"{part} tests" if part else "tests"
        clauses.append(md("{} {} the {}", run_them, "runs" if len(testing) == 1 else "run", which))
    if clauses:
        yield md("{}.", joined(clauses, last=", and " if len(clauses) > 2 else " and "))
    elif not tools:
        yield Md("This is how to work on it, according to the repository.")


def _prerequisites(page: Page, facts: Facts, needs: Sequence[prerequisites.Need]) -> None:
    page.section("Prerequisites")
    rows = [
        (
            tool if number == 0 else "",
            code(it.version) if it.version else "",
            joined([page.cite(place) for place in it.places]),
        )
        for tool, of_tool in prerequisites.ordered(needs).items()
        for number, it in enumerate(of_tool)
    ]
    for it in called.tools(facts):
        used = [md("set up in {}", page.cite(place)) for _, place in it.versions]
        calls = md("called by {}, {}", code(it.command, 60), page.cite(it.place))
        stated = joined([code(version) for version, _ in it.versions], last=" or ")
        rows.append((it.tool, stated, joined([calls, *used], sign="; ")))
    page.table(("Tool", "Version", "Asked for in"), rows)
    _asked(page, sentences_on_needs(facts))
    versions = [
        md("{} {} ({})", it.tool, code(it.version), page.cite(it.places[0]))
        for it in prerequisites.in_workflows(facts)
    ]
    if versions:
        page.text(md("Workflows set up {}.", joined(versions, last=" and ")))
    started = [
        md(
            "{} ({})",
            name,
            joined([page.cite(place) for place in places[:_PLACES_MAX]]),
        )
        for name, places in called.services(facts)
    ]
    if started:
        page.text(md("Compose files start {}.", joined(started, last=" and ")))
    connected: dict[bool, list[Md]] = {False: [], True: []}
    for store in stores.stores(facts)[:_STORES_MAX]:
        named = md("{} ({}{})", store.name, page.cite(store.place), _of_profile(store.profile))
        connected[store.place.path.endswith(".cs")].append(named)
    for is_started, names in connected.items():
        words = (
            "The program of Aspire starts {}." if is_started else "Settings name {} to connect to."
        )
        page.text(md(words, joined(names, last=" and ")) if names else "")


def _asked(page: Page, sentences: Sequence[Stated]) -> None:
    """What the documents state that has to be there, in their words."""
    if sentences:
        page.text("The documents state:")
    page.items(md("“{}” ({})", text(it.sentence), page.cite(it.place)) for it in sentences)


def _of_profile(name: str) -> Md:
    return md(", with the profile {}", code(name)) if name else Md("")


def _own_program(page: Page, facts: Facts, listed: Sequence[Task]) -> None:
    """The program that is called like the repository, where no command starts it."""
    for own in programs(facts)[:1]:
        if own.name == facts.commit.name and not any(own.name in it.text for it in listed):
            page.text(md("The program of the repository is {} ({}).", code(own.name),
                         page.cite(own.place)))  # fmt: skip


def _beside(page: Page, facts: Facts) -> None:
    """Further programs of the repository."""
    others = []
    for it in beside.beside(facts):
        if it.named[0][0] == facts.commit.name:
            continue
        named = among(
            [md("{} ({})", code(name), code(runs, _RUNS_MAX)) if runs else code(name)
             for name, runs in it.named[:_COMMANDS_MAX]], len(it.named),
        )  # fmt: skip
        if it.kind == "program":
            others.append(md("{} ({})", named, page.cite(it.place)))
        elif it.kind == "services":
            page.text(md("{} builds the services {}.", page.cite(it.place), named))
        else:
            page.text(md("{} names the processes {}.", page.cite(it.place), named))
    if others:
        shown = among(others[:_COMMANDS_MAX], len(others))
        page.text(md("Further programs of the repository: {}.", shown))


def _listening(page: Page, facts: Facts) -> None:
    """The ports and profiles that files of settings give applications."""
    rows = [("port", *row) for row in stores.ports(facts)]
    rows += [("profile", *row) for row in stores.profiles(facts)]
    if 0 < len(rows) <= _COMMANDS_MAX:
        page.text("Where nothing else is chosen, settings give:")
        page.items(
            md("{} {}{} ({})", what, code(value), _of_application(place), page.cite(place))
            for what, value, place in rows
        )


def _of_application(place: Place) -> Md:
    folder = stores.application(place)
    return md(" to {}", code(folder)) if folder else Md("")


def _releases(page: Page, facts: Facts) -> None:
    """The plainest command of a few installers, and where those of others are."""
    by_installer: dict[str, Task] = {}
    ways = tasks.tasks(facts, "use")
    for task in sorted(ways, key=lambda it: (it.source == "mention", it.text.count(" -"))):
        by_installer.setdefault(purposes.installer(task.text)[1], task)
    ordered = sorted(by_installer.values(), key=lambda task: purposes.installer(task.text))
    page.section("Install", intro="The documents show how to get it:")
    page.items(
        md("{} ({})", code(task.text), page.cite(task.place)) for task in ordered[:_RELEASES_MAX]
    )
    if left := ordered[_RELEASES_MAX:]:
        names = joined([code(purposes.installer(task.text)[1]) for task in left], last=" and ")
        places = dict.fromkeys(Place(task.place.path) for task in left)
        cited = joined([page.cite(place) for place in [*places][:_PLACES_MAX]], last=" and ")
        page.text(md("Commands of {} are in {}.", names, cited))


def _stages(page: Page, facts: Facts, ordered: Sequence[Stage]) -> None:
    """The steps of a document for contributors, in its words."""
    if ordered:
        page.section("Set up for contributors")
        page.text(md("In the order of {}:", page.cite(Place(ordered[0].place.path))))
        rows = [
            md("{}. {} ({})", number, _stage(stage), page.cite(stage.place))
            for number, stage in enumerate(ordered, 1)
        ]
        page.block(joined(rows, "\n"))
        for stage in ordered:
            for command in stage.commands:
                if (other := existing(facts, stage.folder, command)) != command:
                    instead = md(", which has {}", code(other)) if other else Md("")
                    manifest = page.cite(Place(f"{stage.folder}/package.json".removeprefix("./")))
                    page.text(md("{} is no script of {}{}.", code(command), manifest, instead))


def _stage(stage: Stage) -> Md:
    """The words with the commands in them, or behind them."""
    if not stage.commands:
        return text(stage.words)
    before, named, after = stage.words.partition(stage.commands[0])
    if named and stage.names and len(stage.commands) == 1:
        gap = " " if after[:1].isspace() or after[:1].isalnum() else ""
        return Md(f"{text(before)} {code(named)}{gap}{text(after)}".strip())
    shown = joined([code(it) for it in stage.commands[:_COMMANDS_MAX]], last=" and ")
    return md("{} {}", text(stage.words), shown)


def _examples(page: Page, examples: Sequence[str]) -> None:
    if examples:
        shown = joined([page.cite(Place(path)) for path in examples])
        page.text(md("There are example settings to copy: {}.", shown), _more(page))


def _more(page: Page) -> Md:
    link = page.link("configuration")
    return md("All settings are on the page {}.", link) if link.startswith("[") else Md("")


def _parts(page: Page, facts: Facts, parts: Sequence[tuple[str, Mapping[str, Task]]]) -> None:
    rows = []
    names = spreading.names(facts)
    for path, best in parts:
        cells = [code(best[column].text, 60) if column in best else Md("") for column in _COLUMNS]
        if any(cells):
            name = names.get(path, path)
            rows.append(
                (code(path) if name == path else md("{} ({})", code(path), code(name)), *cells)
            )
    page.section("Parts of the repository", intro="These folders have commands of their own:")
    page.table(("Folder", "Install", "Build", "Run", "Test", "Check"), rows)
    form = spreading.one(facts)
    scripts = (
        (names[path], task.name)
        for path, best in parts
        for task in best.values()
        if path in names and task.source == "script"
    )
    name, script = next(scripts, ("", ""))
    if form and name:
        words = "At the root, {} runs the script {} of the package {} only."
        typed = code(form.format(name=name, script=script))
        page.text(md(words, typed, code(script), code(name)))
