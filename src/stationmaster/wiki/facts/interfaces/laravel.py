"""What decides in Laravel whether a request is answered: middleware by its aliases and groups, and
what controllers ask policies and requests of forms."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from stationmaster.catalogue.middleware import is_guard
from stationmaster.reading.code.languages.php.middleware import LEFT_OUT
from stationmaster.reading.code.languages.source import one_line
from stationmaster.reading.code.model import Call, Symbol
from stationmaster.reading.code.signatures import arguments
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.comments import lines_of, symbol_of
from stationmaster.wiki.facts.code.interfaces import interfaces
from stationmaster.wiki.facts.code.names import handler_of, targets, types
from stationmaster.wiki.facts.guarding.guards import Guard, where_asked
from stationmaster.wiki.facts.model import Facts, Spot, query

_CONTROLLERS = "App\\Http\\Controllers"
_DEPTH_MAX = 3
"""Of groups within groups."""
_DEFAULT = frozenset({"web", "api"})
_HEAD_MAX, _LINES_MAX = 20, 6
"""Lines of the head of a method, and of a statement."""
_TYPED = re.compile(r"\b([A-Z]\w*+)\s++\$(\w++)")
_ASKED = re.compile(
    r"\b(authorize|denyAccessUnlessGranted|allows|any|can|cannot|cant|check|denies)(?:ForUser)?"
    r"\(\s*(?:[^()'\"]{1,40},\s*(?=['\"][\w-]{1,80}['\"]))?"
    r"(['\"]([\w. :-]{1,80})['\"](?:\s*,\s*([\w\\$>:-]++)(?!\())?)"
)
_AUTHORIZING = frozenset({"authorize", "authorizeForUser", "denyAccessUnlessGranted"})
_ABORTING = frozenset({"abort_if", "abort_unless", "throw_if", "throw_unless"})
_ASKING = frozenset({"allows", "any", "can", "cannot", "cant", "check", "denies"})
_CHECKING = re.compile(r"(?:assert|check|ensure|prevent)[A-Z]")
_OWN = frozenset({"this", "self", "static", "parent"})
_REACHED_MAX = 12
"""Methods that one calls, also through others."""
_SHOWN_MAX = 80
_GATE = re.compile(
    r"\bGate::define\(\s*['\"]([\w. :-]{1,80})['\"]"
    r"(?:\s*,\s*(?:\[\s*)?\\?(?:\w+\\)*(\w+)::class\s*,\s*['\"](\w+)['\"])?"
)
_RESOURCE = re.compile(r"\bauthorizeResource\(\s*\\?(?:\w+\\)*(\w+)::class")
_OF_CONTROLLER = re.compile(r"\$this->middleware\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_ITEM = re.compile(r"(?:(?<![\w\\])\\?(?:\w++\\)*+(\w++)::class|['\"]([\w:.,-]+)['\"])")
_CHOSEN = re.compile(r"->(only|except)\(([^()]*)\)")
_OPTION = re.compile(r"['\"](only|except)['\"]\s*=>\s*(\[[^\[\]]*+\]|['\"]\w++['\"])")
_WORD = re.compile(r"['\"](\w+)['\"]")
_TURNED_AWAY = re.compile(
    r"\babort(?:_if|_unless)?\(|\bredirect\(|\bRedirect::|[\s,(](?:401|403)\s*\)"
    r"|\bnew\s+\\?(?:\w+\\)*+\w*NotFound\w*Exception\b"
)
_ANSWERED = re.compile(r"\bthrow\b|\bredirect|\bresponse\(|->\w*(?:auth|check)\w*\(", re.IGNORECASE)
"""What stands in a middleware that is called so and may answer a request itself."""
_HANDED_ON = re.compile(r"\$next\b|->handle\(")
_HANDLING = ("handle", "process", "__invoke")
"""How the method of a middleware is called, in Laravel and in Slim."""
_REFUSED = re.compile(
    r"[\s,(](?:401|403)\s*[,)]|\bHTTP_(?:UNAUTHORIZED|FORBIDDEN)\b|\bGate::authorize\("
    r"|(?:->|::)(?:authorize|authenticate)\("
    r"|\bthrow\s+new\s+\\?(?:\w+\\)*+\w*(?:Auth|Access|Forbidden|Denied|Permission)"
)
_MIDDLEWARE = re.compile(
    r"new\s+Middleware\(\s*(\[[^\[\]]*+\]|['\"][\w:.,-]++['\"]|[\w\\]++::class)([^()]*+)\)"
)
_NAMED_OPTION = re.compile(r"\b(only|except):\s*(\[[^\[\]]*+\]|['\"]\w++['\"])")
_ABILITIES: Mapping[str, str] = {
    "index": "viewAny", "show": "view", "create": "create", "store": "create",
    "edit": "update", "update": "update", "destroy": "delete",
}  # fmt: skip
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


def others(facts: Facts, names: Sequence[str]) -> tuple[str, ...]:
    """Those of middleware that are known not to protect, or of which nobody knows it, in order."""
    aside = _DEFAULT | _left(facts, names)
    named = (name for name in names if name not in aside and not name.startswith(LEFT_OUT))
    return tuple(name for name in dict.fromkeys(named) if name and not guards(facts, (name,)))


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
    taken = {name: type_ for type_, name in _TYPED.findall(head)}
    for type_ in taken.values():
        found += _of_form(facts, handler_of(facts, path, type_, action.line))
    lines = lines_of(facts, path)
    for call in facts.code[path].calls:
        if call.caller == action.qualified:
            text = _statement(lines, call.line)
            near = {name: type_ for type_, name in _TYPED.findall(text)}
            found += _asking(facts, path, call, text, {**taken, **near})
    return tuple(dict.fromkeys(found))


def _asking(
    facts: Facts, path: str, call: Call, text: str, taken: Mapping[str, str]
) -> Iterator[Guard]:
    """What a call within a controller's method asks before it goes on, if it does."""
    if call.name in _AUTHORIZING:
        is_own = call.of in _OWN or call.of == "Gate"
        unread = [Guard(_shown(text, call.name), None)] if is_own else []
        yield from [*_asked(facts, text, taken)] or unread
    elif call.name in _ASKING | _ABORTING and _REFUSED.search(text):
        guards = [*_asked(facts, text, taken)]
        yield from guards or [Guard(_shown(text, call.name), None)]
    elif (call.of in _OWN or call.of[:1].isupper()) and (
        is_guard(call.name) or _CHECKING.match(call.name)
    ):
        for spot in targets(facts, path, call)[:1]:
            if any(map(_REFUSED.search, _reached(facts, spot))):
                yield Guard(_shown(text, call.name), spot)


