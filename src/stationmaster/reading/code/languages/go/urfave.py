"""What sets a flag of urfave/cli in place of the command line: variables of the environment, and a
key of the file of settings of its package `altsrc`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from stationmaster.reading.code.languages.source import Source, above
from stationmaster.reading.code.model import Option, Setting

_ENV = re.compile(r"((?:(?<!\w)\w++(?:(?<=\w)\.\w*+)?)?)\(?\"([A-Z][A-Z0-9_]{0,200})\"")
_NAMES = ("identifier", "selector_expression")


def settings(
    source: Source, node: Node, fields: Mapping[str, Node], option: Option
) -> Iterator[Setting]:
    """The settings of the flag at a node. A default that is a constant of another file is written
    as that: `{$shop.Port}`."""
    value, named = option.default, fields.get("Value")
    if value is None and named is not None and named.type in _NAMES:
        value = f"{{${source.text(named)}}}"
    is_required = source.text(fields.get("Required")) == "true"
    for key in ("EnvVars", "EnvVar", "Sources"):
        for call, env in _ENV.findall(source.text(fields.get(key)).replace(",", '","')):
            # A function of the program itself makes another name of it.
            if not call.startswith("os.") and (not call or "." in call):
                yield Setting(env, "env", option.line, value, is_required, option.help)
    around = above(node, "call_expression")
    if around is not None and source.part(around, "function").startswith("altsrc.New"):
        name = option.names[0].lstrip("-")
        yield Setting(name, "key", option.line, value, is_required, option.help)
