"""What readers of session files with one JSON record a line have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Generic

from stationmaster.agents.interface import Intake, InvalidRecord, Transcript
from stationmaster.agents.lenient import NotJson, Record


class LineReader(Transcript, Generic[Record]):
    """See agent.Transcript. A line that is no record is rejected, and the next one is read."""

    decode: Callable[[bytes], Record]
    """Makes a record of a line. Raises NotJson."""

    def feed(self, line: bytes, intake: Intake) -> None:
        """Take one line; a blank one is skipped, and one that is no record is rejected."""
        if not line.strip():
            return
        try:
            record = self.decode(line)
        except NotJson:
            intake.reject("a line is not JSON")
            return
        try:
            self._read(record, intake)
        except InvalidRecord as fault:
            intake.reject(str(fault))

    @abstractmethod
    def _read(self, record: Record, intake: Intake) -> None:
        """Take a record. Raises InvalidRecord."""
