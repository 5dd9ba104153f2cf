"""Protocol Buffers: services with their calls, messages, enums."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from stationmaster.reading.code.schemas.tokens import Token, Tokens
from stationmaster.reading.code.stored import Column

TOKENS_MAX = 200_000
_TOKEN = re.compile(
    r"(?P<space>\s++)|(?P<comment>//[^\n]*+|/\*(?:.*?\*/|.*))"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?)|(?P<word>[\w.]++)|(?P<sign>.)",
    re.DOTALL,
)
_VERBS = frozenset({"get", "put", "post", "delete", "patch"})


class Rpc(msgspec.Struct, frozen=True, array_like=True):
    """A method of a service; `http` is the route of its option (`GET /v1/things`), '' without
    one."""

    name: str
    request: str
    response: str
    line: int
    streams_in: bool = False
    streams_out: bool = False
    http: str = ""
    doc: str = ""


class Service(msgspec.Struct, frozen=True, array_like=True):
    """A service with its calls, from `line` to `end`; `doc` is the comment above it."""

    name: str
    line: int
    end: int
    rpcs: tuple[Rpc, ...]
    doc: str = ""


class Message(msgspec.Struct, frozen=True, array_like=True):
    """A message or enum, by `kind`; `name` begins with those of the messages around it."""

    name: str
    kind: str
    line: int
    end: int
    fields: tuple[Column, ...]


class Proto(msgspec.Struct, frozen=True, array_like=True):
    """The declarations of one file; `package` is '' without one."""

    package: str
    services: tuple[Service, ...]
    messages: tuple[Message, ...]


class _Open(NamedTuple):
    """A message, an enum or a `oneof` of one that has begun."""

    name: str
    kind: str
    token: Token
    fields: list[Column]


def read(text: str) -> Proto:
    """The services, messages and enums of a file, from its first TOKENS_MAX tokens."""
    reading = _Reading(Tokens(_TOKEN, text, TOKENS_MAX))
    reading.run()
    return Proto(reading.package, tuple(reading.services), tuple(reading.messages))


class _Reading:
    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self.package = ""
        self.services: list[Service] = []
        self.messages: list[Message] = []

    def run(self) -> None:
        """Read the statements one after the other, those inside messages too."""
        tokens, around, start = self._tokens, list[_Open](), 0
        while not tokens.is_over:
            token, is_opened = tokens.next(), tokens.text(1) == "{"
            if is_opened and token.text in ("message", "enum"):
                outer = f"{around[-1].name}." if around and around[-1].name else ""
                around.append(_Open(outer + tokens.text(), token.text, token, []))
                tokens.at = start = tokens.at + 2
            elif is_opened and token.text == "oneof" and around:
                around.append(_Open("", "oneof", token, around[-1].fields))
                tokens.at = start = tokens.at + 2
            elif is_opened and token.text == "service" and not around:
                self._service(token)
                start = tokens.at
            elif token.text == "{":  # The body of an option or of something unknown.
                tokens.at -= 1
                tokens.skip()
            elif token.text == "}":
                if around and (closed := around.pop()).kind != "oneof":
                    begin, fields = closed.token, tuple(closed.fields)
                    row = closed.name, closed.kind, begin.line, token.line, fields
                    self.messages.append(Message(*row))
                start = tokens.at
            elif token.text == ";":
                self._statement(tokens.between(start, tokens.at - 1), around)
                start = tokens.at

    def _statement(self, tokens: list[Token], around: list[_Open]) -> None:
        words = [token.text for token in tokens]
        if words[:1] == ["package"] and len(words) == 2:
            self.package = words[1]
        if not around or "=" not in words or words[0] in ("option", "reserved", "extensions"):
            return
        declared = words[: words.index("=")]
        line = tokens[0].line
        if around[-1].kind == "enum":
            around[-1].fields.append(Column(declared[-1], line=line))
        elif len(declared) >= 2:
            type_ = "".join(f"{word} " if word in _LABELS else word for word in declared[:-1])
            around[-1].fields.append(Column(declared[-1], type_, line=line))

    def _service(self, opened: Token) -> None:
        tokens, name = self._tokens, self._tokens.next().text
        begin = tokens.at
        tokens.skip()
        end, tokens.at = tokens.at, begin + 1
        rpcs = []
        while tokens.at < end:
            token = tokens.next()
            if token.text == "rpc" and tokens.text(1) == "(":
                rpcs.append(self._rpc(token, end))
        tokens.at = end
        last = tokens[min(end, len(tokens)) - 1].line
        self.services.append(Service(name, opened.line, last, tuple(rpcs), opened.doc))

    def _rpc(self, opened: Token, end: int) -> Rpc:
        tokens, name = self._tokens, self._tokens.next().text
        sides: list[list[str]] = []
        while tokens.at < end and len(sides) < 2 and tokens.text() not in (";", "{"):
            if tokens.next().text == "(":
                sides.append([])
                while tokens.at < end and tokens.text() != ")":
                    sides[-1].append(tokens.next().text)
                tokens.at += 1
        begin, http = tokens.at, ""
        if tokens.text() == "{":
            tokens.skip()
            http = _http([token.text for token in tokens.between(begin, tokens.at)])
        sides += [[], []]
        types = [side[-1] if side else "" for side in sides]
        streams = [side[:1] == ["stream"] for side in sides]
        return Rpc(name, types[0], types[1], opened.line, streams[0], streams[1], http, opened.doc)


_LABELS = frozenset({"repeated", "optional", "required"})


def _http(words: list[str]) -> str:
    """The route in `option (google.api.http) = { get: "/v1/things" }`."""
    if "google.api.http" not in words:
        return ""
    for verb, sign, path in zip(words, words[1:], words[2:], strict=False):
        if verb in _VERBS and sign == ":" and path[:1] in "\"'":
            return f"{verb.upper()} {path[1:-1]}"
    return ""
