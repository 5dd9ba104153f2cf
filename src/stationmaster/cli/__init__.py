"""The command line: one file per command group, which parses, calls and prints, and nothing else.

Server libraries are imported inside the commands that need them, so that client commands start
fast and work where only the light base is installed.
"""

import gc
import sys

_OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""Loading and reading make many objects and no cycles: looking for them at every 700th object, as
Python does, takes a tenth of a first `collect`."""


def main() -> None:
    """The entry point of the `stationmaster` program."""
    if sys.argv[1:2] == ["hook"]:
        # An agent waits for it: it loads next to nothing.
        from stationmaster.client.hooks import run as hook

        hook.main(sys.argv[2:])
    if sys.argv[1:2] == ["collect"]:
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
        from stationmaster.client.collecting import unchanged

        if unchanged.say_so():
            return
        from stationmaster.cli import quick

        if quick.collect(sys.argv[2:]):
            return
    from stationmaster.cli.app import run

    run()
