"""From the files of a commit to its workflows, in the order of their paths.

A file that cannot be read is a workflow all the same: it is in the place of one, and tells what is
wrong with it. A file of comments alone is none.
"""

from __future__ import annotations

from stationmaster.pipelines import findings
from stationmaster.pipelines.model import Facts, Found, Ignored, NoWorkflow, Pipelines, of_fault
from stationmaster.pipelines.providers.registry import PROVIDERS, Reader
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault

WORKFLOWS_MAX = 500
"""Of one repository; further ones are left out."""


def scan(files: Files) -> Pipelines:
    """The workflows of a commit.

    Raises what reading a snapshot raises: Conflict for damaged objects.
    """
    readers = [(provider, provider.Reader(files)) for provider in PROVIDERS]
    found: list[Found] = []
    ignored: list[Ignored] = []
    for path in files.paths():
        for provider, reader in readers:
            if len(found) >= WORKFLOWS_MAX or not provider.is_workflow(path):
                continue
            try:
                facts = _read(reader, path)
            except NoWorkflow as unlike:
                ignored.append(Ignored(path, unlike.reason))
                break
            if facts is not None:
                found.append(Found(path, provider.NAME, facts))
                break
    return findings.of(Pipelines(found, ignored), files)


def _read(reader: Reader, path: str) -> Facts | None:
    try:
        return reader.read(path)
    except Fault as fault:
        return Facts(parse=of_fault("error", fault))
