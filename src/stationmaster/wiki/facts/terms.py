"""The project's own words: types and tables that many files name, with what is said of them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from stationmaster.wiki.facts.about import about_module, plain
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.modules import module_names
from stationmaster.wiki.facts.names import users_of
from stationmaster.wiki.facts.symbols import public_of
from stationmaster.wiki.text.inline import Place

TERMS_MAX = 80
USERS_MIN = 2
WORDS_MIN = 4
_KINDS = frozenset({
    "class", "interface", "struct", "enum", "trait", "protocol", "object", "type",
})  # fmt: skip


class Term(msgspec.Struct, frozen=True, array_like=True):
    """`users` are the source files that name it; `meaning` is the repository's own sentence."""

    name: str
    meaning: str
    place: Place
    users: int
    kind: str


@query
def terms(facts: Facts) -> tuple[Term, ...]:
    """Those that most files name, by name; a name with several meanings is in none."""
    found: dict[str, list[Term]] = {}
    for term in _terms(facts):
        found.setdefault(term.name.casefold(), []).append(term)
    clear = [terms[0] for terms in found.values() if len(terms) == 1]
    clear.sort(key=lambda each: (-each.users, each.name))
    return tuple(sorted(clear[:TERMS_MAX], key=lambda each: (each.name.casefold(), each.name)))


def _terms(facts: Facts) -> Iterator[Term]:
    for path in facts.code:
        if facts.records[path].file_class != "source":
            continue
        users = users_of(facts, path)
        if not users:
            continue
        for each in public_of(facts, path):
            count = users.get(each.qualified, 0)
            meaning = plain(each.doc)
            if each.kind in _KINDS and count >= USERS_MIN and len(meaning.split()) >= WORDS_MIN:
                yield Term(each.name, meaning, Place(path, each.line), count, each.kind)
    for named in module_names(facts):
        said = about_module(facts, named.key)
        if said is not None and "/" not in named.name:
            yield Term(named.name, said.words, said.place, 0, "module")
