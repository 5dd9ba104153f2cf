"""What credentials look like, by the forms that their issuers document: `secrets.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Literal, NamedTuple

from stationmaster.catalogue.table import Row, compiled, read

Certainty = Literal["sure", "likely", "possible"]
"""`sure`: nothing else looks like it. `likely`: an issuer's mark, with less to recognize it by.
`possible`: worth masking, since a word that is masked needlessly costs little."""


class _Row(Row, frozen=True):
    kind: str
    hints: tuple[str, ...]
    pattern: str
    certainty: Certainty = "sure"


class Form(NamedTuple):
    """A kind of credential, texts of which a file that holds one has some, and its pattern with the
    random part as group 1. It is compiled for the first text that may have one."""

    kind: str
    hints: tuple[str, ...]
    pattern: str

    def all_in(self, text: str) -> Iterator[re.Match[str]]:
        """Its matches in a text, by place."""
        if any(hint in text for hint in self.hints):
            yield from compiled(self.pattern).finditer(text)


def hinted(text: str) -> Iterable[Form]:
    """The forms of which a text has a hint, the surest first."""
    return dict.fromkeys(form for hint, form in _hints() if hint in text)


@cache
def _hints() -> tuple[tuple[str, Form], ...]:
    return tuple((hint, form) for form in forms() for hint in form.hints)


@cache
def forms(*certainties: Certainty) -> tuple[Form, ...]:
    """The forms of these certainties, the surest first; of all without any."""
    return tuple(
        Form(row.kind, row.hints, row.pattern)
        for row in read("secrets", dict[str, list[_Row]])["form"]
        if not certainties or row.certainty in certainties
    )
