"""Commands that a program of Go distinguishes itself, by a `switch` over a word of its command
line; and the sets of flags that functions make for them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from stationmaster.reading.code.languages.go.frameworks import File, constants
from stationmaster.reading.code.languages.go.kept import variable
from stationmaster.reading.code.languages.source import above, child, inside, line_of, one_line
from stationmaster.reading.code.languages.unit import Called
from stationmaster.reading.code.model import CliCommand

SET = "@set"
"""What keeps a set of flags."""
_WORD = r"(?:os\.Args\[1\]|\b[\w.]{0,40}\b[Aa]rgs(?:\(\))?\[0\]|\b\w{1,40}\.Arg\(0\))"
_FIRST = re.compile(_WORD)
_GIVEN = re.compile(rf"\b(\w{{1,40}})(?:, ?\w{{1,40}}){{0,2}} :?= [^\n]{{0,60}}?{_WORD}")
_NAME = re.compile(r"[A-Za-z][\w:.-]{0,40}")
_MADE = re.compile(
    r"&?\(?&?([\w.]{1,60})\{|new\(([\w.]{1,60})\)|(?:\w{1,40}\.)?New([A-Z]\w{0,60})\("
)
_OLD = re.compile(r"//\s*(Deprecated\b[^\n]{0,200})")
_BESIDE = frozenset({"errors", "exec", "flag", "fmt", "log", "os", "slog", "strings", "time"})
_OF_SET = re.compile(r"FlagSet|\.(?:Args?|NArg|Parse|Usage)$")
_RUNS = re.compile(r"\b(?:Exec|Execute|Main|Run)$")
_SET_HERE = re.compile(r"\b(\w{1,40}) := ([^\n]{1,120})")
_TEXT_MAX, _PARTS_MAX, _CASES_MAX = 20_000, 8, 200


def read(file: File) -> Iterator[CliCommand]:
    """The commands, each with the functions that it calls as parts."""
    if b"rg" not in file.data or (b"Args" not in file.data and b"args" not in file.data):
        return
    for match in file.matches("commands"):
        if "switch" in match:
            yield from _switch(file, match["switch"][0])


def flag_set(file: File, call: Called) -> tuple[str, str] | None:
    """The name of a set of flags that a call makes, and the variable that keeps it."""
    if "FlagSet" not in call.name or not call.name.lower().startswith("new"):
        return None
    name = call.value(0) if call.given.get(0) is not None else ""
    kept = variable(above(call.node, "expression_list", past=True))
    left = file.text(kept).partition(",")[0]
    return (name, left) if left else None


def _switch(file: File, node: Node) -> Iterator[CliCommand]:
    value = child(node, "value")
    if value is None or not _is_word(file, value):
        return
    texts = constants(file)
    for case in node.named_children[:_CASES_MAX]:
        if case.type != "expression_case":
            continue
        names = [file.literal(it) or texts.get(file.text(it), "") for it in inside(case, "value")]
        words = [it for it in names if it and _NAME.fullmatch(it)]
        if words:
            old = _OLD.search(file.text(case)[:_TEXT_MAX])
            also = f"Also: {', '.join(words[1:])}." if words[1:] else ""
            meaning = " ".join(filter(None, (one_line(old[1]) if old else "", also)))
            yield _command(file, words[0], case, meaning)


def _is_word(file: File, value: Node) -> bool:
    """Is a value a word of the command line, or a variable that holds one?"""
    text = file.text(value)
    if _FIRST.search(text):
        return True
    function = above(value, "function_declaration", "method_declaration")
    before = file.text(function)[:_TEXT_MAX] if function is not None else ""
    return text in {match[1] for match in _GIVEN.finditer(before)}


def _command(file: File, word: str, node: Node, meaning: str) -> CliCommand:
    calls = [it for it in file.called if node.start_byte <= it.node.start_byte < node.end_byte]
    named = {(it, _function(file, it, node)): file.text(it.listed) for it in calls}
    known = [(name, given) for (_, name), given in named.items() if name]
    known = [(name, given) for name, given in known if not _OF_SET.search(name)]
    ranked = sorted(
        known,
        key=lambda it: (
            not _RUNS.search(it[0]),
            not it[0].lower().startswith(word),
            word not in it[0].lower(),
            "rgs" not in it[1],
        ),
    )
    handler = ranked[0][0] if ranked else ""
    parts = tuple(dict.fromkeys(name for name, _ in known))[:_PARTS_MAX]
    return CliCommand((word,), line_of(node), meaning, handler, parts=parts)


def _function(file: File, call: Called, within: Node) -> str:
    """What a call is of, as its type declares it; '' for one of the language's own packages."""
    if call.of is None:
        return "" if call.name.startswith(("New", "append", "len", "panic")) else call.name
    on = file.text(call.of)
    if on.partition(".")[0] in _BESIDE:
        return ""
    match = _MADE.match(on)
    if match is None and on.isidentifier():
        text = file.text(within)[:_TEXT_MAX]
        made = next((it[2] for it in _SET_HERE.finditer(text) if it[1] == on), "")
        match = _MADE.match(made)
    type_ = next(filter(None, match.groups()), "") if match else ""
    return f"{type_}.{call.name}" if type_ else f"{on}.{call.name}" if on.isidentifier() else ""
