"""Which pages a model wants to write, from an outline of what it may read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

import msgspec

from stationmaster.wiki.facts.material import Material, Slice
from stationmaster.wiki.making.memo import MODEL, Memory
from stationmaster.wiki.prose import checks
from stationmaster.wiki.prose.model import PROMPTS
from stationmaster.wiki.prose.prompts import DATA, between
from stationmaster.wiki.prose.providers import Failed
from stationmaster.wiki.prose.session import Session

PAGES_MAX, SECTIONS_MAX, READS_MAX = 12, 6, 6
NEW_MAX = 0.1
"""Of the outline what may be new before pages are planned anew."""
_ABOUT_MAX = 300
_OUTLINE_BYTES = 56_000
_RULES = f"""\
You plan a wiki that explains a software repository to a developer who is new to it.

{DATA}

The data is an outline: sections of documents and declarations of code, each with an id. Plan up \
to {PAGES_MAX} pages that together explain how the software works: what it does for its users, how \
its main flows run from beginning to end, its central concepts, its data, how it is extended. Use \
pages that the data lists as asked for, where the outline has what they need. No page on \
installation, contributing, licences or tests.

Each page has 2 to {SECTIONS_MAX} sections. Each section answers one question and reads 1 to \
{READS_MAX} ids of the outline: what it rests on, documents and code together where both exist. \
Titles are short, plain and name the subject as the outline does.

Return one JSON object and nothing else:
{{"pages": [{{"title": "How a request is answered", "about": "<one sentence>", "sections": \
[{{"title": "Routing", "about": "<the question it answers>", "reads": ["r1", "r20"]}}]}}]}}"""


class Section(msgspec.Struct, frozen=True):
    """`reads` are names of slices."""

    title: str
    about: str = ""
    reads: tuple[str, ...] = ()


class PlannedPage(msgspec.Struct, frozen=True):
    title: str
    about: str = ""
    sections: tuple[Section, ...] = ()


class Plan(msgspec.Struct, frozen=True):
    pages: tuple[PlannedPage, ...]


class _Kept(msgspec.Struct, frozen=True):
    """A plan, and a digest of each name that the outline had when it was made."""

    plan: Plan
    outline: frozenset[str]


async def plan(session: Session, model: str, material: Material, memory: Memory) -> Plan:
    """The pages that were planned before while what they read is there and little is new, else
    those that the model plans. Raises Failed."""
    asked = msgspec.json.encode(material.asked).decode()
    words = (MODEL, "plan", PROMPTS, model, asked)
    slices = {each.name: each for each in material.slices}
    earlier = _earlier(memory.get(*words), slices)
    if earlier is None:
        ids = dict(_outline(material))
        told = await session.ask(between(_RULES, _shown(material, ids)), Plan)
        made = _checked(told, {key: each.name for key, each in ids.items()})
        if not made.pages:
            raise Failed("no plan")
        earlier = _Kept(made, frozenset(map(_digest, slices)))
    memory.keep(msgspec.json.encode(earlier), *words)
    return earlier.plan


def _earlier(told: bytes | None, slices: Mapping[str, Slice]) -> _Kept | None:
    try:
        kept = msgspec.json.decode(told or b"", type=_Kept)
    except msgspec.DecodeError:
        return None
    reads = {name for page in kept.plan.pages for some in page.sections for name in some.reads}
    new = sum(_digest(name) not in kept.outline for name in slices)
    is_same = reads <= slices.keys() and new <= NEW_MAX * len(slices)
    return kept if kept.plan.pages and is_same else None


def _digest(name: str) -> str:
    return hashlib.blake2b(name.encode(), digest_size=6).hexdigest()


def _outline(material: Material) -> Iterator[tuple[str, Slice]]:
    left = _OUTLINE_BYTES
    for at, each in enumerate(material.slices, 1):
        left -= len(each.path.encode()) + len(each.title.encode()) + 60
        if left > 0:
            yield f"r{at}", each


def _shown(material: Material, ids: Mapping[str, Slice]) -> object:
    keys = {each.name: key for key, each in ids.items()}
    return {
        "repository": material.repository,
        "says of itself": material.about,
        "asked for": [
            {"title": each.title, "about": each.purpose[:_ABOUT_MAX]}
            for each in material.asked[:PAGES_MAX]
        ],
        "outline": [
            {"id": key, "path": each.path, "title": each.title,
             "near": [keys[name] for name in each.near if name in keys]}
            for key, each in ids.items()
        ],
    }  # fmt: skip


def _checked(told: Plan, names: Mapping[str, str]) -> Plan:
    """What of a plan may be written: plain titles, each once, and sections that read something."""
    pages: dict[str, PlannedPage] = {}
    for page in told.pages:
        sections: dict[str, Section] = {}
        for each in page.sections:
            reads = dict.fromkeys(names[key] for key in each.reads if key in names)
            if reads and checks.is_title(each.title):
                sections[each.title.lower()] = Section(
                    each.title, each.about[:_ABOUT_MAX], tuple(reads)[:READS_MAX]
                )
        if sections and checks.is_title(page.title) and page.title.lower() not in pages:
            some = tuple(sections.values())[:SECTIONS_MAX]
            pages[page.title.lower()] = PlannedPage(page.title, page.about[:_ABOUT_MAX], some)
    return Plan(tuple(pages.values())[:PAGES_MAX])
