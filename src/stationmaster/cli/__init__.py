"""The command line: one file per command group, which parses, calls and prints, and nothing else.

Server libraries are imported inside the commands that need them, so that client commands start
fast and work where only the light base is installed.
"""

import sys


def main() -> None:
    """The entry point of the `stationmaster` program."""
    if sys.argv[1:2] == ["hook"]:
        # An agent waits for it: it loads next to nothing.
        from stationmaster.client import hook

        hook.main(sys.argv[2:])
    if sys.argv[1:2] == ["collect"]:
        from stationmaster.client import unchanged

        if unchanged.say_so():
            return
    from stationmaster.cli.app import run

    run()
