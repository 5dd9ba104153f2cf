"""Which pages a model wants to write, from an outline of what it may read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

import msgspec

from stationmaster.wiki.facts.code.modules import slug
from stationmaster.wiki.facts.material import Material, Slice
from stationmaster.wiki.making.memo import MODEL, Memory
from stationmaster.wiki.prose import checks
from stationmaster.wiki.prose.model import PROMPTS, remembered
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
    """A plan, with digests of the names that the outline had when it was made, and what the
    repository asked for."""

    plan: Plan
    outline: frozenset[str]
    asked: str = ""


async def plan(
    session: Session, model: str, material: Material, memory: Memory
) -> tuple[Plan, Failed | None]:
    """The pages that were planned before while what they read is there and little is new, else
    those that the model plans. Where it fails, those planned last, with what failed.

    Raises Failed where none were planned before.
    """
    asked = msgspec.json.encode(material.asked).decode()
    words = (MODEL, "plan", PROMPTS, model)
    slices = {part.name: part for part in material.slices}
    last = remembered(memory.get(*words), _Kept)
    if last is None or last.asked != asked or not _holds(last, slices):
        try:
            last = _Kept(await _made(session, material), frozenset(map(_digest, slices)), asked)
        except Failed as fault:
            if last is None:
                raise
            return last.plan, fault
    memory.keep(msgspec.json.encode(last), *words)
    return last.plan, None


async def _made(session: Session, material: Material) -> Plan:
    ids = dict(_outline(material))
    reply = await session.ask(between(_RULES, _shown(material, ids)), Plan)
    made = _checked(reply, {key: part.name for key, part in ids.items()})
    if not made.pages:
        raise Failed("no plan")
    return made


def _holds(kept: _Kept, slices: Mapping[str, Slice]) -> bool:
    """Is what a plan reads still there, and little else?"""
    reads = {name for page in kept.plan.pages for some in page.sections for name in some.reads}
    new = sum(_digest(name) not in kept.outline for name in slices)
    return bool(kept.plan.pages) and reads <= slices.keys() and new <= NEW_MAX * len(slices)


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
    """What of a plan may be written: plain titles with distinct keys, and sections with sources."""
    pages: dict[str, PlannedPage] = {}
    for page in reply.pages:
        sections: dict[str, Section] = {}
        for section in page.sections:
            reads = dict.fromkeys(names[key] for key in section.reads if key in names)
            if reads and checks.is_title(section.title):
                sections[section.title.lower()] = Section(
                    section.title, section.about[:_ABOUT_MAX], tuple(reads)[:READS_MAX]
                )
        if sections and checks.is_title(page.title):
            some = tuple(sections.values())[:SECTIONS_MAX]
            made = PlannedPage(page.title, page.about[:_ABOUT_MAX], some)
            pages.setdefault(slug(page.title), made)
    return Plan(tuple(pages.values())[:PAGES_MAX])