def _shown(text: str, name: str) -> str:
    """A call as a statement has it."""
    given = text.partition(f"{name}(")[2]
    return one_line(f"{name}({', '.join(arguments(f'({given}'))})", _SHOWN_MAX)


@query
def _reached(facts: Facts, spot: Spot) -> tuple[str, ...]:
    """The lines of a method and of those of its own object that it calls, without remarks."""
    waiting, lines = [spot], list[str]()
    for at, place in enumerate(waiting):
        symbol = symbol_of(facts, place.path, place.name) if at < _REACHED_MAX else None
        if symbol is None:
            continue
        own = lines_of(facts, place.path)[symbol.line - 1 : symbol.end]
        lines += (line.partition("//")[0] for line in own)
        for call in facts.code[place.path].calls:
            if call.caller == place.name and call.of in _OWN:
                waiting += (it for it in targets(facts, place.path, call) if it not in waiting)
    return tuple(lines)


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
    is_named = is_guard(bare) or bool(meant and is_guard(meant[0]))
    answers = _turns_away(facts, class_, is_named) if class_ else None
    if is_named if answers is None else answers:
        yield Guard(name, class_ or _gates(facts).get(_ability(name)))


@query
def _turns_away(facts: Facts, class_: Spot, is_named: bool) -> bool | None:
    """Does a middleware of the project answer some requests itself, by an error or a redirect? None
    for one that is not seen to hand requests on, such as one that a library handles."""
    around = (
        Spot(path, f"{name}.{method}")
        for path, name in types(facts).around(class_)
        for method in _HANDLING
    )
    for spot in around:
        lines = _reached(facts, spot)
        if any(map(_HANDED_ON.search, lines)):
            forms = (_TURNED_AWAY, _REFUSED, *([_ANSWERED] if is_named else ()))
            return any(form.search(line) for line in lines for form in forms)
    return None


def _ability(name: str) -> str:
    """`update` of `can:update,order`."""
    return name.removeprefix("can:").partition(",")[0] if name.startswith("can:") else ""


