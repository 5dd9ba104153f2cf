"""Commands and options: clap's, derived or built, and tables of types that implement a `Flag`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.inflections import kebab
from stationmaster.reading.code.languages.rust.attributes import Attribute, File, attributes
from stationmaster.reading.code.languages.rust.symbols import type_of
from stationmaster.reading.code.languages.source import Source, first_sentence, line_of, one_line
from stationmaster.reading.code.model import CliCommand, Fact, Option, Setting

_CRATES = frozenset({"clap", "structopt", "argh", "bpaf"})
_OF_OPTION = frozenset({"arg", "clap", "structopt", "command"})
_TEXT = re.compile(r"b?[\"']((?:[^\"\\]|\\.){0,1000})[\"']")
_INNER = re.compile(r"(?:Option|Vec|Box)<(?:[\w]+::)*(\w+)")
_STEPS_MAX = 400
_WORDS_MAX = 6
_UNKNOWN = -1


class _Group(NamedTuple):
    """A type that options or subcommands are derived from."""

    node: Node
    attributes: tuple[Attribute, ...]
    derived: frozenset[str]
    help: str


def read(file: File) -> Iterator[Fact]:
    """The commands of clap's derived types and builders, and of tables of `Flag` types; and the
    environment variables that set their options."""
    if _CRATES & file.crates:
        yield from _Derived(file).read()
        yield from _built(file)
    yield from _table(file)


class _Derived:
    def __init__(self, file: File) -> None:
        self._source = file.source
        self._comments = file.comments
        self._facts: list[Fact] = []
        self._groups: dict[str, _Group] = {}
        for item in file.items:
            if item.node.type in ("struct_item", "enum_item"):
                made = file.attributes(item)
                derived = frozenset(w for each in made if each.name == "derive" for w in each.given)
                if derived & {"Parser", "Args", "Subcommand", "StructOpt"}:
                    name = file.source.part(item.node, "name")
                    told = file.comments.sentence(item.top, ("///", "/**"))
                    self._groups[name] = _Group(item.node, made, derived, told)

    def read(self) -> list[Fact]:
        """The commands of derived structs, then those of enums that none of them uses."""
        used: set[str] = set()
        enums = [each.node for each in self._groups.values() if each.node.type == "enum_item"]
        below = {self._of(each) for node in enums for each in _variants(node)}
        for name, group in self._groups.items():
            if (
                name not in below
                and group.derived & {"Parser", "StructOpt"}
                and group.node.type == "struct_item"
            ):
                self._command(name, (), group.node, group.help, used)
        for name, group in self._groups.items():
            if name not in used and group.node.type == "enum_item":
                self._variants(name, (), used, name)
        return self._facts

    def _command(
        self,
        name: str,
        words: tuple[str, ...],
        node: Node,
        help_: str,
        used: set[str],
        holder: str = "",
    ) -> None:
        """A command whose options are the fields of a type or of a variant."""
        options: list[Option] = []
        below: list[str] = []
        waiting, seen = [node], {node.start_byte}
        while waiting:
            for field, made in self._fields(waiting.pop()):
                inner = self._named(field.child_by_field_name("type"))
                group = self._groups.get(inner)
                words_of = {word for each in made for word in each.given}
                if "subcommand" in words_of:
                    below.append(inner)
                elif "flatten" in words_of or (group and group.node.type == "struct_item"):
                    if group is not None and group.node.start_byte not in seen:
                        seen.add(group.node.start_byte)
                        used.add(inner)
                        waiting.append(group.node)
                elif not {"skip"} & words_of:
                    options += self._option(field, made)
        attribute = self._groups[name].attributes if name in self._groups else ()
        about = next((each.given["about"] for each in attribute if each.given.get("about")), None)
        told = one_line(about or help_)
        children = tuple(each for each in below if each not in self._groups)
        self._facts.append(
            CliCommand(words, line_of(node), told, "", tuple(options), holder, children)
        )
        used.add(name)
        for each in below:
            if each in self._groups and each not in used and len(words) < _WORDS_MAX:
                self._variants(each, words, used, "")

    def _variants(self, name: str, above: tuple[str, ...], used: set[str], holder: str) -> None:
        """The subcommands that an enum lists."""
        used.add(name)
        body = self._groups[name].node.child_by_field_name("body")
        pending: list[Node] = []
        first: Node | None = None
        for child in body.named_children if body is not None else ():
            if "comment" in child.type:
                continue
            first = first or child
            if child.type == "attribute_item":
                pending.append(child)
                continue
            made = attributes(self._source, tuple(pending))
            told = self._comments.sentence(first, ("///", "/**"))
            pending, first = [], None
            if child.type != "enum_variant" or any("flatten" in each.given for each in made):
                continue
            called = next((v for each in made if (v := each.given.get("name"))), None)
            own = self._source.part(child, "name")
            inner = child.child_by_field_name("body")
            of = self._of(child)
            group = self._groups.get(of)
            self._command(
                of if group else "",
                (*above, called or kebab(own)),
                group.node if group else (inner if inner is not None else child),
                told or (group.help if group else ""),
                used,
                holder,
            )

    def _of(self, variant: Node) -> str:
        """The type that a variant wraps, as `Add` in `Add(Add)`; '' for none."""
        body = variant.child_by_field_name("body")
        if body is None or body.type != "ordered_field_declaration_list":
            return ""
        inside = [
            named_child
            for named_child in body.named_children
            if named_child.type != "attribute_item"
        ]
        return self._named(inside[0]) if len(inside) == 1 else ""

    def _fields(self, node: Node) -> Iterator[tuple[Node, tuple[Attribute, ...]]]:
        body = node if node.type.endswith("_list") else node.child_by_field_name("body")
        pending: list[Node] = []
        for child in body.named_children if body is not None else ():
            if child.type == "attribute_item":
                pending.append(child)
            elif child.type == "field_declaration":
                yield child, attributes(self._source, tuple(pending))
                pending = []

    def _named(self, node: Node | None) -> str:
        told = "".join(self._source.text(node).split())
        inner = _INNER.match(told)
        return inner[1] if inner else told.partition("<")[0].rpartition("::")[2]

    def _option(self, field: Node, made: tuple[Attribute, ...]) -> Iterator[Option]:
        name = self._source.part(field, "name").removeprefix("r#")
        given = {k: v for each in made if each.name in _OF_OPTION for k, v in each.given.items()}
        names = []
        if "short" in given:
            names.append(f"-{given['short'] or name[0]}")
        if "long" in given:
            names.append(f"--{given['long'] or kebab(name)}")
        told = given.get("help") or first_sentence(self._doc(field))
        default = given.get("default_value") or given.get("default_value_t")
        option = Option(
            tuple(names) or (kebab(name).upper(),),
            line_of(field),
            one_line(told),
            one_line(default) if default else None,
        )
        yield option
        if "env" in given:
            env = given["env"] or name.upper()
            self._facts.append(
                Setting(env, "env", line_of(field), option.default, False, option.help)
            )

    def _doc(self, field: Node) -> str:
        first: Node = field
        while (before := first.prev_named_sibling) is not None and before.type == "attribute_item":
            first = before
        return self._comments.before(first, ("///", "/**"))


def _variants(node: Node) -> Iterator[Node]:
    body = node.child_by_field_name("body")
    yield from (each for each in body.named_children if each.type == "enum_variant") if body else ()


def _built(file: File) -> Iterator[Fact]:
    """`Command::new("x").arg(Arg::new("y").short('y'))`: each argument belongs to the command whose
    chain it is given to."""
    source, paths, calls = file.source, file.origins, file.calls
    options: dict[int, list[Option]] = {}
    chains: dict[int, tuple[Node, dict[str, Node]]] = {}
    variables = _variables(source, paths, calls)
    for node in calls:
        kind = _made(source, paths, node)
        if kind == "Command":
            chains[node.start_byte] = (node, _chain(source, node))
        elif kind == "Arg":
            given = _chain(source, node)
            owner = _owner(source, paths, node, variables)
            if owner is not None:
                option = _option(source, node, given)
                options.setdefault(owner, []).append(option)
                if "env" in given:
                    env = _text(source, given["env"])
                    if env:
                        yield Setting(env, "env", option.line, option.default, False, option.help)
    names: dict[int, tuple[str, ...]] = {}
    for place, (node, given) in sorted(chains.items()):
        above = _owner(source, paths, node, variables)
        own = _text(source, node.child_by_field_name("arguments"))
        names[place] = (*names.get(above, ()), own or "") if above is not None else ()
        if own or above is None:
            told = one_line(_text(source, given.get("about")) or "")
            yield CliCommand(names[place], line_of(node), told, "", tuple(options.get(place, ())))


def _made(source: Source, paths: dict[str, str], node: Node) -> str:
    """`Command` or `Arg` of clap's where a call makes one."""
    callee = node.child_by_field_name("function")
    if callee is None or callee.type != "scoped_identifier":
        return ""
    type_, _, method = "".join(source.text(callee).split()).rpartition("::")
    path = paths.get(type_, type_)
    if method not in ("new", "with_name") or not path.startswith("clap::"):
        return ""
    last = path.rpartition("::")[2]
    return {"Command": "Command", "App": "Command", "SubCommand": "Command", "Arg": "Arg"}.get(
        last, ""
    )


