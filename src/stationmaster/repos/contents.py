"""What parsers make of a commit's files: each parsed once, remembered, and bounded.

A file that is missing, too large, or not in its format gives nothing; no reader stops for it.
"""

from __future__ import annotations

import codecs
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast
from xml.etree.ElementTree import Element as _Element, TreeBuilder
from xml.parsers import expat

from stationmaster.repos import yaml_nodes
from stationmaster.repos.yaml_nodes import Fault, Node

SIZE_MAX = 2**20
"""Bytes of one file."""
KEPT_MAX = 64 * 2**20
"""Characters of texts that are remembered; further ones are read again when asked for."""
DEPTH_MAX = 100
_TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*+(?:"|(?P<open>))|\'(?:[^\'\\\n]|\\.)*+(?:\'|(?P<opened>))|//[^\n]*'
    r"|/\*.*?(?:\*/|(?P<begun>\Z))"
    r"|[{}\[\]:,]|[A-Za-z_$][\w$-]*+|[-+.\w]++|\s++|(?P<other>.)",
    re.DOTALL,
)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""Half a character, as JSON writes those beyond the first 65,536."""
_TOKENS_MAX = 300_000
_WORDS = frozenset({"true", "false", "null"})


Remember = Callable[[str, Callable[..., Any], Callable[[], Any]], Any]
"""What the last function makes of a file, or what a memory has that `read` has made of it."""


class Element(_Element):
    """An element of a document; `tag` is without its namespace, `line` counts from 1."""

    line: int = 0

    def all(self, path: str) -> list[Element]:
        """The elements at a path such as `a/b`, or `.//b` anywhere below."""
        return cast("list[Element]", self.findall(path))

    def says(self, path: str) -> str | None:
        """The text of the element at a path, without spaces around; None where there is none."""
        content = self.findtext(path)
        return None if content is None else content.strip() or None


class Contents:
    """`read` gives a file's bytes, or raises Fault; `read_many` those of many that it can read."""

    def __init__(
        self,
        read: Callable[[str, int], bytes],
        read_many: Callable[[Iterable[str], int], Iterator[tuple[str, bytes]]],
    ) -> None:
        self._read = read
        self._read_many = read_many
        self._texts: dict[str, str] = {}
        self._kept = 0
        self._parsed: dict[tuple[str, str], Any] = {}
        self.remember: Remember = lambda path, read, make: make()  # noqa: ARG005 - no memory

    def bytes(self, path: str) -> bytes:
        """b'' for what cannot be read."""
        try:
            return self._read(path, SIZE_MAX)
        except Fault:
            return b""

    def text(self, path: str) -> str:
        """'' for what cannot be read; what is not UTF-8 is replaced."""
        cached = self._texts.get(path)
        if cached is not None:
            return cached
        return self._keep(path, decoded(self.bytes(path)))

    def _keep(self, path: str, text: str) -> str:
        if self._kept + len(text) <= KEPT_MAX:
            self._kept += len(text)
            self._texts[path] = text
        return text

    def once(self, path: str) -> str:
        """A text that is not read again."""
        return self._texts.get(path) or decoded(self.bytes(path))

    def fetch(self, paths: Iterable[str]) -> None:
        """Read the texts of many files together, to remember them."""
        missing = [path for path in paths if path not in self._texts]
        for path, data in self._read_many(missing, SIZE_MAX):
            self._keep(path, decoded(data))

    def each(self, paths: Sequence[str], size_max: int) -> Iterator[tuple[str, str]]:
        """The texts of many files that are not read again, those remembered first."""
        yield from ((path, self._texts[path]) for path in paths if path in self._texts)
        missing = (path for path in paths if path not in self._texts)
        yield from ((path, decoded(data)) for path, data in self._read_many(missing, size_max))

    def toml(self, path: str) -> Mapping[str, Any]:
        """The tables of a file; empty where it cannot be read or parsed."""
        return self.parsed("toml", path, toml) or {}

    def json(self, path: str) -> Any:
        """With comments, trailing commas and the other liberties of JSON5; None on a fault."""
        return self.parsed("json", path, json5)

    def yaml(self, path: str) -> Node | None:
        """The first document, with merges."""
        read = self.yaml_all(path)
        return read[0] if read else None

    def yaml_all(self, path: str) -> list[Node]:
        """The roots of all documents, with merges; empty where the file cannot be read."""
        key = ("yaml", path)
        if key not in self._parsed:
            try:
                self._parsed[key] = yaml_nodes.read(self.bytes(path), merges=True).roots
            except Fault:
                self._parsed[key] = []
        return cast("list[Node]", self._parsed[key])

    def xml(self, path: str) -> Element | None:
        """The root of a document; None where the file cannot be read or parsed."""
        root: Element | None = self.parsed("xml", path, xml)
        return root

    def parsed(self, form: str, path: str, parse: Callable[[str], Any]) -> Any:
        """What `parse` makes of a text in a form, remembered; None where it raises ValueError."""
        key = (form, path)
        if key not in self._parsed:
            try:
                self._parsed[key] = parse(self.text(path))
            except (ValueError, RecursionError):
                self._parsed[key] = None
        return self._parsed[key]


