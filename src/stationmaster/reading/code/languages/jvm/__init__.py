"""What Java and Kotlin share."""

from __future__ import annotations

from stationmaster.catalogue import code
from stationmaster.reading.code.languages.jvm import commands, data, keys, threads, web, work

KNOWN = code.names("jvm.language.known")
CALLS = web.CALLS | data.CALLS | work.CALLS | threads.CALLS | commands.CALLS
"""Names of calls whose arguments matter."""


READERS = (
    web.routes,
    web.mounts,
    data.settings,
    keys.settings,
    data.entities,
    work.jobs,
    threads.jobs,
    work.tests,
    work.entries,
    commands.commands,
)
"""What frameworks make of a file."""
