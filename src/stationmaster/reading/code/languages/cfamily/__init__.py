"""C and C++."""

from __future__ import annotations

from stationmaster.reading.code.languages.cfamily import programs
from stationmaster.reading.code.languages.cfamily.file import File as File

READERS = (programs.commands, programs.settings, programs.entries, programs.tests)
