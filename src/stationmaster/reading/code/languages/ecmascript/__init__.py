"""JavaScript, TypeScript and TSX: one reader for the grammars of all three."""

from __future__ import annotations

from stationmaster.reading.code.languages.ecmascript import (
    commands,
    entities,
    routes,
    sails,
    settings,
    sockets,
    trpc,
    wiring,
    work,
)
from stationmaster.reading.code.languages.ecmascript.module import Module as File

READERS = (
    routes.read,
    sails.read,
    trpc.read,
    wiring.read,
    commands.read,
    settings.read,
    entities.read,
    work.jobs,
    sockets.read,
    work.entries,
    work.tests,
)
__all__ = ["File"]
