"""Jobs, tests, commands and entries of PHP."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace
from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages import annotated
from stationmaster.reading.code.languages.command_lines.annotated import (
    Form,
    Library,
    option_of,
    options_of,
)
from stationmaster.reading.code.languages.meanings import message
from stationmaster.reading.code.languages.php.web import BLOCKS, chained
from stationmaster.reading.code.languages.source import (
    child,
    first_child,
    inside,
    line_of,
    one_line,
    outward,
)
from stationmaster.reading.code.languages.unit import Called, Unit
from stationmaster.reading.code.model import CliCommand, Entry, Job, Option, Symbol, Test

_BASES = code.table("php.jobs.bases", dict[str, annotated.Base])
_MARKED = code.table("php.jobs.attributes", annotated.Annotations)
_TRIGGERS = ("expression", "frequency", "event", 0)
_SUBSCRIBED = re.compile(
    r"((?<![\w\\])[\w\\]+::\w+|['\"][\w.-]+['\"])\s*=>\s*(?:\[\s*)*['\"](\w+)['\"]"
)
_TIMES = re.compile(
    r"cron|every\w+|minutes|hours|hourly\w*|daily\w*|weekly\w*|monthly\w*|yearly\w*|twice\w+"
)
_HOLDING = frozenset({"method_declaration", "function_definition", "program"})
_CONDITION_MAX = 100
_FACADES = ("Illuminate\\Support\\Facades",)
_FORMS = code.table("php.commands.calls", dict[str, Form])
_LIBRARY = code.table("php.commands.parameters", Library)
_CONSOLE = ("Symfony\\Component\\Console", "Illuminate\\Console")
_TEXT = r"(?:'((?:[^'\\]|\\.){1,4000}+)'|\"((?:[^\"\\]|\\.){1,4000}+)\")"
_SIGNATURE = re.compile(rf"\$signature\s*=\s*{_TEXT}".encode(), re.DOTALL)
_NAME = re.compile(rf"\b(?:protected|public)\s+(?:string\s+)?\$name\s*=\s*{_TEXT}".encode())
_DESCRIPTION = re.compile(rf"\$description\s*=\s*{_TEXT}".encode(), re.DOTALL)
_LISTED = re.compile(
    rf"\[\s*['\"]([\w-]{{1,60}})['\"]\s*,(?:\s*(?:null|['\"]([\w|]{{0,20}})['\"])\s*,)?"
    rf"\s*\\?(?:\w+\\)*+Input(Argument|Option)::[\w\s|:\\]++(?:,\s*{_TEXT})?"
    r"(?:\s*,\s*(?:['\"]([^'\"]{1,100})['\"]|(\d{1,12})))?"
)
"""What `getArguments` and `getOptions` list: name, letter, what it is, help and default."""
_ESCAPED = re.compile(r"\\(['\"\\])")
_GIVEN_NAME = re.compile(rb"\bparent::__construct\(\s*['\"]([\w:.-]{1,100})['\"]")
_DEFAULT_NAME = re.compile(rb"\$defaultName\s*=\s*['\"]([\w:.-]{1,100})['\"]")
_PART = re.compile(r"\{([^{}:]++)(?::([^{}]*+))?\}")
_TEST = re.compile(
    rb"@test\b(?:[^*]|\*(?!/)){0,400}\*/\s*+(?:#\[[^\n]*+\s++){0,20}+(?:public\s++)?function\s++(\w+)"
)
"""A method whose comment marks it as a test."""
_HIDDEN = re.compile(rb"\b(?:private|protected)\s+(?:static\s+)?function\s+(\w+)")
_FRONT = re.compile(rb"->handleRequest\(|->handle\(\s*\$?\w*[rR]equest|\bnew Kernel\(")
_PLUGIN = re.compile(rb"^[ \t*]*Plugin Name:[ \t]*(\S[^\n]{0,100})", re.MULTILINE)
_CLASS = re.compile(r"new\s+\\?([\w\\]{1,100})|(?:\[\s*)?\\?([\w\\]{1,100})::class\b")
_CALLING = frozenset({
    "function_call_expression", "member_call_expression", "scoped_call_expression",
})  # fmt: skip
_HOLDER = re.compile(
    r"\$(\w{1,100})|\\?([A-Za-z][\w\\]{0,100})|\(?new\s+\\?([\w\\]{1,100})(?:\(\))?\)?"
    r"|(?:app|resolve)\(\\?([\w\\]{1,100})::class\)"
)
"""What a method is called on: a variable, a class, or a new object of one."""
_LITERAL = re.compile(r"['\"][^'\"$]{1,60}['\"]|\d{1,12}|true|false")
CALLS = code.names("php.programs.calls")


def jobs(unit: Unit) -> Iterator[Job]:
    """The queued and scheduled jobs of Laravel, and the handlers and tasks of Symfony."""
    yield from annotated.jobs_by_base(unit, _BASES)
    yield from annotated.jobs(unit, _MARKED, _TRIGGERS)
    yield from _subscribed(unit)
    for call in unit.called:
        if call.name in ("command", "job", "call") and call.on in ("schedule", "Schedule"):
            yield from _scheduled(unit, call)


def _subscribed(unit: Unit) -> Iterator[Job]:
    """The methods that Symfony's subscribers name for events."""
    subscribers = {
        symbol.qualified
        for symbol, base in unit.classes("EventSubscriberInterface")
        if unit.proof.of(base, ("Symfony\\Component\\EventDispatcher",))
    }
    lines = unit.data.decode(errors="replace").split("\n") if subscribers else []
    for symbol in unit.symbols:
        if symbol.name == "getSubscribedEvents" and symbol.container in subscribers:
            for line, text in enumerate(lines[symbol.line - 1 : symbol.end], symbol.line):
                for event, method in _SUBSCRIBED.findall(text):
                    handler = f"{symbol.container}.{method}"
                    name = event.strip("'\"").removesuffix("::class")
                    yield Job(handler, "event", line, name, handler, "Symfony")


