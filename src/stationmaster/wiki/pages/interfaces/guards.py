"""What decides on requests before and beside their handlers: guards, rules by path, and layers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain

from stationmaster.catalogue.middleware import middleware
from stationmaster.reading.code.model import Symbol
from stationmaster.wiki.facts.code.comments import (
    compared,
    excerpt,
    only_statement,
    part_of,
    symbol_of,
)
from stationmaster.wiki.facts.guarding.guards import Guard, demanded
from stationmaster.wiki.facts.guarding.rules import opening, rules
from stationmaster.wiki.facts.interfaces.credentials import key_lines, looked_at
from stationmaster.wiki.facts.interfaces.layers import layers
from stationmaster.wiki.facts.interfaces.routes import Endpoint
from stationmaster.wiki.facts.model import Facts, Spot
from stationmaster.wiki.facts.texts.meanings import meaning
from stationmaster.wiki.pages.steps.calls import under
from stationmaster.wiki.text.inline import Md, Place, code, joined, md, text
from stationmaster.wiki.text.page import Page
from stationmaster.wiki.text.quoting import block

_DECIDING = ("has_permission", "has_object_permission")
"""Methods of permissions of Django REST framework that decide."""
_CHECK_MAX = 160
"""Letters of the only statement of a guard."""
_SHOWN_MAX = 8
"""Guards whose lines are shown."""
_LINES_MAX = 16
"""Of a guard that is shown whole."""
_LOOKED_MAX = 8
_HOOKS = {
    re.compile(r"@\S*\b(?:after|teardown)_"): "after each answer",
    re.compile(r"@\S*(?:error|exception)"): "on errors",
}
"""Decorators of functions that run later than handlers."""
_RULE_MAX = 160
"""Letters of the requests of a rule."""


def write_rules(page: Page, facts: Facts) -> None:
    """What a configuration says of requests before any handler is chosen."""
    if not rules(facts):
        return
    page.section("Rules by path")
    rows = [
        (
            code(rule.requests, _RULE_MAX),
            code(rule.says),
            under(rule.conditions),
            page.cite(Place(rule.path, rule.line)),
        )
        for rule in rules(facts)
    ]
    opened = joined([code(f"@{name}") for name in sorted(opening(facts))], last=" and ")
    page.text(
        "These stand before the routes of their program, also those without a guard; of each "
        "file, the first that a request matches decides.",
        md("Handlers marked {} are let pass: the configuration collects them.", opened)
        if opened else "",
    )  # fmt: skip
    page.table(("Requests", "Rule", "Condition", "Where"), rows)


def write_guards(page: Page, facts: Facts, found: Sequence[Endpoint]) -> None:
    """Where it is decided who may send a request."""
    asked = [dict.fromkeys(chain.from_iterable(map(_apart, it.guards))) for it in found]
    counts = Counter(guard for guards in asked for guard in guards)
    rows: list[list[Md | str | int]] = []
    for guard, count in sorted(counts.items(), key=lambda item: (-item[1], item[0].name)):
        declared, says = Md(""), ""
        if (end := declared_at(facts, guard)) is not None:
            symbol, place = end
            declared = md("{} {}", code(symbol.qualified), page.cite(place))
            policy = demanded(facts, guard)
            spot = Spot(place.path, symbol.qualified)
            says = code(policy) if policy else meaning(facts, symbol) or _only_check(facts, spot)
        elif guard.lines is not None:
            declared = page.cite(guard.lines)
        if guard.members:
            held = joined([code(name) for name in guard.members])
            declared = md("{} of the group {}", declared, held) if declared else held
        rows.append([code(guard.words), declared, says, count])
    page.section("Guards")
    if rows:
        page.text(
            "These decide who may send a request: before its handler runs, or in it.",
            md(
                "Of those that {} joins one is enough, and {} turns one around.",
                code("|"),
                code("~"),
            )
            if any(guard.parts for it in found for guard in it.guards)
            else "",
        )
    page.table(("Guard", "Declared as", "What it says", "Routes"), rows)
    used = [guard for guard, _ in counts.most_common()]
    spots = dict.fromkeys(guard.spot for guard in used if guard.spot)
    for spot in (*spots,)[:_SHOWN_MAX]:
        _how(page, facts, spot)
    blocks = {it.lines: it.name for it in used if it.lines and _is_more(it.name, it.lines)}
    for lines, name in (*blocks.items(),)[:_SHOWN_MAX]:
        _written(page, facts, lines, name)


def _only_check(facts: Facts, spot: Spot) -> Md:
    """The only statement of a guard, or of the method by which a class decides."""
    names = (spot.name, *(f"{spot.name}.{it}" for it in _DECIDING))
    checks = (only_statement(facts, spot.path, name) for name in names)
    return code(next(filter(None, checks), ""), _CHECK_MAX)


def _apart(guard: Guard) -> Sequence[Guard]:
    """The guards of an expression, or a guard itself; nothing for an answer of a handler."""
    return () if guard.is_own else guard.parts or (guard,)


def declared_at(facts: Facts, guard: Guard) -> tuple[Symbol, Place] | None:
    """What a guard is declared as, and its lines; None where the repository does not declare it."""
    symbol = symbol_of(facts, guard.spot.path, guard.spot.name) if guard.spot else None
    if guard.spot is None or symbol is None:
        return None
    return symbol, Place(guard.spot.path, symbol.line, symbol.end)


def _how(page: Page, facts: Facts, spot: Spot) -> None:
    """The lines of a guard that is a function, and what it looks at."""
    symbol = symbol_of(facts, spot.path, spot.name)
    leading = (*compared(facts, spot.path, spot.name), *key_lines(facts, spot.path, spot.name))
    lines = excerpt(facts, spot.path, spot.name, _LINES_MAX, (), leading)
    if symbol is None or lines is None or symbol.kind not in ("function", "method"):
        return
    page.section(spot.name, 3)
    looked = [
        md("the {} {} ({} in {})", it.kind, code(it.name), page.cite(it.place), code(it.function))
        for it in looked_at(facts, spot.path, spot.name)[:_LOOKED_MAX]
    ]
    page.text(
        md(
            "{}, at {}.",
            "It decides in these lines" if lines.is_whole else "It decides here",
            page.cite(lines.place),
        ),
        md("It looks at {}.", joined(looked, last=" and ")) if looked else "",
    )
    page.block(block(lines.text, lines.language))


def _is_more(name: str, place: Place) -> bool:
    """Do the lines of a guard say more than what it is called, which may be its statement?"""
    return f" at {place.path}:" in name


def _written(page: Page, facts: Facts, place: Place, name: str) -> None:
    """The lines of a guard without a name."""
    first, last = place.line or 1, place.end or 1
    lines = part_of(facts, place.path, first, last, _LINES_MAX)
    begin = "It decides in these lines" if lines.is_whole else "It begins so"
    page.section(name, 3)
    page.text(md("{}, at {}.", begin, page.cite(place)))
    page.block(block(lines.text, lines.language))


def write_layers(page: Page, facts: Facts) -> None:
    """What requests pass through around their handlers."""
    found = layers(facts)
    page.section("Around the handlers")
    rows = []
    for layer in found:
        ends = [
            md("{} {}{}", code(name), page.cite(place), md(": “{}”", text(doc, 160)) if doc else "")
            for name, place, doc in layer.ends
        ]
        only = [md("in {}", code(layer.part))] * bool(layer.part)
        only += [when] if (when := under(layer.conditions)) else []
        only += [md(when) for form, when in _HOOKS.items() if form.match(layer.words)]
        rows.append([code(layer.words), joined(only), joined(ends), page.cite(layer.place)])
    if rows:
        page.text(
            "These run around handlers, too, listed by file in the order of the source. What is "
            "registered on a part of the routes, such as a group or a blueprint, is for that alone."
        )
    page.table(("Registered as", "Condition", "What runs", "Where"), rows)


def explain(page: Page, found: Sequence[Endpoint]) -> None:
    """What it does not mean that no guard is shown."""
    frameworks = {each.framework for each in found}
    unread = sorted(frameworks & middleware().guards.unread)
    if frameworks - middleware().guards.unread:
        page.text(
            "Guards are recognized by their names, and by what they do before they call a handler. "
            "Where none is shown, something else may refuse a request: such a route need not be "
            "public.",
            "What else a request passes through may refuse it, too."
            if any(each.unread for each in found)
            else "",
        )
    if any(each.is_public for each in found):
        page.text(
            "A route is public where what marks its handler, or the class of that, lets all "
            "requests pass, or its right is one that all have; other marks then have no effect."
        )
    if unread:
        named = joined([md("{}", each) for each in unread], last=" and ")
        which = "Other guards" if any(each.guards for each in found) else "Guards"
        page.text(md("{} of {} are not read.", which, named))


def guarding(endpoint: Endpoint) -> list[Md]:
    """What decides on a request, what may, and else what provably does not."""
    shown = [md("public")] * endpoint.is_public
    shown += [code(guard.words) for guard in endpoint.guards]
    shown += [md("passes through {}", code(words)) for words in endpoint.unread]
    through = joined([code(words) for words in endpoint.through], last=" and ")
    shown += [md("passes through {}", through)] if through else []
    passed = endpoint.passed if endpoint.is_public else ()
    return shown + [md("in spite of {}", code(words)) for words in passed]
