"""Variables that are read of an environment which is handed on: by a module of JavaScript, as in
`export default withSecrets(process.env)`, and to a function of Python: `load(environ=os.environ)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.reading.code.model import Setting
from stationmaster.reading.code.signatures import parameters
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
_GIVEN = re.compile(r"\b(\w{1,60})\((?:[^()]{0,300}[,=\s])?os\.environ\s{0,40}[,)]")
_OF_PARAMETER = re.compile(
    r"(?<![\w.])(env\w{0,20})(?:\.get\(|\[)\s{0,20}[\"']([A-Z][A-Z0-9_]{1,99})[\"']"
    r"(?:,\s{0,40}[\"']([^\"'\n]{0,200})[\"']\))?(?!\]\s{0,9}=[^=])"
)
_REMARK = re.compile(r"(?m)^[ \t]*(?://|\*|/\*)[^\n]*")


@query
def read(facts: Facts) -> tuple[Read, ...]:
    """The variables, with the files that read them."""
    modules = {
        path
        for path in sources(facts)
        if _ENDING.search(path) and _HANDED.search(facts.tree.text(path))
    }
    of_modules = (
        (user, setting)
        for user in (sources(facts) if modules else ())
        for path in sorted(modules & {link.end for link in links_from(facts, user)})
        for setting in _of(facts, user, path)
    )
    return (*of_modules, *_of_functions(facts))


def _of_functions(facts: Facts) -> Iterator[Read]:
    """What functions of Python ask of a parameter, where a call gives them the environment."""
    texts = {path: facts.tree.text(path) for path in sources(facts, ".py")}
    called = {it for text in texts.values() if "os.environ" in text for it in _GIVEN.findall(text)}
    for path, text in texts.items() if called else ():
        for function in facts.code[path].symbols:
            if function.name in called:
                body = "\n".join(text.split("\n")[function.line - 1 : function.end])
                for line, match in numbered(_OF_PARAMETER, body):
                    if match[1] in parameters(function.signature):
                        yield path, Setting(match[2], "env", function.line + line - 1, match[3])


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