def _scheduled(unit: Unit, call: Called) -> Iterator[Job]:
    """`$schedule->command("orders:close")->dailyAt("1:00")`, and `Schedule::job(Close::class,
    "daily")` of a project's own."""
    first, *others = call.given.at or [None]
    named, text = _class_of(unit.text(first)), call.value(0)
    if call.name == "call" and first is not None and first.type in BLOCKS:
        named, text = _done(unit, first)
    called = f"{named}.{text}" if named and text else named
    called_name = called or text
    behind = [
        [name, *_time(unit, arguments.get(0))]
        for name, arguments in chained(unit, call.node)
        if _TIMES.fullmatch(name)
    ]
    behind.append([unit.text(node).strip("'\"") for node in others])
    words = next((words for words in behind if words and _TIMES.fullmatch(words[0])), None)
    if words is not None:
        time = " ".join(words[1:] if words[0] == "cron" else words)
        trigger = ", ".join(filter(None, [time, *_conditions(unit, call.node)]))
        called_name += _job_of(unit, first)
        is_known = called and not (named == "" and call.name == "call")
        handler = called if is_known else "" if call.name == "command" else call.caller
        yield Job(called_name or call.name, "schedule", call.line, trigger, handler, "Laravel")


def _time(unit: Unit, node: Node | None) -> list[str]:
    """The texts of an argument, or how it is written where it is none."""
    written = one_line(unit.text(node), _CONDITION_MAX)
    return unit.texts(node) or ([written] if written else [])


def _done(unit: Unit, closure: Node) -> tuple[str, str]:
    """The class, if it is known, and the method that the only statement of a closure calls."""
    body = child(closure, "body")
    is_block = body is not None and body.type == "compound_statement"
    statements = [it for it in inside(closure, "body") if it.type != "comment"] if is_block else []
    done = statements[0].named_children if len(statements) == 1 else [] if is_block else [body]
    made = next(iter(done), None)
    if made is None or made.type not in _CALLING:
        return "", ""
    holder = child(made, "scope") or child(made, "object")
    match = _HOLDER.fullmatch(unit.text(holder))
    named = next(filter(None, match.groups()), "").rpartition("\\")[2] if match else ""
    if match and match[1]:  # A variable that is called like a class which the file imports.
        named = named[0].upper() + named[1:]
        named = named if unit.proof.knows(named) else ""
    return named, unit.part(made, "name") or unit.part(made, "function")


def _conditions(unit: Unit, node: Node) -> Iterator[str]:
    """The conditions around a call, the inner first: `if $alerts`, `unless $closed`."""
    for around, inner in outward(node, *_HOLDING):
        body, condition = child(around, "body"), unit.part(around, "condition")
        is_inside = body == inner or inner.type in ("else_clause", "else_if_clause")
        if around.type in ("if_statement", "else_if_clause") and is_inside:
            plain = one_line(condition.removeprefix("(").removesuffix(")"), _CONDITION_MAX)
            yield f"{'if' if body == inner else 'unless'} {plain}"


