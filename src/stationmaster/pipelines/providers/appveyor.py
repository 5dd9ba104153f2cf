"""AppVeyor: `appveyor.yml`.

One file makes one job, as often as its images, platforms, configurations and sets of variables are
combined; a file that is a list has one for each branch. Schedules are kept on the server.
"""

from __future__ import annotations

import re

from stationmaster.pipelines import agents
from stationmaster.pipelines.model import Facts, Job, Step, Trigger, distinct
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import (
    Fault,
    Mapping,
    Node,
    Sequence,
    get,
    items,
    members,
    text,
    texts,
)

NAME = "appveyor"
_FILE = re.compile(r"\.?appveyor\.yml")
_PHASES = (
    "init", "install", "before_build", "build_script", "after_build", "before_package",
    "before_test", "test_script", "after_test", "before_deploy", "deploy_script", "after_deploy",
    "on_success", "on_failure", "on_finish",
)  # fmt: skip
_SHELLS = ("cmd", "ps", "pwsh", "sh", "bat")
_ROOTS_MAX = 50
_AXES = ("image", "os", "platform", "configuration")
_IMAGE = "APPVEYOR_BUILD_WORKER_IMAGE"


def is_workflow(path: str) -> bool:
    return _FILE.fullmatch(path) is not None


class Reader:
    """Reads the configuration of one commit."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._commands = agents.Commands()

    def read(self, path: str) -> Facts | None:
        """What the file says; None when it says nothing. Raises Fault."""
        documents = self._files.documents(path, merges=True)
        if not documents.roots:
            return None
        root = documents.roots[0]
        roots = [each for each in parts.several(root) if isinstance(each, Mapping)][:_ROOTS_MAX]
        if not roots:
            raise Fault("a configuration is a mapping of phases", root.line, root.column)
        draft = Draft(path, self._commands)
        draft.server_schedules = True
        draft.fault(documents.faults[0] if documents.faults else None)
        for position, each in enumerate(roots, 1):
            _add_job(draft, each, "build" if len(roots) == 1 else f"build {position}")
            _add_triggers(draft, each)
        draft.shell_secrets()
        return draft.facts()


def _add_job(draft: Draft, root: Mapping, id: str) -> None:
    environment = get(root, "environment")
    matrix = items(get(environment, "matrix"))
    images = [*texts(get(root, "image")), *texts(get(root, "os"))]
    images += [word for each in matrix for word in texts(get(each, _IMAGE))]
    sizes = [len(items(get(root, axis))) for axis in _AXES]
    total = parts.product([*sizes, len(matrix)]) or 1
    excluded = len(items(get(root, "matrix", "exclude")))
    copies = max(total - excluded, 1)
    draft.job(
        Job(
            id=id,
            needs=[],
            runs_on=distinct(images, parts.LIST_MAX),
            agents=[],
            services=parts.words(get(root, "services")),
            parallel=copies if copies > 1 else None,
            place=parts.place(root),
        )
    )
    for phase in _PHASES:
        _add_phase(draft, id, phase, root.members.get(phase))
    for deploy in parts.several(get(root, "deploy")):
        provider = parts.said(get(deploy, "provider"))
        if provider is not None:
            given = parts.variables(deploy)
            at = parts.place(deploy)
            draft.step(
                Step(id, draft.path, at, name="deploy", uses=f"deploy:{provider}", inputs=given)
            )
    draft.caching += texts(get(root, "cache"))
    for artifact in items(get(root, "artifacts")):
        draft.artifacts += texts(get(artifact, "path"))
    for key in parts.keys_before(root, "secure"):
        draft.secret(key, id)


def _add_phase(draft: Draft, id: str, phase: str, node: Node | None) -> None:
    """Lines of the plain shell, between which those of another may stand."""
    together: list[Node] = []
    shell: str | None = None

    def finish() -> None:
        if together:
            at = parts.place(together[0])
            step = Step(id, draft.path, at, name=phase, shell=shell)
            draft.scripted(step, Sequence(None, at.line, at.column, list(together)))
            together.clear()

    for each in parts.several(node):
        named = next((name for name in _SHELLS if name in members(each)), None)
        if named != shell:
            finish()
            shell = named
        script = each if named is None else members(each)[named]
        if text(script) is not None:
            together.append(script)
    finish()


def _add_triggers(draft: Draft, root: Mapping) -> None:
    branches = parts.filtered(get(root, "branches"), only="only", never="except")
    at = parts.place_of(root, "branches")
    draft.add_trigger(Trigger("push", "push", branches=branches, place=at))
    draft.add_trigger(Trigger("pull_request", "pull_request", branches=branches, place=at))
    if text(get(root, "skip_tags")) != "true":
        draft.add_trigger(Trigger("tag", "tag"))