@query
def _gates(facts: Facts) -> Mapping[str, Spot]:
    """Where an application says who has an ability: the method of a policy, or what defines it."""
    found: dict[str, Spot] = {}
    for path, said in facts.code.items():
        for call in said.calls if path.endswith(".php") else ():
            is_gate = call.name == "define" and call.of == "Gate" and call.caller
            text = _statement(lines_of(facts, path), call.line) if is_gate else ""
            if match := _GATE.search(text):
                policy = _class(facts, match[2]) if match[2] else None
                spot = Spot(policy.path, f"{policy.name}.{match[3]}") if policy else None
                is_there = spot is not None and symbol_of(facts, *spot) is not None
                found[match[1]] = spot if spot and is_there else Spot(path, call.caller)
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
    """The request of a form that itself decides who may send it, or what that builds on."""
    for path, class_ in types(facts).around((form.path, form.name)) if form else ():
        name = f"{class_}.authorize"
        if method := symbol_of(facts, path, name):
            body = " ".join(lines_of(facts, path)[method.line : method.end])
            if "".join(body.split()).strip("{}") != "returntrue;":
                yield Guard(name, Spot(path, name))
            return


def _asked(facts: Facts, text: str, taken: Mapping[str, str]) -> Iterator[Guard]:
    """`$this->authorize("update", $order)`, with the method of the policy that answers."""
    for match in _ASKED.finditer(text):
        subject = (match[4] or "").rpartition("\\")[2]
        type_ = taken.get(subject.lstrip("$"), "") if "$" in subject else subject.split("::")[0]
        spot = _policy(facts, type_, match[3]) or _gates(facts).get(match[3])
        yield Guard(f"{match[1]}({match[2]})", spot)


def _policy(facts: Facts, type_: str, ability: str) -> Spot | None:
    spot = _class(facts, f"{type_}Policy") if type_ else None
    first, *rest = ability.split("-")
    name = first + "".join(word.title() for word in rest)
    is_there = spot and symbol_of(facts, spot.path, f"{spot.name}.{name}")
    return Spot(spot.path, f"{spot.name}.{name}") if spot and is_there else None


def _of_controller(facts: Facts, path: str, action: Symbol) -> Iterator[Guard]:
    """What a controller asks for its actions, by itself or by what it builds on."""
    is_made_above = bool(action.container)
    for place, class_ in types(facts).around((path, action.container)) if is_made_above else ():
        lines, maker = lines_of(facts, place), f"{class_}.__construct"
        making = [call for call in facts.code[place].calls if call.caller == maker]
        for call in making if is_made_above else ():
            asked = _constructed(facts, call, _statement(lines, call.line), action)
            yield from where_asked(facts, place, call.line, asked)
        if symbol_of(facts, place, maker):
            is_made_above = any(
                (call.of, call.name) == ("parent", "__construct") for call in making
            )
        listed = symbol_of(facts, place, f"{class_}.middleware")
        if listed is not None and "static" in listed.signature.split():
            yield from _listed(facts, " ".join(lines[listed.line : listed.end]), action)


def _constructed(facts: Facts, call: Call, text: str, action: Symbol) -> Iterator[Guard]:
    """What a call within a constructor asks for an action."""
    if call.name == "authorizeResource" and (match := _RESOURCE.search(text)):
        if ability := _ABILITIES.get(action.name):
            spot = _policy(facts, match[1], ability)
            yield Guard(f"authorize('{ability}', {match[1]})", spot)
    elif call.name == "middleware" and (match := _OF_CONTROLLER.search(text)):
        options = _OPTION.findall(match[1])
        if _is_chosen(action.name, _CHOSEN.findall(text) + options):
            items = _ITEM.findall(_OPTION.sub("", match[1]))
            yield from guards(facts, [a or b for a, b in items])


def _listed(facts: Facts, text: str, action: Symbol) -> Iterator[Guard]:
    """What the list of a controller's middleware asks for an action."""
    items = _ITEM.findall(_MIDDLEWARE.sub("", text))
    for match in _MIDDLEWARE.finditer(text):
        if _is_chosen(action.name, _NAMED_OPTION.findall(match[2])):
            items += _ITEM.findall(match[1])
    yield from guards(facts, [a or b for a, b in items])


def _is_chosen(name: str, options: Sequence[tuple[str, str]]) -> bool:
    """Is an action among those that middleware is for?"""
    of = {verb: _WORD.findall(named) for verb, named in options}
    return name not in of.get("except", ()) and name in of.get("only", [name])