def _class_of(text: str) -> str:
    """The class of `new Sweep(…)`, `Sweep::class` and `[Sweep::class, "run"]`."""
    match = _CLASS.match(text)
    return (match[1] or match[2]).rpartition("\\")[2] if match else ""


def _job_of(unit: Unit, node: Node | None) -> str:
    """The literals that a job is made of: `("orders:close")`."""
    if node is None or node.type != "object_creation_expression":
        return ""
    listed = first_child(node, "arguments")
    arguments = [unit.text(item) for item in unit.arguments(listed).all()]
    plain = [item for item in arguments if _LITERAL.fullmatch(item)]
    return f"({', '.join(plain)})" if plain else ""


def tests(unit: Unit) -> Iterator[Test]:
    """The test methods of PHPUnit's classes; in a file without such classes, the tests of Pest."""
    cases = {
        symbol.qualified
        for symbol in unit.symbols
        if symbol.kind == "class"
        and (any(it.endswith("TestCase") for it in symbol.bases) or _is_test(symbol))
    }
    hidden = {match[1].decode() for match in _HIDDEN.finditer(unit.data)} if cases else set()
    noted = {match[1].decode() for match in _TEST.finditer(unit.data)} if cases else set()
    for each in unit.symbols:
        is_case = each.name.startswith("test") or "Test" in each.marks or each.name in noted
        if is_case and each.container in cases and each.name not in hidden:
            yield Test(each.name, each.line)
    if not cases:
        for call in unit.called:
            block = call.given.get(1)
            is_case = call.name in ("test", "it") and not call.on and not call.caller
            if is_case and block is not None and block.type in BLOCKS:
                yield Test(call.value(0), call.line)


def _is_test(symbol: Symbol) -> bool:
    """Is a class called a test that extends something? Its own base may be of any name."""
    return symbol.name.endswith("Test") and bool(symbol.bases)


def commands(unit: Unit) -> Iterator[CliCommand]:
    """The command classes of Laravel and Symfony, where either console is imported, and the
    closures that are registered in Laravel as commands."""
    is_alias = not unit.package and not unit.proof.knows("Artisan")
    is_artisan = is_alias or unit.proof.of("Artisan", _FACADES)
    for call in unit.called:
        if call.name == "command" and call.on == "Artisan" and is_artisan:
            yield from _closure(unit, call)
    for symbol in unit.symbols if unit.proof.any_of(_CONSOLE) else ():
        if symbol.kind == "class" and any(base.endswith("Command") for base in symbol.bases):
            made = _laravel(unit, symbol) or _symfony(unit, symbol)
            if made is not None:
                yield made


def _closure(unit: Unit, call: Called) -> Iterator[CliCommand]:
    """`Artisan::command("orders:close {order}", fn () => …)->purpose("Closes one")`"""
    name, options = _signed(call.value(0), call.line)
    block = call.given.get(1)
    if name and block is not None and block.type in BLOCKS:
        purposes = [
            text
            for word, arguments in chained(unit, call.node)
            if word in ("purpose", "describe")
            for text in unit.texts(arguments.get(0))
        ]
        yield CliCommand((name,), call.line, _plain(*purposes[:1]), call.caller, options)


def _laravel(unit: Unit, symbol: Symbol) -> CliCommand | None:
    """`protected $signature = "orders:close {order : Which one} {--all}"`, or `$name` with what
    `getArguments` and `getOptions` list."""
    data = unit.data
    match = _SIGNATURE.search(data) or _NAME.search(data)
    if match is None:
        return None
    at = data.count(b"\n", 0, match.start()) + 1
    name, options = _signed(_decoded(match), at)
    described = _DESCRIPTION.search(data)
    help_ = _plain(_decoded(described)) if described else ""
    options = options or tuple(_listed(unit, symbol))
    return CliCommand((name,), symbol.line, help_, symbol.qualified, options)


def _decoded(match: re.Match[bytes]) -> str:
    return (match[1] or match[2]).decode(errors="replace")


def _plain(text: str = "") -> str:
    """A text without the backslashes before its quotation marks, in one line."""
    return one_line(_ESCAPED.sub(r"\1", text))


