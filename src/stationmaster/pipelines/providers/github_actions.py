"""GitHub Actions: the workflows of `.github/workflows`, and templates for those of others."""

from __future__ import annotations

from msgspec.structs import replace

from stationmaster.pipelines.model import Facts, NoWorkflow
from stationmaster.pipelines.providers.actions import compiled, reader

_TEMPLATES = "workflow-templates/"
_ABOUT = ".properties.json"
"""What stands beside each template, and makes it one."""


class Reader(reader.Reader):
    """Reads the workflows of one commit; those of Gitea and Forgejo are in the same language."""

    def read(self, path: str) -> Facts | None:
        """The facts of a workflow or a template; None for Markdown. Raises Fault, NoWorkflow."""
        if path.startswith(_TEMPLATES):
            return self._template(path)
        if path.endswith(compiled.SOURCE):
            self._check_source(path)
            return None
        return super().read(path)

    def _template(self, path: str) -> Facts | None:
        if path.rpartition(".")[0] + _ABOUT not in self._files:
            raise NoWorkflow("a template for other repositories has its properties beside it")
        found = super().read(path)
        return None if found is None else replace(found, kind="template")

    def _check_source(self, path: str) -> None:
        """An agentic workflow runs as what it was compiled to; any other text is for readers."""
        lock = path.removesuffix(compiled.SOURCE) + compiled.LOCK
        if lock not in self._files and compiled.is_source(self._files.content(path)):
            raise NoWorkflow(f"an agentic workflow that is not compiled: there is no {lock}")
