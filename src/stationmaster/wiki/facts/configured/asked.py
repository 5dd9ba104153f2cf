"""Where code asks for settings by name: `settings.getint("PAGE_SIZE")`, `config['page.size']`,
`getattr(conf, "page_size", 1)`, `conf.page_size`; whatever the language."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Set

from stationmaster.wiki.facts.code.comments import numbered
from stationmaster.wiki.facts.configured.go_structs import Place, sources
from stationmaster.wiki.facts.model import Facts

_HOLDER = r"\b(?:\w{0,40}_)?(?:settings|config|configuration|conf|cfg|options|opts)"
_ASKED = re.compile(
    rf"(?i:{_HOLDER})\)?(?:"
    r"(?:(?:\.|->|::)\w{1,40})?[(\[]\s{0,20}[\"']([\w.:-]{2,100})[\"']"
    r"|,\s{0,20}[\"']([\w.:-]{2,100})[\"']"
    r"|(?:\.|->)([A-Za-z_]\w{2,99})\b(?![(\[]))"
)
_PLACES_MAX = 8


def asked(facts: Facts, names: Set[str]) -> Mapping[str, tuple[Place, ...]]:
    """The places in the product's code that ask for these names."""
    places: dict[str, list[Place]] = defaultdict(list)
    for path in sources(facts) if names else ():
        for line, match in numbered(_ASKED, facts.tree.text(path)):
            name = match[1] or match[2] or match[3]
            if name in names and len(places[name]) < _PLACES_MAX:
                places[name].append((path, line))
    return {name: tuple(dict.fromkeys(some)) for name, some in places.items()}
