"""The imports of a file of Rust.

`use` and full paths are imports of the module before the last name. A declaration of a module
(`mod x;`) and a file that a macro includes are of kind `include`, or `test` where they are compiled
only for tests: their name is `x`, `a::x` below an inline module, or begins with `./`: the path of
the file relative to the folder of this one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tree_sitter import Node

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.rust.symbols import Item, is_for_tests
from stationmaster.reading.code.languages.source import Source, child, first_child, line_of
from stationmaster.reading.code.languages.unit import Unit
from stationmaster.reading.code.model import Import, ImportKind

if TYPE_CHECKING:
    from stationmaster.reading.code.languages.rust.attributes import File

_ROOTS = frozenset({"crate", "self", "super"})
_PRIMITIVES = code.names("rust.language.primitives")
_TOOLS = code.names("rust.language.tools")


Inline = tuple[int, int, str]
"""Where an inline module begins and ends, and its name."""


def imports(file: File) -> tuple[Import, ...]:
    """The imports by line; a full path counts at its first place."""
    inline = [
        (node.start_byte, node.end_byte, file.part(node, "name"))
        for node in (item.node for item in file.items)
        if node.type == "mod_item" and child(node, "body")
    ]
    rows: list[Import] = []
    for node in file.nodes["use"]:
        rows += _use(file, node, _around(inline, node))
    for item in file.items:
        if item.node.type == "mod_item" and not child(item.node, "body"):
            rows.append(_declared(file, item))
        elif item.node.type == "extern_crate_declaration":
            name = file.part(item.node, "name")
            alias = file.part(item.node, "alias")
            rows.append(Import(name, line_of(item.node), bound=(alias or name,)))
    rows += _included(file, file.nodes["macro"])
    below = {name for import_ in rows if import_.kind == "include" for name in import_.bound}
    names = {name for import_ in rows for name in import_.bound} | {name for _, _, name in inline}
    rows += _written_out(file, inline, names, below)
    return tuple(sorted(rows, key=lambda import_: import_.line))


def _around(inline: list[Inline], node: Node) -> tuple[str, ...]:
    """The inline modules around a node, the outermost first."""
    return tuple(name for start, end, name in inline if start <= node.start_byte < end)


def _declared(source: Source, item: Item) -> Import:
    name, line = source.part(item.node, "name"), line_of(item.node)
    is_test = any(is_for_tests(source, attribute) for attribute in item.attributes)
    kind: ImportKind = "test" if is_test else "include"
    for attribute in item.attributes:
        text = source.text(attribute)
        if text.startswith("#[path"):
            return Import(f"./{_quoted(text)}", line, kind, bound=(name,))
    return Import("::".join((*item.modules, name)), line, kind, bound=(name,))


def _quoted(text: str) -> str:
    return text.partition('"')[2].partition('"')[0]


def _use(source: Source, node: Node, modules: tuple[str, ...]) -> Iterator[Import]:
    is_export = any(child.type == "visibility_modifier" for child in node.named_children)
    kind: ImportKind = "reexport" if is_export else "module"
    grouped: dict[str, list[tuple[str, str]]] = {}
    for path, alias in _leaves(source, child(node, "argument")):
        module, _, name = _from_file(path, modules).rpartition("::")
        grouped.setdefault(module, []).append((name, alias or name))
    for module, items in grouped.items():
        if not module:
            for name, alias in items:
                if name != "*":
                    yield Import(name, line_of(node), kind, bound=(alias,))
        elif module != "self" or kind == "reexport" or not modules:
            names, bound = zip(*items, strict=True)
            yield Import(module, line_of(node), kind, names, bound)


def _leaves(source: Source, node: Node | None) -> Iterator[tuple[str, str]]:
    """The paths that a `use` imports, with their local names; `*` is the last name for all."""
    waiting = [(node, "")] if node else []
    while waiting:
        tree, prefix = waiting.pop()
        match tree.type:
            case "use_list":
                waiting += [(child, prefix) for child in reversed(tree.named_children)]
            case "scoped_use_list":
                path = _joined(prefix, _plain(source, child(tree, "path")))
                if (inside := child(tree, "list")) is not None:
                    waiting.append((inside, path))
            case "use_as_clause":
                path = _joined(prefix, _plain(source, child(tree, "path")))
                yield path, source.part(tree, "alias")
            case "use_wildcard":
                inside = next(iter(tree.named_children), None)
                yield _joined(_joined(prefix, _plain(source, inside)), "*"), ""
            case "identifier" | "scoped_identifier" | "self" | "crate" | "super":
                yield _joined(prefix, _plain(source, tree)), ""


def _joined(prefix: str, path: str) -> str:
    if not prefix or not path:
        return prefix or path
    return prefix if path == "self" else f"{prefix}::{path}"


def _plain(source: Source, node: Node | None) -> str:
    return "".join(source.text(node).split()).removeprefix("::")


def _from_file(path: str, modules: tuple[str, ...]) -> str:
    """A path as the file's own module would write it, where an inline module wrote it."""
    if not modules or path.partition("::")[0] not in ("self", "super"):
        return path
    steps, left = path.split("::"), list(modules)
    while steps and steps[0] == "super" and left:
        left.pop()
        steps.pop(0)
    if steps[:1] == ["super"]:
        return "::".join(steps)
    return "::".join(["self", *left, *(steps[1:] if steps[:1] == ["self"] else steps)])


def _included(source: Source, macros: list[Node]) -> Iterator[Import]:
    for node in macros:
        if source.part(node, "macro") == "include":
            tokens = first_child(node, "token_tree")
            if tokens and [n.type for n in tokens.named_children] == ["string_literal"]:
                yield Import(f"./{_quoted(source.text(tokens))}", line_of(node), "include")


def _written_out(
    unit: Unit, inline: list[Inline], names: set[str], below: set[str]
) -> Iterator[Import]:
    """Paths in code that name a module of this crate or another one, without a `use`; a module that
    is declared `below` this one brings its own functions, and none of modules within it."""
    seen: set[tuple[str, str]] = set()
    uses = [(node.start_byte, node.end_byte) for node in unit.nodes["use"]]
    place = 0
    for node in unit.nodes["path"]:
        if node.start_byte < place:
            continue
        place = node.end_byte
        while uses and uses[0][1] <= node.start_byte:
            uses.pop(0)
        if uses and uses[0][0] <= node.start_byte:
            continue
        import_ = _from_file(
            _plain(unit, node).partition("<")[0].removesuffix("::"), _around(inline, node)
        )
        steps = import_.split("::")
        first = steps[0]
        if first not in _ROOTS and (
            not first.isidentifier()
            or first != first.lower()
            or first in _PRIMITIVES
            or first in _TOOLS
            or (first in names and first not in below)
        ):
            continue
        count = next((n for n, step in enumerate(steps) if step[:1].isupper()), len(steps) - 1)
        if first in below and count == 1:
            continue
        module, name = "::".join(steps[:count]), steps[count] if count < len(steps) else ""
        if count and module != "self" and name and (module, name) not in seen:
            seen.add((module, name))
            yield Import(module, line_of(node), names=(name,))
