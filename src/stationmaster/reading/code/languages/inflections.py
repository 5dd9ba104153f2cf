"""How frameworks name tables, parameters and keys after classes and fields, in English."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from stationmaster.catalogue import code

_ABOUT_MAX = 3_000
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BETWEEN, _BEFORE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_"), re.compile(r"(?<=.)(?=[A-Z])")
_VES = re.compile(r"(?<=[^f])fe$|(?<=[lr])f$")
"""`life` and `half`, as Rails and Laravel know them."""
_PLURAL = re.compile(r"[^suia]s$")
"""`initials`, which is one already."""
_IRREGULAR = code.words("shared.english.plurals")
_SINGULAR = {many: one for one, many in _IRREGULAR.items()}


def _words(name: str) -> list[str]:
    return [word.lower() for word in _BETWEEN.split(name) if word]


CASES: Mapping[str, Callable[[str], str]] = {
    "same": str,
    "lower": str.lower,
    # Those of ini, which part before each capital.
    "SnackCase": lambda name: _BEFORE.sub("_", name).upper(),
    "TitleUnderscore": lambda name: _BEFORE.sub("_", name).lower(),
    # Those of serde.
    "UPPERCASE": str.upper,
    "SCREAMING_SNAKE_CASE": str.upper,
    "kebab-case": lambda name: "-".join(_words(name)),
    "SCREAMING-KEBAB-CASE": lambda name: "-".join(_words(name)).upper(),
    "camelCase": lambda name: _words(name)[0] + camel("_".join(_words(name)[1:])),
    "PascalCase": lambda name: camel("_".join(_words(name))),
}
"""How names of fields become keys, by the names that libraries have for it."""


def parted(name: str, sign: str) -> str:
    """`user-invite` of `UserInvite`, with this sign between the words."""
    return _HUMP.sub(sign, name).lower()


def snake(name: str) -> str:
    """`user_invite` of `UserInvite`."""
    return parted(name, "_")


def hyphened(name: str) -> str:
    """`page-size` of `pageSize`: each capital behind a small letter begins a word."""
    return _CAPITAL.sub("-", name)


def kebab(name: str) -> str:
    """`add-user` of `AddUser` and `add_user`."""
    return parted(name, "-").replace("_", "-")


def camel(name: str) -> str:
    """`UserInvite` of `user_invite`."""
    return "".join(word.capitalize() for word in name.split("_"))


def plural(word: str) -> str:
    """Of the last part of a word in snake case."""
    head, sign, last = word.rpartition("_")
    return f"{head}{sign}{_IRREGULAR.get(last) or _many(last)}"


def _many(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return word[:-1] + "ies"
    if _VES.search(word):
        return _VES.sub("ves", word)
    if _PLURAL.search(word):
        return word
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


def singular(word: str) -> str:
    """The same word with its last part in the singular; the word is in snake case."""
    head, sign, last = word.rpartition("_")
    if last in _SINGULAR:
        return f"{head}{sign}{_SINGULAR[last]}"
    if last.endswith("ies"):
        last = last[:-3] + "y"
    elif last.endswith(("sses", "xes", "zes", "ches", "shes")):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith("ss"):
        last = last[:-1]
    return f"{head}{sign}{last}"


def paragraphs(*parts: str) -> str:
    """Texts with an empty line between them, without those that another one repeats, cut."""
    kept: list[str] = []
    for part in (part.strip() for part in parts):
        if part and all(part.rstrip(".") not in other for other in kept):
            kept.append(part)
    return "\n\n".join(kept)[:_ABOUT_MAX]
