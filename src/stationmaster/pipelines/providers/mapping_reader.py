"""Reading files whose first document is a mapping, as most providers' are."""

from __future__ import annotations

from abc import ABC, abstractmethod

from stationmaster.pipelines import agents
from stationmaster.pipelines.model import Facts
from stationmaster.pipelines.providers import yaml_parts
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Mapping


class MappingReader(ABC):
    """Reads the files of one commit; what a format makes of a mapping is `_take`."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._commands = agents.Commands()

    def read(self, path: str) -> Facts | None:
        """What a file says; None when it says nothing. Raises Fault, NoWorkflow."""
        found = yaml_parts.mapping(self._files, path)
        if found is None:
            return None
        root, documents = found
        draft = Draft(path, self._commands)
        draft.fault(documents.faults[0] if documents.faults else None)
        self._take(root, draft)
        return draft.facts()

    @abstractmethod
    def _take(self, root: Mapping, draft: Draft) -> None:
        """Put what the mapping says into the draft. Raises Fault, NoWorkflow."""
