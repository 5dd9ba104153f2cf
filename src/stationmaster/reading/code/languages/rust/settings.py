"""Settings of a program of Rust that it does not read from the environment itself: fields of a
macro of its own, and the keys of a file that serde reads."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from tree_sitter import Node

from stationmaster.reading.code.explaining import with_deprecation
from stationmaster.reading.code.languages.inflections import CASES
from stationmaster.reading.code.languages.rust.attributes import Attribute, File, Member, members
from stationmaster.reading.code.languages.rust.symbols import Item
from stationmaster.reading.code.languages.source import (
    Source,
    child,
    first_sentence,
    given_to,
    inside,
    line_of,
    one_line,
)
from stationmaster.reading.code.model import DOC_MAX, INNER, Setting, SettingKind

VARIABLES = frozenset({"std::env::var", "std::env::var_os", "dotenvy::var", "dotenv::var"})
"""Functions that read the environment."""

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
_FROM_FILE = re.compile(
    rb"\b(?:ron|toml|serde_json|serde_yaml|serde_yml|json5)(?:::de)?::from_(?:reader|str|slice|bytes)\b"
)
_OPENED = re.compile(rb"\bFile::open\(|\bread_to_string\(|\bfs::read\(")
_PATHS = re.compile(r"\b(?:\w{1,60}::)+(?=\w)")
_MADE = re.compile(r"\s*(?:::new\((.*)\)|\{(.*)\})")
_UNPLACED = re.compile(r"(?<![\w:])\w+\b(?!::)")
"""A name in a type that no module is named for."""
_UPPER_NAME = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+")
_BUILT = re.compile(r"\.set_default\(\s*\"([\w.-]{1,100})\"\s*,\s*(?:([^()\n]{1,80})\))?")
_BUILDER = re.compile(rb"\bConfig::builder\(\)|\bConfigBuilder<")
_KEYS_MAX, _STRUCTS_MAX = 1_000, 200


def read(file: File) -> Iterator[Setting]:
    """The settings of a file."""
    yield from _of_macros(file)
    yield from _of_structs(file)
    if _BUILDER.search(file.data):
        yield from _built(file.text(file.root))


def _built(text: str) -> Iterator[Setting]:
    """The keys that a builder of the crate `config` has defaults for."""
    line, at = 1, 0
    for call in islice(_BUILT.finditer(text), _KEYS_MAX):
        line, at = line + text.count("\n", at, call.start(1)), call.start(1)
        yield Setting(call[1], "key", line, value(call[2] or ""))


def value(written: str) -> str | None:
    """The value of a literal, without the call that makes a `String` of it; None for others."""
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
            form = _form(file.text(item.node))
            if form is not None:
                forms[file.part(item.node, "name")] = form
    for node in file.nodes["macro"]:
        form = forms.get(file.part(node, "macro"))
        if form is not None:
            yield from _entries(file.text(node), line_of(node), form)


def _form(text: str) -> int | None:
    """The place of a field's default after its type, -1 for none; None for a macro that reads no
    variables."""
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
            words = entry[2].split(",", place) if place >= 0 else []
            default = value(words[place]) if len(words) > place >= 0 else None
            doc = " ".join(" ".join(docs).split())[:DOC_MAX]
            yield Setting(entry[1].upper(), "env", number, default, doc=doc)
        docs = []


# Structs


_ZEROS = {"bool": "false"} | {
    f"{sign}{size}": "0" for sign in "iu" for size in ("8", "16", "32", "64", "128", "size")
}
"""What a type's own default is."""


class _Key(NamedTuple):
    name: str
    type: str
    line: int
    default: str | None
    doc: str
    is_flat: bool


def _of_structs(file: File) -> Iterator[Setting]:
    """Keys of what serde reads, in files that have settings with defaults. Each begins with the
    struct, which those of other files may hold: `Config::port`; one that is not called settings,
    or that another has, is an inner one. A key that is `Config::` has those in it beside it."""
    structs = {
        file.part(item.node, "name"): item
        for item in file.items
        if item.node.type == "struct_item" and _is_read(file, item)
    }
    functions, made = _functions(file), _defaults(file)
    read_whole = _of_files(file)
    whole = read_whole & made.keys()
    sure = {*read_whole, *made}
    first = {it for it in structs if it in sure or _has_defaults(file, structs[it])}
    if not first:
        return
    keys = {
        name: tuple(_keys(file, item, functions, made.get(name, {}), whole))
        for name, item in structs.items()
    }
    written = [key.type for some in keys.values() for key in some]
    written += [file.text(item.node) for item in file.items if item.node.type == "enum_item"]
    nested = {word for text in written for word in _UNPLACED.findall(text)}
    is_asking = _asks_by_variable(file)
    for name, some in islice(keys.items(), _STRUCTS_MAX):
        is_root = name in first - nested and (name in whole or CONFIGURED.fullmatch(name))
        for key in some[:_KEYS_MAX]:
            is_variable = is_root and is_asking and _UPPER_NAME.fullmatch(key.name) is not None
            path = f"{'' if is_root else INNER}{name}::{'' if key.is_flat else key.name}"
            kind: SettingKind = "env" if is_variable else "key"
            own, type_ = key.name if is_variable else path, one_line(key.type, 80)
            yield Setting(own, kind, key.line, key.default, doc=key.doc, type=type_)


