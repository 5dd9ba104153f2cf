"""Work in the background, and what starts it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from stationmaster.reading.code.languages.ecmascript.sockets import FRAMEWORK as SOCKETS
from stationmaster.reading.code.model import JobKind
from stationmaster.wiki.facts.code import work
from stationmaster.wiki.facts.extending import sending
from stationmaster.wiki.facts.model import Facts, Spot
from stationmaster.wiki.pages.contents import module_link
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, Place, code, joined, md
from stationmaster.wiki.text.page import Page

KEY = "jobs-and-events"
STARTERS_MAX = 6
"""Functions that are named next to a job."""
_KINDS: Mapping[JobKind, tuple[str, str]] = {
    "schedule": ("Scheduled work", "Schedule"), "queue": ("Queued work", "Queue"),
    "consumer": ("Consumers of messages", "Topic or queue"), "worker": ("Workers", "Started by"),
    "event": ("Events and their handlers", "Event"),
}  # fmt: skip


def plan(facts: Facts) -> Iterator[Planned]:
    if work.jobs(facts):
        yield Planned(KEY, "Jobs and events", _write)


_WORDS = (
    ("at least {} {} in the background", "job runs", "jobs run"),
    ("{} {} registered for events", "handler is", "handlers are"),
)


def _counted(jobs: Sequence[work.Work], form: str, one: str, many: str) -> Md:
    """How many there are, with their frameworks."""
    count = len(work.apart(jobs))
    words = md(form, count, one if count == 1 else many)
    frameworks = sorted({job.framework for job in jobs if job.framework})
    named = joined([md("{}", name) for name in frameworks], last=" and ")
    is_whole = all(job.framework for job in jobs)
    form = "{} with {}" if is_whole else "{}, some of them with {}"
    return md(form, words, named) if frameworks else words


def _write(page: Page, facts: Facts, _: None) -> None:
    jobs = work.jobs(facts)
    counts = Counter(job.kind for job in jobs)
    groups = [[job for job in jobs if (job.kind == "event") == is_event] for is_event in (0, 1)]
    parts = [_counted(rows, *words) for rows, words in zip(groups, _WORDS, strict=True) if rows]
    words = joined(parts, last=", and ")
    page.summary(md("{}.", Md(words[:1].upper() + words[1:])))
    page.glance((title, counts[kind] or None) for kind, (title, _) in _KINDS.items())
    for kind, (title, trigger) in _KINDS.items():
        sheets = work.job_sheets(facts, kind)
        for part in (part for sheet in sheets for part in sheet.parts):
            page.section(title if part.title == kind else f"{title}: {part.title}")
            rows = [
                [code(item.name), _trigger(page, item), _handler(page, item),
                 _starters(page, facts, item) if kind in ("queue", "event") else "",
                 module_link(page, facts, item.handler_path or item.path)]
                for item in part.items
            ]  # fmt: skip
            start = "Sent by" if kind == "event" else "Started by"
            page.table(("Name", trigger, "Runs", start, "Module"), rows)
    page.see("api/events", "architecture", "configuration")


def _starters(page: Page, facts: Facts, item: work.Work) -> Md:
    """The functions that have a job run, or send the event that it is for."""
    senders: Sequence[tuple[Spot, int]] = ()
    is_own = "." not in item.runs or item.runs.split(".")[-2] in (
        item.name,
        item.name.split(".")[0],
    )
    if item.kind == "queue" and item.runs and is_own:
        senders = [*sending.queued_by(facts, Spot(item.handler_path, item.runs))]
    elif item.kind == "event" and item.framework != SOCKETS:  # Both ends send there.
        senders = sending.senders_of(facts, item.trigger)
    places = [
        md("{} {}", code(spot.name), page.cite(Place(spot.path, line)))
        if spot.name
        else page.cite(Place(spot.path, line))
        for spot, line in senders[:STARTERS_MAX]
    ]
    return joined(
        [*places, *([md("{} more", left)] if (left := len(senders) - len(places)) else [])]
    )


def _trigger(page: Page, job: work.Work) -> Md:
    """With its place, which for a schedule of another file is not the place of its job."""
    is_apart = job.kind == "schedule" and job.handler_path not in ("", job.path)
    place = page.cite(Place(job.path, job.line)) if is_apart else Md("")
    return md("{} {}", code(job.trigger), place) if place else code(job.trigger)


def _handler(page: Page, job: work.Work) -> Md:
    is_placed = bool(job.handler_path)
    place = Place(job.handler_path, job.handler_line) if is_placed else Place(job.path, job.line)
    is_named = job.handler and job.handler != job.name
    return md("{} {}", code(job.handler), page.cite(place)) if is_named else page.cite(place)
