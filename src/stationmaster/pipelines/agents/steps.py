"""The steps of a workflow that run a coding agent: who starts them, what they are told, and what
they may do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Literal, NamedTuple

from stationmaster.pipelines import secrets
from stationmaster.pipelines.agents import options as agent_options
from stationmaster.pipelines.agents.options import Options
from stationmaster.pipelines.model import AgentStep, Place, Step, distinct, line
from stationmaster.pipelines.untrusted import Sources
from stationmaster.pipelines.view import View

RUNNING_MAX = 50
_SECRETS_MAX = 100
_EARLIER_MAX = 50
_SCRIPT_MAX = 65_536
_WRITES = ("contents", "pull-requests", "*")
_PUSH = re.compile(r"\bgit\s+push\b|\bgh\s+pr\s+(?:create|merge|edit|review)\b")
_OWN_APP = frozenset({"claude-code", "droid", "opencode"})
"""Agents whose actions, given an identity token and no other, get one that may write."""
OWN_CHECK = "the action's own check for write access"
_NUMBER = re.compile(
    r"\$\{\{[^}]{0,300}github\.event\.(?:(?:issue|pull_request|discussion)\.(?:number|html_url)"
    r"|comment\.(?:id|html_url))[^}]{0,300}\}\}"
)
_FETCH = re.compile(
    r"\bgh\s+(?:issue|pr)\s+(?:view|diff|list)\b|\bgh\s+api\b[^\n]{0,200}\b(?:issues|pulls)\b"
    r"|mcp__github__get_(?:issue|pull)"
)
_FILE = re.compile(
    r"\$\(\s{0,9}cat\s|<\s{0,9}[\w./-]{1,200}|(?:^|\s)(?:-f|--file|--message-file)[ =]"
)
_WRITTEN = re.compile(r">>?\s{0,9}[\"']?([\w./-]{3,100})")

Origin = Literal["inline", "file", "event", "none"]


class Prompt(NamedTuple):
    """Where an agent's task comes from; `outside` are the values in it that others write,
    `evidence` the text that shows it."""

    origin: Origin
    evidence: str
    outside: list[str]


class Running(NamedTuple):
    """A step that runs an agent, and what is known of it beyond its record."""

    record: AgentStep
    step: Step
    options: Options
    prompt: Prompt


def read(view: View) -> list[Running]:
    """All of a workflow, in its order."""
    sources = Sources(view)
    found = (
        _running(view, sources, step, agent) for step in view.all_steps for agent in step.agents
    )
    return list(islice(found, RUNNING_MAX))


def unplaced(view: View, running: list[Running]) -> Iterator[AgentStep]:
    """Of the jobs that run an agent in no step that could be seen."""
    seen = {(each.record.job, each.record.agent) for each in running}
    for job in view.facts.jobs:
        for agent in job.agents:
            if (job.id, agent) not in seen and not _is_local_call(job.uses):
                yield AgentStep(
                    agent=agent,
                    found_by="command" if job.uses is None else "action",
                    job=job.id,
                    trigger=view.who,
                    prompt_source="none",
                    can_write=_may_write(view.permissions(job.id)),
                    gate=view.gate(job.id),
                    permissions=view.permissions(job.id),
                    secrets=job.secrets,
                    timeout_minutes=job.timeout_minutes,
                    place=job.place,
                )


def _running(view: View, sources: Sources, step: Step, agent: str) -> Running:
    options = agent_options.of(step, agent)
    prompt = _prompt(view, sources, step, options)
    gate = view.gate(step.job, step)
    if gate is None and options.own_check:
        gate = OWN_CHECK
    job = view.jobs.get(step.job)
    named = secrets.in_texts((*step.env.values(), *step.inputs.values(), step.script or ""))
    record = AgentStep(
        agent=agent,
        found_by="command" if step.uses is None else "action",
        job=step.job,
        trigger=view.who,
        prompt_source=prompt.origin,
        can_write=_can_write(view, step, agent),
        gate=None if gate is None else line(gate),
        tools=options.tools,
        sandbox=options.sandbox,
        permissions=view.permissions(step.job),
        secrets=distinct([*named, *(job.secrets if job else ())], _SECRETS_MAX),
        open_to=options.open_to,
        timeout_minutes=None if job is None else job.timeout_minutes,
        step=None if (name := view.name_of(step)) is None else line(name),
        place=step.place if step.path == view.path else _call_place(view, step),
    )
    return Running(record, step, options, prompt)


def _call_place(view: View, step: Step) -> Place | None:
    """Of a step in another file: where the job stands that comes to it."""
    job = view.jobs.get(step.job)
    return None if job is None else job.place


def _is_local_call(uses: str | None) -> bool:
    return uses is not None and uses.startswith(("./", "$/"))


def _can_write(view: View, step: Step, agent: str) -> bool:
    permissions = view.permissions(step.job)
    if _may_write(permissions):
        return True
    has_token = any(name.lower() in ("github_token", "github-token") for name in step.inputs)
    is_app = agent in _OWN_APP and step.uses is not None and not has_token
    if is_app and (permissions or {}).get("id-token") == "write":
        return True
    if view.is_github:
        return False  # What it pushes needs the token's rights.
    return any(
        _PUSH.search((each.script or "")[:_SCRIPT_MAX]) for each in view.steps.get(step.job, [])
    )


def _may_write(permissions: Mapping[str, str] | None) -> bool:
    return any((permissions or {}).get(scope) == "write" for scope in _WRITES)


def _prompt(view: View, sources: Sources, step: Step, options: Options) -> Prompt:
    texts = options.prompts
    if view.is_github and (found := _from_outside(view, sources, step, texts)) is not None:
        return found
    if options.files or any(_FILE.search(text) for text in texts if step.uses is None):
        return Prompt("file", options.files[0] if options.files else "", [])
    if texts:
        return Prompt("inline", texts[0], [])
    is_told_by_event = view.who != "members" and step.uses is not None
    return Prompt("event" if is_told_by_event else "none", "", [])


def _from_outside(view: View, sources: Sources, step: Step, texts: list[str]) -> Prompt | None:
    """In the text itself, by a variable or a file that it names, or fetched as it says."""
    for text in texts:
        if outside := sources.of(step, text):
            return Prompt("event", _first_line(text, outside), outside)
    carried = [*sources.variables(step).items(), *_files(view, sources, step)]
    for name, outside in carried:
        named = re.compile(rf"(?<![\w/]){re.escape(name)}(?!\w)")
        # A prompt that is a command of the repository's own finds the rest in variables.
        if any(named.search(text) or text.strip().startswith("/") for text in texts):
            return Prompt("event", name, outside)
    for text in texts:
        fetch = _NUMBER.search(text) or _FETCH.search(text)
        if fetch is not None and view.open_triggers:
            return Prompt("event", fetch[0], ["what it is instructed to fetch"])
    return None


def _files(view: View, sources: Sources, step: Step) -> Iterator[tuple[str, list[str]]]:
    """Files that earlier steps of the job write from variables with outside text."""
    steps = view.steps.get(step.job, [])
    place = next(index for index, each in enumerate(steps) if each is step)
    for earlier in steps[max(0, place - _EARLIER_MAX) : place]:
        script = (earlier.script or "")[:_SCRIPT_MAX]
        if ">" not in script:
            continue
        for variable, outside in sources.variables(earlier).items():
            for text in script.split("\n"):
                if re.search(rf"\$\{{?{re.escape(variable)}\b", text):
                    yield from ((name, outside) for name in _WRITTEN.findall(text))


def _first_line(text: str, outside: list[str]) -> str:
    """The line of a prompt that holds an outside value, else its first."""
    lines = [each for each in text.split("\n") if "${{" in each]
    exact = (each for each in lines if any(path in each.lower() for path in outside))
    return next(exact, next(iter(lines), text.split("\n", 1)[0])).strip()
