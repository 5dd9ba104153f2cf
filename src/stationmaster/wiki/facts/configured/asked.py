"""Where code asks for settings by name: `settings.getint("PAGE_SIZE")`, `config['page.size']`,
`getattr(conf, "page_size", 1)`, `conf.page_size`; whatever the language."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Set

from stationmaster.wiki.facts.model import Facts

_HOLDER = r"\b(?:\w{0,40}_)?(?:settings|config|configuration|conf|cfg|options|opts)"
_ASKED = re.compile(
    rf"(?i:{_HOLDER})\)?(?:"
    r"(?:(?:\.|->|::)\w{1,40})?[(\[]\s{0,20}[\"']([\w.:-]{2,100})[\"']"
    r"|,\s{0,20}[\"']([\w.:-]{2,100})[\"']"
    r"|(?:\.|->)([A-Za-z_]\w{2,99})\b(?![(\[]))"
)
_PLACES_MAX = 8

Place = tuple[str, int]
"""A path and a line."""


def asked(facts: Facts, names: Set[str]) -> Mapping[str, tuple[Place, ...]]:
    """The places in the product's code that ask for these names."""
    places: dict[str, list[Place]] = defaultdict(list)
    for path in facts.code if names else ():
        if facts.records[path].file_class != "source":
            continue
        text = facts.tree.text(path)
        for match in _ASKED.finditer(text):
            name = match[1] or match[2] or match[3]
            if name in names and len(places[name]) < _PLACES_MAX:
                places[name].append((path, text.count("\n", 0, match.start()) + 1))
    return {name: tuple(dict.fromkeys(some)) for name, some in places.items()}
