"""Values that must not leave: detected in any text on its way out, and replaced by one word.

Digests, hashes of commits, UUIDs and what is plainly an example stay. All patterns are bounded, so
that the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from stationmaster.catalogue import lists
from stationmaster.catalogue.secrets import hinted
from stationmaster.reading.projects.credentials import is_placeholder, is_random
from stationmaster.wiki.text.inline import ESCAPED

MASK = "REDACTED"
"""One plain word: it is the same in Markdown, in a diagram, and in an address."""
DEFAULT_MAX = 40
"""Characters of a default that is shown."""


class Found(NamedTuple):
    """Characters `start` to `end` of a text are a secret of this kind."""

    kind: str
    start: int
    end: int


_USER = re.compile(
    r"://(?:([\w-]{20,200})@|([^\s/:@\"'`<>()\[\]]{0,128}):([^\s/@\"'`<>()]{1,256})(?:@|…))"
)
_SAME = lists.words("no-password")
"""Passwords of addresses that are the same everywhere, in addition to placeholders."""
_TEMPLATE = re.compile(r"[${}%<>]|\*\*|^\.{2,}|…")
_NAMES = (
    "password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "api_key",
    "api-key", "accesskey", "access_key", "access-key", "private_key", "privatekey",
    "private-key", "accountkey", "account_key", "signingkey", "signing_key", "encryption_key",
    "encryptionkey", "master_key", "masterkey", "authkey", "auth_key", "credential",
    "authorization", "bearer", "dsn", "connectionstring", "connection_string", "connstr",
    "salt", "cookie", "session", "passcode", "_pass", "-pass", ".pass", "_pw", "-pw", ".pw",
)  # fmt: skip
"""What a line has, in any case of letters, when it names a secret."""
_HUMP = re.compile(r"[A-Z][a-z]{2,40}|[a-z]{3,40}")
_VOWELS = frozenset("aeiouy")
_OF_WORDS, _OF_WORDS_NAMED = 0.75, 0.5
"""Shares of words in an identifier, and in one that a line gives a value to."""
_NAMED = re.compile(r"\b([A-Za-z_]\w{19,99}+) = ")
_WORD = re.compile(r"(?:(?<=:)//)?+([A-Za-z0-9+/=_-]{20,4000}+)")
_ASSIGNED = re.compile(
    r"[\w.\-]{0,40}[\"'`*\])]{0,4}\s{0,4}(?:=>|:=|==|=|:|\||\bis\b|\bbasic\b|\bbearer\b"
    r"|(?<=bearer)|(?<=basic))[\s\"'`(*|]{1,8}([^\s\"'`|,;()<>\[\]{}$]{12,400})",
    re.I,
)
_LOGIN = re.compile(
    r"\b(?:curl\b[^\n]{0,200}?\s(?:-u|--user)[ =][\"']?[\w.@-]{1,64}:"
    r"|(?:mysql|mariadb)(?:dump|admin)?\b[^\n]{0,200}?\s-p[\"']?)([^\s\"'`]{3,128})"
)
"""A password that a command is given."""
_PASSWORDS = frozenset({"password", "passwd", "passphrase", "pwd", "passcode"})
_MADE_UP = re.compile(r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=[^0-9]*[0-9])[^\s.:/\\]{10,64}")
"""A password as people make it."""
_HEX = re.compile(r"[0-9a-fA-F]+")
_NEAR_NAME = "random text next to the name of a secret"
_DIGEST = re.compile(r"(?i)(?:sha\d{1,3}[-:=]|md5[-:=]|h1:|base64,)$")
_HASH_SIZES = frozenset({32, 40, 56, 64, 96, 128})
_SECRET_WORDS = lists.words("secret-name")
_MEASURES = lists.words("measure-name")
_MANNERS = lists.words("manner-name")
_NAMINGS = lists.words("naming-name")
_PLACES = lists.words("place-name")
_SWITCH = re.compile(r"(?i:true|false|none|null)")
_NUMBER = re.compile(r"-?\d{1,8}(?:\.\d{1,3})?")
_DURATION = re.compile(r"(?:\d{1,6}(?:[nmu]s|[smhdw]|min)){1,4}")
_ADDRESS = re.compile(r"https?://[\w.-]{1,100}(?::\d{1,5})?(?:/[\w./-]{0,100})?")
_NAMES_HOST = re.compile(
    r"(?i)(?:addr|address|domain|endpoint|host|hostname|server|ur[il])(?:e?s)?$"
)
_HOST = re.compile(
    r"(?<![\w./-])(?!(?:[\w-]{1,64}\.){0,5}example\.[a-z]{2,5}\b(?!\.))"
    r"(?:[\w-]{1,64}\.){1,6}(?!example\b|localhost\b|test\b)[A-Za-z]{2,20}\b(?!/)"
)
_PORT = re.compile(r":\d{2,5}\b")
_OF_SOMEBODY = re.compile(
    r"\w@[\w-]{1,64}\.|\b(?!127\.|0\.0\.0\.0)(?:\d{1,3}\.){3}\d"
    r"|//(?!(?:[\w-]{1,64}\.){0,6}(?:example|localhost|test)\b|127\.|0\.0\.0\.0|[\w-]{1,64}(?:[:/]|$))"
)
"""An address of mail, of a machine by number, or of a host that is none of examples or of one's
own machine and containers."""
_GIVES = re.compile(r"(?<![\w.-])(?<!//)([\w.-]{1,64}+)[\"']?\s?[=:]")
"""A name before its value, within a value; the host of an address, with its port, is none."""
_LOGS_IN = re.compile(r":[^\s@]{0,200}[^\s@:]@")
_ENDS = re.compile(r"\r\n|\r|\n")
_CHOICE = re.compile(r"[A-Za-z]{1,12}(?:[_-][A-Za-z]{1,12}){0,2}\d{0,3}")
_CALLED = re.compile(r"[A-Za-z]{1,20}(?:[._-][A-Za-z]{1,20}){0,5}")
_MANNER = re.compile(r"(?:[A-Z]{2,10}|[a-z]{2,10})[_-]?")
_PATH = re.compile(r"[\w.~${}%:-]*+[/\\.][\w.~${}%/\\ -]{1,40}")
_JOINED = re.compile(
    r"password|passwd|secret|credential|token(?!i)|apikey|privatekey|accesskey|connectionstring|connstr"
    r"|passcode|(?:admin|db|mail|root|smtp|user)(?:pass|pw)$|private$"
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def is_secret_name(name: str) -> bool:
    """May a setting of this name have a secret? Then its value is never shown."""
    words = [word.lower() for word in _WORDS.findall(name)]
    return any(
        word in _SECRET_WORDS or word.removesuffix("s") in _SECRET_WORDS for word in words
    ) or bool(_JOINED.search("".join(words)))


def may_show_default(name: str, value: str, *, is_choice: bool = False) -> bool:
    """Is a default in code short, and surely no secret? `is_choice`: one of a few allowed words."""
    return (
        len(value) <= DEFAULT_MAX
        and (not is_secret_name(name) or _is_no_secret(name, value, is_choice=is_choice))
        and not any(map(is_secret_name, _GIVES.findall(value)))
        and not any(is_random(match[0]) for match in re.finditer(r"[A-Za-z0-9+/=_-]{16,40}", value))
        and not any(find(value))
    )


def may_show_value(name: str, value: str) -> bool:
    """May a value of a shipped file of settings be shown? A default may, unless it names a mailbox
    or a machine of a person, or is for signing in."""
    may_be_host = _NAMES_HOST.search(name) or _PORT.search(value)
    is_host = may_be_host and _HOST.search(value)
    is_of_somebody = is_host or _OF_SOMEBODY.search(value) or _LOGS_IN.search(value)
    return may_show_default(name, value) and not is_of_somebody


def _is_no_secret(name: str, value: str, *, is_choice: bool) -> bool:
    """Can a value be no secret although a word of its name is one of secrets?

    The last word of a name states what it is of: the `TOKEN_TIME` is a time, the `DEFAULT_TOKEN` is
    a token. A number of few digits may be a secret, unless it is a measure.
    """
    last = next((word.lower() for word in reversed(_WORDS.findall(name))), "")
    return (
        _SWITCH.fullmatch(value) is not None
        or (is_choice and _CHOICE.fullmatch(value) is not None)
        or (
            _NAMES_HOST.search(name) is not None
            and (_HOST.fullmatch(value) or _ADDRESS.fullmatch(value)) is not None
        )
        or (not is_secret_name(last) and _DURATION.fullmatch(value) is not None)
        or (last in _MEASURES and _NUMBER.fullmatch(value) is not None)
        or (last in _MANNERS and _MANNER.fullmatch(value) is not None)
        or (last in _NAMINGS and _CALLED.fullmatch(value) is not None)
        or (last in _PLACES and _PATH.fullmatch(value) is not None)
    )


def masked(text: str) -> str:
    """The text with MASK in place of each secret."""
    return mask(text)[0]


def mask(text: str) -> tuple[str, list[Found]]:
    """The text with MASK in place of each secret, and the secrets by their places in `text`.

    Markdown's escapes hide nothing: `ghp\\_…` is what it shows.
    """
    plain = ESCAPED.sub(r"\1", text) if "\\" in text else text
    secrets = [*find(plain)]
    if not secrets:
        return text, []
    if plain != text:
        places = _places(text)
        secrets = [Found(kind, places[start], places[end]) for kind, start, end in secrets]
    parts: list[str] = []
    last = 0
    for _, start, end in secrets:
        parts += text[last:start], MASK
        last = end
    return "".join([*parts, text[last:]]), secrets


def masked_lines(text: str) -> list[str]:
    """The lines of a text with MASK in place of each secret: as many as it has itself."""
    parts: list[str] = []
    last = 0
    for _, start, end in find(text):
        parts += text[last:start], MASK, *_ENDS.findall(text, start, end)
        last = end
    return _ENDS.split("".join([*parts, text[last:]]))


@lru_cache(500)
def find(text: str) -> Sequence[Found]:
    """By place; no two share a character."""
    return _apart([*_of_forms(text), *_of_addresses(text), *_of_names(text)])


def _of_forms(text: str) -> Iterator[Found]:
    for form in hinted(text):
        for seen in form.all_in(text):
            if not is_placeholder(seen[1]):
                yield Found(form.kind, *seen.span(1))


def _of_addresses(text: str) -> Iterator[Found]:
    if "://" in text:
        for match in _USER.finditer(text):
            if match[1] is None:
                if not _is_no_password(match[3], match[2]):
                    yield Found("password in an address", *match.span(3))
                    if is_random(match[2]):
                        yield Found("user in an address", *match.span(2))
            elif is_random(match[1]):
                yield Found("token in an address", *match.span(1))
    if any(program in text for program in ("curl", "mysql", "mariadb")):
        for seen in _LOGIN.finditer(text):
            if not _is_no_password(seen[1], ""):
                yield Found("password of a command", *seen.span(1))


def _of_names(text: str) -> Iterator[Found]:
    """Random words on lines that name a secret, and values of such names."""
    lowered = text.lower()
    if len(lowered) != len(text):  # Some letters of other alphabets become two.
        lowered = "".join(letter.lower() if letter.isascii() else letter for letter in text)
    lines: dict[int, list[tuple[int, str]]] = {}
    for name in _NAMES:
        at = -1
        while (at := lowered.find(name, at + 1)) >= 0:
            lines.setdefault(text.rfind("\n", 0, at) + 1, []).append((at + len(name), name))
    words = _NAMED.findall(text) if lines else ()
    named = {it for it in words if _is_identifier(it, _OF_WORDS_NAMED)}
    for start, names in lines.items():
        end = text.find("\n", start)
        yield from _of_line(text[start:] if end < 0 else text[start:end], start, names, named)


def _of_line(
    line: str, start: int, names: list[tuple[int, str]], named: Set[str]
) -> Iterator[Found]:
    for end, name in names:
        match = _ASSIGNED.match(line, end - start)
        value = match[1] if match else ""
        is_secret = is_random(value) or (name in _PASSWORDS and _is_made_up(value))
        if match is not None and is_secret and not _is_digest(line, match.start(1)):
            yield Found(f"value of “{name}”", start + match.start(1), start + match.end(1))
    for word in _WORD.finditer(line):
        is_hash = len(word[1]) in _HASH_SIZES and _HEX.fullmatch(word[1]) is not None
        is_name = word[1] in named or _is_identifier(word[1], _OF_WORDS)
        is_plain = is_hash or is_name or not any(map(str.isdigit, word[1]))
        if not is_plain and is_random(word[1]) and not _is_digest(line, word.start(1)):
            yield Found(_NEAR_NAME, start + word.start(1), start + word.end(1))


def _is_made_up(value: str) -> bool:
    is_word = is_placeholder(value) or _is_identifier(value, _OF_WORDS)
    return _MADE_UP.fullmatch(value) is not None and not is_word


def _is_identifier(word: str, share: float) -> bool:
    """Is it mostly made of words, as `trustOAuth2JwtIssuer`? Of 400 random texts of 20 characters
    one is."""
    humps = [hump for hump in _HUMP.findall(word) if not _VOWELS.isdisjoint(hump.lower())]
    return sum(map(len, humps)) >= share * len(word)


def _is_digest(line: str, start: int) -> bool:
    return _DIGEST.search(line, max(0, start - 12), start) is not None


def _is_no_password(value: str, user: str) -> bool:
    """Is the password of an address a port, a variable, or one that is the same everywhere?"""
    return (
        value.isdigit()
        or value.lower() in _SAME
        or value == user
        or _TEMPLATE.search(value) is not None
        or is_placeholder(value)
    )


def _apart(secrets: Iterable[Found]) -> list[Found]:
    """By place, those that overlap made one."""
    apart: list[Found] = []
    for secret in sorted(secrets, key=lambda one: (one.start, -one.end, one.kind)):
        if apart and secret.start < apart[-1].end:
            last = apart[-1]
            apart[-1] = Found(last.kind, last.start, max(last.end, secret.end))
        else:
            apart.append(secret)
    return apart


def _places(text: str) -> list[int]:
    """The index in the text of each character of its form without escapes, and of its end."""
    places: list[int] = []
    last = 0
    for escape in ESCAPED.finditer(text):
        places += range(last, escape.start() + 1)
        last = escape.end()
    return [*places, *range(last, len(text) + 1)]
