"""The language of GitHub Actions, which Gitea and Forgejo took over: from a file to its facts.

GitHub has its workflows in `.github/workflows`, and templates for those of other repositories.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from msgspec.structs import replace

from stationmaster.pipelines import commands
from stationmaster.pipelines.agents import options, options as agent_options
from stationmaster.pipelines.model import (
    READ,
    Command,
    CommandKind,
    Facts,
    Include,
    Job,
    Kind,
    NoWorkflow,
    Parse,
    Place,
    Step,
    Trigger,
    Use,
    line,
    of_fault,
)
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.actions import compiled, jobs, traits
from stationmaster.pipelines.providers.actions.jobs import Matrices
from stationmaster.pipelines.providers.actions.steps import (
    Source,
    Sources,
    Steps,
    local_path,
    scalars,
)
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.repos import yaml_nodes
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault, Node, get, members, text

_TEMPLATES = "workflow-templates/"
_ABOUT = ".properties.json"
"""What stands beside each template, and makes it one."""
_COMMANDS_MAX = 500
_USES_MAX = 2_000


class File(Draft):
    """A workflow, a template of GitHub, or an action of the repository."""

    def read(self) -> Facts | None:
        """The facts of a workflow or a template; None for Markdown. Raises Fault, NoWorkflow."""
        path, reader = self.path, self.commit.shared(_Reader)
        if path.startswith(_TEMPLATES):
            if path.rpartition(".")[0] + _ABOUT not in self.files:
                raise NoWorkflow("a template for other repositories with a properties file")
            return replace(reader.workflow(path, self.system), kind="template")
        if path.endswith(compiled.SOURCE):
            # An agentic workflow runs as what it was compiled to; any other text is for readers.
            lock = path.removesuffix(compiled.SOURCE) + compiled.LOCK
            if lock not in self.files and compiled.is_source(self.files.content(path)):
                raise NoWorkflow(f"an agentic workflow that is not compiled: there is no {lock}")
            return None
        return reader.workflow(path, self.system)

    def action(self) -> Facts | None:
        """What an action of the repository says by itself; None for another kind of file."""
        return self.commit.shared(_Reader).action(self.path)


class _Reader:
    """Reads the workflows of one commit."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._sources = Sources(files)
        self._steps = Steps(self._sources)
        self._matrices = Matrices()

    def workflow(self, path: str, provider: str) -> Facts:
        """What a workflow file says. Raises Fault, and NoWorkflow when it says nothing."""
        source = self._sources.workflow(path)
        root = source.root
        if root is None:
            raise NoWorkflow("it is empty, or has comments alone")
        if not isinstance(root, yaml_nodes.Mapping) or not root.members:
            raise Fault("a workflow is a mapping with `on` and `jobs`", 1, 1)
        origin = compiled.Origin(source, self._files)
        declared = dict(list(members(root, "jobs").items())[: jobs.JOBS_MAX])
        records, steps = self._jobs(source, origin, declared)
        uses = list(islice(jobs.uses(source, declared, provider), _USES_MAX))
        inner_uses, inner_images = traits.parts(steps, path, provider)
        triggers = jobs.triggers(get(root, "on"))
        top = jobs.permissions(get(root, "permissions"))
        name = parts.said(root, "name")
        agents = list(dict.fromkeys(agent for job in records for agent in job.agents))
        inputs = _agent_inputs(path, steps)
        return Facts(
            kind=_kind(triggers, origin),
            name=name,
            triggers=triggers,
            schedules=jobs.schedules(get(root, "on")),
            jobs=records,
            steps=steps,
            uses=uses,
            images=[image for key, job in declared.items() for image in jobs.images(key, job)],
            inner_uses=inner_uses,
            inner_images=inner_images,
            includes=self._includes(uses, declared),
            permissions=top,
            secrets=_secrets(source, root, records),
            oidc=any(jobs.may_ask_identity(record.permissions, top) for record in records),
            concurrency=_concurrency(root, *declared.values()),
            caching=traits.caching(steps),
            artifacts=traits.artifacts(steps),
            commands=_commands(steps),
            agents=agents,
            agent_inputs=None if inputs is None else options.told(inputs),
            template=options.template(path, name, agents, inputs),
            generated_from=origin.generated_from,
            parse=self._parse(source, triggers),
            faults=[of_fault("partial", fault) for fault in source.documents.faults],
            conditions=_conditions(declared),
            outputs={key: scalars(get(job, "outputs")) for key, job in declared.items()},
            places={key: Place(*place) for key, place in root.keys.items()},
        )

    def action(self, path: str) -> Facts | None:
        """What an action of the repository says by itself; None for another kind of file."""
        try:
            source = self._sources.workflow(path)
        except Fault as fault:
            return Facts(kind="composite", parse=of_fault("error", fault))
        if get(source.root, "runs") is None:
            return None
        steps = [step for step in self._steps.of_file(source) if step.path == path]
        # To itself, what an action uses is as inner as to its callers.
        uses, images = traits.parts(steps, "", "github-actions")
        name = parts.said(source.root, "name")
        return Facts(
            kind="composite",
            name=name,
            steps=steps,
            uses=uses,
            images=images,
            commands=_commands(steps),
        )

    def _jobs(
        self, source: Source, origin: compiled.Origin, declared: dict[str, Node]
    ) -> tuple[list[Job], list[Step]]:
        """The records of the jobs, and all that they do."""
        self._steps.is_cut = False
        records: list[Job] = []
        every: list[Step] = []
        for key, job in declared.items():
            steps = origin.with_engine(key, job, self._steps.of_job(source, key, job))
            agents = [agent for step in steps for agent in step.agents]
            agents += origin.agents_of(key)  # However the step looks that runs it.
            records.append(jobs.read(source, key, list(dict.fromkeys(agents)), self._matrices))
            every += steps
        return records, every

    def _includes(self, uses: list[Use], declared: dict[str, Node]) -> list[Include]:
        """What a file is made of: workflows that it calls, and actions of its own repository."""
        includes: dict[str, Include] = {}
        folders = {line(key): traits.folders(job) for key, job in declared.items()}
        for use in uses:
            path = local_path(use.reference)
            is_workflow = "/workflows/" in use.reference.partition("@")[0]
            if path is None and not is_workflow:
                continue
            beside = folders.get(use.job or "", ())
            file = None if path is None else self._sources.file_of(path, beside)
            kind = "workflow" if is_workflow else "action"
            location = file or use.reference
            includes.setdefault(
                location, Include(kind, location, file is not None, use.pin, use.place)
            )
        return list(includes.values())

    def _parse(self, source: Source, triggers: list[Trigger]) -> Parse:
        if source.documents.faults:
            return of_fault("partial", source.documents.faults[0])
        if not triggers:
            return Parse("partial", "it has no event that starts it (`on`)")
        declared = members(source.root, "jobs")
        if not declared:
            return Parse("partial", "it has no jobs")
        if len(declared) > jobs.JOBS_MAX:
            return Parse("partial", f"it has more than {jobs.JOBS_MAX} jobs")
        if len(source.documents.roots) > 1:
            return Parse("partial", "only the first of its documents counts")
        if self._steps.is_cut:
            return Parse("partial", "its actions and called workflows multiply to too many steps")
        return READ


