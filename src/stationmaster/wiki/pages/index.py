"""The first page: what the repository is, what it is made of, where to start."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Set

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.wiki.facts.code.flows import flow, flows
from stationmaster.wiki.facts.code.modules import module_names
from stationmaster.wiki.facts.code.overview import are_crates, parts
from stationmaster.wiki.facts.code.sizes import size_of_source
from stationmaster.wiki.facts.code.starts import CALL, PROGRAM
from stationmaster.wiki.facts.model import Facts, title_of
from stationmaster.wiki.facts.subjects.concepts import concept, concept_titles
from stationmaster.wiki.facts.texts.about import about_repository, readme
from stationmaster.wiki.facts.texts.passages import beginnings, passages, words_of
from stationmaster.wiki.facts.texts.stages import recipe
from stationmaster.wiki.facts.tooling import ordering, tasks
from stationmaster.wiki.facts.tooling.kinds import purposes
from stationmaster.wiki.pages.concepts import about
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.pages.tasks import cited
from stationmaster.wiki.text.inline import Md, Place, among, code, counted, joined, md, with_article
from stationmaster.wiki.text.page import Page
from stationmaster.wiki.text.quoting import quoted

LINKS_MAX = 12
"""Of one kind."""
_LIKE = expressions("introductions")
_ALERT = re.compile(r"\s*> ?\[!\w{1,20}\]")
_PICTURES = re.compile(
    r"(?m)<[^<>]{1,1000}>|https?://\S{1,1000}|&\w{1,10};|!\[[^\[\]]{0,300}\]\([^()\s]{0,1000}\)"
    r"|^\[[^\[\]\n]{1,200}\]:(?=\s)|image::?[^\s\[\]]{1,500}\[[^\[\]\n]{0,500}\]"
)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_ENTRY = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)]) ")
_LINK = re.compile(r"\[([^\[\]]{0,200})\]\([^()\s]{0,500}\)")
_OMITTED = re.compile(r"^(?:> \[…\]\n>\n)+")
LETTERS_MIN, FEATURES_MIN = 40, 120
"""Of a quote that says what the project is, and of one that tells its features."""
_STEPS = ("install", "configure", "services", "prepare", "build", "run", "test")
_NOUNS = {
    "cli": "command-line program", "data": "collection of data",
    "desktop": "desktop application", "docs": "collection of documents",
    "infra": "description of infrastructure", "library": "library",
    "mobile": "mobile application", "service": "service", "web": "web application",
}  # fmt: skip
"""What something of one kind is, where that says anything."""
_NEXT = (
    ("Set it up, run and test it", ("getting-started", "testing", "configuration")),
    ("See how it is built", ("architecture", "extension-points")),
    ("Read what its documents say", ("documents",)),
    ("Use its interfaces", ("library", "api/http", "api/graphql", "api/rpc", "api/events", "cli",
                            "jobs-and-events")),
    ("Know its data", ("data-model",)),
    ("Ship it", ("ci-and-tooling", "deployment", "dependencies")),
    ("Contribute", ("contributing", "notes")),
    ("See what this wiki does not cover", ("gaps",)),
)  # fmt: skip
"""What a reader may want, and the pages that serve it."""


def plan(facts: Facts) -> Iterator[Planned]:
    yield Planned("index", facts.commit.name, _write, version=6)


def _write(page: Page, facts: Facts, _: None) -> None:
    said = about_repository(facts)
    size = size_of_source(facts)
    summary = [md("“{}” ({}).", said.words, page.cite(said.place))] if said else []
    if size.languages:
        languages = joined([Md(it) for it in size.main or size.languages[:1]], last=" and ")
        is_whole = len(size.languages) == 1 and size.read == size.files
        written = "written in" if is_whole else "written mostly in"
        modules = page.link("architecture", counted(len(module_names(facts)), "module"))
        kinds = sorted({kind for part in parts(facts) for kind in part.kinds})
        kind = _NOUNS.get(kinds[0], "") if len(kinds) == 1 else ""
        what = f"It is {with_article(kind)}" if kind else "It is"
        number = len(parts(facts))
        built = md("; {} of it are built separately", counted(number, "part"))
        if are_crates(facts):
            built = md("; its {} are one workspace of Cargo", counted(number, "crate"))
        several = built if number > 1 else Md("")
        summary.append(md("{} {} {}, in {}{}.", what, written, languages, modules, several))
    page.summary(*summary or [md("{} has no source code that this wiki reads.", page.title)])
    quotes = _readme(page, facts, said.words if said else "")
    page.fill("index", quotes=quotes, concepts=_concepts(page, facts))
    _start(page, facts)
    _next(page, facts)


def _readme(page: Page, facts: Facts, said: str) -> list[Md]:
    """What the README says first of what it is, more than that sentence, and its features."""
    path = readme(facts)
    quotes = []
    product = facts.commit.name.lower()
    for at, passage in enumerate(beginnings(facts, path) if path else ()):
        text = words_of(facts, passage)
        is_other = at > 0 or _LIKE["appeal"].search(text)
        if is_other and product not in f"{passage.title} {text}".lower():
            continue
        words = _OMITTED.sub("", quoted(_about_it(text)))
        if sum(map(str.isalpha, words.replace(said, ""))) >= LETTERS_MIN:
            place = Place(passage.path, passage.line, passage.end)
            quotes.append((words, place))
            break
    for passage in passages(facts) if path else ():
        place = Place(passage.path, passage.line, passage.end)
        is_new = all(place.line != other.line for _, other in quotes)
        if passage.path == path and _LIKE["features"].match(passage.title) and is_new:
            words = quoted(words_of(facts, passage))
            quotes += [(words, place)] if sum(map(str.isalpha, words)) >= FEATURES_MIN else []
            break
    return [page.sourced(Md(words), place) for words, place in quotes if words]


def _about_it(words: str) -> str:
    """Without paragraphs and entries of lists on something else than what the project is, or of
    pictures alone, and without what only leads to them."""
    kept: list[str] = []
    for part in reversed(_PARAGRAPH.split(words)):
        lines = part.split("\n")
        rest = "\n".join(it for it in lines if not _leads_away(it))
        is_about = any(map(str.isalnum, _PICTURES.sub("", rest)))
        is_about = is_about and not (_ALERT.match(rest) or _LIKE["beside"].search(rest))
        leads = rest.rstrip(" *_").endswith(":") and not (kept and kept[-1])
        kept.append(rest if is_about and not leads else "")
    return "\n\n".join(filter(None, reversed(kept)))


def _leads_away(line: str) -> bool:
    """Is a line an entry of a list on something else, or mostly links?"""
    apart = sum(map(str.isalpha, _LINK.sub("", line)))
    linked = sum(map(str.isalpha, " ".join(_LINK.findall(line))))
    is_beside = _LIKE["beside"].search(line) is not None
    return _ENTRY.match(line) is not None and (is_beside or apart < linked)


def _concepts(page: Page, facts: Facts) -> list[tuple[Md, Md]]:
    """Links to the programs and to what users of a library call, step by step, then to the pages of
    concepts with what says what they are, those of which nothing does together; then to other
    flows, by their kind."""
    rows: list[tuple[Md, Md]] = []
    bare: list[Md] = []
    for key, _ in concept_titles(facts):
        if (link := page.link(key)).startswith("["):
            words = about(page, facts, concept(facts, key))
            rows += [(link, words)] if words else []
            bare += [] if words else [link]
    if bare:
        rows.append((Md("Other subjects" if rows else "Subjects"), joined(bare)))
    by_kind: dict[str, list[Md]] = defaultdict(list)
    for key in flows(facts):
        way = flow(facts, key)
        if (link := page.link(key, way.name)).startswith("["):
            by_kind[way.kind.removesuffix(" in") or "request"].append(link)
    ways = {
        kind: (
            md("{}, step by step", "What users call" if kind == CALL else f"{kind.capitalize()}s"),
            among(links[:LINKS_MAX], len(links)),
        )
        for kind, links in by_kind.items()
    }
    first = [ways.pop(kind) for kind in (PROGRAM, CALL) if kind in ways]
    return [*first, *rows, *ways.values()]


def _start(page: Page, facts: Facts) -> None:
    begun = [tasks.to_begin(tasks.tasks(facts, step)) for step in tasks.in_order(facts, _STEPS)]
    # What is only usual may be wrong; but what a repository names needs its dependencies.
    named = {task for step in begun for task in step if task.source != "usual"}
    installs = tasks.tasks(facts, "install") if named else ()
    steps = [[task for task in step if task in named or task in installs] for step in begun]
    run = tasks.best(facts, "run")
    of_run = run.folder if run and not ordering.is_of_front_end(facts, run) else "."
    is_whole = sum(step[0].folder == of_run for step in steps if step) > 1
    folders = {".", of_run} if is_whole and not ordering.is_aside(f"{of_run}/") else {"."}
    best = [task for step in steps for task in step if task.folder in folders]
    # A document of another way to begin has steps that do not go with these.
    paths = Counter(task.place.path for task in best)
    best = [
        task
        for task in best
        if task.source not in ("document", "mention")
        or paths[task.place.path] > 1
        or purposes.does(task.text, "prepares")
        or tasks.tasks(facts, "prepare")[:1] != (task,)
    ]
    if ordered := recipe(facts):
        typed = {it.text for it in ordered}
        page.section("How to start")
        tests = [it for it in best if it in tasks.tasks(facts, "test") and it.text not in typed]
        going = [it.text for it in ordered if it.goes_on]
        ending = [it.text for it in ordered if not it.goes_on]
        page.commands([*ending, *(it.text for it in tests), *going])
        steps_from = cited(page, sorted(it.place for it in (ordered[0], ordered[-1])))
        checked = cited(page, [it.place for it in tests])
        shown = joined([code(it) for it in going], last=" and ")
        page.text(
            md("These are the steps of a document for contributors ({}).", steps_from),
            md("The tests are those of {}.", checked) if tests else "",
            md("{} go on: each needs a terminal of its own.", shown) if len(going) > 1 else "",
            md("See {}.", page.link("getting-started")),
        )
    elif best := best or [task for step in steps for task in step]:
        page.section(_heading({
            step for step in _STEPS if any(tasks.tasks(facts, step)[:1] == (it,) for it in best)
        }))  # fmt: skip
        page.commands([
            each.text if each.folder == "." else f"(cd {each.folder} && {each.text})"
            for each in best
        ])  # fmt: skip
        places = cited(page, [each.place for each in best])
        more = page.link("getting-started")
        page.text(md("From {}.", places), md("See {}.", more) if more.startswith("[") else "")


def _heading(purposes: Set[str]) -> str:
    """What commands for these purposes are for together."""
    if "run" in purposes:
        return "How to start"
    does = [verb for verb in ("build", "test") if verb in purposes]
    return f"How to {' and '.join(does)} it" if does else "How to install its dependencies"


def _next(page: Page, facts: Facts) -> None:
    """The pages by what a reader may want."""
    page.section("Where to look next")
    page.items(
        md("{}: {}", want, joined(links))
        for want, keys in _NEXT
        if (links := [page.link(key) for key in keys if title_of(facts, key) is not None])
    )
