"""Which pages a model wants to write, from an outline of what it may read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

import msgspec

from stationmaster.wiki.facts.material import Material, Slice
from stationmaster.wiki.making.memo import MODEL, Memory
from stationmaster.wiki.prose import checks
from stationmaster.wiki.prose.model import PROMPTS
from stationmaster.wiki.prose.prompts import between, rules
from stationmaster.wiki.prose.providers import Failed
from stationmaster.wiki.prose.session import Session

PAGES_MAX, SECTIONS_MAX, READS_MAX = 12, 6, 6
NEW_MAX = 0.1
"""Of the outline what may be new before pages are planned anew."""
_ABOUT_MAX = 300
_OUTLINE_BYTES = 56_000
_RULES = rules("plan", pages=PAGES_MAX, sections=SECTIONS_MAX, reads=READS_MAX)


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
    """A plan, and digests of the names that the outline had when it was made."""

    plan: Plan
    outline: frozenset[str]


async def plan(session: Session, model: str, material: Material, memory: Memory) -> Plan:
    """The pages that were planned before while what they read is there and little is new, else
    those that the model plans. Raises Failed."""
    asked = msgspec.json.encode(material.asked).decode()
    words = (MODEL, "plan", PROMPTS, model, asked)
    slices = {part.name: part for part in material.slices}
    earlier = _earlier(memory.get(*words), slices)
    if earlier is None:
        ids = dict(_outline(material))
        reply = await session.ask(between(_RULES, _shown(material, ids)), Plan)
        made = _checked(reply, {key: part.name for key, part in ids.items()})
        if not made.pages:
            raise Failed("no plan")
        earlier = _Kept(made, frozenset(map(_digest, slices)))
    memory.keep(msgspec.json.encode(earlier), *words)
    return earlier.plan


def _earlier(content: bytes | None, slices: Mapping[str, Slice]) -> _Kept | None:
    try:
        kept = msgspec.json.decode(content or b"", type=_Kept)
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
    for at, part in enumerate(material.slices, 1):
        left -= len(part.path.encode()) + len(part.title.encode()) + 60
        if left > 0:
            yield f"r{at}", part


def _shown(material: Material, ids: Mapping[str, Slice]) -> object:
    keys = {part.name: key for key, part in ids.items()}
    return {
        "repository": material.repository,
        "says of itself": material.about,
        "asked for": [
            {"title": page.title, "about": page.purpose[:_ABOUT_MAX]}
            for page in material.asked[:PAGES_MAX]
        ],
        "outline": [
            {"id": key, "path": part.path, "title": part.title,
             "near": [keys[name] for name in part.near if name in keys]}
            for key, part in ids.items()
        ],
    }  # fmt: skip


def _checked(reply: Plan, names: Mapping[str, str]) -> Plan:
    """What of a plan may be written: plain and distinct titles, and sections with sources."""
    pages: dict[str, PlannedPage] = {}
    for page in reply.pages:
        sections: dict[str, Section] = {}
        for section in page.sections:
            reads = dict.fromkeys(names[key] for key in section.reads if key in names)
            if reads and checks.is_title(section.title):
                sections[section.title.lower()] = Section(
                    section.title, section.about[:_ABOUT_MAX], tuple(reads)[:READS_MAX]
                )
        if sections and checks.is_title(page.title) and page.title.lower() not in pages:
            some = tuple(sections.values())[:SECTIONS_MAX]
            pages[page.title.lower()] = PlannedPage(page.title, page.about[:_ABOUT_MAX], some)
    return Plan(tuple(pages.values())[:PAGES_MAX])
