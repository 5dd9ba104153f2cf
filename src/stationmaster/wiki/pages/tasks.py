"""Commands on pages: one to begin with, others in a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.texts.passages import Passage, section_at, words_of
from stationmaster.wiki.facts.tooling import ci, spreading
from stationmaster.wiki.facts.tooling.composed import built_before
from stationmaster.wiki.facts.tooling.kinds import purposes
from stationmaster.wiki.facts.tooling.named import (
    STEPS_MAX,
    Step,
    Task,
    in_order,
    is_open,
    needs,
    prints,
    steps,
)
from stationmaster.wiki.facts.tooling.ordering import advice, is_of_front_end
from stationmaster.wiki.facts.tooling.tasks import to_begin
from stationmaster.wiki.facts.tooling.written import is_for_developers
from stationmaster.wiki.text.inline import Md, Place, among, code, counted, joined, md, text
from stationmaster.wiki.text.page import Page
from stationmaster.wiki.text.quoting import quoted

_COMMAND_MAX = 320
"""Letters of what a task runs, outside of tables."""
_STEPS_MIN = 2
_NEEDS_MAX = 6
_SPREADS_MAX = 4
_FOLDERS_MAX = 8
_ALIKE_MAX = 3
_RUNS_MAX, _VARIABLES_MAX = 3, 12
"""Commands of a pipeline with variables, and variables of one."""


def first(page: Page, facts: Facts, tasks: Sequence[Task], title: str = "Other ways:") -> None:
    """The first of some commands to copy, with its place; the rest below a title."""
    if not tasks:
        return
    begin = to_begin(tasks)
    task = begin[0]
    where = Md("") if task.folder == "." else md("In {}:", code(task.folder))
    page.text(where)
    page.commands([task.text for task in begin])
    usual = [task.place for task in begin if task.source == "usual"]
    named = [task.place for task in begin if task.source != "usual"]
    done = [(it, steps(facts, it.place.path, it.name)) for it in begin if it.name]
    if len(begin) == 1 and named:
        is_short = all(len(rows) < _STEPS_MIN for _, rows in done)
        does = _does(task) if is_short else Md("")
        page.text(md("{}: {}.{}", _SOURCES[task.source], page.cite(task.place), does))
    elif named:
        page.text(md("From {}.", cited(page, named)))
    if usual:
        page.text(md("Usual where there is {}, and not taken from a document.", cited(page, usual)))
    for it in begin:
        if it.is_before and (place := built_before(facts).get(it.text)):
            page.text(md("{} comes first, as in {}.", code(it.text), page.cite(place)))
    if all(purposes.compiles(it.text) for it in begin):
        page.text("It compiles all packages, and leaves no program behind where there are several.")
    for it, rows in done:
        if len(rows) >= _STEPS_MIN:
            _steps(page, it, rows)
    for it in begin:
        if against := advice(facts, it):
            page.text(md("{}: “{}”", page.cite(against.place), text(against.sentence, 240)))
        _spread(page, facts, it)
    others(page, facts, [task for task in tasks if task not in begin], title)


def _spread(page: Page, facts: Facts, task: Task) -> None:
    """In which packages the scripts run that it asks for."""
    for spread in spreading.spreads(facts, task)[:_SPREADS_MAX]:
        scripts = joined([code(script) for script in spread.scripts], last=" and ")
        folders = [code(folder) for folder in spread.folders[:_FOLDERS_MAX]]
        words = "{} runs {} in {}."
        if spread.is_changed:
            words = "{} runs {} only where changes reach, of {}."
        page.text(md(words, code(spread.text), scripts, among(folders, len(spread.folders))))


def in_pipeline(page: Page, facts: Facts, tasks: Sequence[Task]) -> None:
    """What pipelines start and set for tests, first of those that are offered."""
    if services := ci.services(facts, "test"):
        started = [md("{} ({})", name, page.cite(place)) for name, place in services]
        page.text(md("The pipeline starts {} for tests.", joined(started, last=" and ")))
    offered = {it for task in tasks for it in (task.text, task.runs)}
    rows = sorted(ci.variables(facts, "test"), key=lambda row: row[1].text not in offered)
    variables = [
        md("{} for {} ({})", among([*map(code, names[:_VARIABLES_MAX])], len(names)),
           code(run.text), page.cite(run.place))
        for names, run in rows[:_RUNS_MAX]
    ]  # fmt: skip
    page.text(md("The pipeline sets {}.", joined(variables, sign="; ")) if variables else Md(""))


def _steps(page: Page, task: Task, rows: Sequence[Step]) -> None:
    steps_shown = [row for row in rows if not is_open(row)]
    order = ", in this order" if in_order(task) else ""
    way = order if len(steps_shown) == len(rows) else ", among others"
    page.text(md("What {} runs{}:", code(task.text), way) if steps_shown else Md(""))
    page.items(
        md(
            "{} ({}){}",
            code(row.text, _COMMAND_MAX),
            page.cite(row.place),
            ", under a condition" if row.is_conditional else "",
        )
        for row in steps_shown[:STEPS_MAX]
    )
    if len(rows) > STEPS_MAX:
        page.text("It runs more, which its file shows.")


def others(page: Page, facts: Facts, tasks: Sequence[Task], title: str = "") -> None:
    """Further commands for the same."""
    if not tasks:
        return
    if title:
        page.text(title)
    of_front_end = [task for task in tasks if is_of_front_end(facts, task)]
    named = of_front_end if len(of_front_end) < len(tasks) else []
    # The same script of many packages is one row.
    alike: dict[tuple[str, Md, bool], list[Task]] = {}
    for task in tasks:
        runs = md("{} (front end only)" if task in named else "{}", _runs(facts, task))
        alike.setdefault((task.text, runs, task.folder == "."), []).append(task)
    rows = [
        (
            code(typed),
            among([folder(task) for task in some[:_ALIKE_MAX]], len(some)),
            runs,
            among([_source(page, task) for task in some[:_ALIKE_MAX]], len(some)),
        )
        for (typed, runs, _), some in alike.items()
    ]
    page.table(("Command", "In", "Runs", "Source"), rows)


def _runs(facts: Facts, task: Task) -> Md:
    """What a named task does, in one line: its own first command, and the tasks before that."""
    runs = "" if prints(task.runs) else task.runs
    own = md("{}{}", code(runs), " …" if task.more and runs else "")
    before = needs(facts, task.place.path, task.name) if task.source == "task" else ()
    if not before:
        return own
    first = among([code(name) for name in before[:_NEEDS_MAX]], len(before))
    return md("{}, after {}", own, first) if runs else first


def documents(page: Page, facts: Facts, begun: Iterable[Task], others: Sequence[Passage]) -> None:
    """Quotes of the project's documents: the sections that commands are in, and further ones."""
    written = (
        section_at(facts, task.place.path, task.place.line or 0)
        for task in begun
        if task.source in ("document", "mention") and is_for_developers(task.place.path)
    )
    # What is right below the title of a document is about more than this.
    sections = dict.fromkeys([*(it for it in written if it is not None and it.parent), *others])
    page.section("From the documents")
    for passage in sections:
        page.section(passage.title, 3)
        place = Place(passage.path, passage.line, passage.end)
        page.block(page.sourced(quoted(words_of(facts, passage)), place))


def cited(page: Page, places: Sequence[Place]) -> Md:
    """Distinct places."""
    return joined([page.cite(place) for place in dict.fromkeys(places)], last=" and ")


def _source(page: Page, task: Task) -> Md:
    return md("usual with {}" if task.source == "usual" else "{}", page.cite(task.place))


def _does(task: Task) -> Md:
    """What a named task does, as a sentence."""
    if not task.runs:
        return Md("")
    more = md(" and {}", counted(task.more, "further command")) if task.more else Md("")
    return md(" It runs {}{}.", code(task.runs, _COMMAND_MAX), more)


def folder(task: Task) -> Md:
    """Where a command runs, nothing for the root."""
    return Md("") if task.folder == "." else code(task.folder)


_SOURCES = {
    "script": "Script",
    "task": "Task",
    "ci": "From the pipeline",
    **dict.fromkeys(("document", "mention"), "From the documents"),
}
