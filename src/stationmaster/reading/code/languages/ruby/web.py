"""Routes of Sinatra and Grape."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.annotations import joined
from stationmaster.reading.code.languages.source import child
from stationmaster.reading.code.languages.unit import Called, Unit
from stationmaster.reading.code.model import Route


def has_block(call: Called) -> bool:
    """True for a call with a block, in braces or `do`."""
    return child(call.node, "block") is not None


_VERBS = code.words("ruby.routes.sinatra_methods")
_GROUPS = code.names("ruby.routes.sinatra_groups")
CALLS = frozenset({*_VERBS, *_GROUPS, "prefix"})


def routes(unit: Unit) -> Iterator[Route]:
    """The routes in classes of Sinatra and Grape, and at top level where Sinatra is required."""
    sinatra = {
        symbol.qualified
        for symbol, base in unit.classes("Base", "Application")
        if base.startswith(("Sinatra::", "::Sinatra::"))
    }
    grape = {
        symbol.qualified
        for symbol, base in unit.classes("API", "Instance")
        if base.startswith(("Grape::", "::Grape::"))
    }
    if any(import_.name == "sinatra" for import_ in unit.imports):
        sinatra.add("")
    if sinatra or grape:
        yield from _walk(unit, sinatra, grape)


def _walk(unit: Unit, sinatra: set[str], grape: set[str]) -> Iterator[Route]:
    around: list[tuple[int, str]] = []
    prefixes: dict[str, str] = {}
    for call in sorted(unit.called, key=lambda it: (it.node.start_byte, -it.node.end_byte)):
        while around and around[-1][0] <= call.node.start_byte:
            around.pop()
        if call.on or call.caller not in sinatra | grape or call.name not in CALLS:
            continue
        text = call.value(0)
        path = around[-1][1] if around else prefixes.get(call.caller, "")
        if call.name == "prefix":
            prefixes[call.caller] = text
        elif not has_block(call):
            continue
        elif call.name in _GROUPS:
            step = f":{text}" if call.name == "route_param" else text
            around.append((call.node.end_byte, f"{path}/{step.strip('/')}"))
        elif text or call.caller in grape:
            framework = "Grape" if call.caller in grape else "Sinatra"
            yield Route(
                _VERBS[call.name], joined(path, text), call.line, call.caller, framework=framework
            )
