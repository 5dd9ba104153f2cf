"""The group `computers`: importing the modules that define its commands adds them."""

# Imported to add their commands.
from stationmaster.cli.computers import doctor, managed, pairing, remote, sessions  # noqa: F401
from stationmaster.cli.computers.registry import computers as computers
