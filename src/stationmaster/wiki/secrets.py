"""Values that must not leave: found in any text on its way out, and replaced by one word.

Digests, hashes of commits, UUIDs and what is plainly an example stay. All patterns are bounded, so
that the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from stationmaster.projects.credentials import FORMS, forms
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


_PRIVATE_KEY = (
    r"(-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[\s\\rn]{0,8}(?:Proc-Type|DEK-Info|Version|Comment|Hash):[^\n\\]{0,100}){0,4}"
    r"(?:[\s\"'#*>\\,]{0,40}+[A-Za-z0-9+/=]{16,100000}+){1,2000}+"
    r"[\s\"'#*>\\,A-Za-z0-9+/=]{0,120}(?:-----END [A-Z0-9 ]{0,60}-----)?)"
)
_FURTHER = forms(
    ("private key", "PRIVATE KEY", _PRIVATE_KEY),
    ("private key", "PuTTY-User-Key-File", r"(?s)PuTTY-User-Key-File(.{40,4000})"),
    ("private key", "AGE-SECRET-KEY-", r"\b(AGE-SECRET-KEY-1[A-Z0-9]{20,80})"),
    ("key of AWS", "AKIA", r"\b(AKIA[A-Z0-9]{16})\b"),
    ("key of AWS", "ASIA", r"\b(ASIA[A-Z0-9]{16})\b"),
    ("JSON web token", "eyJ", r"(?<![\w-])(eyJ[\w-]{8,4000}+\.[\w-]{4,8000}+(?:\.[\w-]{0,2000})?)"),
    ("token of GitLab", "glpat-,gloas-,gldt-,glrt-,glcbt-,glptt-,glft-,glimt-,glagent-,glsoat-",
        r"\b(gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat)-[\w-]{16,200})"),
    ("token of Slack", "xoxa,xoxb,xoxc,xoxd,xoxe,xoxo,xoxp,xoxr,xoxs",
        r"\b(xox[a-z](?:\.xox[a-z])?-[\w-]{20,250})"),
    ("token of Slack", "xapp-", r"\b(xapp-\d-[\w-]{20,250})"),
    ("hook of Discord", "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/(\d{15,22}/[\w-]{40,100})"),
    ("token of Telegram", ":AA", r"(?<![\w:])(\d{8,10}:AA[\w-]{33})(?![\w-])"),
    ("key of Stripe", "sk_test_,rk_test_", r"\b([sr]k_test_[A-Za-z0-9]{20,200})\b"),
    ("secret of a Stripe hook", "whsec_", r"\b(whsec_[A-Za-z0-9+/=]{24,120})"),
    ("key of Google", "AIza", r"\b(AIza[\w-]{35})(?![\w-])"),
    ("secret of Google", "GOCSPX-", r"\b(GOCSPX-[\w-]{20,60})"),
    ("token of Google", "ya29.", r"\b(ya29\.[\w-]{20,400})"),
    ("key of OpenAI", "sk-", r"\b(sk-(?=[A-Za-z_-]{0,40}\d)[A-Za-z0-9_-]{32,250})"),
    ("key of Azure", "AccountKey=", r"AccountKey=([A-Za-z0-9+/]{40,120}={0,2})"),
    ("key of Azure", "SharedAccessKey=", r"SharedAccessKey=([A-Za-z0-9+/]{40,120}={0,2})"),
    ("signature of Azure", "sig=", r"[?&]sig=([A-Za-z0-9%+/]{40,120})"),
    ("secret of Azure", "Q~", r"(?<![\w~.-])([\w~.-]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])"),
    ("key of Twilio", "SK", r"\b(SK[0-9a-f]{32})\b"),
    ("key of Mailgun", "key-", r"\b(key-[0-9a-f]{32})\b"),
    ("key of Mailchimp", "-us1,-us2,-us3,-us4,-us5,-us6,-us7,-us8,-us9",
        r"\b([0-9a-f]{32}-us\d{1,2})\b"),
    ("token of Square", "sq0", r"\b(sq0[a-z]{3}-[\w-]{20,60})"),
    ("token of Shopify", "shpat_,shpca_,shppa_,shpss_",
        r"\b(shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32})\b"),
    ("token of Databricks", "dapi", r"\b(dapi[0-9a-f]{32}(?:-\d)?)\b"),
    ("key of Linear", "lin_", r"\b(lin_(?:api|oauth)_[A-Za-z0-9]{30,80})\b"),
    ("token of Notion", "ntn_", r"\b(ntn_[A-Za-z0-9]{40,60})\b"),
    ("token of Vault", "hvs.,hvb.,hvr.", r"\b(hv[sbr]\.[\w-]{24,300})"),
    ("token of Terraform", ".atlasv1.", r"\b([A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,100})"),
    ("token of Doppler", "dp.", r"\b(dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{36,80})"),
    ("token of Grafana", "glsa_,glc_", r"\b(gl(?:sa|c)_[\w+/=]{30,400})"),
    ("key of New Relic", "NRAK-,NRJS-,NRRA-,NRII-", r"\b(NR(?:AK|JS|RA|II)-[A-Za-z0-9_-]{24,60})"),
    ("token of Sentry", "sntry", r"\b(sntry[su]_[\w+/=]{40,400})"),
    ("token of Docker", "dckr_", r"\b(dckr_(?:pat|oat)_[\w-]{24,60})"),
    ("token of Atlassian", "ATATT3x,ATBB,ATCTT3x", r"\b(AT(?:ATT3x|BB|CTT3x)[\w=-]{24,250})"),
    ("token of Facebook", "EAA", r"\b(EAA[A-Za-z0-9]{60,250})\b"),
    ("token of Dropbox", "sl.", r"\b(sl\.[\w-]{100,200})"),
    ("token of Figma", "figd_", r"\b(figd_[\w-]{30,80})"),
    ("key of Postman", "PMAK-", r"\b(PMAK-[0-9a-f]{24}-[0-9a-f]{34})\b"),
    ("token of Pulumi", "pul-", r"\b(pul-[0-9a-f]{40})\b"),
    ("key of RubyGems", "rubygems_", r"\b(rubygems_[0-9a-f]{48})\b"),
    ("token of Supabase", "sbp_,sb_secret_", r"\b(sb(?:p_[0-9a-f]{40}|_secret_[\w-]{20,60}))\b"),
    ("token of PlanetScale", "pscale_", r"\b(pscale_(?:tkn|oauth|pw)_[\w.-]{32,80})"),
    ("token of Fly", "fo1_", r"\b(fo1_[\w-]{40,60})"),
    ("token of crates.io", "cio", r"\b(cio[A-Za-z0-9]{32})\b"),
    ("token of CircleCI", "CCI", r"\b(CCIPAT_[A-Za-z0-9]{20,24}_[0-9a-f]{40})\b"),
    ("key of Heroku", "HRKU-", r"\b(HRKU-[\w-]{30,80})"),
    ("key of Groq", "gsk_", r"\b(gsk_[A-Za-z0-9]{40,80})\b"),
    ("key of xAI", "xai-", r"\b(xai-[A-Za-z0-9]{60,100})\b"),
    ("token", "…", r"\b((?:AKIA|ASIA|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|xox[a-z]-|[sr]k_live_"
        r"|whsec_|npm_|pypi-|sk-|AIza|GOCSPX-|dop_v1_|hf_|hvs\.|eyJ|sntrys_)[\w.-]{4,300})…"),
)  # fmt: skip
"""More than the forms that are nothing else: a word that is masked in vain costs little. The last
row is of those that were cut."""
_PLACEHOLDER = re.compile(
    r"example|x{4}|\*{3}|(?:^|[_-])(?:your|my|some|test|fake|dummy|sample|foo|bar)[_-]"
    r"|placeholder|redacted|change_?-?me|insert|replace|removed|hidden|masked|secret|password"
    r"|(.)\1{6}",
    re.I,
)
_USER = re.compile(
    r"://(?:([\w-]{20,200})@|([^\s/:@\"'`<>()\[\]]{0,128}):([^\s/@\"'`<>()]{1,256})(?:@|…))"
)
_SAME = frozenset({
    "pass", "passwd", "pwd", "pw", "user", "username", "postgres", "root", "admin", "guest", "test",
    "token",
})  # fmt: skip
"""Passwords of addresses that everybody writes, beside placeholders."""
_TEMPLATE = re.compile(r"[${}%<>]|\*\*|^\.{2,}|…")
_NAMES = (
    "password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "api_key", "api-key",
    "accesskey", "access_key", "access-key", "private_key", "privatekey", "private-key",
    "accountkey", "account_key", "signingkey", "signing_key", "encryption_key", "encryptionkey",
    "master_key", "masterkey", "authkey", "auth_key", "credential", "authorization", "bearer",
    "dsn", "connectionstring", "connection_string", "connstr", "salt", "cookie", "session",
)  # fmt: skip
"""What a line says in whatever case when it names a secret."""
_WORD = re.compile(r"[A-Za-z0-9+/=_-]{20,4000}+")
_ASSIGNED = re.compile(
    r"[\w.\-]{0,40}[\"'`*\])]{0,4}\s{0,4}(?:=>|:=|==|=|:|\||\bis\b|\bbasic\b|\bbearer\b"
    r"|(?<=bearer)|(?<=basic))[\s\"'`(*|]{1,8}([^\s\"'`|,;()<>\[\]{}$]{12,400})",
    re.I,
)
_LOGIN = re.compile(
    r"\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ =][\"']?[\w.@-]{1,64}:([^\s\"'`]{3,128})"
)
_JOINS = frozenset("_-./:=")
"""Signs that people join words with."""
_HEX = re.compile(r"[0-9a-fA-F]+")
_HARMLESS = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|sha\d{1,3}[-:=]")
"""UUIDs and digests that say what they are."""
_CAPITALS = re.compile(r"[A-Z](?=[A-Z])")
_BESIDE = "random text beside the name of a secret"
_DIGEST = re.compile(r"(?i)(?:sha\d{1,3}[-:=]|md5[-:=]|h1:|base64,)$")
_HASH_SIZES = frozenset({32, 40, 56, 64, 96, 128})
_SECRET_WORDS = frozenset({
    "password", "passwd", "passphrase", "pwd", "secret", "token", "key", "credential", "private",
    "auth", "oauth", "authorization", "dsn", "salt", "cookie", "session", "apikey",
})  # fmt: skip
_JOINED = re.compile(
    r"password|passwd|secret|credential|token(?!i)|apikey|privatekey|accesskey|connectionstring|connstr"
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def is_secret_name(name: str) -> bool:
    """May a setting of this name hold a secret? Then its value is not shown, whatever it is."""
    words = [each.lower() for each in _WORDS.findall(name)]
    return any(
        each in _SECRET_WORDS or each.removesuffix("s") in _SECRET_WORDS for each in words
    ) or bool(_JOINED.search("".join(words)))


def may_show_default(name: str, value: str) -> bool:
    """Is a default that stands in source code short, and surely no secret?"""
    return (
        len(value) <= DEFAULT_MAX
        and not is_secret_name(name)
        and not any(_is_random(each[0]) for each in re.finditer(r"[A-Za-z0-9+/=_-]{16,40}", value))
        and not any(find(value))
    )


def masked(text: str) -> str:
    """The text with MASK in place of each secret."""
    return mask(text)[0]


def mask(text: str) -> tuple[str, list[Found]]:
    """The text with MASK in place of each secret, and what they were, by places of `text`.

    Markdown's escapes hide nothing: `ghp\\_…` is what it shows.
    """
    plain = ESCAPED.sub(r"\1", text) if "\\" in text else text
    found = find(plain)
    if not found:
        return text, []
    if plain != text:
        places = _places(text)
        found = [Found(kind, places[start], places[end]) for kind, start, end in found]
    parts: list[str] = []
    last = 0
    for _, start, end in found:
        parts += text[last:start], MASK
        last = end
    return "".join([*parts, text[last:]]), found


def find(text: str) -> list[Found]:
    """By place; no two share a character."""
    return _apart([*_of_forms(text), *_of_addresses(text), *_of_names(text)])


def _of_forms(text: str) -> Iterator[Found]:
    for form in (*FORMS, *_FURTHER):
        for seen in form.all_in(text):
            if not _is_placeholder(seen[1]):
                yield Found(form.kind, *seen.span(1))


def _of_addresses(text: str) -> Iterator[Found]:
    if "://" in text:
        for seen in _USER.finditer(text):
            if seen[1] is None:
                if not _is_known(seen[3], seen[2]):
                    yield Found("password in an address", *seen.span(3))
            elif _is_random(seen[1]):
                yield Found("token in an address", *seen.span(1))
    if "curl" in text:
        for seen in _LOGIN.finditer(text):
            if not _is_known(seen[1], ""):
                yield Found("password of a command", *seen.span(1))


def _of_names(text: str) -> Iterator[Found]:
    """Random words on lines that name a secret, and what such a name is given."""
    lowered = text.lower()
    if len(lowered) != len(text):  # Some letters of other alphabets become two.
        lowered = "".join(each.lower() if each.isascii() else each for each in text)
    lines: dict[int, list[tuple[int, str]]] = {}
    for name in _NAMES:
        at = -1
        while (at := lowered.find(name, at + 1)) >= 0:
            lines.setdefault(text.rfind("\n", 0, at) + 1, []).append((at + len(name), name))
    for start, names in lines.items():
        end = text.find("\n", start)
        yield from _of_line(text[start:] if end < 0 else text[start:end], start, names)


def _of_line(line: str, start: int, names: list[tuple[int, str]]) -> Iterator[Found]:
    for end, name in names:
        given = _ASSIGNED.match(line, end - start)
        if given is not None and _is_random(given[1]) and not _is_digest(line, given.start(1)):
            yield Found(f"value of “{name}”", start + given.start(1), start + given.end(1))
    for word in _WORD.finditer(line):
        is_hash = len(word[0]) in _HASH_SIZES and _HEX.fullmatch(word[0]) is not None
        has_digit = any(map(str.isdigit, word[0]))
        if has_digit and not is_hash and _is_random(word[0]) and not _is_digest(line, word.start()):
            yield Found(_BESIDE, start + word.start(), start + word.end())


def _is_digest(line: str, start: int) -> bool:
    return _DIGEST.search(line, max(0, start - 12), start) is not None


def _is_known(value: str, user: str) -> bool:
    """Is the password of an address a port, a variable, or what everybody writes?"""
    return (
        value.isdigit()
        or value.lower() in _SAME
        or value == user
        or _TEMPLATE.search(value) is not None
        or _is_placeholder(value)
    )


def _is_placeholder(value: str) -> bool:
    return _PLACEHOLDER.search(value[:400]) is not None


def _is_random(word: str) -> bool:
    """Letters and digits in no order that a person would write.

    Of two neighbours in random text more than every second are of different kinds; in names that
    people make of words it is every fourth at most.
    """
    bare = word.strip("=-_./+")
    if len(bare) < 12 or _HARMLESS.match(bare) or _is_placeholder(bare):
        return False
    if "/" in bare and "+" not in bare:
        bare = max(bare.split("/"), key=len)
    digits = sum(map(str.isdigit, bare))
    if not digits < len(bare) or len(bare) < 12:
        return False
    if _HEX.fullmatch(bare):
        return digits >= 4 and len(bare) - digits >= 3 and len(set(bare)) >= 6
    kinds = [_kind_of(each) for each in bare if each not in _JOINS]
    changes = sum(a != b for a, b in pairwise(kinds)) / len(kinds)
    if not digits:  # Words joined in capitals change as often, but have few capitals in a row.
        return changes >= 0.4 and len(_CAPITALS.findall(bare)) >= 2
    return changes >= 0.34 and len(set(bare)) >= 8


def _kind_of(letter: str) -> int:
    return letter.isupper() + 2 * letter.isdigit() + 3 * (not letter.isalnum())


def _apart(found: Iterable[Found]) -> list[Found]:
    """By place, those that overlap made one."""
    apart: list[Found] = []
    for each in sorted(found, key=lambda one: (one.start, -one.end, one.kind)):
        if apart and each.start < apart[-1].end:
            last = apart[-1]
            apart[-1] = Found(last.kind, last.start, max(last.end, each.end))
        else:
            apart.append(each)
    return apart


def _places(text: str) -> list[int]:
    """Where each character begins that a text without its escapes has, and where the text ends."""
    places: list[int] = []
    last = 0
    for escape in ESCAPED.finditer(text):
        places += range(last, escape.start() + 1)
        last = escape.end()
    return [*places, *range(last, len(text) + 1)]
