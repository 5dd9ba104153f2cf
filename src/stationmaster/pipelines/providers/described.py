"""Providers whose files are YAML: a name, a rule for paths, a look at the content, a description.

A file of a name that any tool might use is opened only where its path gives reason to, is read as
YAML only where its text looks like one, and only so many are opened.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace

from stationmaster.pipelines import agents
from stationmaster.pipelines.model import Facts, Place, Step
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.yaml_parts import several
from stationmaster.repos import yaml_nodes
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault, Node, Scalar, texts

_LOOKED_AT_TOGETHER_MAX = 2**21
_SHELLS = frozenset({"sh", "bash", "ash", "dash", "zsh", "env"})
_LOOKED_AT_MAX = 2**18
"""Bytes of a file whose name says nothing; and of all of them together, so that looking for some
workflows does not use up what reading the others needs."""


@dataclass(frozen=True)
class Described:
    """`describe` fills the draft from the documents of a file, and says no if it is none after all.

    `ends` are the endings that a path must have one of; asked first, since it is quick.
    `sign`: what the text of a file with a free name must hold.
    """

    NAME: str
    path: re.Pattern[str]
    describe: Callable[[Draft, list[Node]], bool]
    ends: tuple[str, ...] = (".yml", ".yaml")
    sign: re.Pattern[bytes] | None = None

    def is_workflow(self, path: str) -> bool:
        return path.endswith(self.ends) and self.path.fullmatch(path) is not None

    def Reader(self, files: Files) -> Reader:  # noqa: N802 - what the registry asks for
        return Reader(self, files)


class Reader:
    """Reads the files of one provider in one commit."""

    def __init__(self, provider: Described, files: Files) -> None:
        self._provider = provider
        self._files = files
        self._commands = agents.Commands()
        self._left = _LOOKED_AT_TOGETHER_MAX

    def read(self, path: str) -> Facts | None:
        """Raises Fault, NoWorkflow."""
        data = self._content(path)
        if data is None:
            return None
        documents = yaml_nodes.read(data, merges=True, path=path)
        if not documents.roots:
            return None
        if isinstance(documents.roots[0], Scalar):
            raise Fault("it is neither a mapping nor a list", 1, 1)
        draft = Draft(path, self._commands)
        draft.beside = self._files
        draft.fault(documents.faults[0] if documents.faults else None)
        return draft.facts() if self._provider.describe(draft, documents.roots) else None

    def _content(self, path: str) -> bytes | None:
        """None for what does not look like one."""
        sign = self._provider.sign
        if sign is not None:
            size = self._files.entry(path).size
            if size > min(_LOOKED_AT_MAX, self._left):
                return None
            self._left -= size
        data = self._files.content(path)
        if sign is not None and not sign.search(data):
            return None
        # JSON may be indented with tabs, YAML may not; within its texts there are none.
        return data.replace(b"\t", b" ") if path.endswith(".json") else data


def exec_form(
    draft: Draft,
    step: Step,
    command: Node | None,
    arguments: Node | None,
    image_at: Place | None = None,
) -> None:
    """Notes a step whose command is given as words; what a shell reads is its script."""
    words = [*texts(command), *texts(arguments)]
    if words[:1] and words[0].rpartition("/")[2] in _SHELLS and len(words) > 1:
        draft.scripted(step, (several(arguments) or several(command))[-1], image_at)
    elif words:
        draft.step(replace(step, script=shlex.join(words), script_at=step.place), image_at)
    else:
        draft.step(step, image_at)
