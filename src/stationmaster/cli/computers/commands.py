"""The group `computers`: importing the modules that define its commands adds them."""

from stationmaster.cli.computers import doctor, managed, pairing, remote, sessions  # noqa: F401
from stationmaster.cli.computers.registry import computers as computers
