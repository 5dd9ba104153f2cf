"""Commands and options that builders of clap make:
`Command::new("x").arg(Arg::new("y").short('y'))`, and `arg!(-y --yes "Ask nothing")`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.inflections import paragraphs
from stationmaster.reading.code.languages.rust.attributes import CHAIN_MAX, GOING_ON, File, base
from stationmaster.reading.code.languages.rust.valued import NAME, Valued
from stationmaster.reading.code.languages.source import above, calls_on, child, line_of, one_line
from stationmaster.reading.code.model import CliCommand, Fact, Option, Setting

_TEXT = re.compile(r"(?s)b?[\"']((?:[^\"\\]|\\.){0,4000})[\"']")
_GOES_ON = re.compile(r"(?:\\n)?\\\n\s*|\\n")
"""The end of a line within a text."""
_MACRO = re.compile(
    r"(?:clap::)?arg!\s{0,9}[(\[{]\s{0,9}(?:(\w{1,60})\s{0,9}:(?!:)\s{0,9})?"
    r"(?:-\s?(?:'([^'\\])'|(\w)\b)\s{0,99})?(?:--\s?(?:\"([^\"\\]{1,80})\"|(\w{1,80}))\s{0,99})?"
    r"(?:\.\.\.\s{0,99})?(?:[<\[]\"?([\w |-]{1,80})\"?[>\]]\s{0,99})?"
    r"(?:\.\.\.\s{0,99})?,?\s{0,99}"
)
"""The text before the help in a macro of clap: an id, the names, and a value."""
_HANDED_ON = frozenset({"arguments", "array_expression", "call_expression", "field_expression"})
_HANDED_ON |= {"reference_expression"}
_AS_WRITTEN = re.compile("alias|value_parser|possible_values")
_ALIAS = re.compile(r"\"([\w-]+)\"")
_STEPS_MAX = 400
_UNKNOWN, _OF_ITSELF = -1, -2
"""Owners: a command of another file, and one that the function is a method of."""


def built(file: File) -> Iterator[Fact]:
    """The commands, each with the arguments of its chain, and the environment variables that set
    options."""
    yield from _Built(file).read()


class _Built:
    def __init__(self, file: File) -> None:
        self._file, self._paths = file, file.origins
        self._valued = Valued(file)
        is_glob = any(it.names == ("*",) for it in file.imports)
        self._is_reexported = is_glob and b".about(" in file.data
        """Other files may give it clap's names."""
        self._variables, self._arguments = self._held("Command"), self._held("Arg")

    def read(self) -> Iterator[Fact]:
        """The commands with their options, behind the variables that set these."""
        options: dict[int, list[Option]] = {}
        parts: dict[str, list[Option]] = {}
        chains: dict[int, tuple[Node, dict[str, Node]]] = {}
        made = [(it, it) for it in (*self._file.nodes["call"], *self._file.nodes["macro"])]
        for taken, node in sorted((*made, *self._shared()), key=lambda it: it[0].start_byte):
            kind = self._made(node)
            if kind == "Command":
                chains[node.start_byte] = (node, self._chain(node))
            elif kind == "Arg":
                owner = self._owner(taken)
                for it in self._option(node, self._chain(node)) if owner is not None else ():
                    if isinstance(it, Setting):
                        yield it
                    elif owner == _OF_ITSELF:
                        holder = self._file.scopes.at(taken.start_byte).rpartition(".")[2]
                        parts.setdefault(holder, []).append(it)
                    else:
                        options.setdefault(owner or 0, []).append(it)
        for holder, some in parts.items():
            yield CliCommand((), some[0].line, options=tuple(some), holder=holder, is_part=True)
        names: dict[int, tuple[str, ...]] = {}
        below = self._below()
        for place, (node, calls) in sorted(chains.items()):
            around = self._owner(node)
            own = self._text(child(node, "arguments"))
            names[place] = (*names.get(around, ()), own or "") if around is not None else ()
            if own or around is None:
                about = one_line(self._text(calls.get("about")) or "")
                about = paragraphs(about, self._long(calls.get("long_about")))
                row = names[place], line_of(node), about, "", tuple(options.get(place, ()))
                is_root = (
                    around is not None or below.get(place) or b"get_matches" in self._file.data
                )
                holder = "" if is_root else self._file.scopes.at(place)
                added = tuple(it for it, given in calls.items() if not given.named_child_count)
                children = tuple(below.get(place, ()))
                others = (calls.get(name) for name in ("visible_alias", "visible_aliases"))
                typed = tuple(name for it in others for name in _ALIAS.findall(self._file.text(it)))
                yield CliCommand(*row, holder, children, name=own or "", parts=added, aliases=typed)

    def _shared(self) -> Iterator[tuple[Node, Node]]:
        """The places where commands take the argument of a variable, with what makes it:
        `.arg(colour.clone())`."""
        makers = {it.start_byte: it for it in self._file.nodes["call"] if self._made(it)}
        for call in self._file.nodes["call"] if self._arguments else ():
            given = child(call, "arguments", 0)
            if self._file.part(child(call, "function"), "field") == "arg" and given is not None:
                name = self._file.text(given).removeprefix("&").removesuffix(".clone()")
                if (at := self._arguments.get(name)) is not None:
                    yield given, makers[at]

    def _long(self, node: Node | None) -> str:
        """The first argument of a call as a text of several lines."""
        match = _TEXT.match(self._file.text(node).lstrip("( \n\t"))
        return GOING_ON.sub("", match[1]).replace("\\n", "\n").replace('\\"', '"') if match else ""

    def _below(self) -> dict[int, list[str]]:
        """The functions that make commands below others: `.subcommand(add::command())`."""
        below: dict[int, list[str]] = {}
        for node in self._file.nodes["call"]:
            given = child(node, "arguments", 0)
            if self._file.part(child(node, "function"), "field") != "subcommand" or given is None:
                continue
            first = base(node)
            variable = self._variables.get(self._file.text(first), _UNKNOWN)
            place = first.start_byte if self._made(first) == "Command" else variable
            if given.type == "call_expression" and not self._made(base(given)):
                below.setdefault(place, []).append(self._file.part(given, "function"))
        return below

    def _made(self, node: Node) -> str:
        """`Command` or `Arg` of clap's where a call or a macro makes one."""
        if node.type == "macro_invocation":
            name = self._file.part(node, "macro")
            return "Arg" if self._paths.get(name, name) == "clap::arg" else ""
        callee = child(node, "function")
        if callee is None or callee.type != "scoped_identifier":
            return ""
        type_, _, method = "".join(self._file.text(callee).split()).rpartition("::")
        path = self._paths.get(type_, type_)
        is_theirs = path.startswith("clap::") or (
            path in ("Arg", "Command") and self._is_reexported
        )
        if method not in ("new", "with_name") or not is_theirs:
            return ""
        kinds = {"Command": "Command", "App": "Command", "SubCommand": "Command", "Arg": "Arg"}
        return kinds.get(path.rpartition("::")[2], "")

    def _chain(self, node: Node) -> dict[str, Node]:
        """The arguments of methods that are called on what a call makes, by their names."""
        calls: dict[str, Node] = {}
        for field, call in calls_on(node):
            arguments = child(call, "arguments")
            if arguments is not None:
                calls.setdefault(self._file.part(field, "field"), arguments)
        return calls

    def _held(self, kind: str) -> dict[str, int]:
        """The place where the command or argument of a variable is made, for variables with only
        one."""
        lines: dict[str, set[int]] = {}
        for node in self._file.nodes["call"]:
            if self._made(node) != kind:
                continue
            top = above(node, "field_expression", "call_expression", past=True)
            if top is not None and top.type == "let_declaration":
                name = self._file.part(top, "pattern").removeprefix("mut ")
                lines.setdefault(name, set()).add(node.start_byte)
        return {name: min(places) for name, places in lines.items() if len(places) == 1}

    def _owner(self, node: Node) -> int | None:
        """The place where the command is made that takes a chain's result; `_UNKNOWN` where that
        is not in this file."""
        top = node
        for _ in range(_STEPS_MAX):
            parent = top.parent
            if parent is None or parent.type not in _HANDED_ON:
                return None
            if parent.type == "arguments" and parent.parent is not None:
                first = base(parent.parent)
                if self._made(first) == "Command":
                    return first.start_byte
                if first.type == "identifier" and self._file.text(first) in self._variables:
                    return self._variables[self._file.text(first)]
                callee = child(parent.parent, "function")
                if self._file.part(callee, "value") == "self":
                    return _OF_ITSELF if "arg" in self._file.part(callee, "field") else None
                is_below = self._file.text(callee).endswith(".subcommand")
                return _UNKNOWN if is_below else None
            top = parent
        return None

    def _text(self, node: Node | None) -> str | None:
        """The first argument of a call as text, with those of constants of the file."""
        text = self._file.text(node).lstrip("( \n\t") if node is not None else ""
        match = _TEXT.match(text)
        if match or not node:
            return _GOES_ON.sub(" ", match[1]) if match else None
        written = self._file.text(next(iter(node.named_children), None))
        value = self._valued.text(written)
        return None if value == written else value or None

    def _option(self, node: Node, calls: dict[str, Node]) -> Iterator[Option | Setting]:
        """The option that a call or a macro makes, with the variable that sets it; nothing where
        its name is in another file."""
        values = {name: self._text(it) for name, it in calls.items()}
        written = {name: self._file.text(it) for name, it in calls.items()}
        values |= {name: it for name, it in written.items() if _AS_WRITTEN.search(name)}
        constant = NAME.fullmatch(written.get("env", "").strip("( )"))
        if constant and not values["env"]:
            values["env"] = f"{{${constant[0].replace('::', '.')}}}"
        values["hide"] = written.get("hide", "").strip("( )")
        doc, is_many, place = "", False, self._text(child(node, "arguments")) or ""
        text = self._file.text(node)
        if (match := _MACRO.match(text)) and node.type == "macro_invocation":
            names = {"short": match[2] or match[3], "long": match[4] or match[5]}
            values = {name: it for name, it in names.items() if it} | values
            help_ = _TEXT.match(text, match.end())
            doc, is_many = _GOES_ON.sub(" ", help_[1]) if help_ else "", "..." in match[0]
            place = match[6] or match[1] or ""
        known = {name: it for name, it in values.items() if it}
        if place and "long" in values:
            known.setdefault("long", place)
        if "help" in known:
            known.pop("long_help", None)
        if {"short", "long"} & known.keys() or (place and {"short", "long"}.isdisjoint(values)):
            row = place, known, line_of(node), doc
            heading = self._heading(node)
            yield from self._valued.option(
                *row, place=place.upper(), heading=heading, is_many=is_many
            )

    def _heading(self, node: Node) -> str:
        """The last heading before an option in the chain of its command."""
        top = node
        while top.parent is not None and top.parent.type in ("field_expression", "call_expression"):
            top = top.parent
        call = top.parent.parent if top.parent is not None else None
        for _ in range(CHAIN_MAX if call is not None and call.type == "call_expression" else 0):
            callee = child(call, "function") if call is not None else None
            if callee is None or callee.type != "field_expression" or call is None:
                break
            if self._file.part(callee, "field") == "next_help_heading":
                return self._text(child(call, "arguments")) or ""
            call = child(callee, "value")
        return ""
