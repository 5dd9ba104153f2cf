"""`python -m stationmaster` is the `stationmaster` program."""

from stationmaster.cli import main

main()
