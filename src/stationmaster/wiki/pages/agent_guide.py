"""A short page for coding agents: commands, a map, conventions, sizes, where to look.

It is no longer than BYTES_MAX, so that it may be read whole before any work.
"""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.wiki.facts import configs, conventions, prerequisites, spots, tasks
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.modules import modules
from stationmaster.wiki.facts.ranks import by_importance
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.pages.tasks import folder
from stationmaster.wiki.text.inline import Place, code, joined, md, text
from stationmaster.wiki.text.page import Page

BYTES_MAX = 8 * 1024
FACTS_MIN = 5
_PURPOSES = ("install", "build", "run", "test", "lint", "format")
_MODULES_MAX = 15
_LINTERS_MAX = 8
_LARGE_MAX = 4
_LOOK = (
    ("architecture", "how the parts depend on each other"),
    ("repository-map", "what lies where"),
    ("configuration", "every setting and where it is read"),
    ("api/http", "routes and their handlers"),
    ("cli", "commands and their handlers"),
    ("data-model", "tables and their columns"),
    ("testing", "which tests reach which module"),
    ("contributing", "how changes are sent"),
    ("glossary", "words of the project"),
    ("gaps", "what was not understood"),
)


def plan(facts: Facts) -> Iterator[Planned]:
    count = len(modules(facts)) + sum(tasks.best(facts, each) is not None for each in _PURPOSES)
    if count >= FACTS_MIN:
        yield Planned("agent-guide", "Agent guide", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    found = _largest(facts)
    page.summary(
        md("What a coding agent needs to know first about {}: commands, a map, conventions.",
           text(facts_name(facts))),
        "All of it was read from the repository.",
    )  # fmt: skip
    _commands(page, facts)
    _map(page, found)
    _conventions(page, facts)
    _look(page)


def _commands(page: Page, facts: Facts) -> None:
    rows = [
        (purpose.capitalize(), code(task.text, 100), folder(task), page.cite(task.place))
        for purpose in _PURPOSES
        if (task := tasks.best(facts, purpose)) is not None
    ]
    needs = [each for each in prerequisites.needs(facts) if each.version][:4]
    if rows:
        page.section("Commands")
        page.table(("Purpose", "Command", "In", "Source"), rows)
    if needs:
        told = [md("{} {}", each.tool, code(each.version)) for each in needs]
        page.text(md("Needs {}.", joined(told, last=" and ")))


def _map(page: Page, found: tuple[tuple[str, str, int, int], ...]) -> None:
    if found:
        page.section("Map")
        page.table(("Module", "In", "Files", "Lines"),
                   [(page.link(key), code(path, 60), files, lines)
                    for key, path, files, lines in found[:_MODULES_MAX]])  # fmt: skip
        more = len(found) - _MODULES_MAX
        if more > 0:
            page.text(md("{} more modules: {}.", more, page.link("repository-map")))


def _conventions(page: Page, facts: Facts) -> None:
    lines = []
    messages = conventions.messages(facts)
    if messages is not None and messages.style:
        lines.append(md("Most commit messages follow {}.", code(messages.style)))
    linters = configs.tools(facts, "lint")
    if linters:
        told = [md("{} ({})", tool, page.cite(place)) for tool, place in linters[:_LINTERS_MAX]]
        lines.append(md("Checked by {}.", joined(told, last=" and ")))
    large = spots.large(facts)[:_LARGE_MAX]
    if large:
        told = [md("{} ({} lines)", page.cite(Place(path)), lines) for path, lines in large]
        lines.append(md("Very large files: {}.", joined(told, last=" and ")))
    policy = conventions.policy(facts)
    if policy.place is not None and policy.place.line is not None:
        lines.append(md("The project on contributions by agents: {} ({}).", code(policy.text),
                        page.cite(policy.place)))  # fmt: skip
    elif policy.place is not None:
        lines.append(md("The project's own instructions for agents: {}.", page.cite(policy.place)))
    if lines:
        page.section("Conventions")
        page.items(lines)


def _look(page: Page) -> None:
    links = [(page.link(key), words) for key, words in _LOOK]
    told = [md("{}: {}", link, words) for link, words in links if link.startswith("[")]
    if told:
        page.section("Where to look")
        page.items(told)


@query
def facts_name(facts: Facts) -> str:
    return facts.commit.name


@query
def _largest(facts: Facts) -> tuple[tuple[str, str, int, int], ...]:
    """Modules with their files and lines, those of the most important files first."""
    order: dict[str, int] = {}
    found = {each.key: each for each in modules(facts)}
    owner = {path: each.key for each in found.values() for path in each.files}
    for path in by_importance(facts, sorted(owner)):
        order.setdefault(owner[path], len(order))
    return tuple(
        (key, found[key].path, len(found[key].files),
         sum(facts.heads[path].lines for path in found[key].files if path in facts.heads))
        for key in sorted(found, key=lambda key: (order.get(key, len(order)), key))
        if any(facts.heads[path].lines for path in found[key].files if path in facts.heads)
    )  # fmt: skip
