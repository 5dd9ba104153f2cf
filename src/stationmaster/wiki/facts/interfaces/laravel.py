"""What decides in Laravel whether a request is answered: middleware by its aliases and groups, and
what controllers ask policies and requests of forms."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from stationmaster.catalogue.middleware import is_guard
from stationmaster.reading.code.languages.php.middleware import LEFT_OUT
from stationmaster.reading.code.model import Symbol
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import handler_of
from stationmaster.wiki.facts.interfaces.guards import Guard
from stationmaster.wiki.facts.model import Facts, Spot, query

_CONTROLLERS = "App\\Http\\Controllers"
_DEPTH_MAX = 3
"""Of groups within groups."""
_DEFAULT = frozenset({"web", "api"})
_HEAD_MAX = 20
"""Lines of the head of a method."""
_LINES_MAX = 6
"""Of a statement."""
_TYPED = re.compile(r"([A-Z]\w*)\s+\$(\w+)")
_ASKED = re.compile(
    r"\bauthorize(?:ForUser)?\(\s*(?:[^()'\"]{1,40},\s*)?"
    r"(['\"]([\w-]+)['\"](?:\s*,\s*([\w\\$>:-]++)(?!\())?)"
)
_GATE = re.compile(r"\bGate::define\(\s*['\"]([\w.-]+)['\"]")
_RESOURCE = re.compile(r"\bauthorizeResource\(\s*\\?(?:\w+\\)*(\w+)::class")
_OF_CONTROLLER = re.compile(r"\$this->middleware\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_ITEM = re.compile(r"(?:\\?(?:\w+\\)*(\w+)::class|['\"]([\w:.,-]+)['\"])")
_CHOSEN = re.compile(r"->(only|except)\(([^()]*)\)")
_OPTION = re.compile(r"['\"](only|except)['\"]\s*=>\s*(\[[^\[\]]*+\]|['\"]\w++['\"])")
_WORD = re.compile(r"['\"](\w+)['\"]")
_TURNED_AWAY = re.compile(
    r"\babort(?:_if|_unless)?\(|\bredirect\(|\bRedirect::|[\s,(](?:401|403)\s*\)"
    r"|\bthrow\s+new\s+\\?(?:\w+\\)*+\w*(?:Auth|Access|Forbidden|Denied)"
)
_ABILITIES: Mapping[str, str] = {
    "index": "viewAny",
    "show": "view",
    "create": "create",
    "store": "create",
    "edit": "update",
    "update": "update",
    "destroy": "delete",
}
"""What a policy is asked for an action of a resource."""


def guards(facts: Facts, names: Sequence[str]) -> tuple[Guard, ...]:
    """Those of middleware that protect, in order, without what a route leaves out (`-name`). A
    group is one of them by its name, as far as nothing of it is left out; those that Laravel itself
    puts before files of routes stand for what they hold."""
    left = _left(facts, names)
    guards: list[Guard] = []
    for name in names:
        members = () if name.startswith(LEFT_OUT) else _members(facts, name, _DEPTH_MAX)
        own = [guard for each in members if each not in left for guard in _of(facts, each)]
        is_one = len(members) > 1 and name not in _DEFAULT and left.isdisjoint(members)
        if own and is_one:
            spot = next((guard.spot for guard in own if guard.spot), None)
            own = [Guard(name, spot, members=members)]
        guards += own
    return tuple(dict.fromkeys(guards))


def kept(facts: Facts, above: Sequence[Guard], names: Sequence[str]) -> tuple[Guard, ...]:
    """Guards of what loads a file of routes, without what a route leaves out."""
    left = _left(facts, names)
    return tuple(each for each in above if not left.issuperset(each.members or (each.name,)))


def _left(facts: Facts, names: Sequence[str]) -> frozenset[str]:
    bare = (name.removeprefix(LEFT_OUT) for name in names if name.startswith(LEFT_OUT))
    members = [each for name in bare for each in _members(facts, name, _DEPTH_MAX)]
    classes = {class_ for name in members for class_ in _named(facts).get(name, ())}
    aliases = {
        name for name, meant in _named(facts).items() if len(meant) == 1 and meant[0] in members
    }
    return frozenset((*members, *classes, *aliases))


def _members(facts: Facts, name: str, depth: int) -> tuple[str, ...]:
    """What a group holds, also through other groups; of anything else the name."""
    meant = _named(facts).get(name, ())
    if depth and (len(meant) > 1 or (meant and name in _DEFAULT)):
        return tuple(each for inner in meant for each in _members(facts, inner, depth - 1))
    return (name,)


def acting(facts: Facts, path: str, action: Symbol) -> tuple[Guard, ...]:
    """Those that a method of a controller has by itself or by its controller."""
    found = [*_of_controller(facts, path, action)]
    head = _head(facts, path, action)
    types = {name: type_ for type_, name in _TYPED.findall(head)}
    for type_ in types.values():
        found += _of_form(facts, handler_of(facts, path, type_, action.line))
    lines = lines_of(facts, path)
    for call in facts.code[path].calls:
        if call.name in ("authorize", "authorizeForUser") and call.caller == action.qualified:
            text = _statement(lines, call.line)
            near = {name: type_ for type_, name in _TYPED.findall(text)}
            found += _asked(facts, text, {**types, **near})
    return tuple(dict.fromkeys(found))


def route_file(facts: Facts, path: str, name: str) -> str:
    """The file of routes that another one loads: beside it (`./auth.php`), below the nearest folder
    above it, or else the only one; '' for none."""
    folder = "" if folder_of(path) == "." else folder_of(path)
    if name.startswith("."):
        beside = posixpath.normpath(posixpath.join(folder, name))
        return beside if beside in facts.code else ""
    while True:
        if (file := posixpath.join(folder, name)) in facts.code:
            return file
        if not folder:
            break
        folder = posixpath.dirname(folder)
    files = facts.tree.glob(f"**/{name}")
    return files[0] if len(files) == 1 else ""


def handler(facts: Facts, path: str, words: str, line: int) -> tuple[str, Symbol] | None:
    """The method of a controller that a file names at a line, whatever its case."""
    class_, _, method = words.strip("\\").rpartition(".")
    spot = controller(facts, path, class_, line)
    for symbol in facts.code[spot.path].symbols if spot else ():
        is_it = symbol.name.lower() == method.lower()
        if spot is not None and is_it and symbol.container == spot.name:
            return spot.path, symbol
    return None


def inherited(facts: Facts, path: str, words: str, line: int) -> tuple[Guard, ...]:
    """What the constructor of a controller asks for a method that it has from elsewhere."""
    class_, _, method = words.strip("\\").rpartition(".")
    spot = controller(facts, path, class_, line)
    action = Symbol(method, "method", line, line, spot.name if spot else "")
    return tuple(_of_controller(facts, spot.path, action)) if spot else ()


def controller(facts: Facts, path: str, name: str, line: int) -> Spot | None:
    """The class that a file names, or else the only one of this name, or its end, in namespaces; of
    several the one that lies directly in the usual one."""
    if spot := handler_of(facts, path, name, line):
        return spot
    last = name.rpartition("\\")[2]
    ends = {full: where for full, where in _classes(facts).get(last, ()) if _is_end(full, name)}
    usual = ends.get(f"{_CONTROLLERS}\\{name}")
    where = usual or (next(iter(ends.values())) if len(ends) == 1 else "")
    return Spot(where, last) if where else None


def _is_end(full: str, name: str) -> bool:
    return f"\\{full}".endswith(f"\\{name}")


@query
def _classes(facts: Facts) -> Mapping[str, Sequence[tuple[str, str]]]:
    """The classes of PHP by their own names: with their namespaces, and their files."""
    named: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path, said in facts.code.items():
        for symbol in said.symbols if path.endswith(".php") else ():
            if symbol.kind == "class" and facts.records[path].file_class == "source":
                named[symbol.name].append((f"{said.package}\\{symbol.name}", path))
    return named


def _of(facts: Facts, name: str) -> Iterator[Guard]:
    bare = name.partition(":")[0]
    meant = _named(facts).get(bare, ())
    class_ = _class(facts, meant[0] if meant else bare)
    is_named = is_guard(bare) or (meant and is_guard(meant[0]))
    if is_named or (class_ is not None and _turns_away(facts, class_)):
        yield Guard(name, class_ or _gates(facts).get(_ability(name)))


@query
def _turns_away(facts: Facts, class_: Spot) -> bool:
    """Does a middleware of the project answer some requests itself, by an error or a redirect?"""
    method = symbol_of(facts, class_.path, f"{class_.name}.handle")
    lines = lines_of(facts, class_.path)[method.line - 1 : method.end] if method else ()
    return any(_TURNED_AWAY.search(line.partition("//")[0]) for line in lines)


def _ability(name: str) -> str:
    """`update` of `can:update,order`."""
    return name.removeprefix("can:").partition(",")[0] if name.startswith("can:") else ""


@query
def _gates(facts: Facts) -> Mapping[str, Spot]:
    """Where an application says who has an ability."""
    found: dict[str, Spot] = {}
    for path, said in facts.code.items():
        for call in said.calls if path.endswith(".php") else ():
            is_gate = call.name == "define" and call.of == "Gate" and call.caller
            text = _statement(lines_of(facts, path), call.line) if is_gate else ""
            if match := _GATE.search(text):
                found[match[1]] = Spot(path, call.caller)
    return found


@query
def _named(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    named: dict[str, tuple[str, ...]] = {}
    for file in interfaces(facts):
        for name, classes in file.wiring.middleware if file.path.endswith(".php") else ():
            named[name] = (*named.get(name, ()), *classes)
    return named


@query
def _class(facts: Facts, name: str) -> Spot | None:
    """The only class of this name that lies in a file called so."""
    paths = facts.tree.glob(f"{name}.php", f"**/{name}.php") if name.isidentifier() else ()
    own = [path for path in paths if path in facts.code and symbol_of(facts, path, name)]
    return Spot(own[0], name) if len(own) == 1 else None


def _head(facts: Facts, path: str, action: Symbol) -> str:
    """The lines of a method up to its body."""
    lines = lines_of(facts, path)[action.line - 1 : min(action.end, action.line + _HEAD_MAX)]
    return " ".join(lines).partition("{")[0]


def _statement(lines: Sequence[str], line: int) -> str:
    """What stands in a line, and behind it as far as the statement goes on."""
    end = line
    while ";" not in lines[end - 1] and end < min(len(lines), line + _LINES_MAX):
        end += 1
    return " ".join(text.strip() for text in lines[line - 1 : end])


def _of_form(facts: Facts, form: Spot | None) -> Iterator[Guard]:
    """The request of a form that itself decides who may send it."""
    name = f"{form.name}.authorize" if form else ""
    method = symbol_of(facts, form.path, name) if form else None
    if form is not None and method is not None:
        body = " ".join(lines_of(facts, form.path)[method.line : method.end])
        if "".join(body.split()).strip("{}") != "returntrue;":
            yield Guard(name, Spot(form.path, name))


def _asked(facts: Facts, text: str, types: Mapping[str, str]) -> Iterator[Guard]:
    """`$this->authorize("update", $order)`, with the method of the policy that answers."""
    for match in _ASKED.finditer(text):
        subject = (match[3] or "").rpartition("\\")[2]
        type_ = types.get(subject.lstrip("$"), "") if "$" in subject else subject.split("::")[0]
        spot = _policy(facts, type_, match[2]) or _gates(facts).get(match[2])
        yield Guard(f"authorize({match[1]})", spot)


def _policy(facts: Facts, type_: str, ability: str) -> Spot | None:
    spot = _class(facts, f"{type_}Policy") if type_ else None
    first, *rest = ability.split("-")
    name = first + "".join(word.title() for word in rest)
    is_there = spot and symbol_of(facts, spot.path, f"{spot.name}.{name}")
    return Spot(spot.path, f"{spot.name}.{name}") if spot and is_there else None


def _of_controller(facts: Facts, path: str, action: Symbol) -> Iterator[Guard]:
    """What the constructor of a controller asks for its actions."""
    maker = symbol_of(facts, path, f"{action.container}.__construct") if action.container else None
    lines = lines_of(facts, path)
    for call in facts.code[path].calls if maker else ():
        if maker is None or call.caller != maker.qualified:
            continue
        text = _statement(lines, call.line)
        if call.name == "authorizeResource" and (match := _RESOURCE.search(text)):
            ability = _ABILITIES.get(action.name)
            if ability:
                yield Guard(
                    f"authorize('{ability}', {match[1]})", _policy(facts, match[1], ability)
                )
        elif call.name == "middleware" and (match := _OF_CONTROLLER.search(text)):
            options = _OPTION.findall(match[1])
            chosen = {verb: _WORD.findall(named) for verb, named in _CHOSEN.findall(text) + options}
            is_left_out = action.name in chosen.get("except", ())
            if not is_left_out and action.name in chosen.get("only", [action.name]):
                items = _ITEM.findall(_OPTION.sub("", match[1]))
                yield from guards(facts, [a or b for a, b in items])
