"""The command line: one file per command group, which parses, calls and prints, and nothing else.

Server libraries are imported inside the commands that need them, so that client commands start
fast and work where only the light base is installed.
"""


def main() -> None:
    """The entry point of the `stationmaster` program."""
    from stationmaster.cli.app import run

    run()
