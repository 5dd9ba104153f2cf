"""The classes of records of Rails to which the associations of others lead."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.inflections import camel, singular
from stationmaster.wiki.facts.model import Facts, Spot, query

_DECLARED = re.compile(r"(?m)^[ \t]*+(?:has_many|has_one)[ (][ \t]*+:(\w+)(.*(?:(?<=,)\n.*){0,8})$")
_CLASS = re.compile(r"\bclass_name(?:: | ?=> ?)[\"'](?:\w+::)*(\w+)[\"']")
_ONE = code.names("ruby.language.makers") | {"build", "new"}
_OTHER = re.compile(r"\b(?:class_name|source|source_type|polymorphic)\b")


@query
def associated(facts: Facts) -> Mapping[str, Spot]:
    """The class of records by the name of an association that is called so in any class; none where
    several have the name and lead to different ones."""
    paths = [
        path
        for path in facts.code
        if path.endswith(".rb")
        and facts.records[path].file_class == "source"
        and not path.startswith("db/")  # Migrations declare classes for themselves.
    ]
    classes: dict[str, set[Spot]] = defaultdict(set)
    names: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        for symbol in facts.code[path].symbols:
            if symbol.kind == "class" and symbol.bases:
                classes[symbol.name].add(Spot(path, symbol.qualified))
        for match in _DECLARED.finditer(facts.tree.text(path)):
            stated, is_other = _CLASS.search(match[2]), _OTHER.search(match[2])
            plain = "" if is_other else camel(singular(match[1]))
            names[match[1]].add(stated[1] if stated else plain)
    spots = {name: classes[of.copy().pop()] for name, of in names.items() if len(of) == 1}
    return {name: next(iter(some)) for name, some in spots.items() if len(some) == 1}


def one_of(facts: Facts, of: str, name: str) -> Spot | None:
    """The class of what a method of an association gives: that of orders for
    `current_user.orders.find`; None where it is not certain."""
    return associated(facts).get(of.rpartition(".")[2]) if name in _ONE else None
