"""The command line: modules by group of commands, which parse, call and print, and nothing else.

A command's module is imported when it is called, with what it needs at its top. Where one command
speaks to a server or reads a local data folder, what needs the server's libraries has a module of
its own, imported by that command, so that it starts fast and works on the light base alone.
"""

import atexit
import gc
import sys

_OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""Loading and reading make many objects and no cycles: looking for them at every 700th object, as
Python does, takes a tenth of a first `collect`, and a fifth of the start of a server, which looks
as often as Python does once it serves."""


def main() -> None:
    """The entry point of the `stationmaster` program."""
    if sys.argv[1:2] == ["hook"]:
        # An agent waits for it: it loads next to nothing.
        from stationmaster.client.hooks import run as hook

        hook.main(sys.argv[2:])
    if sys.argv[1:2] == ["collect"]:
        from stationmaster.client.collecting import unchanged

        if unchanged.print_same():
            return
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    atexit.register(gc.freeze)  # The memory that an ending process would free is not needed.
    if sys.argv[1:2] in (["collect"], ["ci-scan"], ["readiness"]):
        from stationmaster.cli import quick

        with quick.reading(sys.argv[1], sys.argv[2:]):
            if not quick.run(sys.argv[1], sys.argv[2:]):
                _parsed()
    else:
        _parsed()


def _parsed() -> None:
    from stationmaster.cli.app import run

    run()
