"""Filters of controllers in Rails: what runs before an action, with what its controller inherits
and includes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from stationmaster.catalogue.middleware import is_guard, middleware
from stationmaster.catalogue.table import compiled
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.names import handler_of, types
from stationmaster.wiki.facts.guarding import guards, ruby_blocks
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.text.inline import Place

_LINES_MAX = 20
"""Of a list that goes on over lines."""
_BEFORE = ("before_action", "prepend_before_action", "append_before_action", "before_filter")
_SKIPPED = ("skip_before_action", "skip_before_filter")
_METHODS = ("method", "function")
_NAME = re.compile(r"(?:[(,\s]|^):(\w+[?!]?)")
_OPTION = re.compile(r"\b(?:only|except|if|unless|prepend|raise|with): ")
_CONDITION = re.compile(
    r"\b(if|unless): ((?:lambda|proc|Proc\.new) ?\{[^{}]{1,160}\}|->[^}]{1,80}\}?|:\w+[?!]?"
    r"|%i\[[^\]]{1,80}\]|\[[^\]]{1,80}\])"
)
"""When a filter runs."""
_WHEN = re.compile(r"\b(if|unless): ")
_BEHIND = re.compile(r" (if|unless) ((?:[^\"'{};]|\"[^\"]{0,80}\"|'[^']{0,80}'){1,160}+)\Z")
"""Behind a statement."""
_OPPOSITE = {"if": "unless", "unless": "if"}
_OPENED, _CLOSED = re.compile(r"[(\[{]"), re.compile(r"[)\]}]")
_BASIC = "http_basic_authenticate_with"
"""Asks for a password itself, and is given no names of methods."""
_ROCKET = re.compile(r":(only|except|if|unless|prepend|raise|with)\s*=>\s*")
"""Options as older code writes them: `:only => :index`."""
_WORDS = re.compile(r"\w+[?!]?")
_ASKS_DEVISE = re.compile(r"(if|unless): :devise_controller\?")
_GIVEN = re.compile(r"params\[:(\w+)\] && ")
"""Begins what is asked only for routes with a parameter."""
_BARE = re.compile(r"(?<![\w.:@\"'])[a-z_]\w*[?!]?")
_CONSTANT = re.compile(r"(?:::)?[A-Z]\w*(?:::[A-Z]\w*)*")


class _Line(NamedTuple):
    """A line of a controller that puts names before its actions, or takes them away again: `only`
    for some, or for all `but` some, under a condition: an option and what it asks; `lines` are
    those of a block, whose only name is what it says."""

    names: tuple[str, ...]
    verb: str
    only: frozenset[str]
    but: frozenset[str]
    option: str = ""
    asked: str = ""
    lines: Place | None = None

    @property
    def condition(self) -> str:
        return f"{self.option}: {self.asked}" if self.option else ""


def asking(facts: Facts, path: str, holder: str, action: str, route: str) -> Iterator[guards.Guard]:
    """The filters before an action that may refuse a request to a route."""
    for filter_ in before(facts, path, holder, action):
        if (given := _GIVEN.match(filter_.name)) and f":{given[1]}" not in route:
            continue
        is_named = filter_.lines is None and is_guard(filter_.name)
        is_asked = is_named or _refuses(facts, filter_) or _scoped(facts, path, holder, filter_)
        if is_asked and not _signs_in(facts, filter_.spot):
            yield filter_


@query
def before(facts: Facts, path: str, holder: str, action: str) -> tuple[guards.Guard, ...]:
    """What runs before an action of a controller, with what it inherits and includes."""
    places = [
        place
        for each in reversed([*types(facts).around((path, holder))])
        for place in (*included(facts, *each), each)
    ]
    running: dict[tuple[str, Place | None], str] = {}
    for place in places:
        for line in _filters(facts, *place):
            if action in line.but or (line.only and action not in line.only):
                continue
            is_put = not line.verb.startswith("skip_")
            keys = [(name, line.lines) for name in line.names]
            for key in keys if is_put else ():
                running.pop(key, None)
            if line.verb.startswith("prepend"):
                running = dict.fromkeys(keys, line.condition) | running
            elif is_put:
                running |= dict.fromkeys(keys, line.condition)
            else:
                skipped = line.names if line.verb in _SKIPPED else (line.verb[5:],)
                left = f"{_OPPOSITE[line.option]}: {line.asked}" if line.option else ""
                running = {
                    key: ", ".join(filter(None, (condition, left))) if is_skipped else condition
                    for key, condition in running.items()
                    if not (is_skipped := key[0].partition(" ")[0] in skipped) or left
                }
    symbols = [symbol_of(facts, *place) for place in places]
    of_devise = any(base.startswith("Devise::") for it in symbols if it for base in it.bases)
    rows = []
    for (name, lines), condition in running.items():
        asks = _ASKS_DEVISE.fullmatch(condition)
        if asks is None or of_devise == (asks[1] == "if"):
            spot = None if lines else _method(facts, places, name)
            rows.append(guards.Guard(name, spot, "" if asks else condition, lines=lines))
    return tuple(rows)


def _method(facts: Facts, places: list[tuple[str, str]], name: str) -> Spot | None:
    """The method of a filter; of those of CanCanCan the class that holds the abilities."""
    if name.partition(" ")[0] in middleware().guards.loading:
        files = facts.tree.glob("**/ability.rb")
        return Spot(files[0], "Ability") if len(files) == 1 else None
    spots = (Spot(path, f"{holder}.{name}") for path, holder in reversed(places))
    return next((spot for spot in spots if symbol_of(facts, spot.path, spot.name)), None)


def _refuses(facts: Facts, filter_: guards.Guard) -> bool:
    """Does a filter answer that one is not allowed?"""
    return compiled(middleware().guards.refusing_in_rails).search(_text(facts, filter_)) is not None


def _scoped(facts: Facts, path: str, holder: str, filter_: guards.Guard) -> bool:
    """Does a filter look a record up among those of the person who asks, itself or by a method of
    the controller that it calls, and fail where there is none?"""
    form, text = compiled(middleware().guards.scoped_in_rails), _text(facts, filter_)
    if form.search(text):
        return True
    methods = _lookups(facts, path, holder)
    return bool(methods) and not methods.isdisjoint(_BARE.findall(text))


@query
def _lookups(facts: Facts, path: str, holder: str) -> frozenset[str]:
    """The methods of a controller, with those that it inherits and includes, that look a record up
    among those of the person who asks."""
    form = compiled(middleware().guards.scoped_in_rails)
    return frozenset(
        it.name
        for each in types(facts).around((path, holder))
        for where, name in (*included(facts, *each), each)
        for it in facts.code[where].symbols
        if it.kind in _METHODS
        and it.container == name
        and form.search(_lines(facts, where, it.line, it.end))
    )


def _text(facts: Facts, filter_: guards.Guard) -> str:
    """The lines of a filter, '' where the repository does not have them."""
    if (place := filter_.lines) is not None:
        return _lines(facts, place.path, place.line or 1, place.end)
    symbol = symbol_of(facts, *filter_.spot) if filter_.spot else None
    return (
        _lines(facts, filter_.spot.path, symbol.line, symbol.end) if filter_.spot and symbol else ""
    )


def _lines(facts: Facts, path: str, first: int, last: int | None) -> str:
    return "\n".join(lines_of(facts, path)[first - 1 : last])


def _signs_in(facts: Facts, spot: Spot | None) -> bool:
    """Does a filter sign somebody in and answer nothing itself? Such a one keeps nobody out."""
    table = middleware().guards
    calls = facts.code[spot.path].calls if spot else ()
    names = {call.name for call in calls if spot and call.caller == spot.name}
    return bool(names & table.signing) and not names & table.answering


@query
def included(facts: Facts, path: str, holder: str) -> tuple[tuple[str, str], ...]:
    """The modules that a class of Ruby includes, as they are: of one statement the last first."""
    found = []
    for call in facts.code[path].calls:
        if call.name == "include" and call.caller == holder:
            text = going_on(lines_of(facts, path), call.line)
            for name in reversed(_CONSTANT.findall(text)):
                end = handler_of(facts, path, name, call.line)
                if end is not None:
                    found.append(end)
    return tuple(found)


@query
def _filters(facts: Facts, path: str, holder: str) -> tuple[_Line, ...]:
    """What the body of a class says of filters, itself or by a macro."""
    found = []
    lines, macros = lines_of(facts, path), _macros(facts)
    loading = middleware().guards.loading
    for call in facts.code[path].calls:
        macro = macros.get(call.name) if call.caller == holder else None
        is_loading = call.name.removeprefix("skip_") in loading
        is_itself = is_loading or call.name == _BASIC
        if call.caller == holder and (macro or is_itself or call.name in (*_BEFORE, *_SKIPPED)):
            text = going_on(lines, call.line).partition(call.name)[2]
            verb, names = macro or (call.name, _filter_names(text))
            block = None if macro or is_itself else ruby_blocks.block_of(lines, call.line, text)
            place = Place(path, block.first, block.last) if block and block.first else None
            names = (
                (block.words or f"block at {path}:{block.first}-{block.last}",) if block else names
            )
            if is_loading:
                names = (" ".join((call.name, *(f":{name}" for name in names[:1]))),)
            names = (_BASIC,) if call.name == _BASIC else names
            only, but = _actions(text, "only: "), _actions(text, "except: ")
            when = _condition(text, guards.when(facts, path, holder, call.line))
            found.append((call.line, _Line(names, verb, only, but, *when, place)))
    return tuple(line for _, line in sorted(found, key=lambda item: item[0]))


def _condition(text: str, around: str) -> tuple[str, str]:
    """The option and what it asks, also behind the statement or around it; an ellipsis for what is
    too long to show."""
    asked, option, behind = _CONDITION.search(text), _WHEN.search(text), _BEHIND.search(text)
    stated = [(asked[1], asked[2])] if asked else [(option[1], "…")] if option else []
    if behind and all(behind[2].count(it[0]) == behind[2].count(it[1]) for it in ("()", "[]")):
        stated.append((behind[1], behind[2]))
    word, _, rest = around.partition(" ")
    stated += [(word, rest)] if rest not in text else []
    (word, first), *others = stated or [("", "")]
    return word, " and ".join((first, *(f"{more} {rest}" for more, rest in others)))


def _filter_names(text: str) -> tuple[str, ...]:
    """The filters that a statement names, or what its block calls first."""
    option = _OPTION.search(text)
    named = text[: option.start()] if option else text
    block = named.partition("->")[2].lstrip(" {") or named.partition("{")[2].lstrip()
    first = _WORDS.match(block)
    return (first[0],) if first else tuple(_NAME.findall(named))


@query
def _macros(facts: Facts) -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Methods that put filters before actions or skip them, such as `skip_authentication`, with the
    verb and the names of the filters; a name with two meanings is left out."""
    found: dict[str, dict[Spot, tuple[str, tuple[str, ...]]]] = defaultdict(dict)
    for path in (path for path in facts.code if path.endswith(".rb")):
        methods = {it.qualified for it in facts.code[path].symbols if it.kind in _METHODS}
        for call in facts.code[path].calls:
            if call.name in (*_BEFORE, *_SKIPPED) and call.caller in methods:
                text = going_on(lines_of(facts, path), call.line).partition(call.name)[2]
                meanings, spot = found[call.caller.rpartition(".")[2]], Spot(path, call.caller)
                earlier = meanings.get(spot, (call.name, ()))[1]
                meanings[spot] = call.name, (*earlier, *_filter_names(text))
    return {
        name: next(iter(meanings.values()))
        for name, meanings in found.items()
        if len(meanings) == 1
    }


def going_on(lines: Sequence[str], line: int) -> str:
    """A statement that goes on behind commas and in brackets, with its options as `only: `."""
    text, last = lines[line - 1].strip(), min(len(lines), line + _LINES_MAX)
    for following in lines[line:last]:
        if not text.endswith(",") and len(_OPENED.findall(text)) <= len(_CLOSED.findall(text)):
            break
        text = f"{text} {following.strip()}"
    return _ROCKET.sub(r"\1: ", text)


def _actions(text: str, option: str) -> frozenset[str]:
    rest = text.partition(option)[2]
    ends = [end for sign in "]),\n" if (end := rest.find(sign)) > 0]
    opened = rest.find("[")
    end = rest.find("]") if 0 <= opened <= 2 else min(ends, default=len(rest))
    return frozenset(_WORDS.findall(rest[:end].removeprefix("%i").removeprefix("%w")))
