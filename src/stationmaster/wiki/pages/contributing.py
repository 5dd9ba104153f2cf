"""How to send a change: guides, checks, conventions, templates and rules for agents, as quotes."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.texts import decisions, passages
from stationmaster.wiki.facts.tooling import configs, ordering, tasks
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.pages.tasks import folder
from stationmaster.wiki.text.inline import Md, Place, code, joined, md, text
from stationmaster.wiki.text.page import Page
from stationmaster.wiki.text.quoting import quoted

KEY = "contributing"
HOOKS_MIN = 5
"""So many hooks are enough for a page; the page on CI lists them, too."""
_BEFORE = ("format", "lint", "test", "build")
_POLICIES = {
    "forbidden": "The project does not accept contributions by coding agents. It states:",
    "restricted": "The project sets conditions for contributions made with agents. It states:",
    "allowed": "The project accepts contributions made with agents. It states:",
}


def plan(facts: Facts) -> Iterator[Planned]:
    if (
        decisions.contribution_guides(facts)
        or decisions.templates(facts)
        or decisions.rules(facts)
        or decisions.decisions(facts)
        or len(configs.hooks(facts)) >= HOOKS_MIN
    ):
        yield Planned(KEY, "Contributing", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    guides = decisions.contribution_guides(facts)
    main = next((guide for guide in guides if "contributing" in guide.lower()), None)
    if main is not None:
        page.summary(md("The project's own guide for contributors is {}.", page.cite(Place(main))))
    _before(page, facts)
    _asked(page, facts)
    _requests(page, facts)
    _agents(page, facts)
    _owners(page, facts)
    _decisions(page, facts)
    page.section("Guides")
    page.items(page.cite(Place(path)) for path in guides)
    page.see("getting-started", "testing", "ci-and-tooling")


def _before(page: Page, facts: Facts) -> None:
    best = [(purpose, tasks.best(facts, purpose)) for purpose in _BEFORE]
    rows = [
        (purpose.capitalize(), code(task.text), folder(task), page.cite(task.place))
        for purpose, task in best
        if task is not None
        and task.source != "usual"
        and not ordering.is_scattered(tasks.tasks(facts, purpose))
    ]
    page.section("Before sending a change")
    page.table(("Purpose", "Command", "In", "Source"), rows)
    count = len(configs.hooks(facts))
    if count:
        link = page.link("ci-and-tooling", "hooks", "hooks")
        page.text(
            md("{} {} run before a commit or a push, for people who have set them up.", count, link)
        )


def _asked(page: Page, facts: Facts) -> None:
    """What the project's own documents ask of a change, in their words."""
    page.section("What the documents ask of a change")
    for passage in passages.on_changes(facts):
        page.section(passage.title, 3)
        page.block(
            page.sourced(
                quoted(passages.words_of(facts, passage)),
                Place(passage.path, passage.line, passage.end),
            )
        )


def _requests(page: Page, facts: Facts) -> None:
    templates = decisions.templates(facts)
    rules = decisions.rules(facts)
    page.section("Pull requests and issues")
    lines = [
        md("{}: {}.", title, joined(places))
        for title, is_of_issue in (("For issues", True), ("For pull requests", False))
        if (places := [page.cite(Place(path)) for path in templates
                      if ("issue" in path.lower()) == is_of_issue])
    ]  # fmt: skip
    if rules:
        lines.append(md("The owners of files are asked to review: {}.",
                        page.cite(rules[0].place._replace(line=None))))  # fmt: skip
    page.items(lines)


def _owners(page: Page, facts: Facts) -> None:
    last = "Where several patterns match a file, the last one counts."
    page.section("Who owns what", intro=last)
    rows = [(code(rule.pattern), _owners_of(rule), rule.files, page.cite(rule.place))
            for rule in decisions.rules(facts)]  # fmt: skip
    page.table(("Pattern", "Owners", "Files", "Source"), rows)


def _owners_of(rule: decisions.Rule) -> Md:
    named = [code(owner) for owner in rule.owners]
    if rule.others:
        named.append(Md(f"{rule.others} by address"))
    return joined(named) or Md("no one")


def _decisions(page: Page, facts: Facts) -> None:
    page.section("Decisions")
    rows = [(decision.number, text(decision.title, 120), decision.status or "not stated",
             page.cite(decision.status_at or decision.place))
            for decision in reversed(decisions.decisions(facts))]  # fmt: skip
    page.table(("Number or date", "Decision", "Status", "Source"), rows)


def _agents(page: Page, facts: Facts) -> None:
    """Data about the project: it changes nothing of how this page is made."""
    policy = decisions.policy(facts)
    sentence, place = _POLICIES.get(policy.policy), policy.place
    page.section("Contributions by coding agents")
    if sentence and place and place.line is not None:
        page.text(sentence)
        page.quote(policy.text, place)
        return
    named = [place.path] if place else []
    paths = dict.fromkeys((*named, *decisions.instructions(facts)))
    cited = joined([page.cite(Place(path)) for path in paths], last=" and ")
    if paths:
        page.text(md("The project has instructions for coding agents: {}.", cited))
