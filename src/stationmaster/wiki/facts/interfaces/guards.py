"""What decides whether a request reaches its handler, and where that is declared: filters of
controllers in Rails, permissions of classes in Django, and what other frameworks name as guards."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from stationmaster.catalogue.middleware import is_guard, middleware
from stationmaster.reading.code.languages.ecmascript.nest import TELLING
from stationmaster.reading.code.languages.routers import CONDITION
from stationmaster.reading.code.model import Call, Symbol
from stationmaster.wiki.facts.code.bindings import declaration, meant
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces, wrappers
from stationmaster.wiki.facts.code.names import around, beans, handler_of, types
from stationmaster.wiki.facts.code.symbols import TYPES
from stationmaster.wiki.facts.guarding.policies import policies
from stationmaster.wiki.facts.interfaces.credentials import extracted
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.text.inline import Place

GUARDS_MAX = 6
"""Of one handler."""
_DEPTH_MAX = 4
"""Of decorators within decorators."""
_LINES_MAX = 20
"""Of a list that goes on over lines."""
_BEFORE = ("before_action", "prepend_before_action", "append_before_action", "before_filter")
_SKIPPED = ("skip_before_action", "skip_before_filter")
_METHODS = ("method", "function")
_NAME = re.compile(r"(?:[(,\s]|^):(\w+[?!]?)")
_OPTION = re.compile(r"\b(?:only|except|if|unless|prepend|raise|with): ")
_CONDITION = re.compile(
    r"\b(?:if|unless): (?:->[^}]{1,80}\}?|:\w+[?!]?|%i\[[^\]]{1,80}\]|\[[^\]]{1,80}\])"
)
"""When a filter runs."""
_WORDS = re.compile(r"\w+[?!]?")
_ALONE = re.compile(r"\s*+(\w++[?!]?)\s*+\Z")
_CONSTANT = re.compile(r"(?:::)?[A-Z]\w*(?:::[A-Z]\w*)*")
_ASKED_ALL = frozenset({"guards", "permission_classes"})
_LISTED = re.compile(
    r"\s+(permission_classes|guards|filter_backends|(?:method_)?decorators)\b[^=]{0,80}=\s*(?=[\[(\w])"
)
_DEPENDED = re.compile(r"\s+(\w+)\s*:[^=]{1,100}=\s*(Depends|Security)\(\s*([A-Za-z_][\w.]*)")
"""An attribute of a class of FastAPI's handlers that every request is asked for."""
_DOTTED = re.compile(r"[A-Za-z_][\w.]*")
_MADE = re.compile(r"(?:=|\breturn)\s{0,40}([\w.]{1,200})\(func\(")
_BEAN = re.compile(r"@(\w{1,80})\.(\w{1,80})\(")
"""A method of an object by its name, in an expression of Spring."""
_MIXIN = re.compile(r"\w*(?:Required|PassesTest)Mixin")
_NEEDED = re.compile(r"\s++permission_required\s*+=\s*+[\[(]?\s*+[\"']([\w.]+)[\"']")
_OF_ROUTE = re.compile(r"\bguards\s*+=\s*+\[([^\[\]]{1,400})\]")
"""What a decorator of Litestar's asks before its handler."""
_WRAPPED = re.compile(r"@method_decorator\(\s*+(?:\[\s*+)?([\w.]+)")


class Guard(NamedTuple):
    """`spot` is None where the repository does not declare it; `condition` is when it is asked;
    `members` are those of a group that has a name, in order, of which some only may protect;
    `level` is the function that it is given to decide with."""

    name: str
    spot: Spot | None
    condition: str = ""
    members: tuple[str, ...] = ()
    level: Spot | None = None

    @property
    def words(self) -> str:
        """The name with the condition, as a table shows them."""
        return f"{self.name}, {self.condition}" if self.condition else self.name


class _Said(NamedTuple):
    """A line of a controller that puts names before its actions, or takes them away again: `only`
    for some, or for all `but` some."""

    names: tuple[str, ...]
    verb: str
    only: frozenset[str]
    but: frozenset[str]
    condition: str = ""


