"""Handlers within what a route is given: `wrapped(show)` is answered by `show`, and what is around
it may be a guard."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from stationmaster.catalogue.middleware import is_guard, middleware
from stationmaster.reading.code import Wrapper, model
from stationmaster.reading.code.languages.routers import CONDITION, purpose
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.interfaces import wrappers
from stationmaster.wiki.facts.code.names import handler_of, targets
from stationmaster.wiki.facts.guarding.guards import Guard, forbidding
from stationmaster.wiki.facts.model import Facts, Spot, query

_PART = re.compile(r"\"[^\"]*+\"|[\w.]+|[(),]|…")
_CLOSURE = "func"
_OVERLOADING = (".java", ".kt", ".cs", ".swift")
"""Files whose methods are called by their parameters as well, where several have one name."""
_REQUEST = re.compile(r"(?i)req|ctx|context|writer|http|event")
_RESULT = re.compile(r"\bfunc\b(?: \([^()]{0,200}\))? ?\w*\((?P<takes>[^()]*+)\) ?(?P<gives>.*)")
_HANDLING = re.compile(r"(?i)handler|func|mux|router")
_MAKING = re.compile(r"(?i)^(?:\w+\.)?(?:create|handle|new|post|get)?(?:login|admin)$")
_CALLED = ("function", "method", "variable")
_RAISING = ("raise_", "abort_", "deny_", "reject_")
"""How functions are called that may refuse a request by what they raise."""
_HANDED_MAX = 4
"""Wrappers that hand on to one another."""


class _Call(NamedTuple):
    """A handler as written: a name, a text in quotation marks, or a call of `callee`, which may be
    one itself."""

    name: str
    callee: _Call | None = None
    given: tuple[_Call, ...] = ()

    @property
    def function(self) -> str:
        """The name of what is called in the end."""
        return self.callee.function if self.callee else self.name


class _Around(NamedTuple):
    """What a handler is within: its name with what it is given, and the words of a guard if it is
    one; None where it was not understood, '' where it lets all pass."""

    words: str
    guard: str | None


def unwrapped(facts: Facts, path: str, route: model.Route) -> model.Route:
    """A route whose handler is a call: by the innermost function that is given to what is called,
    else by what is called; with what decides around it, as far as that was understood."""
    if "(" not in route.handler or path.endswith(_OVERLOADING):
        return route
    found: list[_Around] = []
    reader = _Reader(facts, path, route.line)
    inner = reader.inner(_parsed(_PART.findall(route.handler)), found)
    guards = [it.guard for it in found if it.guard]
    guard, further = route.guard, (*route.further, *guards)
    return replace(
        route,
        handler="" if inner == _CLOSURE else inner,
        guard=guard or "".join(further[:1]),
        further=further if guard else further[1:],
        unread=tuple(it.words for it in found if it.guard is None),
        passed=tuple(it.words for it in found if it.guard == ""),
    )


def _parsed(parts: Sequence[str]) -> _Call:
    """The calls that some words are; what is cut off is closed."""
    waiting: list[tuple[_Call, list[_Call]]] = []
    last = _Call("")
    for part in parts:
        if part == "(":
            waiting.append((last, []))
            last = _Call("")
        elif part in "),":
            if not waiting:
                break
            callee, given = waiting[-1]
            given += [last] if last != _Call("") else []
            last = _Call("")
            if part == ")":
                waiting.pop()
                last = _Call("", callee, tuple(given))
        else:
            last = _Call(part)
    while waiting:
        callee, given = waiting.pop()
        last = _Call("", callee, (*given, last))
    return last


class _Reader(NamedTuple):
    """Of what a file puts on a router at a line."""

    facts: Facts
    path: str
    line: int

    def inner(self, call: _Call, found: list[_Around]) -> str:
        """The handler in a call; what is around it is added to what was found."""
        while call.callee is not None:
            spot = handler_of(self.facts, self.path, call.function, self.line)
            wrapper = self._wrapper(spot)
            handler = self._handler(call, wrapper)
            if handler is None:
                return call.function
            around = self._around(call, handler, wrapper, spot)
            found += [around] if around else []
            call = handler
        return call.name

    def _known(self, spot: Spot | None) -> Wrapper | None:
        return wrappers(self.facts).get((spot.path, spot.name)) if spot else None

    def _wrapper(self, spot: Spot | None) -> Wrapper | None:
        """What is known of a function that is put around a handler, or of what it hands that on
        to."""
        wrapper = self._known(spot)
        for _ in range(_HANDED_MAX):
            if wrapper is None or spot is None or not wrapper.to:
                break
            symbol = symbol_of(self.facts, spot.path, spot.name)
            spot = handler_of(self.facts, spot.path, wrapper.to, symbol.line if symbol else 0)
            wrapper = self._known(spot)
        return wrapper

    def _handler(self, call: _Call, wrapper: Wrapper | None) -> _Call | None:
        """The handler among what a call is given: where the function tells it, else the argument
        that most likely is one."""
        spot = handler_of(self.facts, self.path, call.function, self.line)
        own = self._known(spot)
        if wrapper and own and own.place < len(call.given):
            return call.given[own.place]
        ranked = [(self._rank(it), it) for it in call.given]
        best = max((rank for rank, _ in ranked), default=0)
        if not best and spot is None and call.given and _is_around(call.function):
            last = call.given[-1]  # What neither this nor another file declares.
            return last if last.name[:1] not in ('"', "…") else None
        return next((it for rank, it in ranked if best and rank == best), None)

    def _rank(self, call: _Call) -> int:
        """How surely an expression is a handler; 0 for none."""
        if call.callee is not None:
            if _is_passing(call.function) or any(self._rank(it) > 1 for it in call.given):
                return 3
            spot = handler_of(self.facts, self.path, call.function, self.line)
            symbol = symbol_of(self.facts, spot.path, spot.name) if spot else None
            match = _RESULT.search(symbol.signature) if symbol else None
            return (
                2 if match and _HANDLING.search(match["gives"]) else int(bool(symbol and not match))
            )
        if call.name == _CLOSURE:
            return 3
        spot = handler_of(self.facts, self.path, call.name, self.line)
        if spot is None or not _is_function(self.facts, spot):
            return 0
        return 3 if _answers(self.facts, spot) else 0

    def _around(
        self, call: _Call, handler: _Call, wrapper: Wrapper | None, spot: Spot | None
    ) -> _Around | None:
        name = call.function
        symbol = symbol_of(self.facts, spot.path, spot.name) if spot else None
        if _is_passing(name) or (symbol and symbol.kind not in _CALLED):
            return None
        refuses: bool | None = wrapper.refuses if wrapper else is_guard(purpose(name), name)
        if wrapper and spot and not refuses:
            refuses = refusing_by_call(self.facts, *spot)
        levels = self._levels(call, handler, wrapper, refuses)
        asked = [it.name for it in levels if self._is_deciding(it)]
        texts = [it.name for it in levels if it.name not in (*asked, "…", "")]
        words = f"{name}({', '.join(texts)})" if texts else name
        condition = wrapper.condition if wrapper else ""
        condition = f"with {', '.join(asked)}" if asked else condition
        if wrapper is None:
            return _Around(words, words if refuses else None)
        shown = f"{words}{CONDITION}{condition}" if condition else words
        return _Around(words, shown if refuses else None if refuses is None else "")

    def _levels(
        self, call: _Call, handler: _Call, wrapper: Wrapper | None, refuses: bool | None
    ) -> list[_Call]:
        """What a call is given beside the handler that a guard depends on: what it is known to ask
        for, and texts."""
        if call.callee and call.callee.callee is not None:
            return [it for it in call.callee.given if it.callee is None]
        asked = wrapper.levels if wrapper else ()
        return [
            it
            for at, it in enumerate(call.given)
            if it != handler and (at in asked or (refuses and it.name[:1] == '"'))
        ]

    def _is_deciding(self, call: _Call) -> bool:
        """May what is given make a guard none: a function, a truth value, or what something else is
        given under a name of its own?"""
        if call.callee is not None or call.name[:1] in ('"', "…", ""):
            return False
        if call.name in ("true", "false"):
            return True
        spot = handler_of(self.facts, self.path, call.name, self.line)
        is_own = "." not in call.name and call.name[0].islower() and not call.name[0].isdigit()
        return is_own or (spot is not None and _is_function(self.facts, spot))


def weighed(facts: Facts, guards: Sequence[Guard]) -> tuple[list[Guard], list[str]]:
    """Guards with the conditions under which they refuse, and the names of those that do not: a
    function that calls what it is put around in any case. Such a one right before a function
    without a name, which decides by what it says of a request, is named with that."""
    asked, opened = list[Guard](), list[str]()
    before: Guard | None = None
    for guard in guards:
        known = wrappers(facts).get((guard.spot.path, guard.spot.name)) if guard.spot else None
        telling, before = before, None
        if known is not None and guard.spot and not known.to and not known.refuses:
            refuses = refusing_by_call(facts, *guard.spot)
            if refuses is False:
                opened.append(guard.name)
                before = guard
            elif refuses:
                asked.append(guard)
        elif telling is not None and guard.lines:
            opened.remove(telling.name)
            name = f"{telling.name} with {guard.name}"
            asked.append(guard._replace(name=name, spot=telling.spot))
        elif known is not None and not guard.condition:
            asked.append(guard._replace(condition=known.condition))
        else:
            asked.append(guard)
    return asked, opened


@query
def refusing_by_call(facts: Facts, path: str, name: str) -> bool | None:
    """Does a function of Python that is put around handlers call another which raises a refusal?
    None where one that it calls is not known and is called as one that may."""
    inner = f"{name}."
    calls = facts.code[path].calls if path.endswith(".py") else ()
    is_open = False
    for call in calls:
        if call.caller == name or call.caller.startswith(inner):
            ends = targets(facts, path, call)
            for spot in ends:
                symbol = symbol_of(facts, *spot)
                body = lines_of(facts, spot.path)[symbol.line : symbol.end] if symbol else ()
                if symbol and symbol.kind in _CALLED and forbidding().search("\n".join(body)):
                    return True
            is_open |= not ends and call.name.startswith(_RAISING)
    return None if is_open else False


def _is_passing(name: str) -> bool:
    """Does a library's function call the handler that it is put around in any case?"""
    return bool({name, name.rpartition(".")[2]} & middleware().guards.passing)


def _is_around(name: str) -> bool:
    """Is something called as what is put around a handler, and not as one that makes it, such as
    `login(store)`?"""
    is_named = is_guard(purpose(name), name) and not _MAKING.search(name)
    return is_named or _is_passing(name)


def _answers(facts: Facts, spot: Spot) -> bool:
    """May a function be a handler? One of Go that makes a value of other things is none."""
    symbol = symbol_of(facts, spot.path, spot.name)
    match = _RESULT.search(symbol.signature) if symbol else None
    takes, gives = (match["takes"], match["gives"]) if match else ("", "")
    return not (takes and gives) or _REQUEST.search(takes) is not None


def _is_function(facts: Facts, spot: Spot) -> bool:
    """Is something a function, or a variable that holds one?"""
    symbol = symbol_of(facts, spot.path, spot.name)
    if symbol is None or symbol.kind != "variable":
        return symbol is not None and symbol.kind in ("function", "method")
    return any("func(" in line for line in lines_of(facts, spot.path)[symbol.line - 1 : symbol.end])
