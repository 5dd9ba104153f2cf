"""The files of a commit in their classes, as its wiki reads them."""

from __future__ import annotations

from stationmaster.reading.code import classes
from stationmaster.reading.code.classes import Inventory
from stationmaster.reading.projects import reading, settings
from stationmaster.repos.files import Files
from stationmaster.wiki.making import steering
from stationmaster.wiki.making.steering import Steering


def inventory(files: Files) -> tuple[Inventory, Steering]:
    """The classes of all files by their names, and what the repository wants of its wiki."""
    own = settings.read(files)
    wanted = steering.read(files, own)
    return classes.sort(files, reading.products(files, own), wanted.ignore), wanted
