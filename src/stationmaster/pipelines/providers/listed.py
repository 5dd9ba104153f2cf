"""CI systems that are named and listed: their files, the jobs that these name, and their scripts.

What a row of the catalogue does not say is not known: what starts a job, and what it needs.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from stationmaster.catalogue import ci
from stationmaster.pipelines.agents import recognition as agents
from stationmaster.pipelines.model import Facts, Job, NoWorkflow, Place, Step, line
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.yaml_parts import place, said, variables
from stationmaster.repos import yaml_nodes
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import (
    Fault,
    Mapping,
    Node,
    Scalar,
    Sequence,
    get,
    items,
    members,
    text,
    texts,
)

_JOBS_MAX = 500
_DEPTH_MAX = 12
_ID_KEYS = ("name", "id", "key", "job", "label", "task", "identifier")
_SCRIPT = re.compile(
    r"(?:\w{1,40}[_-])?(?:script|commands?|run)s?|scripts?|sh|cmd|ps|pwsh|bash|content|code"
    r"|(?:before|after|on)_\w{1,40}|init|install"
)
"""Keys below which command lines stand."""
_IMAGE = re.compile(r"[/:@]")
"""Without one of these a word may be the name of something in the file."""
_CRON = re.compile(r"@\w{4,8}|(?:[-\w*/,?#]{1,60}\s{1,9}){4,5}[-\w*/,?#]{1,60}")
_PROGRAMS = (".sh", ".ps1")
_STRUCTURED = (".yml", ".yaml", ".json")


class Reader:
    """Reads the files of one system in one commit."""

    def __init__(self, files: Files, system: str) -> None:
        self._system = ci.systems()[system]
        self._files = files
        self._commands = agents.Commands()

    def read(self, path: str) -> Facts | None:
        """What a file says; None for what does not look like one. Raises Fault, NoWorkflow."""
        system = self._system
        if system.closed:
            return Facts(jobs_unknown=True, server_schedules=True)
        if system.root_first and path.rpartition("/")[2] in self._files and "/" in path:
            raise NoWorkflow("the one at the root of the repository is the one that is called")
        data = self._files.content(path)
        if not data.strip():
            return None
        if path.endswith(".json"):  # It may be indented with tabs; within its texts there are none.
            data = data.replace(b"\t", b" ")
        draft = Draft(path, self._commands)
        draft.kind = "reusable" if system.is_called else "pipeline"
        draft.server_schedules = not system.is_called
        if path.endswith(_STRUCTURED):
            self._add_document(draft, data)
        else:
            draft.jobs_unknown = True
            if path.endswith(_PROGRAMS):
                _add_script(draft, data.decode(errors="replace"))
        draft.shell_secrets()
        return draft.facts()

    def _add_document(self, draft: Draft, data: bytes) -> None:
        documents = yaml_nodes.read(data, merges=True, path=draft.path)
        draft.fault(documents.faults[0] if documents.faults else None)
        for root in documents.roots:
            if isinstance(root, Scalar):
                raise Fault("it is neither a mapping nor a list", 1, 1)
            for keys in self._system.jobs:
                for name, node in _at(root, keys.split("."), None):
                    _add_job(draft, name or f"job {len(draft.jobs) + 1}", node)
        draft.name = said(get(documents.roots[0], "name")) if documents.roots else None
        if not draft.jobs:
            draft.jobs_unknown = True
            for root in documents.roots:
                _add_steps(draft, _stem(draft.path), root, 0)


def _stem(path: str) -> str:
    return line(path.rpartition("/")[2].lstrip(".").partition(".")[0])


def _add_script(draft: Draft, script: str) -> None:
    """A file that is one script."""
    job, first = _stem(draft.path), Place(1, 1)
    draft.job(Job(id=job, needs=[], runs_on=[], agents=[], place=first))
    draft.step(Step(job=job, path=draft.path, place=first, script=script, script_at=first))


def _at(node: Node | None, keys: list[str], name: str | None) -> Iterator[tuple[str | None, Node]]:
    """What stands at these keys, `*` being every member, with its own name or its key."""
    if node is None:
        return
    if not keys:
        if isinstance(node, Sequence):  # Jobs of one group, such as of a repository.
            for each in node.items[:_JOBS_MAX]:
                yield from _at(each, [], None)
            return
        own = next((told for key in _ID_KEYS if (told := said(get(node, key)))), None)
        yield own or name or said(node), node
    elif keys[0] != "*":
        yield from _at(get(node, keys[0]), keys[1:], keys[0])
    else:
        for key, each in members(node).items():
            yield from _at(each, keys[1:], line(key))
        for each in items(node)[:_JOBS_MAX]:
            inner = members(each)
            if len(inner) == 1 and len(keys) == 1 and not inner.keys() & {*_ID_KEYS}:
                ((key, each),) = inner.items()  # The name of a job is the key of what it runs.
                yield line(key), each
            else:
                yield from _at(each, keys[1:], None)


def _add_job(draft: Draft, name: str, node: Node) -> None:
    image = said(get(node, "image", "name") or get(node, "image"))
    job = Job(id=name, needs=[], runs_on=[], agents=[], image=image, place=place(node))
    draft.job(job, lists_image=False)
    if text(node) != name:
        _add_steps(draft, name, node, 0)


def _add_steps(draft: Draft, job: str, node: Node, level: int) -> None:
    """Every script and image below a node, as those of the job; and when a schedule starts it."""
    if isinstance(node, Scalar):
        if level == 0:
            draft.scripted(Step(job, draft.path, place(node)), node)
        return
    if level > _DEPTH_MAX:
        return
    for each in items(node):
        _add_steps(draft, job, each, level + 1)
    for key, each in members(node).items():
        if _SCRIPT.fullmatch(key) and (texts(each) or text(each) is not None):
            _add_step(draft, job, node, _as_script(node, key, each))
        elif key.lower() in ("cron", "schedule", "spec") and _CRON.fullmatch(text(each) or ""):
            draft.schedule(text(each) or "")
            draft.trigger("schedule", place(each))
        elif (
            key == "image"
            and (image := get(each, "name") or each)
            and _IMAGE.search(text(image) or "")
        ):
            draft.image(text(image) or "", job, place(image))
        elif isinstance(each, Mapping | Sequence):
            _add_steps(draft, job, each, level + 1)


def _add_step(draft: Draft, job: str, around: Node, script: Node) -> None:
    step = Step(
        job=job,
        path=draft.path,
        place=place(around),
        name=said(get(around, "name")),
        env=variables(get(around, "environment") or get(around, "env")),
    )
    draft.scripted(step, script)


def _as_script(around: Node, key: str, script: Node) -> Node:
    """A command that is given as words, as one line."""
    if key != "command" or not isinstance(script, Sequence):
        return script
    words = [*texts(script), *texts(get(around, "args"))]
    return Scalar(shlex.join(words), False, None, script.line, script.column)
