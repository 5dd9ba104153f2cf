"""Pages that a model writes in addition to those of a finished wiki: planned, written section by
section from slices of documents and code, and cut down to the sentences that their cited lines
support."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from stationmaster.children.messages import Report
from stationmaster.settings import Settings
from stationmaster.wiki.facts.material import Material, Slice
from stationmaster.wiki.making.generate import Wiki
from stationmaster.wiki.making.memo import MODEL, Memory
from stationmaster.wiki.prose import checks, planning, rendering, session
from stationmaster.wiki.prose.asking import Asker, Endpoint, Sleep
from stationmaster.wiki.prose.model import (
    PLAN,
    PROMPTS,
    Answer,
    Record,
    Sentence,
    State,
    Usage,
    remembered,
)
from stationmaster.wiki.prose.prompts import between, rules
from stationmaster.wiki.prose.providers import Failed
from stationmaster.wiki.prose.refuting import supported
from stationmaster.wiki.prose.session import Budget, Limits

AT_ONCE = 4
SENTENCES_MAX = 14
LINES_MAX = 600
BYTES_MAX = 44_000
"""Of the lines of a section: with our words less than 24,000 tokens."""
_RULES = rules("section", most=SENTENCES_MAX)


class Explained(NamedTuple):
    """The wiki with pages of a model, their outcomes, and the usage. `is_partial`: pages failed."""

    wiki: Wiki
    records: tuple[Record, ...] = ()
    usage: Usage = Usage()
    cost: float = 0.0
    is_partial: bool = False


class _Kept(msgspec.Struct, frozen=True):
    """Sentences of a section that survived, and how many did not."""

    sentences: tuple[Sentence, ...]
    dropped: dict[str, int]


def explain(
    wiki: Wiki, settings: Settings, memory: Memory, report: Report = lambda *_: None
) -> Explained:
    """The same wiki where the operator named no model. Raises OperatorError for half a setting."""
    endpoint = session.endpoint_of(settings)
    if endpoint is None:
        return Explained(wiki)
    return write(wiki, endpoint, session.limits_of(settings), memory, report)


def write(
    wiki: Wiki,
    endpoint: Endpoint,
    limits: Limits,
    memory: Memory,
    report: Report = lambda *_: None,
    sleep: Sleep = asyncio.sleep,
    time_max_s: float = session.TIME_MAX_S,
) -> Explained:
    """Raises nothing of what a model or its provider does: the wiki is whole without it."""
    if wiki.material is None or not wiki.material.slices:
        return Explained(wiki)
    budget = Budget(limits)
    run = _Run(wiki.material, endpoint.name, memory, report)
    records = asyncio.run(run.all(endpoint, budget, sleep, time_max_s))
    failed = [record for record in records if record.state == "failed"]
    if failed:  # The next run goes on from what this one did not come to.
        memory.keep_unused()
    stats = {**wiki.stats, **_stats(records, budget.used)}
    missing = rendering.what_is_missing(failed)
    pages = rendering.joined(wiki.pages, run.pages, endpoint.name, missing)
    stats["pages"] = len(pages)
    model = endpoint.name if run.pages else None
    done = wiki._replace(pages=pages, stats=stats, model=model, missing=missing)
    return Explained(done, records, budget.used, budget.cost, bool(failed))


class _Run:
    def __init__(self, material: Material, model: str, memory: Memory, report: Report) -> None:
        self._material = material
        self._slices = {part.name: part for part in material.slices}
        self._model = model
        self._memory = memory
        self._report = report
        self._turn = asyncio.Semaphore(AT_ONCE)
        self._done = 0
        self.pages: list[tuple[planning.PlannedPage, list[rendering.Section]]] = []

    async def all(
        self, endpoint: Endpoint, budget: Budget, sleep: Sleep, time_max_s: float
    ) -> tuple[Record, ...]:
        async with Asker(endpoint, sleep) as asker:
            asked = session.Session(asker, budget, time_max_s)
            try:
                planned, failure = await planning.plan(
                    asked, self._model, self._material, self._memory
                )
            except Failed as fault:
                return (Record(PLAN, "failed", reason=fault.reason),)
            of = sum(len(page.sections) for page in planned.pages)
            done = await asyncio.gather(*(self._page(asked, page, of) for page in planned.pages))
        self.pages = [
            (page, sections)
            for page, (record, sections) in zip(planned.pages, done, strict=True)
            if record.accepted
        ]
        failed = (Record(PLAN, "failed", reason=failure.reason),) if failure else ()
        return (*failed, *(record for record, _ in done))

    async def _page(
        self, asked: session.Session, page: planning.PlannedPage, of: int
    ) -> tuple[Record, list[rendering.Section]]:
        sections = await asyncio.gather(
            *(self._section(asked, page, section, of) for section in page.sections)
        )
        reasons = [section.fault for section in sections if section.fault]
        dropped = sum((Counter(section.dropped) for section in sections), Counter[str]())
        accepted = sum(len(section.sentences) for section in sections)
        state: State = "failed" if reasons else "written" if accepted else "empty"
        return Record(
            page.title, state, accepted, dict(sorted(dropped.items())), next(iter(reasons), "")
        ), sections

    async def _section(
        self, asked: session.Session, page: planning.PlannedPage, section: planning.Section, of: int
    ) -> rendering.Section:
        lines, read = _lines(self._reads(section))
        data = {
            "page": page.title,
            "section": section.title,
            "question": section.about,
            "lines": [{"id": key, "text": text} for key, text in lines.items()],
            "from": {key: part.path for key, part in read.items()},
        }
        digest = hashlib.sha256(msgspec.json.encode(data)).hexdigest()
        words = (MODEL, "section", PROMPTS, self._model, digest)
        kept = remembered(self._memory.get(*words), _Kept)
        try:
            if kept is None:
                # A section at a time from its first question to its last: what is paid for counts.
                async with self._turn:
                    paths = [part.path for part in read.values()]
                    subject = f"{page.title} {section.title} {' '.join(paths)}"
                    kept = await _written(asked, data, lines, read, subject)
            self._memory.keep(msgspec.json.encode(kept), *words)
        except Failed as fault:
            return rendering.Section(section.title, (), {}, {}, fault.reason)
        finally:
            self._done += 1
            self._report("explain", self._done, of)
        return rendering.Section(section.title, kept.sentences, kept.dropped, read)

    def _reads(self, section: planning.Section) -> Iterator[Slice]:
        """What a section reads, then what that calls."""
        named = [self._slices[name] for name in section.reads if name in self._slices]
        near = [name for other in named for name in other.near if name in self._slices]
        yield from named
        yield from (self._slices[name] for name in dict.fromkeys(near) if name not in section.reads)


def _lines(slices: Iterator[Slice]) -> tuple[dict[str, str], dict[str, Slice]]:
    """The lines of slices by the ids that sentences cite, and the slices by the first part of
    these; whole slices, as far as there is room."""
    lines: dict[str, str] = {}
    read: dict[str, Slice] = {}
    left = BYTES_MAX
    for part in slices:
        size = sum(len(line.encode()) + 40 for line in part.lines)
        if size > left or len(lines) + len(part.lines) > LINES_MAX:
            continue
        left -= size
        key = f"{chr(ord('a') + len(read) % 26)}{len(read) // 26 or ''}"
        read[key] = part
        lines |= {f"{key}.{at}": line for at, line in enumerate(part.lines, 1) if line.strip()}
    return lines, read


async def _written(
    asked: session.Session,
    data: Mapping[str, object],
    lines: Mapping[str, str],
    read: Mapping[str, Slice],
    subject: str,
) -> _Kept:
    answer = await asked.ask(between(_RULES, data), Answer)
    checked = checks.check(answer, lines, subject, SENTENCES_MAX)
    places = {
        f"{key}.{at}": f"{part.path}:{line}"
        for key, part in read.items()
        for at, line in enumerate(range(part.line, part.line + len(part.lines)), 1)
    }
    kept = await supported(asked, checked.sentences, lines, places)
    dropped = +(checked.dropped + Counter(refuted=len(checked.sentences) - len(kept)))
    return _Kept(kept, dict(sorted(dropped.items())))


def _stats(records: Sequence[Record], used: Usage) -> dict[str, int]:
    states = Counter(record.state for record in records if record.page != PLAN)
    return {
        "modelPlansFailed": sum(record.page == PLAN for record in records),
        "modelPages": sum(bool(record.accepted) for record in records),
        "modelPagesEmpty": states["empty"],
        "modelPagesFailed": states["failed"],
        "modelSentences": sum(record.accepted for record in records),
        "modelSentencesDropped": sum(sum(record.dropped.values()) for record in records),
        "modelTokensSent": used.sent,
        "modelTokensReceived": used.received,
        "modelTokensCached": used.cached,
    }
