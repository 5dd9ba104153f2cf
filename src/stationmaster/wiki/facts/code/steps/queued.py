"""What a call has run later, by way of a queue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.catalogue.enqueuing import enqueuing
from stationmaster.reading.code.model import Call
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import targets, types
from stationmaster.wiki.facts.code.steps.model import Step
from stationmaster.wiki.facts.code.steps.own_queues import ITSELF, is_put, running
from stationmaster.wiki.facts.interfaces.abstract_jobs import put_names, putting
from stationmaster.wiki.facts.model import Facts, Spot

_PUSHING = ("push", "push_bulk")
_PUSHED = re.compile(r"""["']?class["']? ?(?:=>|:) ?([A-Z][\w:]*)""")
_AT_ONCE = ("now", "Sync")
"""How methods end that run a job without a queue."""
_OPTIONS = re.compile(r"\s*\.set\(.*\)$", re.DOTALL)
"""`PayJob.set(wait: 1.hour)` is the job with options."""
_OF_MAILERS = ("deliver_later", "deliver_later!")
_MAIL = re.compile(
    r"([A-Z][\w:]{0,99})(?:\.with\(.{0,299}?\))?\.(\w{1,99})(?:\(.{0,299}\))?", re.DOTALL
)
"""`OrderMailer.with(order: order).paid(1)` is the mail `paid` of the mailer."""
_JOB = r"\s*([A-Z][\w:]*|\w*[qQ]ueue)\s*"
_CHOSEN = re.compile(rf"(?:.*\?{_JOB}:)?{_JOB}\)?\s*;?\s*$")
"""A class or queue, or one of two: `urgent ? PayNowJob : PayJob`."""
_GOES_ON = re.compile(r"\n[ \t]*+(?=[?:]\s)")
"""Where a choice goes on in the next line."""
_LINES_MAX, _TEXT_MAX = 20, 300
"""Above a call, in which its receiver is chosen, and the letters of one."""


def queued(facts: Facts, spot: Spot, call: Call) -> Iterator[Step]:
    """The steps to what a call such as `send_mail.delay()` or `MailJob.perform_later()` queues, one
    for each job of which it queues one."""
    for of in _receivers(facts, spot, call) if is_put(call) else ():
        ends = running(facts, spot.path, of, call.line)
        yield from (Step(spot, (it,), call.line, is_later=True) for it in ends if it != spot)
    is_own = call.name in put_names(facts)
    if not (is_own or call.name in enqueuing() or call.name in _PUSHING):
        return
    now, method = targets(facts, spot.path, call), enqueuing().get(call.name)
    receivers = [call.of]
    if call.name in _PUSHING and call.of.endswith("Sidekiq::Client"):
        named = _PUSHED.search(lines_of(facts, spot.path)[call.line - 1])
        receivers, method = [named[1] if named else ""], "perform"
    elif now:
        is_itself = ITSELF.match(call.of) or call.of == "super()"
        method = None if is_itself else putting(facts).get(now[0])
    else:
        receivers = _receivers(facts, spot, call)
    for of in filter(None, receivers if method is not None else ()):
        of, _, name = (of, "", method) if method else of.rpartition(".")
        ends = targets(facts, spot.path, Call(name, call.line, of, call.caller))
        ends = tuple(end for end in ends if facts.records[end.path].file_class == "source")
        if ends and ends[0] != spot:
            is_later = not call.name.endswith(_AT_ONCE)
            is_open = types(facts).is_open((ends[0].path, ends[0].name))
            yield Step(spot, ends, call.line, is_open, is_later=is_later)


def _receivers(facts: Facts, spot: Spot, call: Call) -> list[str]:
    """The jobs that a call is made on: what it names, or what a variable of its function or the
    receiver itself chooses between."""
    of = _OPTIONS.sub("", call.of[:_TEXT_MAX])
    if call.name in _OF_MAILERS and (mail := _MAIL.fullmatch(of)):
        return [".".join(mail.groups())]
    texts = [of]
    if of.isidentifier() and of[:1].islower():
        symbol = symbol_of(facts, spot.path, spot.name)
        first = max(symbol.line if symbol else 0, call.line - 1 - _LINES_MAX)
        above = "\n".join(lines_of(facts, spot.path)[first : call.line - 1])
        lines = _GOES_ON.sub(" ", above).split("\n")
        texts = [line.partition(f" {of} = ")[2][:_TEXT_MAX] for line in lines]
    chosen = [it for match in map(_CHOSEN.fullmatch, texts) if match for it in match.groups() if it]
    return chosen or [of]
