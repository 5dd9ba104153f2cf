"""Settings of .NET: properties of the classes that sections of the configuration are bound to, and
the values that a program begins with."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import msgspec

from stationmaster.reading.code.model import Setting
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.configured.go_structs import Read
from stationmaster.wiki.facts.data.csharp_classes import class_of, is_scalar, properties
from stationmaster.wiki.facts.model import Facts, query

_DEPTH_MAX, _BINDINGS_MAX = 5, 500
_BOUND = re.compile(r"\b(?:Configure|AddOptions\w{0,40}|Add\w{1,60}Options)<([\w.]{1,200})>\(")
_TAKEN = re.compile(
    r"\bGet(?:Required)?Section\(([^()\n]{1,150}(?:\([^()\n]{1,150}\))?)\)[!?]?\s{0,60}"
    r"\.Get<([\w.]{1,200})>"
)
_SECTION = re.compile(
    r"\b(?:GetSection|GetRequiredSection|BindConfiguration)\("
    r"([^()\n]{1,150}(?:\([^()\n]{1,150}\))?)[,)]"
)
_GIVEN = re.compile(r"\s{0,80}([^()\n;]{1,150}(?:\([^()\n]{1,150}\))?)\)")
_TEXT = re.compile(r"\"([\w:.\-]{1,200})\"|nameof\((?:\w{1,100}\.){0,5}(\w{1,100})\)")
_WHOLE = re.compile(r"(?:\w{1,60}\.)?_?[cC]onfiguration")
_REMARK = re.compile(r"(?m)^[ \t]*//[^\n]*")
_CONSTANT = re.compile(r"(?:(\w{1,100})\.)?(\w{1,100})")
_HELD = r"\bconst\s+string\s+%s\s*=\s*([^;\n]{1,200});"
_VALUE = re.compile(
    r"\}\s*=\s*(?:\"([^\"\\]*)\"|(-?\d[\d._]*[a-zA-Z]?|true|false)|(\w+)\.(\w+))\s*;"
)
_STATEMENT_MAX = 600
_BEGUN = re.compile(
    r"\bDictionary<string,\s?string\??>\s+(\w{1,100})\s?(?:\{[^{}\n]{0,40}\}\s?)?=>?\s?new[^;{]{0,60}"
    r"\{((?:[^{};]|\{[^{};]{0,300}\}){1,9000})\}\s?;"
)
_NAME = re.compile(r"[A-Za-z_]\w*")
_PAIR = re.compile(
    r"(?:\{\s*([^{},]{1,120}),|\[([^\]\n]{1,120})\]\s*=)\s*([^{},\n]{1,120}?)\s*(?:\}|,|\n)"
)
_OF_NAMES = re.compile(r"(?m)^\s*using static [\w.]*?(\w+);")
_TRUTH = {"bool.TrueString": "True", "bool.FalseString": "False"}


@query
def bound(facts: Facts) -> tuple[Read, ...]:
    """The keys of properties, with the files that declare them. What one of several classes says
    of a key that they share is left out."""
    found: dict[str, dict[str, Setting]] = defaultdict(dict)
    for path, type_, section in _bindings(facts):
        for place, setting in _below(facts, (path,), type_, f"{section}:" if section else "", 0):
            found[setting.name].setdefault(place, setting)
    return tuple(
        (path, setting if len(places) == 1 else msgspec.structs.replace(setting, doc=""))
        for places in found.values()
        for path, setting in places.items()
    )


def begun(facts: Facts) -> Iterator[Read]:
    """The keys of the dictionaries that a program makes its configuration of, with their values."""
    texts = {path: facts.tree.text(path) for path in facts.code if path.endswith(".cs")}
    texts = {path: text for path, text in texts.items() if not is_test(path)}
    users = (text for text in texts.values() if ".AddInMemoryCollection(" in text)
    words = {it for text in users for it in _NAME.findall(text)}
    for path, text in texts.items() if words else ():
        for held in _BEGUN.finditer(text) if "Dictionary<string" in text else ():
            if held[1] in words:
                for pair in _PAIR.finditer(text, held.start(2), held.end(2)):
                    line = text.count("\n", 0, pair.start()) + 1
                    if name := _name(facts, path, (pair[1] or pair[2]).strip()):
                        value = _TRUTH.get(pair[3], pair[3].strip('"'))
                        yield path, Setting(name, "key", line, value)


def _bindings(facts: Facts) -> Iterator[tuple[str, str, str]]:
    """Files that bind a section to a class, with both; '' for the whole configuration."""
    for path in facts.code:
        if not path.endswith(".cs") or is_test(path):
            continue
        text = _REMARK.sub("", facts.tree.text(path))
        for match in [*_BOUND.finditer(text)][:_BINDINGS_MAX]:
            statement = text[match.end() : match.end() + _STATEMENT_MAX].partition(";")[0]
            section = _SECTION.search(statement) or _GIVEN.match(statement)
            name = _name(facts, path, section[1].strip()) if section else None
            if name is not None:
                yield path, match[1], name
        for match in _TAKEN.finditer(text):
            name = _name(facts, path, match[1].strip())
            if name is not None:
                yield path, match[2], name


def _name(facts: Facts, path: str, written: str) -> str | None:
    """The section that an expression names; None where it is not known."""
    if _WHOLE.fullmatch(written):
        return ""
    text, constant = _TEXT.fullmatch(written), _CONSTANT.fullmatch(written)
    if text is None and constant:
        holders = [constant[1]] if constant[1] else ["", *_OF_NAMES.findall(facts.tree.text(path))]
        values = (it for holder in holders for it in _values(facts, path, holder, constant[2]))
        text = next(filter(None, map(_TEXT.fullmatch, values)), None)
    return text[1] or text[2] if text else None


def _values(facts: Facts, path: str, holder: str, name: str) -> Iterator[str]:
    """What constants of a name are, those of a class of any file, or else of the file itself."""
    for place in (it for it in facts.code if it.endswith(".cs") and (holder or it == path)):
        for symbol in facts.code[place].symbols:
            is_held = not holder or symbol.container.rpartition(".")[2] == holder
            if symbol.kind == "constant" and symbol.name == name and is_held:
                yield symbol.signature.partition("=")[2].strip()
    if not holder:  # What is private is no symbol.
        yield from re.findall(_HELD % re.escape(name), facts.tree.text(path))


def _below(
    facts: Facts, users: tuple[str, ...], type_: str, section: str, depth: int
) -> Iterator[Read]:
    """The keys of a class and of those that its properties hold."""
    spot = class_of(facts, type_.rpartition(".")[2], users)
    for property_ in properties(facts, spot):
        key, inner = f"{section}{property_.name}", property_.type
        held = None if is_scalar(facts, property_) else class_of(facts, inner, (property_.path,))
        if held is not None and depth < _DEPTH_MAX and inner != type_:
            yield from _below(facts, (property_.path,), inner, f"{key}:", depth + 1)
        else:
            default = _default(property_.body, inner)
            yield (
                property_.path,
                Setting(key, "key", property_.line, default, doc=property_.doc, type=inner),
            )


def _default(body: str, type_: str) -> str | None:
    """The literal or the value of an enum that a property begins with."""
    match = _VALUE.search(body)
    if match is None:
        return None
    if match[3]:
        return match[4] if match[3] == type_ else None
    return match[2] or match[1]