def _asks_by_variable(file: File) -> bool:
    """Does the file read environment variables whose names are in variables?"""
    return any(
        file.path(node) in VARIABLES
        and [argument.type for argument in given_to(node)] == ["identifier"]
        for node in file.nodes["call"]
    )


def _is_read(file: File, item: Item) -> bool:
    """By serde, also through a patch that is made of it."""
    return any(
        (attribute.name == "derive" and "Deserialize" in attribute.given)
        or (attribute.name == "patch" and "Deserialize" in str(attribute.given))
        for attribute in file.attributes(item)
    )


def _of_files(file: File) -> set[str]:
    """The types whose functions read a file, whatever they are called."""
    data = file.data
    if not _OPENED.search(data):
        return set()
    scopes = {file.scopes.at(match.start()) for match in _FROM_FILE.finditer(data)}
    return {scope.partition(".")[0] for scope in scopes if "." in scope}


def _has_defaults(file: File, item: Item) -> bool:
    return any(
        (node.name == "serde" and "default" in node.given)
        or node.name == "default"
        or (node.name == "builder" and "default" in node.given)
        or (node.name == "derive" and "Default" in node.given)
        for node in (
            *file.attributes(item),
            *(one for member in members(file, item.node) for one in member.attributes),
        )
    )


def _keys(
    file: File,
    item: Item,
    functions: Mapping[str, str],
    made: Mapping[str, str],
    whole: Collection[str],
) -> Iterator[_Key]:
    """`made` is what `Default` makes the fields of, `whole` the types that a file is read over."""
    rules = _serde(file.attributes(item))
    struct = file.part(item.node, "name")
    is_derived = "default" in rules and any(
        it.name == "derive" and "Default" in it.given for it in file.attributes(item)
    )
    for member in members(file, item.node):
        if member.node.type != "field_declaration":
            continue
        serde = _serde(member.attributes)
        is_hidden = any(it.name == "doc" and "hidden" in it.given for it in member.attributes)
        if is_hidden or {"skip", "skip_deserializing"} & serde.keys():
            continue
        field = file.part(member.node, "name").removeprefix("r#")
        name = serde.get("rename") or CASES.get(rules.get("rename_all") or "", str)(field)
        is_whole = struct in whole
        is_made = is_whole or ("default" in rules and "default" not in serde)
        type_ = file.part(member.node, "type")
        comment = file.comments.before(member.top, ("///",))
        doc = with_deprecation(first_sentence(comment), comment)
        written = made.get(field, "")
        function = functions.get(serde.get("default") or "", "")
        defaults = (
            _default(file, member, written if is_made else function),
            _short(written, type_) if is_whole else None,
            _ZEROS.get(type_) if is_derived or serde.get("default", "") is None else None,
        )
        yield _Key(
            name,
            type_,
            line_of(member.node),
            next((it for it in defaults if it is not None), None),
            doc or (f"Of the file that is read into {struct}." if is_whole else ""),
            "flatten" in serde,
        )


def _serde(attributes: Iterable[Attribute]) -> dict[str, str | None]:
    return {
        key: value
        for attribute in attributes
        if attribute.name == "serde"
        for key, value in attribute.given.items()
    }


def _default(source: Source, member: Member, made: str) -> str | None:
    """The literal in an attribute, or that which the function it names returns."""
    before = member.node.prev_sibling
    while before is not None and (before.type == "attribute_item" or "comment" in before.type):
        text = source.text(before)
        if text.startswith("#[default(") and text.endswith(")]"):
            return value(text.removeprefix("#[default(").removesuffix(")]"))
        before = before.prev_sibling
    built = next((it.given.get("default") for it in member.attributes if it.name == "builder"), "")
    return value(built or made) if built or made else None


def _short(made: str, type_: str) -> str | None:
    """The value of a field, without paths and without the name of its type: `Red` for
    `Color::Red`."""
    own = _MADE.fullmatch(made.removeprefix(type_))
    return _PATHS.sub("", one_line(own[1] or own[2] if own else made)) or None


def _functions(file: File) -> dict[str, str]:
    """The bodies of the functions of the file that have one line, with the values of its
    constants."""
    functions: dict[str, str] = {}
    constants: dict[str, str] = {}
    for item in file.items:
        body, name = child(item.node, "body"), file.part(item.node, "name")
        if item.node.type == "const_item":
            constants[name] = file.part(item.node, "value")
        elif item.node.type == "function_item" and body is not None and body.named_child_count == 1:
            functions[name] = file.line(_only(body))
    return {name: constants.get(line, line) for name, line in functions.items()}


def _defaults(file: File) -> dict[str, dict[str, str]]:
    """The values of fields in `Default`, by type."""
    defaults: dict[str, dict[str, str]] = {}
    for item in file.items:
        holder, body = item.holder, child(item.node, "body")
        parts = [it for it in body.named_children if "comment" not in it.type] if body else []
        if (
            holder is not None
            and len(parts) == 1
            and file.part(holder, "trait") == "Default"
            and parts[0].type == "struct_expression"
        ):
            fields = inside(parts[0], "body")
            defaults[file.part(holder, "type").partition("<")[0]] = {
                file.part(field, "field"): file.part(field, "value")
                for field in fields
                if field.type == "field_initializer"
            }
    return defaults


def _only(body: Node) -> Node:
    return body.named_children[0]
