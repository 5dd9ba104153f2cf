"""Reading files of YAML: what the readers of most systems have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod

from stationmaster.pipelines.agents import recognition as agents
from stationmaster.pipelines.model import Facts
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault, Mapping, Node


class YamlReader(ABC):
    """Reads the files of one commit; what a format makes of its documents is `_take`."""

    splices = False
    """Whether a merge may take a list of mappings."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._commands = agents.Commands()

    def read(self, path: str) -> Facts | None:
        """What a file says; None when it says nothing. Raises Fault, NoWorkflow."""
        documents = self._files.documents(path, merges=True, splices=self.splices)
        if not documents.roots:
            return None
        draft = Draft(path, self._commands)
        draft.fault(documents.faults[0] if documents.faults else None)
        return draft.facts() if self._take(draft, documents.roots) else None

    @abstractmethod
    def _take(self, draft: Draft, roots: list[Node]) -> bool:
        """Put what the documents say into the draft; False where they are of another kind.

        Raises Fault, NoWorkflow.
        """


def mapping(root: Node) -> Mapping:
    """The root as a mapping. Raises Fault for another one."""
    if not isinstance(root, Mapping):
        raise Fault("it is no mapping", root.line, root.column)
    return root