def _kind(triggers: list[Trigger], origin: compiled.Origin) -> Kind:
    if origin.is_generated:
        return "generated"
    return "reusable" if [trigger.kind for trigger in triggers] == ["reusable_call"] else "pipeline"


def _secrets(source: Source, root: Node, records: list[Job]) -> list[str]:
    """Those of what stands outside the jobs, and then those of each."""
    outside = [node for key, node in members(root).items() if key != "jobs"]
    names = jobs.secrets_in(source, *outside)
    return list(dict.fromkeys(names + [name for job in records for name in job.secrets]))


def _conditions(declared: dict[str, Node]) -> dict[str, str]:
    written = ((key, text(job, "if")) for key, job in declared.items())
    return {key: condition for key, condition in written if condition is not None}


def _concurrency(*nodes: Node) -> str | None:
    """The group that a workflow runs in, else that of its first job that has one."""
    for node in nodes:
        limit = get(node, "concurrency")
        if (group := text(limit) or text(limit, "group")) is not None:
            return line(group)
    return None


def _commands(steps: list[Step]) -> list[Command]:
    """What scripts and actions of others do, each once in a job."""
    by_purpose: dict[tuple[str, str], Command] = {}
    for step in steps:
        for kind, purpose, place in _purposes(step):
            command = Command(kind, purpose, line(step.job), place)
            by_purpose.setdefault((step.job, purpose), command)
        if len(by_purpose) > _COMMANDS_MAX:
            break
    return list(by_purpose.values())[:_COMMANDS_MAX]


def _purposes(step: Step) -> Iterator[tuple[CommandKind, str, Place]]:
    start = step.script_at or step.place
    for command in commands.of_script(step.script or ""):
        yield command.kind, command.text, Place(start.line + command.line, start.column, start.path)
    if step.uses is not None and (kind := traits.purpose(step)) is not None:
        yield kind, line(step.uses), step.place


def _agent_inputs(path: str, steps: list[Step]) -> Mapping[str, str] | None:
    """What the first step that uses an agent's action gives it, with its `model` by that name; of
    an agent that only commands start, the model alone where one is named.
    """
    own = [step for step in steps if step.path == path and step.agents]
    for step in sorted(own, key=lambda step: step.uses is None):
        model = agent_options.model(step, step.agents[0])
        named = {} if model is None else {"model": model}
        if step.uses is not None or named:
            return {**named, **step.inputs, **named}
    return None