def _signed(signature: str, line: int) -> tuple[str, tuple[Option, ...]]:
    """The name and the options of a signature; those that may be repeated have no default."""
    options = []
    for part in _PART.finditer(signature):
        words, _, default = part[1].strip().partition("=")
        names = [name.strip() for name in words.split("|")]
        if names[0].startswith("--") and len(names) > 1:
            names = [f"-{names[0][2:]}", f"--{names[1]}"]
        plain = tuple(name.rstrip("?*") for name in names)
        options.append(Option(plain, line, _plain(part[2] or ""), default.strip(" *") or None))
    return signature.partition("{")[0].strip(), tuple(options)


def _listed(unit: Unit, symbol: Symbol) -> Iterator[Option]:
    lines = unit.data.decode(errors="replace").split("\n")
    for method in unit.symbols:
        if method.name in ("getArguments", "getOptions") and method.container == symbol.qualified:
            text = "\n".join(lines[method.line - 1 : method.end])
            for match in _LISTED.finditer(text):
                name, letter, kind, one, other, *defaults = match.groups()
                long = name if kind == "Argument" else f"--{name}"
                names = (f"-{letter}", long) if letter else (long,)
                line = method.line + text.count("\n", 0, match.start())
                default = next(filter(None, defaults), None)
                yield Option(names, line, _plain(one or other or ""), default)


def _symfony(unit: Unit, symbol: Symbol) -> CliCommand | None:
    own = [call for call in unit.called if call.caller.startswith(f"{symbol.qualified}.")]
    note = next(
        (n.notes.get("AsCommand") for n in unit.noted if n.qualified == symbol.qualified), None
    )
    match = _DEFAULT_NAME.search(unit.data) or _GIVEN_NAME.search(unit.data)
    name = note.value("name", 0) if note else match[1].decode() if match else ""
    name = name or next((call.value(0) for call in own if call.name == "setName"), "")
    if not name:
        return None
    help_ = note.value("description", 1) if note else ""
    described = (it for it in own if it.name == "setDescription")
    help_ = help_ or next((message(unit, it.given.get(0)) for it in described), "")
    own.sort(key=lambda call: call.node.end_byte)  # A call of a chain contains those before it.
    options = (
        *(it for call in own if (it := _added(unit, call)) is not None),
        *_marked(unit, symbol),
    )
    first = next(filter(None, name.split("|")), name)  # Behind it are other names.
    return CliCommand((first,), symbol.line, _plain(help_), symbol.qualified, options)


def _marked(unit: Unit, symbol: Symbol) -> Iterator[Option]:
    """The options and arguments that the parameters of `__invoke` are marked as."""
    for node in unit.nodes["declared"]:
        method = f"{symbol.qualified}.__invoke"
        if unit.part(node, "name") == "__invoke" and unit.scopes.at(node.end_byte - 1) == method:
            for field in unit.fields(node):
                for option in options_of(field, _LIBRARY):
                    default = unit.part(field.node, "default_value")
                    is_plain = _LITERAL.fullmatch(default) and default != "false"
                    value = default.strip("'\"") if is_plain else None
                    yield replace(option, line=line_of(field.node), default=value)


def _added(unit: Unit, call: Called) -> Option | None:
    """The options that `addArgument` and `addOption` add to a command of Symfony."""
    form = _FORMS.get(call.name)
    option = option_of(call, form, "", call.line) if form and call.value("name", 0) else None
    help_ = _plain(message(unit, call.given.get(*form.help))) if form else ""
    return replace(option, help=help_) if option is not None else None


def entries(unit: Unit) -> Iterator[Entry]:
    """A script with `#!`, the server or front controller of a file, a plugin of WordPress."""
    data = unit.data
    if data.startswith(b"#!"):
        yield Entry("script", "script", 1)
    elif not unit.package and not unit.symbols:
        runs = [call for call in unit.called if call.name == "run" and call.on == "app"]
        if runs and unit.proof.any_of(("Slim",)):
            yield Entry("Slim", "server", runs[0].line)
        elif match := _FRONT.search(data):
            yield Entry("front controller", "server", data.count(b"\n", 0, match.start()) + 1)
    if plugin := _PLUGIN.search(data[:8192]):
        line = data.count(b"\n", 0, plugin.start(1)) + 1
        yield Entry(one_line(plugin[1].decode(errors="replace")), "app", line)
