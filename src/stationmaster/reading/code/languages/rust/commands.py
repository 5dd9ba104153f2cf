"""Commands and options: clap's, and tables of types that implement a `Flag`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.command_lines.options import dashed
from stationmaster.reading.code.languages.inflections import kebab, paragraphs
from stationmaster.reading.code.languages.rust.attributes import (
    Attribute,
    File,
    Member,
    members,
)
from stationmaster.reading.code.languages.rust.built import built
from stationmaster.reading.code.languages.rust.symbols import type_of
from stationmaster.reading.code.languages.rust.valued import Valued
from stationmaster.reading.code.languages.source import (
    child,
    first_sentence,
    inside,
    line_of,
    one_line,
)
from stationmaster.reading.code.model import HELP_MAX, CliCommand, Fact, Option

_CRATES = frozenset({"clap", "structopt", "argh", "bpaf"})
_DOCS = ("///", "/**")
_OF_OPTION = frozenset({"arg", "clap", "structopt", "command"})
_TEXT = re.compile(r"b?[\"']((?:[^\"\\]|\\.){0,1000})[\"']")
_INNER = re.compile(r"(?:(?:Option|Vec|Box|Arc|Rc)<){1,4}((?:\w+::)*+\w+)")
_WORDS_MAX = 6
_ALIASES = ("visible_alias", "visible_aliases")
_NAME = re.compile(r"[\w-]+")


class _Group(NamedTuple):
    """A type that options or subcommands are derived from."""

    node: Node
    attributes: tuple[Attribute, ...]
    derived: frozenset[str]
    help: str


class _Held(NamedTuple):
    """The options of a command, the types of its subcommands, and types of other files whose
    options it has, too."""

    options: list[Option]
    below: list[str]
    parts: list[str]


def read(file: File) -> Iterator[Fact]:
    """The commands of clap's derived types and builders, and of tables of `Flag` types; and the
    environment variables that set their options."""
    if _CRATES & file.crates:
        yield from _Derived(file).read()
        yield from built(file)
    elif b"Command::new(" in file.data and b".about(" in file.data:
        yield from built(file)
    yield from _table(file)


class _Derived:
    def __init__(self, file: File) -> None:
        self._source = file
        self._comments = file.comments
        self._facts: list[Fact] = []
        self._used: set[str] = set()
        self._groups: dict[str, _Group] = {}
        self._valued = Valued(file)
        for item in file.items:
            if item.node.type in ("struct_item", "enum_item"):
                made = file.attributes(item)
                derived = frozenset(
                    w for attribute in made if attribute.name == "derive" for w in attribute.given
                )
                if derived & {"Parser", "Args", "Subcommand", "StructOpt"}:
                    name = file.part(item.node, "name")
                    comment = file.comments.before(item.top, ("///", "/**"))
                    self._groups[name] = _Group(item.node, made, derived, comment)

    def read(self) -> list[Fact]:
        """The commands of derived structs, then the options of structs that other files may put to
        commands, then the commands of enums that none of them uses."""
        enums = {name: it for name, it in self._groups.items() if it.node.type == "enum_item"}
        structs = {name: it for name, it in self._groups.items() if name not in enums}
        variants = [variant for it in enums.values() for variant in inside(it.node, "body")]
        below = {self._of(variant) for variant in variants if variant.type == "enum_variant"}
        for is_part in (False, True):
            for name, group in structs.items():
                is_program = group.derived & {"Parser", "StructOpt"}
                if name not in below and (name not in self._used if is_part else is_program):
                    self._command(name, (), group.node, group.help, name, is_part=is_part)
        for name in enums:
            if name not in self._used:
                self._variants(name, (), name)
        return self._facts

    def _command(
        self,
        name: str,
        words: tuple[str, ...],
        node: Node,
        help_: str,
        holder: str = "",
        *wrapped: str,
        is_part: bool = False,
        aliases: tuple[str, ...] = (),
    ) -> None:
        """A command whose options are the fields of a type or of a variant, and of the type of
        another file that it wraps."""
        fields = self._fields(node)
        attributes = self._groups[name].attributes if name in self._groups else ()
        about = next(filter(None, (it.given.get("about") for it in attributes)), "")
        help_ = paragraphs(one_line(about, HELP_MAX), help_)
        children = (*(it for it in fields.below if it not in self._groups), *wrapped)
        row = words, line_of(node), help_, "", tuple(fields.options), holder, children
        parts = (*wrapped, *fields.parts)
        self._facts.append(CliCommand(*row, parts=parts, is_part=is_part, aliases=aliases))
        self._used.add(name)
        for inner in fields.below:
            if inner in self._groups and inner not in self._used and len(words) < _WORDS_MAX:
                self._variants(inner, words, holder)

    def _fields(self, node: Node) -> _Held:
        fields = _Held([], [], [])
        waiting, seen = [node], {node.start_byte}
        while waiting:
            for field in members(self._source, waiting.pop()):
                if field.node.type != "field_declaration":
                    continue
                inner = self._path(child(field.node, "type"))
                group = self._groups.get(inner)
                words_of = field.given
                if "subcommand" in words_of:
                    fields.below.append(inner)
                elif "flatten" in words_of or (group and group.node.type == "struct_item"):
                    if group is None:
                        fields.parts.append(inner)
                    elif group.node.start_byte not in seen:
                        seen.add(group.node.start_byte)
                        self._used.add(inner)
                        waiting.append(group.node)
                elif "skip" not in words_of:
                    fields.options.extend(self._option(field))
        return fields

    def _variants(self, name: str, above: tuple[str, ...], holder: str) -> None:
        """The subcommands that an enum lists."""
        self._used.add(name)
        for variant, top, made in members(self._source, self._groups[name].node):
            if variant.type != "enum_variant":
                continue
            of = self._of(variant)
            group = self._groups.get(of)
            is_enum = group is not None and group.node.type == "enum_item"
            if any("flatten" in it.given for it in made):
                if is_enum and of not in self._used:
                    self._variants(of, above, holder)
                continue
            comment = self._comments.before(top, _DOCS) or self._comments.before(variant, _DOCS)
            called = next(filter(None, (it.given.get("name") for it in made)), "")
            words = (*above, called or kebab(self._source.part(variant, "name")))
            if group is not None:
                row = words, group.node, comment or group.help, holder
                self._command(of, *row, aliases=_aliases(made))
                if is_enum and len(words) < _WORDS_MAX:
                    self._variants(of, words, holder)
            else:
                wrapped = (of,) if of else ()
                row = words, child(variant, "body") or variant, comment, holder, *wrapped
                self._command("", *row, aliases=_aliases(made))

    def _of(self, variant: Node) -> str:
        """The type that a variant wraps as written, as `Add` in `Add(Add)`; '' for none."""
        body = child(variant, "body")
        if body is None or body.type != "ordered_field_declaration_list":
            return ""
        members = [it for it in body.named_children if it.type != "attribute_item"]
        return self._path(members[0]) if len(members) == 1 else ""

    def _path(self, node: Node | None) -> str:
        """A type as written, without what may hold it, and bare where it is of this file."""
        path = "".join(self._source.text(node).split())
        inner = _INNER.match(path)
        return (inner[1] if inner else path.partition("<")[0]).removeprefix("self::")

    def _option(self, member: Member) -> Iterator[Option]:
        field = member.node
        of_option = tuple(it for it in member.attributes if it.name in _OF_OPTION)
        starts = (member.top, field)  # A comment may follow attributes.
        comments = (self._comments.before(it, _DOCS) for it in starts)
        for made in self._valued.option(
            self._source.part(field, "name").removeprefix("r#"),
            member._replace(attributes=of_option).given,
            line_of(field),
            next(filter(None, comments), ""),
            self._path(child(field, "type")),
        ):
            if isinstance(made, Option):
                yield made
            else:
                self._facts.append(made)


def _aliases(made: Iterable[Attribute]) -> tuple[str, ...]:
    """The other names of a command that its help shows."""
    texts = (it.given.get(key) or "" for it in made for key in _ALIASES)
    return tuple(name for text in texts for name in _NAME.findall(text))


def _table(file: File) -> Iterator[CliCommand]:
    """Types that implement a trait of the project's own for flags, with their names."""
    source = file
    cells: dict[int, dict[str, str]] = {}
    nodes: dict[int, Node] = {}
    for item in file.items:
        holder = item.holder
        if holder is None or item.node.type != "function_item" or holder.type != "impl_item":
            continue
        if source.part(holder, "trait").rpartition("::")[2] != "Flag":
            continue
        body = source.part(item.node, "body")[:2_000]
        text = _TEXT.search(body)
        if text is not None:
            name = source.part(item.node, "name")
            cells.setdefault(holder.start_byte, {})[name] = text[1]
            nodes[holder.start_byte] = holder
    options = []
    for place, row in sorted(cells.items()):
        long = row.get("name_long") or row.get("long")
        if long and type_of(source, nodes[place]) != "_":
            short = row.get("name_short") or row.get("short")
            names = dashed(short, f"--{long}")
            help_ = first_sentence(row.get("doc_short") or row.get("help") or "")
            options.append(Option(names, line_of(nodes[place]), help_))
    if options:
        yield CliCommand((), options[0].line, options=tuple(options))
