"""Protocol Buffers: services with their calls, messages, enums."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from stationmaster.reading.code.model import Column

TOKENS_MAX = 200_000
_TOKEN = re.compile(
    r"(?P<space>\s++)|(?P<comment>//[^\n]*+|/\*(?:.*?\*/|.*))"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?)|(?P<word>[\w.]++)|(?P<sign>.)",
    re.DOTALL,
)
_VERBS = frozenset({"get", "put", "post", "delete", "patch"})


class Rpc(msgspec.Struct, frozen=True, array_like=True):
    """`http` is the route that an option gives it (`GET /v1/things`), '' without one."""

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
    """`kind` is `message` or `enum`; `name` holds those of the messages around it."""

    name: str
    kind: str
    line: int
    end: int
    fields: tuple[Column, ...]
    doc: str = ""


class Proto(msgspec.Struct, frozen=True, array_like=True):
    """What one file declares; `package` is '' without one."""

    package: str
    services: tuple[Service, ...]
    messages: tuple[Message, ...]


class _Token(msgspec.Struct):
    text: str
    line: int
    doc: str


def read(text: str) -> Proto:
    """The services, messages and enums of a file, from its first TOKENS_MAX tokens."""
    reading = _Reading(list(_tokens(text)))
    reading.run()
    return Proto(reading.package, tuple(reading.services), tuple(reading.messages))


def _tokens(text: str) -> Iterator[_Token]:
    line, doc, ended = 1, "", 0
    for count, found in enumerate(_TOKEN.finditer(text)):
        if count > TOKENS_MAX:
            return
        kind, value = found.lastgroup, found[0]
        if kind == "comment":
            words = " ".join(re.sub(r"^[\s/*]+|[\s*/]+$", "", each) for each in value.split("\n"))
            doc = f"{doc} {words}".strip() if ended == line - 1 else words.strip()
            ended = line + value.count("\n")
        elif kind != "space":
            yield _Token(value, line, doc if ended in (line - 1, line) else "")
            doc = ""
        line += value.count("\n")


class _Reading:
    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self.package = ""
        self.services: list[Service] = []
        self.messages: list[Message] = []

    def run(self) -> None:
        """Statements one after the other; what is inside messages is read as if it stood here."""
        around: list[tuple[str, int, _Token, list[Column], str]] = []
        at = start = 0
        while at < len(self._tokens):
            token = self._tokens[at]
            word = token.text
            if word in ("message", "enum") and self._is(at + 2, "{"):
                name = self._tokens[at + 1].text
                outer = around[-1][0] if around else ""
                around.append((f"{outer}.{name}" if outer else name, at, token, [], word))
                at += 3
                start = at
                continue
            if word == "service" and self._is(at + 2, "{") and not around:
                at = start = self._service(at)
                continue
            if word == "oneof" and self._is(at + 2, "{") and around:
                around.append(("", at, token, around[-1][3], "oneof"))
                at += 3
                start = at
                continue
            if word == "{":  # The body of an option or of something unknown.
                at = self._past(at)
                continue
            if word == "}":
                if around:
                    name, _, opened, fields, kind = around.pop()
                    if kind != "oneof":
                        self.messages.append(
                            Message(name, kind, opened.line, token.line, tuple(fields), opened.doc)
                        )
                start = at + 1
            elif word == ";":
                self._statement(self._tokens[start:at], around)
                start = at + 1
            at += 1

    def _statement(
        self,
        tokens: list[_Token],
        around: list[tuple[str, int, _Token, list[Column], str]],
    ) -> None:
        words = [token.text for token in tokens]
        if words[:1] == ["package"] and len(words) == 2:
            self.package = words[1]
        if not around or "=" not in words or words[0] in ("option", "reserved", "extensions"):
            return
        told = words[: words.index("=")]
        line = tokens[0].line
        if around[-1][4] == "enum":
            around[-1][3].append(Column(told[-1], line=line))
        elif len(told) >= 2:
            type_ = "".join(f"{each} " if each in _LABELS else each for each in told[:-1])
            around[-1][3].append(Column(told[-1], type_, line=line))

    def _service(self, at: int) -> int:
        opened, name = self._tokens[at], self._tokens[at + 1].text
        end = self._past(at + 2)
        rpcs = []
        inside = at + 3
        while inside < end:
            if self._tokens[inside].text == "rpc" and self._is(inside + 2, "("):
                rpc, inside = self._rpc(inside, end)
                rpcs.append(rpc)
            else:
                inside += 1
        last = self._tokens[min(end, len(self._tokens)) - 1].line
        self.services.append(Service(name, opened.line, last, tuple(rpcs), opened.doc))
        return end

    def _rpc(self, at: int, end: int) -> tuple[Rpc, int]:
        token, name = self._tokens[at], self._tokens[at + 1].text
        sides: list[list[str]] = []
        inside = at + 2
        while inside < end and len(sides) < 2 and self._tokens[inside].text not in (";", "{"):
            if self._tokens[inside].text == "(":
                side = []
                while inside < end and self._tokens[inside].text != ")":
                    inside += 1
                    side.append(self._tokens[inside].text if inside < end else "")
                sides.append(side[:-1])
            inside += 1
        http = ""
        if self._is(inside, "{"):
            after = self._past(inside)
            http = _http([each.text for each in self._tokens[inside:after]])
            inside = after
        request, response = (*sides, [], [])[:2]
        return Rpc(
            name,
            request[-1] if request else "",
            response[-1] if response else "",
            token.line,
            request[:1] == ["stream"],
            response[:1] == ["stream"],
            http,
            token.doc,
        ), inside

    def _is(self, at: int, sign: str) -> bool:
        return at < len(self._tokens) and self._tokens[at].text == sign

    def _past(self, at: int) -> int:
        """Behind the bracket that closes the one that stands here."""
        depth = 0
        while at < len(self._tokens):
            depth += (self._tokens[at].text == "{") - (self._tokens[at].text == "}")
            at += 1
            if depth == 0:
                break
        return at


_LABELS = frozenset({"repeated", "optional", "required"})


def _http(words: list[str]) -> str:
    """The route in `option (google.api.http) = { get: "/v1/things" }`."""
    if "google.api.http" not in words:
        return ""
    for verb, sign, path in zip(words, words[1:], words[2:], strict=False):
        if verb in _VERBS and sign == ":" and path[:1] in "\"'":
            return f"{verb.upper()} {path[1:-1]}"
    return ""
