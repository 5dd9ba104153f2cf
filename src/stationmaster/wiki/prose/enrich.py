"""Fill the slots of a finished wiki: parts first, then the pages about the whole."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple, get_args

import msgspec

from stationmaster.errors import OperatorError
from stationmaster.settings import Settings
from stationmaster.wiki.generate import Wiki
from stationmaster.wiki.memo import SLOT, Memory
from stationmaster.wiki.prose import bundles, checks, prompts, slots
from stationmaster.wiki.prose.asking import Asker, Endpoint, Sleep
from stationmaster.wiki.prose.budget import Budget, Limits, Prices, most
from stationmaster.wiki.prose.checks import Checked
from stationmaster.wiki.prose.model import Answer, Bundle, Record, State, Usage
from stationmaster.wiki.prose.providers import Failed
from stationmaster.wiki.prose.slots import Kind, Slot
from stationmaster.wiki.text.inline import Md, code, text
from stationmaster.wiki.written import Written

AT_ONCE = 4
FAILURES_MAX = 5
"""In a row, after which a run is left as it is."""
FACTS_MIN = 3
"""A page with fewer facts has nothing to say beyond them."""
_TICKED = re.compile(r"`([^`]{1,200})`")
Tell = Callable[[str, int, int], None]


class Enriched(NamedTuple):
    """The wiki, what became of each slot, and what it took. `is_partial` says that slots were not
    asked for, or not answered."""

    wiki: Wiki
    records: tuple[Record, ...]
    usage: Usage
    cost: float
    is_partial: bool


class _Job(NamedTuple):
    page: Written
    slot: Slot
    kind: Kind


def fill(wiki: Wiki, settings: Settings, memory: Memory, tell: Tell = lambda *_: None) -> Enriched:
    """The same wiki where the operator named no model. Raises OperatorError for half a setting."""
    provider, model = settings.wiki_model_provider, settings.wiki_model
    if provider is None and model is None:
        return Enriched(wiki, (), Usage(), 0.0, False)
    if provider is None or model is None:
        raise OperatorError(
            "A model needs both STATIONMASTER_WIKI_MODEL_PROVIDER and STATIONMASTER_WIKI_MODEL.",
            code="bad_settings",
        )
    endpoint = Endpoint(provider, model, settings.wiki_model_url, settings.wiki_model_key)
    return enrich(wiki, endpoint, limits_of(settings), memory, tell)


def limits_of(settings: Settings) -> Limits:
    prices = Prices(settings.wiki_model_price_sent, settings.wiki_model_price_received)
    return Limits(settings.wiki_model_tokens_max, settings.wiki_model_cost_max, prices)


def enrich(
    wiki: Wiki,
    endpoint: Endpoint,
    limits: Limits,
    memory: Memory,
    tell: Tell = lambda *_: None,
    sleep: Sleep = asyncio.sleep,
) -> Enriched:
    """Raises nothing of what a model or its provider does: the wiki is whole without it."""
    return asyncio.run(_Run(wiki, endpoint, limits, memory, tell, sleep).all())


def estimate(wiki: Wiki, prices: Prices) -> tuple[Usage, float]:
    """What asking for every slot takes at most, with nothing kept."""
    usage = Usage()
    modules = _modules(wiki)
    for job in _jobs(wiki):
        bundle = bundles.bundle(job.page.title, job.kind.name, job.page.body, modules=modules)
        if len(bundle.facts) >= FACTS_MIN:
            usage = usage + most(prompts.prompt(bundle, job.kind))
    return usage, prices.of(usage)


class _Run:
    def __init__(
        self,
        wiki: Wiki,
        endpoint: Endpoint,
        limits: Limits,
        memory: Memory,
        tell: Tell,
        sleep: Sleep,
    ) -> None:
        self._wiki = wiki
        self._endpoint = endpoint
        self._budget = Budget(limits)
        self._memory = memory
        self._tell = tell
        self._sleep = sleep
        self._modules = _modules(wiki)
        self._context: list[str] = []
        self._records: dict[tuple[str, str], Record] = {}
        self._told: dict[str, dict[Slot, Sequence[str]]] = {}
        self._failures = 0
        self._done = 0

    async def all(self) -> Enriched:
        jobs = _jobs(self._wiki)
        parts = [job for job in jobs if job.page.key not in slots.LAST]
        wholes = [[job for job in jobs if job.page.key == key] for key in slots.LAST]
        async with Asker(self._endpoint, self._sleep) as asker:
            turn = asyncio.Semaphore(AT_ONCE)
            for some in (parts, *wholes):
                await asyncio.gather(*(self._one(job, asker, turn, len(jobs)) for job in some))
                self._context = self._said(jobs)
        records = tuple(self._records[job.page.key, job.slot.name] for job in jobs)
        states = Counter(record.state for record in records)
        pages = tuple(_filled(page, self._told.get(page.key, {})) for page in self._wiki.pages)
        used = self._budget.used
        stats = {
            **self._wiki.stats,
            **{f"model{state.capitalize()}": 0 for state in get_args(State)},
            **{f"model{state.capitalize()}": count for state, count in states.items()},
            "modelTokensSent": used.sent,
            "modelTokensReceived": used.received,
            "modelTokensCached": used.cached,
        }
        model = self._endpoint.name if self._told else None
        return Enriched(
            self._wiki._replace(pages=pages, stats=stats, model=model),
            records,
            used,
            self._budget.cost,
            bool(states["failed"] or states["skipped"]),
        )

    async def _one(self, job: _Job, asker: Asker, turn: asyncio.Semaphore, of: int) -> None:
        async with turn:
            record = await self._fill(job, asker)
        self._records[job.page.key, job.slot.name] = record
        self._done += 1
        self._tell("enrich", self._done, of)

    async def _fill(self, job: _Job, asker: Asker) -> Record:
        page, kind = job.page, job.kind
        context = self._context if page.key in slots.LAST else ()
        bundle = bundles.bundle(
            page.title, kind.name, page.body, context=context, modules=self._modules
        )
        record = Record(page.key, kind.name, "skipped", bundle.key(self._endpoint.name))
        if len(bundle.facts) < FACTS_MIN:
            return msgspec.structs.replace(record, state="fallback", reason="few facts")
        earlier = self._earlier(record.key, bundle, kind)
        if earlier is not None:
            return self._accept(job, earlier, msgspec.structs.replace(record, state="kept"))
        prompt = prompts.prompt(bundle, kind)
        if self._failures >= FAILURES_MAX:
            return msgspec.structs.replace(record, reason="failures in a row")
        if not self._budget.hold(held := most(prompt)):
            return msgspec.structs.replace(record, reason="budget")
        usage = Usage()
        try:
            reply = await asker.ask(prompt)
            usage = reply.usage
            answer = prompts.answer(reply.text, kind.name)
        except Failed as fault:
            self._failures += 1
            usage = usage + fault.usage
            return msgspec.structs.replace(record, state="failed", reason=fault.reason, usage=usage)
        finally:
            self._budget.settle(held, usage)
        self._failures = 0
        checked = checks.check(answer, bundle, kind.most)
        record = msgspec.structs.replace(record, state="accepted", usage=usage)
        if checked.is_enough:
            told = Answer(kind.name, checked.sentences)
            self._memory.keep(msgspec.json.encode(told), SLOT, record.key)
        return self._accept(job, checked, record)

    def _earlier(self, key: str, bundle: Bundle, kind: Kind) -> Checked | None:
        """What was accepted of the same before, if all holds still: figures may have changed."""
        told = self._memory.get(SLOT, key)
        if told is None:
            return None
        try:
            answer = msgspec.json.decode(told, type=Answer)
        except msgspec.DecodeError:
            return None
        checked = checks.check(answer, bundle, kind.most)
        return checked if checked.is_enough and not checked.dropped else None

    def _accept(self, job: _Job, checked: Checked, record: Record) -> Record:
        dropped = dict(sorted(checked.dropped.items()))
        if not checked.is_enough:
            return msgspec.structs.replace(
                record, state="fallback", dropped=dropped, reason="too few sentences"
            )
        sentences = [sentence.text.strip() for sentence in checked.sentences]
        self._told.setdefault(job.page.key, {})[job.slot] = sentences
        return msgspec.structs.replace(record, accepted=len(sentences), dropped=dropped)

    def _said(self, jobs: Sequence[_Job]) -> list[str]:
        """The first accepted sentence about each part, in reading order."""
        return [
            f"{job.page.title}: {told[job.slot][0]}"
            for job in jobs
            if job.slot in (told := self._told.get(job.page.key, {}))
        ]


def _jobs(wiki: Wiki) -> list[_Job]:
    return [
        _Job(page, slot, slots.kind_of(page.key, slot.name))
        for page in wiki.pages
        for slot in page.slots
    ]


def _modules(wiki: Wiki) -> tuple[str, ...]:
    return tuple(page.title for page in wiki.pages if page.key.startswith("modules/"))


def _filled(page: Written, told: dict[Slot, Sequence[str]]) -> Written:
    """The page with what was accepted: sentences with links and citations stay behind it."""
    body = page.body
    for slot, sentences in told.items():
        stays = [sentence for sentence in slot.sentences if "](" in sentence]
        paragraph = " ".join([*map(_shown, sentences), *stays])
        body = body.replace(f"\n\n{' '.join(slot.sentences)}\n", f"\n\n{paragraph}\n", 1)
    return msgspec.structs.replace(page, body=body)


def _shown(sentence: str) -> Md:
    """Plain text and code: nothing that a model writes is Markdown."""
    parts = _TICKED.split(sentence)
    told = "".join(code(each) if at % 2 else _text(each) for at, each in enumerate(parts))
    return Md(told.strip())


def _text(words: str) -> str:
    """Escaped, with the spaces at its ends that the code beside it needs."""
    before = " " if words[:1].isspace() else ""
    after = " " if words[-1:].isspace() and words.strip() else ""
    return f"{before}{text(words)}{after}"
