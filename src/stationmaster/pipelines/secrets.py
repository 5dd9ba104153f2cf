"""Names of secrets that texts of a workflow read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from stationmaster.pipelines.expressions import embedded

ALL = "*"
"""Means every secret: the whole context is passed on, or a name is computed."""

_SECRETS = re.compile(
    r"""'[^']*' | (?<![\w.'"/-])secrets(?:
        \.(?P<name>[A-Za-z_][\w-]{0,200})
        |\s{0,9}\[\s{0,9}'(?P<quoted>[^']{1,200})'\s{0,9}\]
        |(?P<all>\s{0,9}\[|\s{0,9}\.\s{0,9}\*|(?![\w.'"/-]))
    )""",
    re.VERBOSE | re.IGNORECASE,
)
"""A text in quotes, which names none, or an access to the context of secrets."""
_VARIABLE = re.compile(
    r"\$\{?(?:env:)?([A-Za-z_]\w{2,100})|\$\(([A-Za-z_][\w.]{2,100})\)|%([A-Za-z_]\w{2,100})%"
)
_SECRET_NAME = re.compile(
    r"(?i)(?:^|_|\.|[a-z])(?:token|passw(?:or)?d|passphrase|secrets?|api_?key|access_?key(?:_id)?"
    r"|(?:private|deploy|ssh|signing|gpg|auth|license|account|service|encryption)_?key"
    r"|credentials?|pat|webhook(?:_url)?)(?:_|$|\d)"
)
"""Names of variables that hold secrets; `KEY` alone is one of caches or maps."""


def in_texts(texts: Iterable[str]) -> list[str]:
    """Of several texts together, each name once."""
    names: dict[str, None] = {}
    for text in texts:
        if "secrets" in text.lower():
            for expression in embedded(text):
                names |= dict.fromkeys(_names(expression))
    return list(names)


def _names(expression: str) -> Iterator[str]:
    for match in _SECRETS.finditer(expression):
        if match.lastgroup is not None:
            yield ALL if match.lastgroup == "all" else match[match.lastgroup]


@lru_cache(maxsize=256)
def variables(text: str) -> tuple[str, ...]:
    """The variables of a shell text whose names are those of secrets, each once.

    Where secrets are set on the server and come as variables, their names are all there is.
    """
    if "$" not in text and "%" not in text:
        return ()
    named = (match[1] or match[2] or match[3] for match in _VARIABLE.finditer(text))
    return tuple(dict.fromkeys(name for name in named if _SECRET_NAME.search(name)))
