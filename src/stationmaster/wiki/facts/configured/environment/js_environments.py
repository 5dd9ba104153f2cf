"""Variables that modules of JavaScript read of `process.env` as another module hands it on:
`export default withSecrets(process.env)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.reading.code.model import Setting
from stationmaster.wiki.facts.code.comments import numbered
from stationmaster.wiki.facts.code.links import links_from
from stationmaster.wiki.facts.configured.go_structs import Read, sources
from stationmaster.wiki.facts.model import Facts, query

_ENDING = re.compile(r"(?:/index)?\.[cm]?[jt]sx?$")
_HANDED = re.compile(
    r"(?:\bexport\s+default\s|\bmodule\.exports\s*=)[^;{\n]{0,80}\bprocess\.env\b(?![.\[])"
)
_READ = (
    r"(?<![\w.$])%s\.([A-Z][A-Z0-9_]{1,99})\b(?:\s{0,40}\)?\s{0,40}(?:\?\?|\|\|)\s{0,40}"
    r"(?:\"([^\"\n]{0,200})\"|'([^'\n]{0,200})'|(\d[\d_.]{0,20}|true|false))(?=\s{0,40}[;,)\]}]))?"
)
"""A variable with the literal that stands in for it, or for what a call makes of it."""
_REMARK = re.compile(r"(?m)^[ \t]*(?://|\*|/\*)[^\n]*")


@query
def read(facts: Facts) -> tuple[Read, ...]:
    """The variables, with the files that read them."""
    modules = {
        path
        for path in sources(facts)
        if _ENDING.search(path) and _HANDED.search(facts.tree.text(path))
    }
    return tuple(
        (user, setting)
        for user in (sources(facts) if modules else ())
        for path in sorted(modules & {link.end for link in links_from(facts, user)})
        for setting in _of(facts, user, path)
    )


def _of(facts: Facts, user: str, module: str) -> Iterator[Setting]:
    """What a file reads of a module that it imports as a whole."""
    stem = _ENDING.sub("", module).rpartition("/")[2]
    names = [
        it.bound[0]
        for it in facts.code[user].imports
        if it.bound and _ENDING.sub("", it.name).rpartition("/")[2] == stem
    ]
    text = _REMARK.sub("", facts.tree.text(user)) if names else ""
    properties = {it.name: it for it in facts.code[user].symbols if it.kind == "property"}
    for start, match in numbered(re.compile(_READ % re.escape(names[0])), text) if names else ():
        line = start + text.count("\n", match.start(), match.start(1))
        default = next((it for it in match.groups()[1:] if it is not None), None)
        property_ = properties.get(match[1])
        doc = property_.doc if property_ and property_.line <= line <= property_.end else ""
        yield Setting(match[1], "env", line, default, doc=doc)
