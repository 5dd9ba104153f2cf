"""A file of Go: what it declares, the packages of others that it imports, and its constants."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterator
from functools import cached_property

from tree_sitter import Node

from stationmaster.reading.code.languages.source import (
    Declared,
    Source,
    above,
    child,
    first_child,
    first_sentence,
    given_to,
    inside,
    line_of,
)
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import Import, SymbolKind

_KINDS: dict[str, SymbolKind] = {
    "const_spec": "constant",
    "function_declaration": "function",
    "interface_type": "interface",
    "method_declaration": "method",
    "method_elem": "method",
    "struct_type": "struct",
    "var_spec": "variable",
}
_MARK = re.compile(
    r"^[ \t]*@((?i:accept|deprecated|description|failure|id|param|produce|router|security|success"
    r"|summary|tags|title|version))\b(.*)",
    re.MULTILINE,
)
_GODOC = re.compile(r"^[\w.]+ godoc\b")
_VALUES = frozenset({"const_spec", "var_spec"})
_TYPES = frozenset({"type_alias", "type_spec"})
_LISTS = ("const_declaration", "type_declaration", "var_declaration")
_TAG = re.compile(r"(?<![\w-])([\w-]++):\"((?:[^\"\\]|\\.){0,2000}+)\"")
"""A part of the tag of a field: a name and a text."""
_MAJOR = re.compile(r"/v\d{1,4}$")
_MAJOR_STEP = re.compile(r"v(?!1$)\d{1,4}")
"""Of a module, which has none in its first version: a last `v1` is a package."""
_MADE_OF_VALUE = re.compile(
    rb"\bnew(?=\((?!\**+[\w.]*+\)|\**+(?:\[\w*\]|(?:map|chan|struct|func)\b)))"
)
"""`new(time.Now())`: the grammar allows a type there alone."""
_VERSIONED = re.compile(r"(.{1,200})\.v\d{1,4}")


def declared(unit: Unit) -> Iterator[Declared]:
    """Everything at top level, and the methods that interfaces ask for; public for no other package
    where the file is of the package `main`."""
    comments, is_main = unit.comments, unit.package == "main"
    for node in unit.nodes["declared"]:
        type_ = child(node, "type") if node.type in _TYPES else None
        kind = _KINDS.get(type_.type if type_ else node.type, "type")
        whole, within = _whole(node), receiver_of(unit, node)
        # Only a declaration in one line has its keyword: `const (` begins a group, also of one.
        is_grouped = node.type in _VALUES and whole.start_point.row != node.start_point.row
        doc = first_sentence(_unmarked(comments.before(node) or comments.before(whole)))
        bases = tuple(_bases(unit, type_)) if type_ else ()
        names = [name for name in node.children_by_field_name("name") if name.is_named]
        for named in names:
            name = unit.text(named)
            if name != "_" or node.type not in _VALUES:
                is_public = not is_main and is_exported(name)
                is_public = is_public and (not within or is_exported(within))
                is_alone = len(names) == 1
                place, body = (
                    (node if is_grouped else whole, _body(node, type_))
                    if is_alone
                    else (named, None)
                )
                yield Declared(place, name, kind, body, is_public, doc, bases, within=within)


def _unmarked(comment: str) -> str:
    """A comment without the marks that an OpenAPI description is made from: what they describe,
    else sum up, else what stands before them."""
    marks = _MARK.findall(comment)
    if not marks:
        return comment
    for name in ("description", "summary"):
        if words := " ".join(text.strip() for mark, text in marks if mark.lower() == name):
            return words
    return _GODOC.sub("", comment.partition("@")[0])


def is_exported(name: str) -> bool:
    """True for a name that begins with a capital letter: other packages may use it."""
    return name[:1].isupper()


def receiver_of(source: Source, node: Node) -> str:
    """The name of the type that a method belongs to."""
    receiver = source.part(node, "receiver").strip("() \t\n,")
    return receiver.rpartition("*")[2].partition("[")[0].split(" ")[-1] if receiver else ""


def _whole(node: Node) -> Node:
    """The declaration around a name where it declares one thing alone."""
    around = above(node, *_LISTS) if node.type in _TYPES | _VALUES else None
    if around is None:
        return node
    specs = inside(first_child(around, "var_spec_list") or around)
    return around if sum(spec.type in _TYPES | _VALUES for spec in specs) == 1 else node


def _body(node: Node, type_: Node | None) -> Node | None:
    """Where the signature ends."""
    if type_ is not None and type_.type == "interface_type":
        return next((sign for sign in type_.children if sign.type == "{"), None)
    if type_ is not None:
        return child(type_) if type_.type == "struct_type" else None
    return node.child_by_field_name("value" if node.type in _VALUES else "body")


def _bases(source: Source, type_: Node) -> Iterator[str]:
    """Types that are embedded."""
    if type_.type == "interface_type":
        for element in type_.named_children:
            if element.type == "type_elem" and len(element.named_children) == 1:
                yield source.text(element)
    if type_.type == "struct_type":
        for body in type_.named_children:
            for field in body.named_children:
                if field.type == "field_declaration" and not child(field, "name"):
                    yield source.part(field, "type")


def path_of(given: Import) -> str:
    """The path that a package is imported by, without its major version."""
    return _MAJOR.sub("", given.name)


def bound(imports: tuple[Import, ...]) -> dict[str, str]:
    """Packages by the names that they have in a file."""
    return {import_.bound[0]: path_of(import_) for import_ in imports if import_.bound}


class File(Unit):
    """A file of Go."""

    CALLS = None

    @staticmethod
    def parseable(data: bytes) -> bytes:
        """With the name of any other function where `new` is given a value."""
        return _MADE_OF_VALUE.sub(b"neu", data)

    @property
    def package(self) -> str:
        """The name of its package."""
        return super().package.removeprefix("package").strip()

    @property
    def doc(self) -> str:
        """What stands above the name of its package."""
        package = next(iter(self.nodes["package"]), None)
        return self.comments.sentence(package) if package else ""

    declared = declared

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The packages that are imported, with what is used of each."""
        return tuple(_imports(self))

    @cached_property
    def packages(self) -> dict[str, str]:
        """The packages that the file imports, by their names here."""
        return bound(self.imports)

    def has_second_varied(self, names: Container[str]) -> bool:
        """Do calls of these names differ more in their second argument than in their last? So they
        do where a handler stands in front of what is around it, which recurs."""
        listed = [given_to(it.node) for it in self.called if it.name in names]
        ends = [(self.text(it[1]), self.text(it[-1])) for it in listed if len(it) > 2]
        return len({second for second, _ in ends}) > len({last for _, last in ends})

    def tags(self, field: Node) -> dict[str, str]:
        """The texts in the tag of a field, by their names."""
        return tags(self.part(field, "tag").strip("`"))


