"""What is known of a workflow file. Encoded as JSON its members are those of the answers.

A member that a provider does not have, or a file does not state, is left out; so no member has an
unknown value. Texts are those of the files, on one line and not too long, except in a Step, which
never leaves this process.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from stationmaster.catalogue.agent_inputs import Template as Template
from stationmaster.catalogue.ci_events import EventKind as EventKind
from stationmaster.catalogue.commands import CommandKind as CommandKind

if TYPE_CHECKING:
    # Its library is not there where only a client is installed.
    from stationmaster.repos.yaml_nodes import Fault


_SHOWN: Any = msgspec.field(default_factory=[].copy)
"""Of a list that an answer has even where it is empty."""
ParseState = Literal["ok", "partial", "error"]
Kind = Literal["pipeline", "reusable", "composite", "template", "fragment", "generated"]
Pin = Literal["hash", "exact", "floating", "branch", "dynamic", "local"]
"""How firmly a reference names its target."""
Severity = Literal["critical", "high", "medium", "low", "info"]

TEXT_MAX = 200
SCRIPT_MAX = 65_536
"""Characters of a script that are read; the rest of a longer one is ignored."""
LOCAL = ("./", "$/")
"""What references to parts of the repository itself begin with."""
_CUT = "…"
_FILLED = re.compile(
    r"(?m)(^[ \t]{0,40}|&&[ \t]{0,9})(?:\$\{?(?=[\w}]{1,99}[ \t])(\w{1,99})\}?)"
    r"|\$\{\{[ \t]{0,9}(?:matrix\.(\w{1,99})[ \t]{0,9}\|\|[ \t]{0,9})?env\.(\w{1,99})[ \t]{0,9}\}\}"
)
_CHOSEN = re.compile(r"(\s(?:-[es]|--session|run)[ =]|^make )\$\{\{ ?matrix\.([\w-]{1,99}) ?\}\}")
_PLAIN = re.compile(r"[\w./=, -]{0,200}")


class Parse(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """How far a file could be read: `partial` with the parts that are left out, `error` if
    nothing could be read. Line and column count from 1."""

    state: ParseState
    error: str | None = None
    line: int | None = None
    column: int | None = None


READ = Parse("ok")


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place; line and column count from 1. `path` is its file if that is not the workflow's
    own, such as an included one."""

    line: int
    column: int
    path: str | None = None


