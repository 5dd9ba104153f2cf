"""What there is to explain: what the program offers, does and stores, the subjects of the project's
own documents and the types that do most, each with the sections, symbols, routes, jobs, tables and
settings that belong to it."""

from __future__ import annotations

from stationmaster.wiki.facts.code.flows import flow, flows
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.subjects.choosing import concepts
from stationmaster.wiki.facts.subjects.composing import Concept
from stationmaster.wiki.facts.subjects.defining import defined
from stationmaster.wiki.facts.texts.about import Said


@query
def concept_titles(facts: Facts) -> tuple[tuple[str, str], ...]:
    """Keys and titles of the concepts that have a page."""
    return tuple((it.key, it.title) for it in concepts(facts).values())


@query
def concept(facts: Facts, key: str) -> Concept:
    return concepts(facts)[key]


@query
def unanswered(facts: Facts) -> tuple[str, ...]:
    """Titles of pages that the settings ask for, and of which nothing is known."""
    titles = {title for _, title in concept_titles(facts)}
    return tuple(page.title for page in facts.steering.pages if page.title not in titles)


@query
def concepts_of(facts: Facts, path: str) -> tuple[str, ...]:
    """The keys of the concepts to which a file belongs."""
    return tuple(it.key for it in concepts(facts).values() if path in it.files)


@query
def begun_at(facts: Facts, path: str, line: int) -> tuple[tuple[str, str], ...]:
    """The keys and names of the flows that have a page and begin with what is declared there."""
    ways = (flow(facts, key) for key in flows(facts))
    return tuple((way.key, way.name) for way in ways if (way.path, way.line) == (path, line))


@query
def says(facts: Facts, key: str) -> Said | None:
    """The sentence of a document, else of a comment, that says what a concept is."""
    return defined(facts, concept(facts, key))
