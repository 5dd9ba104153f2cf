"""What jobs do: their own steps, and in their place those of local actions and called workflows,
which are files of the same commit, each read once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec
from msgspec.structs import replace

from stationmaster.pipelines.agents import recognition as agents
from stationmaster.pipelines.model import Place, Step
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.actions import traits
from stationmaster.repos import yaml_nodes
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import (
    Documents,
    Fault,
    Node,
    Scalar,
    get,
    items,
    members,
    text,
    texts,
)

LEVELS_MAX = 10
"""How deep workflows may call workflows, and actions use actions."""
STEPS_MAX = 100_000
"""Of all workflows of a commit, each counted for every job that runs it."""
OF_ONE_MAX = 5_000
"""Of one job or action."""
_PLAIN = re.compile(r"[\w.:-]{1,60}")
_ACTION_FILES = ("action.yml", "action.yaml")
_COMMENT = re.compile(rb"#\s{0,9}(?:[\w./:-]{0,100}[@=:]\s{0,9})?(v?\d[\w.+-]{0,60})")
"""`# v1.2.3`, `# tag=v1.2.3`, `# pin@v1.2.3`, `# ratchet:owner/name@v1.2.3`."""


class _Scope(msgspec.Struct, frozen=True):
    """What a step has from around it."""

    job: str
    env: Mapping[str, str]
    shell: str | None = None
    image: str | None = None
    ignores_errors: bool = False
    folders: tuple[str, ...] = ()
    folder: str = ""
    matrix: Mapping[str, tuple[str, ...]] = {}


_NOWHERE = _Scope("", {})


class Steps:
    """Of one commit. `is_cut`: since it was reset there were more than may be reported."""

    def __init__(self, sources: Sources) -> None:
        self.is_cut = False
        self._sources = sources
        self._called: dict[tuple[str, tuple[str, ...]], tuple[Step, ...]] = {}
        self._left = STEPS_MAX

    def of_job(self, source: Source, key: str, job: Node, level: int = 0) -> list[Step]:
        """The steps of a job in their order. A call of a workflow is a step as well, and what it
        calls in this commit follows it."""
        outer = scalars(get(source.root, "env"))
        own = scalars(get(job, "env"))
        container = get(job, "container")
        defaults = [get(place, "defaults", "run") for place in (job, source.root)]
        scope = _Scope(
            key,
            outer | own if own else outer,
            next(filter(None, (text(it, "shell") for it in defaults)), None),
            text(container) or text(container, "image"),
            is_true(get(job, "continue-on-error")),
            traits.folders(job),
            next(filter(None, (text(it, "working-directory") for it in defaults)), None) or "",
            _listed(get(job, "strategy", "matrix")),
        )
        nodes = [job] if get(job, "uses") is not None else traits.steps_of(job)
        return self._taken(self._all(source, nodes, scope, level))

    def _all(self, source: Source, nodes: list[Node], scope: _Scope, level: int) -> Iterator[Step]:
        for node in nodes:
            step = self._step(source, node, scope)
            yield step
            path = local_path(step.uses or "")
            if path is not None:
                for inner in self._of_call(path, scope.folders, level):
                    yield _adopted(inner, step, scope)

    def _step(self, source: Source, node: Node, scope: _Scope) -> Step:
        named = get(node, "uses")
        reference = text(named)
        input_name = traits.script_input(reference or "")
        script = get(node, "run") if input_name is None else get(node, "with", input_name)
        command = text(script)
        env = scalars(get(node, "env"))
        step_agents: tuple[str, ...] = ()
        if command is not None:
            step_agents = agents.of_script(command)
        elif (agent := agents.of_action(reference or "")) is not None:
            step_agents = (agent,)
        return Step(
            job=scope.job,
            path=source.path,
            place=parts.place(node),
            name=text(node, "name"),
            uses=reference,
            script=command,
            script_at=None if script is None or command is None else source.script_at(script),
            shell=text(node, "shell") or (scope.shell if command is not None else None),
            env={**scope.env, **env} if env else scope.env,
            inputs=scalars(get(node, "with")),
            condition=text(node, "if"),
            image=scope.image,
            ignores_errors=scope.ignores_errors or is_true(get(node, "continue-on-error")),
            agents=step_agents,
            id=text(node, "id"),
            uses_at=None if named is None else parts.place(named),
            folder=text(node, "working-directory") or scope.folder,
            matrix=scope.matrix,
        )

    def _of_call(self, path: str, folders: tuple[str, ...], level: int) -> tuple[Step, ...]:
        """The steps of a local action's folder or a local workflow's file."""
        file = self._sources.file_of(path, folders)
        if level >= LEVELS_MAX or file is None:
            return ()
        key = (file, folders)
        if key not in self._called:
            self._called[key] = ()  # A recursive call adds nothing.
            source = self._sources.called(file)
            if source is not None:
                self._called[key] = tuple(self.of_file(source, folders, level + 1))
        return self._called[key]

    def of_file(self, source: Source, folders: tuple[str, ...] = (), level: int = 0) -> list[Step]:
        """Of an action or a workflow that is called; an action that is a container has one step."""
        scope = replace(_NOWHERE, folders=folders)
        inner_steps = items(source.root, "runs", "steps")
        steps = self._taken(self._all(source, inner_steps, scope, level))
        image = get(source.root, "runs", "image")
        if image is not None and (text(image) or "").startswith("docker://"):
            steps.append(
                Step(
                    "",
                    source.path,
                    parts.place(image),
                    uses=text(image),
                    uses_at=parts.place(image),
                )
            )
        for key, job in members(source.root, "jobs").items():
            steps += self.of_job(source, key, job, level)
        return steps[:OF_ONE_MAX]

    def _taken(self, steps: Iterator[Step]) -> list[Step]:
        taken: list[Step] = []
        for step in steps:
            if self._left <= 0 or len(taken) >= OF_ONE_MAX:
                self.is_cut = True
                break
            self._left -= 1
            taken.append(step)
        return taken


def _adopted(step: Step, caller: Step, scope: _Scope) -> Step:
    """A step of what a caller uses, as one of the caller's job.

    Steps of an action have the environment of the step that uses it; a called workflow starts
    without it.
    """
    is_action = step.job == ""
    return replace(
        step,
        job=scope.job,
        env={**caller.env, **step.env} if is_action else step.env,
        image=scope.image if is_action else step.image,
        ignores_errors=step.ignores_errors or caller.ignores_errors,
    )


@dataclass(frozen=True)
class Source:
    """A file: its bytes and its documents, of which the first counts."""

    path: str
    data: bytes
    documents: Documents

    @property
    def root(self) -> Node | None:
        """The first document, None in a file without one."""
        return self.documents.roots[0] if self.documents.roots else None

    @cached_property
    def has_secrets(self) -> bool:
        """May it name any? Most files do not, and need not be searched."""
        return b"secrets" in self.data.lower()

    @cached_property
    def _lines(self) -> list[bytes]:
        return self.data.split(b"\n")

    def script_at(self, script: Node) -> Place:
        """Where the first line of a text begins; that of a block is below its mark."""
        if not (isinstance(script, Scalar) and script.is_block):
            return parts.place(script)
        first = script.text[:200].split("\n", 1)[0].encode()
        below = self._lines[script.line] if script.line < len(self._lines) else b""
        return Place(script.line + 1, max(below.find(first.strip()), 0) + 1, self.path)

    def version_behind(self, node: Node) -> str | None:
        """The version in a comment behind a value, as in `name@hash # v1.2.3`."""
        if node.line > len(self._lines):
            return None
        match = _COMMENT.search(self._lines[node.line - 1], node.column)
        return None if match is None else match[1].decode(errors="replace")


class Sources:
    """What others may call is kept, so that it is parsed once however many call it."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._kept: dict[str, Source] = {}

    def workflow(self, path: str) -> Source:
        """Raises Fault."""
        if (kept := self._kept.get(path)) is not None:
            return kept
        data = self._files.content(path)
        source = Source(path, data, yaml_nodes.read(data, merges=False, path=path))
        on = get(source.root, "on")
        if "workflow_call" in (members(on) or texts(on)) or get(source.root, "runs") is not None:
            self._kept[path] = source
        return source

    def called(self, file: str) -> Source | None:
        """An action or a workflow; None for what cannot be read, whose own record states that if it
        is a workflow."""
        try:
            return self.workflow(file)
        except Fault:
            return None

    def file_of(self, path: str, folders: Sequence[str] = ()) -> str | None:
        """The file that a local reference means, None when the commit has none.

        `folders` are those that the repository was checked out to; the reference may lead there.
        """
        for folder in ("", *folders):
            if not folder or f"{path}/".startswith(f"{folder}/"):
                inside = path[len(folder) :].strip("/")
                names = [inside, *(f"{inside}/{name}".lstrip("/") for name in _ACTION_FILES)]
                if file := next((name for name in names if name in self._files), None):
                    return file
        return None


def local_path(reference: str) -> str | None:
    """The path of an action or a workflow in the same commit, or None for one from elsewhere."""
    for beginning in ("./", "$/"):
        if reference.startswith(beginning):
            return reference.removeprefix(beginning).partition("@")[0].strip("/")
    return None


def _listed(matrix: Node | None) -> Mapping[str, tuple[str, ...]]:
    """The plain values of a matrix by key."""
    values = {key: [it.text for it in items(node) if isinstance(it, Scalar)]
              for key, node in members(matrix).items()}  # fmt: skip
    return {
        key: tuple(filter(_PLAIN.fullmatch, some))
        for key, some in values.items()
        if key not in ("include", "exclude") and some
    }


def scalars(node: Node | None) -> dict[str, str]:
    """The scalars of a mapping by key; null is an empty text."""
    return {
        key: value.text if not value.is_null else ""
        for key, value in members(node).items()
        if isinstance(value, Scalar)
    }


def is_true(node: Node | None) -> bool:
    """True for the scalar `true`."""
    return (text(node) or "").strip() == "true"