class Trigger(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """An event that starts a workflow: the file's own name of it, and the common one.

    `branches`, `tags`, `paths`, `types` are the filters as written; a leading `!` excludes.
    `workflows` are those whose end it waits for, `inputs` the names of the inputs.
    """

    event: str
    kind: EventKind
    branches: list[str] = []
    tags: list[str] = []
    paths: list[str] = []
    types: list[str] = []
    workflows: list[str] = []
    inputs: list[str] = []
    place: Place | None = None


class Schedule(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """`timezone` is left out if it is UTC, `cron` is empty if the schedule is on the server."""

    cron: str
    timezone: str | None = None
    branch: str | None = None
    place: Place | None = None


class Include(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A file that a workflow includes. A file that is not in the commit is not resolved."""

    kind: str
    location: str
    resolved: bool
    pin: Pin | None = None
    place: Place | None = None


class Use(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A reusable part that a job or step uses: an action, orb, plugin, pipe, task or library.

    `version` is the part of the reference after its separator. First-party: of the provider, or
    of the repository's owner.
    """

    reference: str
    pin: Pin
    first_party: bool
    version: str | None = None
    job: str | None = None
    place: Place | None = None


class Image(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A container that a job, a step or a service runs in."""

    reference: str
    pin: Pin
    job: str | None = None
    place: Place | None = None


class Job(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A declared job; `runs_on` are its runner labels or tags, `uses` the workflow it calls.

    `parallel` is the number of copies that run, if the file has a plain number. `permissions`
    are those of its token, by scope, if the job declares them; `secrets` the names of those it
    reads.
    """

    id: str
    needs: list[str] = _SHOWN
    runs_on: list[str] = _SHOWN
    agents: list[str] = _SHOWN
    name: str | None = None
    stage: str | None = None
    image: str | None = None
    services: list[str] = []
    uses: str | None = None
    timeout_minutes: int | None = None
    parallel: int | None = None
    condition: str | None = None
    environment: str | None = None
    permissions: dict[str, str] | None = None
    secrets: list[str] = []
    step_count: int = 0
    place: Place | None = None


class Command(msgspec.Struct, frozen=True, rename="camel"):
    """A command line that a job runs, and its purpose."""

    kind: CommandKind
    text: str
    job: str
    place: Place | None = None


class AgentStep(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A step that runs a coding agent.

    `found_by`: `action` or `command`. `trigger`: who can start it, `outsiders`, `contributors`
    (forks without privileges) or `members`. `gate` is the check of the actor, if there is one.
    `prompt_source`: `inline`, `file`, `event` (its text is written by outsiders) or `none`.
    `tools`, `sandbox`, `permissions` as in the file; `can_write`: to the repository, with its
    token. `open_to` are inputs of its action that permit everybody to start it.
    """

    agent: str
    found_by: Literal["action", "command"]
    job: str
    trigger: Literal["outsiders", "contributors", "members"]
    prompt_source: Literal["inline", "file", "event", "none"]
    can_write: bool
    gate: str | None = None
    tools: list[str] = []
    sandbox: str | None = None
    permissions: dict[str, str] | None = None
    secrets: list[str] = []
    open_to: list[str] = []
    timeout_minutes: int | None = None
    step: str | None = None
    place: Place | None = None


class AgentSign(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A sign of an agent without a step that runs one.

    `agent_setup` prepares the machine of a cloud agent, `agent_product_test` tests an agent in its
    own repository, `possible` has signs of one: `score` is the number of kinds of signs, at most 5.
    """

    kind: Literal["agent_setup", "agent_product_test", "possible"]
    evidence: str
    score: int
    agent: str | None = None
    job: str | None = None


class Finding(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A problem at a place. `rule` is stable, and so is `fingerprint`: it stays the same while
    lines around the problem move. `evidence` never contains the value of a secret.
    `suppressed` is the kind of comment that accepts it, `suppressed_line` is the line of the
    comment."""

    rule: str
    severity: Severity
    path: str
    line: int
    column: int
    message: str
    evidence: str
    impact: str
    fix: str
    fingerprint: str
    job: str | None = None
    step: str | None = None
    suppressed: str | None = None
    suppressed_line: int | None = None


class Step(msgspec.Struct, frozen=True):
    """What a job does, one after the other. Texts are whole, as in the file.

    `path` is the file that contains it: steps of local actions and included files are their
    callers' too. `folder` is where its script runs, as written; '' for the root, or where the
    reader of its system does not say. `place` is the step's, `script_at` where its script's first
    line begins, `uses_at` where the part is named that it uses. `matrix` has listed values.
    """

    job: str
    path: str
    place: Place
    name: str | None = None
    uses: str | None = None
    script: str | None = None
    script_at: Place | None = None
    shell: str | None = None
    env: Mapping[str, str] = {}
    inputs: Mapping[str, str] = {}
    condition: str | None = None
    image: str | None = None
    ignores_errors: bool = False
    agents: tuple[str, ...] = ()
    id: str | None = None
    uses_at: Place | None = None
    folder: str = ""
    matrix: Mapping[str, tuple[str, ...]] = {}

    @property
    def text(self) -> str:
        """Its script, as far as it is read."""
        return (self.script or "")[:SCRIPT_MAX]

    @property
    def filled(self) -> str:
        """That, with plain values of its environment: of `${{ env.NAME }}`, and of a program that
        is called `$NAME`."""

        def value(match: re.Match[str]) -> str:
            value = "$" if match[3] in self.matrix else self.env.get(match[2] or match[4], "$")
            return f"{match[1] or ''}{value}" if _PLAIN.fullmatch(value) else match[0]

        return _FILLED.sub(value, self.text) if self.env else self.text

    def chosen(self, line: str) -> list[str]:
        """A line of it with each value of the matrix that chooses the task of a runner."""
        match = _CHOSEN.search(line) if self.matrix else None
        values = self.matrix.get(match[2], ()) if match else ()
        return [_CHOSEN.sub(rf"\g<1>{value}", line, count=1) for value in values] or [line]

    @property
    def action(self) -> str:
        """What it uses, without the version, in lower case; '' for nothing."""
        return (self.uses or "").partition("@")[0].lower()

    @property
    def is_checkout(self) -> bool:
        """Does it check a repository out?"""
        return self.action == "actions/checkout"

    @property
    def is_local(self) -> bool:
        """Does it use a part of the repository itself?"""
        return self.uses is not None and self.uses.startswith(LOCAL)


class Facts(msgspec.Struct, kw_only=True):
    """What one provider's module reads in one file. `name` is None where none is declared.

    `permissions` are the file's own by scope (`*`: all of them); None where it has none. `oidc`:
    some job may ask for an identity token. `jobs_unknown`: further jobs are defined elsewhere, so
    their number means nothing. `server_schedules`: schedules are kept on the server.

    `inner_uses` and `inner_images` are those of the repository's own actions that its jobs use,
    each with its place in the action's file.

    `faults` are all that is wrong with a file that can be read, `parse` is the first of them.
    `conditions` and `outputs` are the jobs', whole as in the file; `places` are those of the file's
    own members, by key.
    """

    kind: Kind = "pipeline"
    name: str | None = None
    triggers: list[Trigger] = []
    schedules: list[Schedule] = []
    server_schedules: bool = False
    jobs: list[Job] = []
    jobs_unknown: bool = False
    steps: list[Step] = []
    uses: list[Use] = []
    images: list[Image] = []
    inner_uses: list[Use] = []
    inner_images: list[Image] = []
    includes: list[Include] = []
    permissions: dict[str, str] | None = None
    secrets: list[str] = []
    oidc: bool = False
    concurrency: str | None = None
    caching: list[str] = []
    artifacts: list[str] = []
    commands: list[Command] = []
    agents: list[str] = []
    agent_inputs: dict[str, str] | None = None
    agent_steps: list[AgentStep] = []
    agent_signs: list[AgentSign] = []
    template: Template | None = None
    generated_from: str | None = None
    findings: list[Finding] = []
    parse: Parse = READ
    faults: list[Parse] = []
    conditions: Mapping[str, str] = {}
    outputs: Mapping[str, Mapping[str, str]] = {}
    places: Mapping[str, Place] = {}


class Found(msgspec.Struct, frozen=True):
    """A workflow file of a commit."""

    path: str
    provider: str
    facts: Facts

    def at(self, place: Place | None) -> tuple[str, int | None]:
        """The file and the line of a place of its facts."""
        if place is None:
            return self.path, None
        return place.path or self.path, place.line


class IgnoredFile(msgspec.Struct, frozen=True):
    """A file that looks like a workflow of the repository but is not."""

    path: str
    reason: str


class NoWorkflow(Exception):
    """A file in a folder of workflows that is none; the reason is in `ignored`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Pipelines(msgspec.Struct, frozen=True):
    """All of a commit, by path. `actions` are those of the repository that no workflow calls;
    `closed` workflows of services that are closed, once they have been set apart."""

    workflows: list[Found]
    ignored: list[IgnoredFile]
    actions: list[Found] = []
    closed: list[Found] = []


def of_fault(state: ParseState, fault: Fault) -> Parse:
    """A record of how a file was read, with the reason and the place of a fault."""
    return Parse(state, line(fault.reason), fault.line, fault.column)


def line(text: str, length_max: int = TEXT_MAX) -> str:
    """A text on one line, without control characters, cut where it is too long."""
    printable = text[: 4 * length_max]
    if not printable.isprintable():
        printable = "".join(c if c.isprintable() else " " for c in printable)
    words = " ".join(printable.split())
    return words if len(words) <= length_max else words[: length_max - 1] + _CUT


def distinct(texts: list[str], count_max: int) -> list[str]:
    """At most so many lines, without repetitions and empty ones, in the order of the file."""
    lines = map(line, list(dict.fromkeys(texts))[:count_max])
    return [row for row in dict.fromkeys(lines) if row]
