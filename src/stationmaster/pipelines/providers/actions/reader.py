"""From a file to its facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from stationmaster.pipelines import commands
from stationmaster.pipelines.agents import inputs
from stationmaster.pipelines.agents import options as agent_options
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
from stationmaster.pipelines.providers.actions import events, inner, jobs, traits
from stationmaster.pipelines.providers.actions.compiled import Origin
from stationmaster.pipelines.providers.actions.matrix import Matrices
from stationmaster.pipelines.providers.actions.sources import Source, Sources, local_path, values
from stationmaster.pipelines.providers.actions.steps import Steps
from stationmaster.repos import yaml_nodes
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault, Node, get, members, text

_COMMANDS_MAX = 500
_USES_MAX = 2_000


class Reader:
    """Reads the workflows of one commit."""

    def __init__(self, files: Files, system: str) -> None:
        self.provider = system
        self._files = files
        self._sources = Sources(files)
        self._steps = Steps(self._sources)
        self._matrices = Matrices()

    def read(self, path: str) -> Facts | None:
        """What a workflow file says. Raises Fault, and NoWorkflow when it says nothing."""
        source = self._sources.workflow(path)
        root = source.root
        if root is None:
            raise NoWorkflow("it is empty, or has comments alone")
        if not members(root):
            raise Fault("a workflow is a mapping with `on` and `jobs`", 1, 1)
        origin = Origin(source, self._files)
        declared = dict(list(members(get(root, "jobs")).items())[: jobs.JOBS_MAX])
        records, steps = self._jobs(source, origin, declared)
        uses = list(islice(_uses(source, declared, self.provider), _USES_MAX))
        triggers = events.read(get(root, "on"))
        top = jobs.permissions(get(root, "permissions"))
        name = line(text(get(root, "name")) or "") or None
        agents = list(dict.fromkeys(agent for job in records for agent in job.agents))
        given = _agent_inputs(path, steps)
        return Facts(
            kind=_kind(triggers, origin),
            name=name,
            triggers=triggers,
            schedules=events.schedules(get(root, "on")),
            jobs=records,
            steps=steps,
            uses=uses,
            images=[image for key, job in declared.items() for image in jobs.images(key, job)],
            inner_uses=list(islice(inner.uses(steps, path, self.provider), _USES_MAX)),
            inner_images=list(islice(inner.images(steps, path), _USES_MAX)),
            includes=self._includes(uses, declared),
            permissions=top,
            secrets=_secrets(source, root, records),
            oidc=any(jobs.may_ask_identity(record.permissions, top) for record in records),
            concurrency=_concurrency(root, *declared.values()),
            caching=traits.caching(steps),
            artifacts=traits.artifacts(steps),
            commands=_commands(steps),
            agents=agents,
            agent_inputs=None if given is None else inputs.told(given),
            template=inputs.template(path, name, agents, given),
            generated_from=origin.generated_from,
            parse=self._parse(source, triggers),
            faults=[of_fault("partial", fault) for fault in source.documents.faults],
            conditions=_conditions(declared),
            outputs={key: values(get(job, "outputs")) for key, job in declared.items()},
            places={key: Place(*place) for key, place in _keys(root).items()},
        )

    def action(self, path: str) -> Facts | None:
        """What an action of the repository says by itself; None for another kind of file."""
        try:
            source = self._sources.workflow(path)
        except Fault as fault:
            return Facts(kind="composite", parse=of_fault("error", fault))
        if get(source.root, "runs") is None:
            return None
        steps = [each for each in self._steps.of_file(source) if each.path == path]
        return Facts(
            kind="composite",
            name=line(text(get(source.root, "name")) or "") or None,
            steps=steps,
            # To itself, what an action uses is as inner as to its callers.
            uses=list(islice(inner.uses(steps, "", self.provider), _USES_MAX)),
            images=list(islice(inner.images(steps, ""), _USES_MAX)),
            commands=_commands(steps),
        )

    def _jobs(
        self, source: Source, origin: Origin, declared: dict[str, Node]
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
        found: dict[str, Include] = {}
        folders = {line(key): inner.folders(job) for key, job in declared.items()}
        for use in uses:
            path = local_path(use.reference)
            is_workflow = "/workflows/" in use.reference.partition("@")[0]
            if path is None and not is_workflow:
                continue
            beside = folders.get(use.job or "", ())
            file = None if path is None else self._sources.file_of(path, beside)
            kind = "workflow" if is_workflow else "action"
            location = file or use.reference
            found.setdefault(
                location, Include(kind, location, file is not None, use.pin, use.place)
            )
        return list(found.values())

    def _parse(self, source: Source, triggers: list[Trigger]) -> Parse:
        if source.documents.faults:
            return of_fault("partial", source.documents.faults[0])
        if not triggers:
            return Parse("partial", "it says no event that starts it (`on`)")
        declared = members(get(source.root, "jobs"))
        if not declared:
            return Parse("partial", "it has no jobs")
        if len(declared) > jobs.JOBS_MAX:
            return Parse("partial", f"it has more than {jobs.JOBS_MAX} jobs")
        if len(source.documents.roots) > 1:
            return Parse("partial", "only the first of its documents counts")
        if self._steps.is_cut:
            return Parse("partial", "its actions and called workflows multiply to too many steps")
        return READ


def _kind(triggers: list[Trigger], origin: Origin) -> Kind:
    if origin.is_generated:
        return "generated"
    return "reusable" if [trigger.kind for trigger in triggers] == ["reusable_call"] else "pipeline"


def _uses(source: Source, declared: dict[str, Node], provider: str) -> Iterator[Use]:
    for key, job in declared.items():
        yield from jobs.uses(source, key, job, provider)


def _secrets(source: Source, root: Node, records: list[Job]) -> list[str]:
    """Those of what stands outside the jobs, and then those of each."""
    outside = [node for key, node in members(root).items() if key != "jobs"]
    found = jobs.secrets_in(source, *outside)
    return list(dict.fromkeys(found + [name for job in records for name in job.secrets]))


def _conditions(declared: dict[str, Node]) -> dict[str, str]:
    told = ((key, text(get(job, "if"))) for key, job in declared.items())
    return {key: condition for key, condition in told if condition is not None}


def _keys(root: Node) -> dict[str, tuple[int, int]]:
    return root.keys if isinstance(root, yaml_nodes.Mapping) else {}


def _concurrency(*nodes: Node) -> str | None:
    """The group that a workflow runs in, else that of its first job that has one."""
    for node in nodes:
        limit = get(node, "concurrency")
        if (group := text(limit) or text(get(limit, "group"))) is not None:
            return line(group)
    return None


def _commands(steps: list[Step]) -> list[Command]:
    """What scripts and actions of others do, each once in a job."""
    found: dict[tuple[str, str], Command] = {}
    for step in steps:
        for kind, told, place in _purposes(step):
            command = Command(kind, told, line(step.job), place)
            found.setdefault((step.job, told), command)
        if len(found) > _COMMANDS_MAX:
            break
    return list(found.values())[:_COMMANDS_MAX]


def _purposes(step: Step) -> Iterator[tuple[CommandKind, str, Place]]:
    start = step.script_at or step.place
    for each in commands.of_script(step.script or ""):
        yield each.kind, each.text, Place(start.line + each.line, start.column, start.path)
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
