"""How the product is tested: tools, commands, where tests lie and what they reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.texts.passages import on_tests
from stationmaster.wiki.facts.tooling import (
    ci,
    configs,
    dependencies,
    named,
    ordering,
    single_tests,
    spreading,
    tasks,
    tests,
)
from stationmaster.wiki.facts.tooling.kinds import purposes
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.pages.tasks import documents, first, in_pipeline, others
from stationmaster.wiki.text.inline import Md, among, code, counted, joined, md, text
from stationmaster.wiki.text.page import Page

FACTS_MIN = 5
"""Without a file of tests."""
_FOLDER_MIN = 3
_LINE_MAX, _LINES_MAX = 120, 12
_MODULES_MAX, _FOLDERS_MAX = 4, 3
"""That a row or sentence names."""


def plan(facts: Facts) -> Iterator[Planned]:
    """Where there are tests, or enough is set up for them."""
    count = len(configs.tools(facts, "test")) + len(_tools(facts))
    count += len(tasks.tasks(facts, "test")) + len(ci.runs(facts, "test"))
    if tests.areas(facts) or single_tests.singles(facts) or count >= FACTS_MIN:
        yield Planned("testing", "Testing", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    areas = tests.areas(facts)
    page.summary(*_summary(facts, areas))
    _commands(page, facts)
    _single(page, facts)
    _frameworks(page, facts)
    _layout(page, facts, areas)
    _fixtures(page, facts)
    _in_ci(page, facts)
    documents(page, facts, tasks.to_begin(tasks.tasks(facts, "test")), on_tests(facts))
    page.see("getting-started", "ci-and-tooling", "contributing", "architecture", "dependencies")


def _summary(facts: Facts, areas: Sequence[tests.Area]) -> Iterator[Md]:
    inside = tests.inline(facts)
    if areas:
        ordered = sorted(areas, key=lambda area: (-area.files, area.path))
        folders = [code(area.path) for area in ordered[:_FOLDERS_MAX]]
        left = [Md("other folders")] if len(areas) > _FOLDERS_MAX else []
        yield md("Tests are in {}.", joined([*folders, *left], last=" and "))
    if inside:
        words = "Tests are also in {}." if areas else "Tests are in {}."
        yield md(words, counted(inside, "source file"))
    best = tasks.best(facts, "test")
    if best is not None:
        if ordering.is_of_part(facts, best):
            named = [it for spread in spreading.spreads(facts, best) for it in spread.folders]
            yield md("{} runs those of {}.", code(best.text), joined(list(map(code, named))))
        elif ordering.is_scattered(tasks.tasks(facts, "test")):
            yield md("Its parts have commands of their own for them.")
        elif ordering.selects(best):
            yield md("{} runs some of them.", code(best.text))
        elif best.folder != ".":
            yield md("{} runs those of {}.", code(best.text), code(best.folder))
        elif tests.skips_all(facts, best.runs or best.text):
            yield md("{} skips them.", code(best.text))
        elif tests_run := _those_it_runs(best, areas, has_own=inside > 0):
            yield md("{} runs {}.", code(best.text), tests_run)


def _those_it_runs(best: named.Task, areas: Sequence[tests.Area], *, has_own: bool) -> str:
    """Which of the tests a command runs, as far as its program is of some languages; '' for those
    without a reader of test commands."""
    if part := single_tests.part_of(best):
        return f"the {part} tests"
    handled = purposes.languages(best.text)
    if not handled or not areas:
        return "them" if areas or has_own else "the tests"
    named = {language for area in areas for language in area.languages if language}
    if named <= handled:
        return "them"
    parts = [f"in {name}" for name in sorted(named & handled)]
    parts += ["of the source files"] if has_own else []
    return f"those {' and '.join(parts)}" if parts else ""


def _commands(page: Page, facts: Facts) -> None:
    page.section("Run them")
    testing = tasks.tasks(facts, "test")
    if ordering.is_scattered(testing):
        others(page, facts, testing, "Nothing at the root runs all tests; its parts have commands:")
    else:
        first(page, facts, testing)
    in_pipeline(page, facts, testing)
    containers = [tool for tool in _tools(facts) if "testcontainers" in tool.name.lower()]
    if containers:
        place = page.cite(containers[0].places[0])
        page.text(md("Some of them start containers, so Docker has to run ({}).", place))


def _single(page: Page, facts: Facts) -> None:
    page.section("Run one test")
    others(page, facts, tasks.tasks(facts, "single"), "The documents and pipelines show:")
    usual = single_tests.singles(facts)
    page.text("This is usual with these tools, shown with a test of each:" if usual else "")
    page.table(
        ("Tool", "Command", "In", "Test"),
        [
            (
                row.tool,
                code(row.command),
                "" if row.folder == "." else code(row.folder),
                page.cite(row.place),
            )
            for row in usual
        ],
    )


def _frameworks(page: Page, facts: Facts) -> None:
    """A package and the file that sets it up are one row."""
    set_up = dict(configs.tools(facts, "test"))
    rows = []
    for package in _tools(facts):
        config = next((tool for tool in set_up if _is_same(tool, package.name)), None)
        places = [*package.places, *([set_up.pop(config)] if config else [])]
        rows.append(
            (
                code(package.name),
                joined([code(rule) for rule in package.versions]),
                joined([page.cite(place) for place in dict.fromkeys(places)]),
            )
        )
    rows += [(text(tool), Md(""), page.cite(place)) for tool, place in set_up.items()]
    page.section("Tools")
    page.table(("Tool", "Version", "Set up in"), rows)


def _is_same(tool: str, package: str) -> bool:
    return tool.lower().removesuffix(".py") == package.lower()


def _tools(facts: Facts) -> list[dependencies.Package]:
    return [
        package
        for scope in ("development", "runtime", "optional")
        for package in dependencies.of_scope(facts, scope)
        if dependencies.is_for_tests(package.name)
    ]


def _layout(page: Page, facts: Facts, areas: Sequence[tests.Area]) -> None:
    page.section("Where they are")
    reached: dict[str, list[tests.Reach]] = {}
    for reach in tests.reach(facts):
        reached.setdefault(reach.area, []).append(reach)
    rows = [
        (
            code(area.path),
            single_tests.kind_of(area.path),
            ", ".join(area.languages),
            _modules(page, reached.get(area.path, ())),
        )
        for area in sorted(areas, key=lambda area: (-area.files, area.path))
    ]
    page.table(("Folder", "Kind", "Language", "Modules that they reach or are named after"), rows)


def _modules(page: Page, reached: Sequence[tests.Reach]) -> Md:
    """Those that most files reach first."""
    best = sorted(reached, key=lambda reach: (-reach.files, reach.module))
    return among([page.link(reach.module) for reach in best[:_MODULES_MAX]], len(best))


def _fixtures(page: Page, facts: Facts) -> None:
    folders = [it for it in tests.fixture_folders(facts) if it[1] >= _FOLDER_MIN]
    page.section("Set-up and data")
    set_up = [page.cite(place) for place in single_tests.set_up(facts)]
    if set_up:
        page.text(md("Tests are set up in {}.", joined(set_up, last=" and ")))
    made = [
        md("{} ({})", code(path), counted(count, "file"))
        for path, count in single_tests.factories(facts)
    ]
    if made:
        page.text(md("Objects for tests are made in {}.", joined(made, last=" and ")))
    if folders:
        page.text("These folders have files that tests work on:")
        page.items([md("{}: {}", code(path), counted(count, "file")) for path, count in folders])
    page.section("Fixtures", 3)
    fixtures = tests.fixtures(facts)
    if any(it.place.path.endswith("conftest.py") for it in fixtures):
        page.text(
            md(
                "A test takes a fixture as an argument of its name; those of a {} are there "
                "for all tests in its folder and below.",
                code("conftest.py"),
            )
        )
    page.table(
        ("Fixture", "Comment", "Declared in"),
        [(code(it.name), text(it.doc, 160), page.cite(it.place)) for it in fixtures],
    )


def _in_ci(page: Page, facts: Facts) -> None:
    page.section("In the pipeline")
    names = {workflow.path: workflow.name for workflow in ci.workflows(facts)}
    rows = [
        (
            names.get(run.workflow, run.workflow),
            code(run.job),
            code(run.text),
            page.cite(run.place),
        )
        for run in ci.runs(facts, "test")
    ]
    page.table(("Workflow", "Job", "Command", "Source"), rows)
    for recipe in ci.recipes(facts, "test"):
        _recipe(page, recipe)


def _matrix(recipe: ci.Recipe) -> Md:
    """For which values the job runs."""
    named = [
        md("{} ({})", code(name), joined([code(value) for value in values]))
        for name, values in recipe.matrix[:_LINES_MAX]
        if len(values) <= _LINES_MAX
    ]
    words = "It runs for every combination of {}{}." if len(named) > 1 else "It runs for each {}{}."
    but = "; its file adds to these or leaves some out" if recipe.is_adjusted else ""
    return md(words, joined(named, last=" and "), but) if named else Md("")


def _recipe(page: Page, recipe: ci.Recipe) -> None:
    """What a job does before its tests, which is what they need."""
    page.section(f"What the job “{recipe.job}” does", 3)
    services = md(", with {}", joined([code(image) for image in recipe.services]))
    page.text(md("In order ({}){}:", page.cite(recipe.place), services if recipe.services else ""))
    page.text(_matrix(recipe))
    rows = [
        (
            stage.title,
            among([code(line, _LINE_MAX) for line in stage.lines[:_LINES_MAX]], len(stage.lines)),
            joined(
                [
                    *([code(stage.uses)] if stage.uses else []),
                    *(md("{} {}", name, code(value)) for name, value in stage.inputs),
                ]
            ),
            joined([code(name) for name in stage.variables]),
            code(stage.condition, _LINE_MAX) if stage.condition else "",
            page.cite(stage.place),
        )
        for stage in recipe.stages
    ]
    page.table(("Step", "Commands", "Uses", "Variables", "Only if", "Source"), rows)