def guards_of(facts: Facts, path: str, symbol: Symbol) -> tuple[Guard, ...]:
    """Those that a handler has by the class that holds it, in the order in which they run."""
    holder = symbol.qualified if symbol.kind in TYPES else symbol.container
    if path.endswith(".go"):
        return tuple(_wrapping(facts, path, symbol))
    if path.endswith(".rs"):
        return tuple(Guard(*it) for it in extracted(facts, symbol))
    if not holder:
        is_view = path.endswith(".py")
        return tuple(_decorators(facts, path, symbol))[:GUARDS_MAX] if is_view else ()
    if path.endswith(".rb"):
        filters = before(facts, path, holder, symbol.name)
        found = [it for it in filters if is_guard(it.name) and not _signs_in(facts, it.spot)]
    elif path.endswith(".py"):
        found = [*_decorators(facts, path, symbol), *_permissions(facts, path, holder)]
    elif path.endswith(".cs"):
        found = [*_authorized(facts, path, holder, symbol)]
    else:
        found = []
    return tuple(dict.fromkeys(found))[:GUARDS_MAX]


def named_guard(
    facts: Facts, path: str, words: str, line: int, depth: int = _DEPTH_MAX
) -> tuple[Guard, ...]:
    """What a route names as its guard; of a decorator of the project's own (`@Own`) all that it
    stands for; `=KEY` as it is."""
    if words.startswith("@"):
        return tuple(
            guard
            for origin in (meant(facts, path, words[1:]) if depth else ())
            for name in _composed(facts).get((origin.path, origin.name or words[1:]), ())
            for guard in named_guard(facts, origin.path, name, line, depth - 1)
        )
    if not words or words.startswith(TELLING):
        return (Guard(words, None),) if words else ()
    words, _, condition = words.partition(CONDITION)
    bare, _, needed = words.partition("(")
    if asked := _BEAN.search(needed):
        return (Guard(words, beans(facts).get((asked[1], asked[2])), condition),)
    if bare == "Authorize":
        return (Guard(words, policies(facts).get(needed.rstrip(")"))),)
    spot = _declared(facts, path, bare) or handler_of(facts, path, bare, line)
    level = condition.removeprefix("with ") if condition.startswith("with ") else ""
    deciding = handler_of(facts, path, level, line) if level else None
    return (Guard(words, spot, condition, (), deciding),)