def tags(text: str) -> dict[str, str]:
    """The texts in a tag, by their names."""
    return dict(_TAG.findall(text))


def constants(source: Source) -> dict[str, str]:
    """Texts that constants and variables at top level stand for."""
    found: dict[str, str] = {}
    for name, value in values(source).items():
        text = source.literal(value.named_children[0]) if value.named_child_count == 1 else None
        if text is not None:
            found[name] = text
    return found


def values(source: Source) -> dict[str, Node]:
    """What constants and variables at top level are made of."""
    return {
        source.part(spec, "name"): value
        for node in source.root.named_children
        if node.type in ("const_declaration", "var_declaration")
        for listed in node.named_children
        for spec in (listed.named_children if listed.type == "var_spec_list" else [listed])
        if (value := child(spec, "value")) is not None
    }


def _imports(file: File) -> Iterator[Import]:
    used: dict[str, set[str]] = defaultdict(set)
    for member in file.nodes["member"]:
        of, _, name = file.text(member).partition(".")
        used[of].add(name)
    for node in file.nodes["import"]:
        path = file.part(node, "path").strip('"`')
        alias = file.part(node, "name")
        if alias == ".":
            yield Import(path, line_of(node), names=("*",), bound=("*",))
        else:
            name = alias or _package(path)
            yield Import(path, line_of(node), bound=(name,), used=tuple(sorted(used[name])))


def _package(path: str) -> str:
    """The name that a package most likely has, by the path it is imported from."""
    steps = path.split("/")
    if len(steps) > 1 and _MAJOR_STEP.fullmatch(steps[-1]):
        steps.pop()
    versioned = _VERSIONED.fullmatch(steps[-1])
    name = versioned[1] if versioned else steps[-1]
    return name.removeprefix("go-").removesuffix("-go").removesuffix(".go").replace("-", "")
