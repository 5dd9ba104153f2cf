"""The steps of a workflow that run a coding agent: who starts them, their prompts, and what
they may do. Signs of agents in workflows that run none, as far as can be seen, are scored, and
nothing is asserted of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import islice
from operator import itemgetter
from typing import Literal, NamedTuple

import msgspec

from stationmaster.agents.cards import traces
from stationmaster.pipelines import secrets
from stationmaster.pipelines.agents import options as agent_options
from stationmaster.pipelines.model import (
    LOCAL,
    AgentSign,
    AgentStep,
    Job,
    Place,
    Step,
    distinct,
    line,
)
from stationmaster.pipelines.untrusted import Sources
from stationmaster.pipelines.view import View
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault

RUNNING_MAX = 50
_SECRETS_MAX = 100
_EARLIER_MAX = 50
_WRITES = ("contents", "pull-requests", "*")
_PUSH = re.compile(r"\bgit\s+push\b|\bgh\s+pr\s+(?:create|merge|edit|review)\b")
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
_SHARED_KEYS = ("OPENROUTER_API_KEY",)
"""Names of secrets that agents of several vendors read."""
_MANIFEST = "package.json"
_MANIFEST_MAX = 2**18
_TEXT_MAX = 20_000
_SCORE_MAX = 5
_LINES_MAX = 2_000
_LINE_MAX = 500
_ABOUT_AGENTS = re.compile(
    r"(?i)(?<!user-)(?<!user )(?<![\w/.])(?:agents?|agentic|llms?)(?![\w/.])"
)


class Prompt(NamedTuple):
    """The source of an agent's task; `outside` are the values in it that others write,
    `evidence` the text that shows it."""

    origin: Origin
    evidence: str
    outside: list[str]


class Running(NamedTuple):
    """A step that runs an agent, and what is known of it beyond its record."""

    record: AgentStep
    step: Step
    options: agent_options.Options
    prompt: Prompt


def read(view: View) -> list[Running]:
    """All of a workflow, in its order."""
    sources = Sources(view)
    running = (
        _running(view, sources, step, agent) for step in view.all_steps for agent in step.agents
    )
    return list(islice(running, RUNNING_MAX))


def unplaced(view: View, running: list[Running]) -> Iterator[AgentStep]:
    """Of the jobs that run an agent in no step that could be seen."""
    seen = {(run.record.job, run.record.agent) for run in running}
    for job in view.facts.jobs:
        for agent in job.agents:
            if (job.id, agent) not in seen and not (job.uses or "").startswith(LOCAL):
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
    """Of a step in another file: the place of the job that runs it."""
    job = view.jobs.get(step.job)
    return None if job is None else job.place


def _can_write(view: View, step: Step, agent: str) -> bool:
    permissions = view.permissions(step.job)
    if _may_write(permissions):
        return True
    has_token = any(name.lower() in ("github_token", "github-token") for name in step.inputs)
    has_app = agent in traces.every() and traces.every()[agent].has_app
    is_app = has_app and step.uses is not None and not has_token
    if is_app and (permissions or {}).get("id-token") == "write":
        return True
    if view.is_github:
        return False  # What it pushes needs the token's rights.
    return any(_PUSH.search(other.text) for other in view.steps.get(step.job, []))


def _may_write(permissions: Mapping[str, str] | None) -> bool:
    return any((permissions or {}).get(scope) == "write" for scope in _WRITES)


def _prompt(view: View, sources: Sources, step: Step, options: agent_options.Options) -> Prompt:
    texts = options.prompts
    if view.is_github and (outer := _from_outside(view, sources, step, texts)) is not None:
        return outer
    if options.files or any(_FILE.search(text) for text in texts if step.uses is None):
        return Prompt("file", options.files[0] if options.files else "", [])
    if texts:
        return Prompt("inline", texts[0], [])
    is_prompted_by_event = view.who != "members" and step.uses is not None
    return Prompt("event" if is_prompted_by_event else "none", "", [])


def _from_outside(view: View, sources: Sources, step: Step, texts: list[str]) -> Prompt | None:
    """In the text itself, by a variable or a file that it names, or fetched as it states."""
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
            return Prompt("event", fetch[0], ["content that it is instructed to fetch"])
    return None


def _files(view: View, sources: Sources, step: Step) -> Iterator[tuple[str, list[str]]]:
    """Files that earlier steps of the job write from variables with outside text."""
    for earlier in view.before(step)[-_EARLIER_MAX:]:
        script = earlier.text
        if ">" not in script:
            continue
        for variable, outside in sources.variables(earlier).items():
            for text in script.split("\n"):
                if re.search(rf"\$\{{?{re.escape(variable)}\b", text):
                    yield from ((name, outside) for name in _WRITTEN.findall(text))


def _first_line(text: str, outside: list[str]) -> str:
    """The line of a prompt that holds an outside value, else its first."""
    lines = [row for row in text.split("\n") if "${{" in row]
    exact = (row for row in lines if any(path in row.lower() for path in outside))
    return next(exact, next(iter(lines), text.split("\n", 1)[0])).strip()


@cache
def _keys() -> dict[str, str | None]:
    """Names of secrets and variables, and the agent that mostly reads them."""
    keys: dict[str, str | None] = dict.fromkeys(_SHARED_KEYS)
    for agent, shown in traces.every().items():
        keys.update(dict.fromkeys(shown.keys, agent))
    return keys


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(rf"(?<![\w./-])(?:{text})"), agent)
        for agent, shown in traces.every().items()
        for text in shown.mentions
    )


@cache
def _words() -> tuple[re.Pattern[str], dict[str, str]]:
    """Names in what a workflow calls, as a pattern, and the agent of each."""
    agents = {word: agent for agent, shown in traces.every().items() for word in shown.words}
    return re.compile(rf"(?i)(?<![a-z])({'|'.join(agents)})(?![a-z])"), agents


def product(files: Files) -> str | None:
    """The agent whose own repository this is."""
    if _MANIFEST not in files:
        return None
    try:
        manifest = msgspec.json.decode(files.content(_MANIFEST, _MANIFEST_MAX))
    except (Fault, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    name = manifest.get("name") if isinstance(manifest, dict) else None
    makers = (
        agent
        for agent, shown in traces.every().items()
        if name in shown.packages or name in shown.manifests
    )
    return next(makers, None) if isinstance(name, str) else None


def of(view: View, own: str | None) -> Iterator[AgentSign]:
    """Those of one workflow; `own` is the agent that the repository makes."""
    stem = view.path.rpartition("/")[2].partition(".")[0]
    for name, shown in traces.every().items():
        if stem and stem == shown.setup:
            yield AgentSign("agent_setup", stem, 1, name)
    if view.facts.agents or view.facts.agent_steps:
        return  # Its jobs work for the agent that it runs.
    for job in view.facts.jobs:
        signs = list(_signs(view, job))
        if signs:
            agent = next((agent for _, agent in signs if agent is not None), None)
            is_test = own is not None and any(agent == own for _, agent in signs)
            yield AgentSign(
                "agent_product_test" if is_test else "possible",
                line(", ".join(dict.fromkeys(text for text, _ in signs))),
                min(len(signs), _SCORE_MAX),
                agent,
                job.id,
            )


def _signs(view: View, job: Job) -> Iterator[tuple[str, str | None]]:
    """One of each kind at most: a key, a mention, the name of what is called."""
    steps = view.steps.get(job.id, [])
    names = [*job.secrets, *(name for step in steps for name in step.env)]
    key = next((name for name in names if name in _keys()), None)
    if key is not None:
        yield key, _keys()[key]
    texts = [view.condition(job.id)]
    for step in steps:
        texts += [step.condition or "", step.script or "", *step.inputs.values()]
    mentions = (_mentions(text[:_TEXT_MAX]) for text in texts if text)
    present = (mention for mention in mentions if mention is not None)
    first = min(present, key=itemgetter(0), default=None)
    if first is not None:
        yield first[1], _patterns()[first[0]][1]
    is_elsewhere = job.uses is not None and not job.uses.startswith(LOCAL)
    pattern, agents = _words()
    called = pattern.search(job.uses or "") if is_elsewhere else None
    if called is not None and job.uses is not None:
        yield job.uses, agents[called[0].lower()]
    elif is_elsewhere and view.open_triggers and _speaks_of_agents(view):
        yield f"{job.uses} was not read, and the file mentions agents", None


def _speaks_of_agents(view: View) -> bool:
    """Do the words of a file, including comments, show that it is about agents?"""
    return any(_ABOUT_AGENTS.search(row[:_LINE_MAX]) for row in view.lines()[:_LINES_MAX])


@lru_cache(maxsize=256)
def _mentions(text: str) -> tuple[int, str] | None:
    """The first pattern that a text, which many jobs may share, has, and what it has of it."""
    matches = ((place, pattern.search(text)) for place, (pattern, _) in enumerate(_patterns()))
    return next(((place, match[0]) for place, match in matches if match is not None), None)