def _chain(source: Source, node: Node) -> dict[str, Node]:
    """The arguments of methods that are called on what a call makes, by their names."""
    found: dict[str, Node] = {}
    for _ in range(_STEPS_MAX):
        field = node.parent
        call = field.parent if field is not None else None
        if field is None or call is None or field.type != "field_expression":
            break
        given = call.child_by_field_name("arguments")
        if given is not None:
            found.setdefault(source.part(field, "field"), given)
        node = call
    return found


def _variables(source: Source, paths: dict[str, str], calls: list[Node]) -> dict[str, int]:
    """Where the command is made that a variable holds, of variables that hold one alone."""
    found: dict[str, set[int]] = {}
    for node in calls:
        if _made(source, paths, node) != "Command":
            continue
        top: Node | None = node
        for _ in range(_STEPS_MAX):
            top = top.parent if top is not None else None
            if top is None or top.type not in ("field_expression", "call_expression"):
                break
        if top is not None and top.type == "let_declaration":
            name = source.part(top, "pattern")
            found.setdefault(name, set()).add(node.start_byte)
    return {name: min(places) for name, places in found.items() if len(places) == 1}


def _owner(
    source: Source, paths: dict[str, str], node: Node, variables: dict[str, int]
) -> int | None:
    """Where the command is made that a chain's result is given to; `_UNKNOWN` where that is not
    told here."""
    top = node
    for _ in range(_STEPS_MAX):
        parent = top.parent
        if parent is None or parent.type not in (
            "field_expression",
            "call_expression",
            "arguments",
            "array_expression",
            "reference_expression",
        ):
            return None
        if parent.type == "arguments" and parent.parent is not None:
            base = parent.parent
            for _ in range(_STEPS_MAX):
                callee = base.child_by_field_name("function")
                value = callee.child_by_field_name("value") if callee is not None else None
                if value is None:
                    break
                base = value
            if _made(source, paths, base) == "Command":
                return base.start_byte
            if base.type == "identifier" and source.text(base) in variables:
                return variables[source.text(base)]
            callee = parent.parent.child_by_field_name("function")
            return _UNKNOWN if source.text(callee).endswith(".subcommand") else None
        top = parent
    return None