def decoded(data: bytes) -> str:
    """Text of whatever bytes, with line feeds alone."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", errors="replace")
    else:
        text = data.removeprefix(codecs.BOM_UTF8).decode(errors="replace")
    return text.replace("\r\n", "\n")


def toml(text: str) -> Mapping[str, Any]:
    """Raises ValueError."""
    return tomllib.loads(text)


def json5(text: str) -> Any:
    """JSON as people write it. Raises ValueError."""
    if not text.strip():
        raise ValueError("the file is empty")
    try:
        value = json.loads(text)
    except ValueError:
        value = json.loads(_plain_json(text))
    return _of_characters(value) if _SURROGATE.search(text) else value


def _of_characters(value: Any) -> Any:
    """A value of JSON with U+FFFD for halves of a character, which no file could hold."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_of_characters(item) for item in value]
    if isinstance(value, dict):
        return {_of_characters(name): _of_characters(item) for name, item in value.items()}
    return value


def xml(text: str) -> Element:
    """The root of a document without entities of its own. Raises ValueError."""
    parser = expat.ParserCreate(encoding="utf-8", namespace_separator="}")
    builder = TreeBuilder(element_factory=Element)
    depth = 0

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEPTH_MAX:
            raise ValueError("the document is nested too deeply")
        named = {_local(name): value for name, value in attributes.items()}
        element = builder.start(_local(tag), named)
        assert isinstance(element, Element)
        element.line = parser.CurrentLineNumber

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_local(tag))

    def refuse(*_: object) -> None:
        raise ValueError("the document declares entities")

    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = refuse
    parser.buffer_text = True
    try:
        parser.Parse(text.encode(errors="replace"), True)
    except expat.ExpatError as wrong:
        raise ValueError(str(wrong)) from wrong
    root = builder.close()
    assert isinstance(root, Element)
    return root


def _local(name: str) -> str:
    return name[name.rfind("}") + 1 :]


def _plain_json(text: str) -> str:
    """Strict JSON of the same value: no comments, no commas before an end, names in quotes."""
    tokens: list[str] = []
    for match in _TOKEN.finditer(text):
        if match.lastgroup is not None or len(tokens) > _TOKENS_MAX:
            raise ValueError("this is not JSON")
        token = match[0]
        if token.startswith(("//", "/*")) or token.isspace():
            continue
        if token in ("}", "]") and tokens and tokens[-1] == ",":
            tokens.pop()
        if token[0] == "'":
            inside = token[1:-1].replace("\\'", "'")
            token = '"' + re.sub(r'(?<!\\)"', r"\"", inside) + '"'
        elif (token[0].isalpha() or token[0] in "_$") and token not in _WORDS:
            token = json.dumps(token)
        tokens.append(token)
    return "".join(tokens)