@query
def _composed(facts: Facts) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Guards by the file and the function that makes a decorator of them."""
    return {
        (file.path, name): guards
        for file in interfaces(facts)
        for name, guards in (file.wiring.middleware if not file.path.endswith(".php") else ())
    }


def declared_at(facts: Facts, guard: Guard) -> tuple[Symbol, Place] | None:
    """What a guard is declared as, and its lines; None where the repository does not declare it."""
    symbol = symbol_of(facts, guard.spot.path, guard.spot.name) if guard.spot else None
    if guard.spot is None or symbol is None:
        return None
    return symbol, Place(guard.spot.path, symbol.line, symbol.end)


def _declared(facts: Facts, path: str, words: str) -> Spot | None:
    end = declaration(facts, path, words)
    return Spot(end[0], end[1].qualified) if end else None


def _authorized(facts: Facts, path: str, holder: str, method: Symbol) -> Iterator[Guard]:
    """`[Authorize]` of the nearest class that a controller builds on, unless it lets all in."""
    places = [(path, holder), *types(facts).around((path, holder))]
    marks: list[tuple[Sequence[str], Spot | None]] = [(method.marks, None)]
    for place in places:
        symbol = symbol_of(facts, *place)
        marks.append((symbol.marks if symbol else (), Spot(*place)))
    for names, spot in marks:
        if "AllowAnonymous" in names:
            return
        if "Authorize" in names:
            yield Guard("Authorize", spot)
            return


def _wrapping(facts: Facts, path: str, handler: Symbol) -> Iterator[Guard]:
    """`var show = withUser(func…)` of Go, and a function that returns such a handler."""
    for line in lines_of(facts, path)[handler.line - 1 : handler.end]:
        made = _MADE.search(line)
        if made is not None and is_guard(made[1]):
            yield Guard(made[1], _declared(facts, path, made[1]))
            return


@query
def before(facts: Facts, path: str, holder: str, action: str) -> tuple[Guard, ...]:
    """What runs before an action of a controller, with what it inherits and includes."""
    places = [
        place
        for each in reversed([*types(facts).around((path, holder))])
        for place in (*_included(facts, *each), each)
    ]
    running: dict[str, str] = {}
    for place in places:
        for said in _filters(facts, *place):
            if action in said.but or (said.only and action not in said.only):
                continue
            for name in said.names:
                running.pop(name, None)
            if said.verb.startswith("prepend"):
                running = dict.fromkeys(said.names, said.condition) | running
            elif said.verb.startswith("skip_"):
                skipped = said.names if said.verb in _SKIPPED else (said.verb[5:],)
                running = {
                    name: condition
                    for name, condition in running.items()
                    if name.partition(" ")[0] not in skipped
                }
            else:
                running |= dict.fromkeys(said.names, said.condition)
    return tuple(Guard(name, _method(facts, places, name), running[name]) for name in running)


def _method(facts: Facts, places: list[tuple[str, str]], name: str) -> Spot | None:
    """The method of a filter; of those of CanCanCan the class that holds the abilities."""
    if name.partition(" ")[0] in middleware().guards.loading:
        files = facts.tree.glob("**/ability.rb")
        return Spot(files[0], "Ability") if len(files) == 1 else None
    spots = (Spot(path, f"{holder}.{name}") for path, holder in reversed(places))
    return next((spot for spot in spots if symbol_of(facts, spot.path, spot.name)), None)


def _signs_in(facts: Facts, spot: Spot | None) -> bool:
    """Does a filter sign somebody in and answer nothing itself? Such a one keeps nobody out."""
    table = middleware().guards
    calls = facts.code[spot.path].calls if spot else ()
    names = {call.name for call in calls if spot and call.caller == spot.name}
    return bool(names & table.signing) and not names & table.answering


@query
def _included(facts: Facts, path: str, holder: str) -> tuple[tuple[str, str], ...]:
    """The modules that a class of Ruby includes, as they are: of one statement the last first."""
    found = []
    for call in facts.code[path].calls:
        if call.name == "include" and call.caller == holder:
            text = _going_on(lines_of(facts, path), call.line)
            for name in reversed(_CONSTANT.findall(text)):
                end = handler_of(facts, path, name, call.line)
                if end is not None:
                    found.append(end)
    return tuple(found)


@query
def _filters(facts: Facts, path: str, holder: str) -> tuple[_Said, ...]:
    """What the body of a class says of filters, itself or by a macro."""
    found = []
    lines, macros = lines_of(facts, path), _macros(facts)
    loading = middleware().guards.loading
    for call in (*facts.code[path].calls, *_bare(facts, path, holder)):
        macro = macros.get(call.name) if call.caller == holder else None
        is_loading = call.name.removeprefix("skip_") in loading
        if call.caller == holder and (macro or is_loading or call.name in (*_BEFORE, *_SKIPPED)):
            text = _going_on(lines, call.line).partition(call.name)[2]
            verb, names = macro or (call.name, _filter_names(text))
            if is_loading:
                names = (" ".join((call.name, *(f":{name}" for name in names[:1]))),)
            only, but = _actions(text, "only: "), _actions(text, "except: ")
            asked = _CONDITION.search(text)
            found.append((call.line, _Said(names, verb, only, but, asked[0] if asked else "")))
    return tuple(said for _, said in sorted(found, key=lambda item: item[0]))


def _bare(facts: Facts, path: str, holder: str) -> Iterator[Call]:
    """The macros that a class names on a line of their own, without arguments."""
    named = {*_macros(facts), *middleware().guards.loading}
    for line, match in _in_body(facts, path, holder, _ALONE):
        if match[1].removeprefix("skip_") in named or match[1] in named:
            yield Call(match[1], line, "", holder)


def _in_body(
    facts: Facts, path: str, holder: str, pattern: re.Pattern[str]
) -> Iterator[tuple[int, re.Match[str]]]:
    """The lines in the body of a class that begin so, by number, without those of its methods."""
    symbol, lines = symbol_of(facts, path, holder), lines_of(facts, path)
    for line in range(symbol.line + 1, symbol.end + 1) if symbol else ():
        match = pattern.match(lines[line - 1])
        if match and not around(facts, path, line):
            yield line, match


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
                text = _going_on(lines_of(facts, path), call.line).partition(call.name)[2]
                meanings, spot = found[call.caller.rpartition(".")[2]], Spot(path, call.caller)
                earlier = meanings.get(spot, (call.name, ()))[1]
                meanings[spot] = call.name, (*earlier, *_filter_names(text))
    return {
        name: next(iter(meanings.values()))
        for name, meanings in found.items()
        if len(meanings) == 1
    }


def _going_on(lines: Sequence[str], line: int) -> str:
    """A statement that goes on behind commas."""
    end = line
    while lines[end - 1].rstrip().endswith((",", "[")) and end < min(len(lines), line + _LINES_MAX):
        end += 1
    return " ".join(text.strip() for text in lines[line - 1 : end])


def _actions(text: str, option: str) -> frozenset[str]:
    rest = text.partition(option)[2]
    ends = [end for sign in "]),\n" if (end := rest.find(sign)) > 0]
    opened = rest.find("[")
    end = rest.find("]") if 0 <= opened <= 2 else min(ends, default=len(rest))
    return frozenset(_WORDS.findall(rest[:end].removeprefix("%i").removeprefix("%w")))


def _permissions(facts: Facts, path: str, holder: str) -> Iterator[Guard]:
    """The permissions of a view: its own lists, or the nearest that it inherits."""
    told: set[str] = set()
    around_it = [*types(facts).around((path, holder))]
    needed = next(
        (match[1] for place in around_it for _, match in _in_body(facts, *place, _NEEDED)), ""
    )
    for where, name in around_it:
        symbol = symbol_of(facts, where, name)
        yield from _decorators(facts, where, symbol) if symbol else ()
        for base in symbol.bases if symbol else ():
            if _MIXIN.fullmatch(base.rpartition(".")[2]):
                is_of_one = needed and "Permission" in base
                words = f"{base}({needed})" if is_of_one else base
                yield Guard(words, _declared(facts, where, base))
        lists = _lists(facts, where, name)
        for kind, names in lists:
            for each in names if kind not in told else ():
                if kind in _ASKED_ALL or is_guard(each):
                    yield Guard(each, _declared(facts, where, each))
        told |= {kind for kind, _ in lists}
        attributes = {name: rest for name, *rest in _depended(facts, where, name)}
        for attribute, (kind, dependency) in attributes.items():
            if attribute not in told and (kind == "Security" or is_guard(dependency)):
                yield Guard(dependency, _declared(facts, where, dependency))
        told |= attributes.keys()


def _decorators(facts: Facts, path: str, symbol: Symbol) -> Iterator[Guard]:
    """The decorators of a view of Python that let only some through, also on a class."""
    if symbol.marks:
        lines = lines_of(facts, path)
        above = "\n".join(lines[max(symbol.line - 1 - _LINES_MAX, 0) : symbol.line])
        for mark in symbol.marks:
            wrapped = _WRAPPED.findall(above) if mark == "method_decorator" else [mark]
            for name in wrapped:
                spot = _declared(facts, path, name)
                known = wrappers(facts).get((spot.path, spot.name)) if spot else None
                if is_guard(name) or (known and known.refuses):
                    yield Guard(name, spot)
        own = above.rpartition("\n\n")[2]
        for name in (it for listed in _OF_ROUTE.findall(own) for it in _DOTTED.findall(listed)):
            yield Guard(name, _declared(facts, path, name))


@query
def _depended(facts: Facts, path: str, holder: str) -> tuple[tuple[str, str, str], ...]:
    """The attributes in the body of a class that are dependencies, and of which kind and what."""
    matches = _in_body(facts, path, holder, _DEPENDED)
    return tuple((match[1], match[2], match[3]) for _, match in matches)


@query
def _lists(facts: Facts, path: str, holder: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The lists of permissions and filters in the body of a class."""
    lines, found = lines_of(facts, path), []
    for line, match in _in_body(facts, path, holder, _LISTED):
        text = lines[line - 1][match.end() :]
        for more in lines[line : line + _LINES_MAX]:
            if text.count("(") + text.count("[") <= text.count(")") + text.count("]"):
                break
            text += more.partition("#")[0]
        text = text.partition("#")[0]
        if not text.rstrip().endswith(","):  # Which is given to a decorator.
            found.append((match[1], tuple(_DOTTED.findall(text))))
    return tuple(found)
