"""Policies of .NET by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.model import Facts, Spot, query

_POLICY = re.compile(r"\bAddPolicy\(\s*\"([^\"]{1,100})\"")


@query
def policies(facts: Facts) -> Mapping[str, Spot]:
    """The functions that declare what a policy demands, by its name."""
    functions = {}
    for path, file in facts.code.items():
        for call in file.calls if path.endswith(".cs") else ():
            text = lines_of(facts, path)[call.line - 1] if call.name == "AddPolicy" else ""
            if (match := _POLICY.search(text)) and call.caller:
                functions[match[1]] = Spot(path, call.caller)
    return functions
