"""CI systems that are named and listed: their files, the jobs that these name, and their scripts.

What a row of the catalogue lacks is unknown: what starts a job, and what it needs.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from stationmaster.catalogue import ci
from stationmaster.pipelines.model import Facts, Job, NoWorkflow, Place, Step, line
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.yaml_parts import one_line, place, variables
from stationmaster.repos import yaml_nodes
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
"""Keys of command lines."""
_IMAGE = re.compile(r"[/:@]")
"""Without one of these a word may be the name of something in the file."""
_CRON = re.compile(r"@\w{4,8}|(?:[-\w*/,?#]{1,60}\s{1,9}){4,5}[-\w*/,?#]{1,60}")
_PROGRAMS = (".sh", ".ps1")
_STRUCTURED = (".yml", ".yaml", ".json")


class File(Draft):
    """A file of a system that is listed."""

    def read(self) -> Facts | None:
        """The content of a file; None for what does not look like one. Raises Fault, NoWorkflow."""
        path, facts, row = self.path, self.facts, ci.systems()[self.system]
        if row.closed:
            return Facts(jobs_unknown=True, server_schedules=True)
        if row.root_first and path.rpartition("/")[2] in self.files and "/" in path:
            raise NoWorkflow("the one at the root of the repository is the one that is called")
        data = self.files.content(path)
        if not data.strip():
            return None
        if path.endswith(".json"):  # It may be indented with tabs; its texts have none.
            data = data.replace(b"\t", b" ")
        facts.kind = "reusable" if row.is_called else "pipeline"
        facts.server_schedules = not row.is_called
        if path.endswith(_STRUCTURED):
            self._add_document(data, row.jobs)
        else:
            facts.jobs_unknown = True
            if path.endswith(_PROGRAMS):
                self._add_script(data.decode(errors="replace"))
        self.shell_secrets()
        return self.whole()

    def _add_document(self, data: bytes, jobs: tuple[str, ...]) -> None:
        """Add the jobs at these keys, else what the file has of scripts as one job."""
        documents = yaml_nodes.read(data, merges=True, path=self.path)
        self.fault(documents.faults[0] if documents.faults else None)
        for root in documents.roots:
            if isinstance(root, Scalar):
                raise Fault("it is neither a mapping nor a list", 1, 1)
            for keys in jobs:
                for name, node in _at(root, keys.split("."), None):
                    self._add_job(name or f"job {len(self.facts.jobs) + 1}", node)
        self.facts.name = one_line(documents.roots[0], "name") if documents.roots else None
        if not self.facts.jobs:
            self.facts.jobs_unknown = True
            for root in documents.roots:
                self._add_steps(_stem(self.path), root, 0)

    def _add_script(self, script: str) -> None:
        """A file that is one script."""
        job, first = _stem(self.path), Place(1, 1)
        self.job(Job(id=job, place=first))
        self.step(Step(job=job, path=self.path, place=first, script=script, script_at=first))

    def _add_job(self, name: str, node: Node) -> None:
        image = one_line(node, "image", "name") or one_line(node, "image")
        job = Job(id=name, image=image, place=place(node))
        self.job(job, lists_image=False)
        if text(node) != name:
            self._add_steps(name, node, 0)

    def _add_steps(self, job: str, node: Node, level: int) -> None:
        """Every script and image below a node, as those of the job; and when a schedule starts
        it."""
        if isinstance(node, Scalar):
            if level == 0:
                self.scripted(Step(job, self.path, place(node)), node)
            return
        if level > _DEPTH_MAX:
            return
        for item in items(node):
            self._add_steps(job, item, level + 1)
        for key, member in members(node).items():
            image = get(member, "name") or member
            if _SCRIPT.fullmatch(key) and (texts(member) or text(member) is not None):
                self._add_step(job, node, _as_script(node, key, member))
            elif key.lower() in ("cron", "schedule", "spec") and _CRON.fullmatch(
                text(member) or ""
            ):
                self.schedule(text(member) or "")
                self.trigger("schedule", place(member))
            elif key == "image" and _IMAGE.search(text(image) or ""):
                self.image(text(image) or "", job, place(image))
            elif isinstance(member, Mapping | Sequence):
                self._add_steps(job, member, level + 1)

    def _add_step(self, job: str, around: Node, script: Node) -> None:
        env = variables(get(around, "environment") or get(around, "env"))
        step = Step(job, self.path, place(around), name=one_line(around, "name"), env=env)
        self.scripted(step, script)


def _stem(path: str) -> str:
    return line(path.rpartition("/")[2].lstrip(".").partition(".")[0])


def _at(node: Node | None, keys: list[str], name: str | None) -> Iterator[tuple[str | None, Node]]:
    """The values of these keys, `*` being every member, with its own name or its key."""
    if node is None:
        return
    if not keys:
        if isinstance(node, Sequence):  # Jobs of one group, such as of a repository.
            for job in node.items[:_JOBS_MAX]:
                yield from _at(job, [], None)
            return
        own = next((own_name for key in _ID_KEYS if (own_name := one_line(node, key))), None)
        yield own or name or one_line(node), node
    elif keys[0] != "*":
        yield from _at(get(node, keys[0]), keys[1:], keys[0])
    else:
        for key, member in members(node).items():
            yield from _at(member, keys[1:], line(key))
        for item in items(node)[:_JOBS_MAX]:
            inner = members(item)
            if len(inner) == 1 and len(keys) == 1 and not inner.keys() & {*_ID_KEYS}:
                ((key, member),) = inner.items()  # The name of a job is the key of what it runs.
                yield line(key), member
            else:
                yield from _at(item, keys[1:], None)


def _as_script(around: Node, key: str, script: Node) -> Node:
    """A command that is given as words, as one line."""
    if key != "command" or not isinstance(script, Sequence):
        return script
    words = [*texts(script), *texts(around, "args")]
    return Scalar(shlex.join(words), False, None, script.line, script.column)