def _text(source: Source, node: Node | None) -> str | None:
    """The text that a call is given first."""
    found = _TEXT.match(source.text(node).lstrip("( \n\t")) if node is not None else None
    return found[1] if found else None


def _option(source: Source, node: Node, given: dict[str, Node]) -> Option:
    name = _text(source, node.child_by_field_name("arguments")) or ""
    names = [f"-{_text(source, given['short'])}"] if "short" in given else []
    if "long" in given:
        names.append(f"--{_text(source, given['long']) or name}")
    default = _text(source, given.get("default_value"))
    return Option(
        tuple(names) or (name.upper(),),
        line_of(node),
        one_line(_text(source, given.get("help")) or ""),
        default,
    )


def _table(file: File) -> Iterator[CliCommand]:
    """Types that implement a trait of the project's own for flags: they say their names."""
    source = file.source
    told: dict[int, dict[str, str]] = {}
    nodes: dict[int, Node] = {}
    for item in file.items:
        holder = item.holder
        if holder is None or item.node.type != "function_item" or holder.type != "impl_item":
            continue
        if source.part(holder, "trait").rpartition("::")[2] != "Flag":
            continue
        body = source.part(item.node, "body")[:2_000]
        inside = _TEXT.search(body)
        if inside is not None:
            name = source.part(item.node, "name")
            told.setdefault(holder.start_byte, {})[name] = inside[1]
            nodes[holder.start_byte] = holder
    options = []
    for place, each in sorted(told.items()):
        long = each.get("name_long") or each.get("long")
        if long and type_of(source, nodes[place]) != "_":
            short = each.get("name_short") or each.get("short")
            names = (f"-{short}", f"--{long}") if short else (f"--{long}",)
            help_ = first_sentence(each.get("doc_short") or each.get("help") or "")
            options.append(Option(names, line_of(nodes[place]), help_))
    if options:
        yield CliCommand((), options[0].line, options=tuple(options))
