"""What a program of Rust is configured by beside what it asks the environment for itself: fields of
a macro of its own, and the keys of a file that serde reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.languages.rust.attributes import Attribute, File, Member, members
from stationmaster.reading.code.languages.rust.symbols import Item
from stationmaster.reading.code.languages.source import Source, first_sentence, line_of
from stationmaster.reading.code.model import DOC_MAX, Setting

# Macros

_FIELD = re.compile(
    r"\$(\w+)\s*:\s*ident\s*:\s*\$\w+\s*:\s*(?:ident|ty)\b"
    r"((?:\s*,\s*\$\w+\s*:\s*\w+|\s*\$\(\s*,\s*\$\w+\s*:\s*\w+\s*\)\s*\?)*)\s*[;,]"
)
_VARIABLE = re.compile(r"\$(\w+)\s*:\s*\w+")
_UPPER = re.compile(r"\[<\s*\$(\w+)\s*:\s*upper\s*>\]")
_ENVIRONMENT = re.compile(r"\bget_env|\benv::var|\benv_var|\bgetenv", re.IGNORECASE)
_ENTRY = re.compile(r"[ \t]*(\w{1,100})[ \t]*:[ \t]*[A-Z_a-z][\w:<>]{0,60}[ \t]*,(.*)")
_DOC = re.compile(r"[ \t]*///[ \t]*(.*)")
_TEXT = re.compile(
    r"(?:String::from\(\s*)?\"((?:[^\"\\]|\\.)*)\"(?:\s*\))?(?:\.(?:to_string|to_owned|into)\(\))?"
)
_NUMBER = re.compile(r"-?\d[\d_]*(?:\.\d+)?(?:_?[iuf](?:8|16|32|64|128|size))?|true|false")
_SUFFIX = re.compile(r"_?[iuf](?:8|16|32|64|128|size)$|_")

# Files

CONFIGURED = re.compile(r"\w{0,60}(?:Settings|Config|Configuration)")
_INSIDE = re.compile(r"(?:Option|Box|Arc)<(.*)>")
_CASES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
_DEPTH_MAX = 6
_KEYS_MAX, _STRUCTS_MAX = 1_000, 200


def read(file: File) -> Iterator[Setting]:
    """The settings of a file."""
    yield from _of_macros(file)
    yield from _of_structs(file)


def value(written: str) -> str | None:
    """What a literal says, without the words that make a `String` of it; None for no literal."""
    written = written.strip().rstrip(";").strip()
    if written == "String::new()":
        return ""
    if _NUMBER.fullmatch(written):
        return _SUFFIX.sub("", written)
    text = _TEXT.fullmatch(written)
    return text[1] if text else None


def _of_macros(file: File) -> Iterator[Setting]:
    """Fields of a macro of this file that reads a variable for each, by the field's name in
    capitals."""
    forms: dict[str, int] = {}
    for item in file.items:
        if item.node.type == "macro_definition":
            form = _form(file.source.text(item.node))
            if form is not None:
                forms[file.source.part(item.node, "name")] = form
    for node in file.macros:
        form = forms.get(file.source.part(node, "macro"))
        if form is not None:
            yield from _entries(file.source.text(node), line_of(node), form)


def _form(text: str) -> int | None:
    """At which place behind the type of a field its default stands, -1 for nowhere; None for a
    macro that reads no variables."""
    upper = _UPPER.search(text)
    if upper is None or not _ENVIRONMENT.search(text):
        return None
    for field in _FIELD.finditer(text):
        if field[1] == upper[1]:
            names = _VARIABLE.findall(field[2])
            return next((at for at, name in enumerate(names) if name.startswith("default")), -1)
    return None


def _entries(text: str, line: int, place: int) -> Iterator[Setting]:
    docs: list[str] = []
    for number, written in enumerate(text.split("\n"), line):
        if comment := _DOC.match(written):
            docs.append(comment[1])
            continue
        if entry := _ENTRY.fullmatch(written):
            given = entry[2].split(",", place) if place >= 0 else []
            default = value(given[place]) if len(given) > place >= 0 else None
            said = " ".join(" ".join(docs).split())[:DOC_MAX]
            yield Setting(entry[1].upper(), "env", number, default, doc=said)
        docs = []


# Structs


class _Key(NamedTuple):
    name: str
    type: str
    line: int
    default: str | None
    doc: str
    is_flat: bool


def _of_structs(file: File) -> Iterator[Setting]:
    """Keys of what is called settings, is read by serde, and has defaults; those of the structs in
    it below its own."""
    structs = {
        file.source.part(item.node, "name"): item
        for item in file.items
        if item.node.type == "struct_item" and _is_read(file, item)
    }
    if not any(CONFIGURED.fullmatch(name) for name in structs):
        return
    functions = _functions(file)
    keys = {name: tuple(_keys(file, item, functions)) for name, item in structs.items()}
    nested = {_plain(key.type) for some in keys.values() for key in some}
    for name, item in structs.items():
        if CONFIGURED.fullmatch(name) and name not in nested and _has_defaults(file, item):
            yield from _below(keys, name)


def _is_read(file: File, item: Item) -> bool:
    return any(
        each.name == "derive" and "Deserialize" in each.given for each in file.attributes(item)
    )


def _has_defaults(file: File, item: Item) -> bool:
    return any(
        (each.name == "serde" and "default" in each.given) or each.name == "default"
        for each in (
            *file.attributes(item),
            *(one for member in members(file.source, item.node) for one in member.attributes),
        )
    )


def _below(keys: Mapping[str, tuple[_Key, ...]], root: str) -> Iterator[Setting]:
    waiting = [(root, "", 0)]
    opened = count = 0
    while waiting and opened < _STRUCTS_MAX:
        opened += 1
        name, prefix, depth = waiting.pop()
        for key in keys[name]:
            inner = _plain(key.type)
            path = prefix if key.is_flat else f"{prefix}{key.name}"
            if inner in keys and depth < _DEPTH_MAX:
                waiting.append((inner, path if key.is_flat else f"{path}.", depth + 1))
            elif not key.is_flat and count < _KEYS_MAX:
                count += 1
                yield Setting(path, "key", key.line, key.default, doc=key.doc)


def _keys(file: File, item: Item, functions: Mapping[str, str]) -> Iterator[_Key]:
    rules = _serde(file.attributes(item))
    for member in members(file.source, item.node):
        if member.node.type != "field_declaration":
            continue
        serde = _serde(member.attributes)
        if {"skip", "skip_deserializing"} & serde.keys():
            continue
        name = serde.get("rename") or _cased(
            file.source.part(member.node, "name").removeprefix("r#"), rules.get("rename_all") or ""
        )
        yield _Key(
            name,
            file.source.part(member.node, "type"),
            line_of(member.node),
            _default(file.source, member, functions.get(serde.get("default") or "", "")),
            first_sentence(file.comments.before(member.top, ("///",))),
            "flatten" in serde,
        )


def _serde(attributes: Iterable[Attribute]) -> dict[str, str | None]:
    return {
        key: told for each in attributes if each.name == "serde" for key, told in each.given.items()
    }


def _default(source: Source, member: Member, made: str) -> str | None:
    """The literal that an attribute holds, or that the function which it names returns."""
    before = member.node.prev_sibling
    while before is not None and (before.type == "attribute_item" or "comment" in before.type):
        text = source.text(before)
        if text.startswith("#[default(") and text.endswith(")]"):
            return value(text.removeprefix("#[default(").removesuffix(")]"))
        before = before.prev_sibling
    return value(made) if made else None


def _functions(file: File) -> dict[str, str]:
    """What functions of the file consist of, those of one line."""
    found: dict[str, str] = {}
    for item in file.items:
        body = item.node.child_by_field_name("body")
        if item.node.type == "function_item" and body is not None and body.named_child_count == 1:
            found[file.source.part(item.node, "name")] = file.source.line(_only(body))
    return found


def _only(body: Node) -> Node:
    return body.named_children[0]


def _plain(type_: str) -> str:
    inner = _INSIDE.fullmatch(type_.strip())
    return (inner[1] if inner else type_).strip().rpartition("::")[2]


def _cased(name: str, rule: str) -> str:
    words = [word.lower() for word in _CASES.split(name) if word]
    if rule == "kebab-case":
        return "-".join(words)
    if rule == "SCREAMING_SNAKE_CASE":
        return "_".join(words).upper()
    if rule in ("camelCase", "PascalCase"):
        first = words[0] if rule == "camelCase" else words[0].capitalize()
        return first + "".join(word.capitalize() for word in words[1:])
    return name
