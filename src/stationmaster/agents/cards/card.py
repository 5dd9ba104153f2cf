"""The card of an agent: all that is known of it apart from what its records mean.

A card is data: `card.toml` in the agent's package; `traces` reads what workflows and repositories
show of it. Texts in it may be templates: see `filled`. It loads no reader, so that a
hook, a scan of a machine or a page does not pay for them. What an agent lacks is None, and `lacks`
gives the reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from stationmaster.agents.cards.home import SessionFiles
from stationmaster.agents.cards.settings import (
    SESSION,
    Gateway,
    GatewaySettings,
    Recipe,
    Settings,
    filled,
)
from stationmaster.catalogue.table import Row, read

Json = dict[str, Any]
Gate = Literal["allow", "refuse"]
"""Of hooks that also refuse work while a budget is used up: what holds where nothing is known."""
Subject = Literal["prompt", "tool", "model"]
"""What an agent is about to do when a hook may refuse it."""
Signal = Literal["logs", "metrics", "traces"]
Language = Literal["acp", "claude", "codex"]
"""The protocol of a program that is started: the Agent Client Protocol, or a stream of the
agent's own."""
Precedence = tuple[int, int]
"""(rank, group) of a source: see `ranks`."""
_ROOM = Path(__file__).parents[1]
_START: Json = {"session_id": "{session}", "hook_event_name": "SessionStart", "source": "startup"}
_ENTRY: Json = {"hooks": [{"type": "command", "command": "{command}", "timeout": "{timeout}"}]}
_DENIAL = {
    "hookEventName": "{event}",
    "permissionDecision": "deny",
    "permissionDecisionReason": "{text}",
}
_REFUSALS: Mapping[str, Json] = {
    # As Claude Code has it, and those that took its hooks over. The reason is for the model; a
    # message is shown to the person.
    "prompt": {"decision": "block", "reason": "{text}"},
    "else": {"hookSpecificOutput": _DENIAL, "systemMessage": "{text}"},
}


class Export(Row, frozen=True):
    """How OTLP records of an agent are recognised: by patterns of the names of events, spans and
    metrics, of service names and of scopes. `foreign` are names and services of another program
    that look the same; `imitates` are names of another agent that this one can be set to use.

    `signal`, `scope`, `name` and `attributes` are a record in the agent's own form, for trying a
    server; `service` sends it.
    """

    names: tuple[str, ...]
    signal: Signal
    service: str
    scope: str
    name: str
    attributes: Json
    services: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    imitates: tuple[str, ...] = ()


class HookSigns(Row, frozen=True):
    """How the JSON of a hook shows whose it is, surest first: a member or a name of an event that
    no other agent has, a part of the path of its session file, a permission mode, a member that
    others with none of these lack. `is_usual`: others took its form over, and one without any sign
    is its own."""

    members: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    path: str = ""
    modes: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    is_usual: bool = False


class Plugin(Row, frozen=True):
    """A file of ours that runs `stationmaster hook`, for an agent whose hooks are no commands."""

    source: str
    """The file, below this room: a template with PROGRAM and GATE_ARGUMENTS."""
    mark: str
    """How the file begins."""
    about: str
    """The rest of its first line."""

    def text(self, program: str, gate: Gate | None = None) -> str:
        """The file, which runs `program`; `gate` is what holds where it fails, None for no gate."""
        arguments = None if gate is None else ["--gate"]
        if gate == "refuse":
            arguments = ["--gate", "--when-unreachable", "refuse"]
        source = _ROOM.joinpath(self.source).read_text(encoding="utf-8")
        source = source.replace("PROGRAM", json.dumps(program))
        source = source.replace("GATE_ARGUMENTS", json.dumps(arguments))
        return f"{self.mark} {self.about}\n{source}"

    def gate_of(self, text: str) -> str:
        """The arguments of the gate in such a file; "" for none."""
        call = re.search(r"^const gateArguments = (\[.*\])$", text, re.MULTILINE)
        return "" if call is None else " ".join(json.loads(call[1]))

    def program_of(self, text: str) -> str | None:
        """The program that such a file runs; None for a text that names none."""
        call = re.search(r'^ *const hook = spawn\(("(?:[^"\\\n]|\\.)*"), ', text, re.MULTILINE)
        return None if call is None else str(json.loads(call[1]))


class Form(Row, frozen=True):
    """How the agents of one kind write their hooks."""

    events: tuple[str, ...]
    """Named where an event is unknown."""
    other_events: frozenset[str] = frozenset()
    """Known as well."""
    is_flat: bool = False
    """Are the entries of an event the hooks themselves, next to a `version`?"""
    commands: tuple[str, ...] = ("command",)
    """Members that hold a command; a hook has at least one."""
    timeout: str = "timeout"
    """The member that holds seconds."""


class Hooks(Row, frozen=True):
    """Where and how an agent reads its hooks, and how one reports the start of a session."""

    user: str
    """The file, below the home folder."""
    project: str
    """The file, below a project's folder."""
    events: tuple[str, ...]
    """The hooks that report something worth counting."""
    template: Json = msgspec.field(default_factory=_ENTRY.copy)
    """The item in the list of an event."""
    timeout: int = 10
    """Of an item, in the unit that the agent takes."""
    timeouts: dict[str, int] = msgspec.field(default_factory=dict)
    """By event, where it is another one."""
    sample: Json = msgspec.field(default_factory=_START.copy)
    sample_event: str = ""
    """The name of the sample's hook, where its JSON does not have it."""
    is_nested: bool = True
    """Are the events below `hooks`?"""
    version: int | None = None
    """A `version` that the file needs."""
    names_event: bool = True
    """Does the JSON of a hook name its event?"""
    plugin: Plugin | None = None
    """The file is a plugin that runs a program, and all ours."""
    form: Form | None = None
    """Its own form of the file; None for that of the specification, or of a plugin."""
    trusted_in: str = ""
    """The file, below the home folder, with the hashes of the hooks that a person trusted, without
    which the agent runs none; '' where it runs all."""
    fails_closed: Json = msgspec.field(default_factory=dict)
    """Members of a hook that make the agent refuse where the hook itself fails; only some have
    such."""

    def entry(self, command: str, event: str) -> Json:
        """The item in the list of an event for a command."""
        values = {
            "command": command,
            # In PowerShell a quoted path by itself is a text.
            "powershell": f"& {command}" if command.startswith(('"', "'")) else command,
            "timeout": self.timeouts.get(event, self.timeout),
        }
        entry: Json = filled(self.template, values)
        return entry


class GateForm(Row, frozen=True):
    """How an agent is refused a prompt, a tool call or a model call by a hook."""

    events: dict[str, Subject]
    """The hooks at which it can be refused something, and what that is."""
    read_only: frozenset[str]
    """Tools that change nothing outside the session and start no work: they stay possible."""
    warns_at: Subject | None = None
    """Where a text of a hook that refuses nothing is shown to a person."""
    notice: Json = msgspec.field(default_factory=lambda: {"systemMessage": "{text}"})
    refusals: dict[str, Json] = msgspec.field(default_factory=lambda: dict(_REFUSALS))
    """By subject, and `else`."""

    def refusal(self, subject: Subject, event: str, text: str) -> Json:
        """The JSON of a refusal for what it is about, the event and a text."""
        template = self.refusals.get(subject, self.refusals["else"])
        answer: Json = filled(template, {"event": event, "text": text})
        return answer

    def warning(self, subject: Subject, text: str) -> Json | None:
        """The JSON that shows a person a text and refuses nothing; None where nothing can."""
        return filled(self.notice, {"text": text}) if subject == self.warns_at else None


class Program(Row, frozen=True):
    """An agent that can be started. `variables` are added to the environment of this process."""

    command: tuple[str, ...]
    language: Language = "acp"
    variables: dict[str, str] = msgspec.field(default_factory=dict)


class Caller(Row, frozen=True):
    """How calls of models show the agent: a pattern of its `User-Agent` (in any case), values of
    fields that only it sends, and the fields that name its session and subagent.

    Sessions are named only where the agent's own reports have the same names: one that reports do
    not have would be counted in addition to theirs.
    """

    user_agent: str
    signs: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    sessions: tuple[str, ...] = ()
    subagent: str | None = None
    has_session_in_body: bool = False
    """Where no field names its session, does `prompt_cache_key` of a body?"""
    reports_ids: bool = False
    """Do its own reports name a call by the ids of its request and its answer?"""
    refused_with: int = 429
    """The status at which it shows the message of a refusal and does not ask again."""


class RankRow(Row, frozen=True):
    """The precedence of sources for some families of facts, `*` for all. `like` names a set of
    `ranks`."""

    families: tuple[str, ...]
    like: str = ""
    sources: dict[str, Precedence] = msgspec.field(default_factory=dict)


class Card(Row, frozen=True):
    """Everything that is known of one agent."""

    product: str
    """Its name in events, commands and addresses."""
    title: str
    """The name under which people know it."""
    colour: int
    """Its place among the colours of charts."""
    files: tuple[SessionFiles, ...]
    ranks: tuple[RankRow, ...]
    """Where it differs from `ranks.DEFAULT`; a later row holds before an earlier one."""
    lacks: dict[str, str] = msgspec.field(default_factory=dict)
    """Why it lacks a part, by the part's name, for people."""
    export: Export | None = None
    hook_signs: HookSigns = HookSigns()
    hooks: Hooks | None = None
    gate: GateForm | None = None
    telemetry: Settings | None = None
    """The settings with which it exports to a server."""
    gateway: GatewaySettings | None = None
    """The settings with which it calls models through a gateway."""
    keeps_login: bool = False
    """Does its own login pass a gateway?"""
    caches_for_an_hour: bool = False
    """May it have writes to the cache kept for an hour, which not every report of a call states?"""
    recorded: dict[str, str] | None = None
    """The environment in which one that is started here exports to a server."""
    program: Program | None = None
    caller: Caller | None = None

    def environment(self, url: str, key: str) -> dict[str, str]:
        """The environment in which one that is started here exports to a server; empty where it
        takes none."""
        environment: dict[str, str] = filled(self.recorded or {}, {"url": url, "key": key})
        return environment

    def recipe(self, url: str, key: str) -> Recipe:
        """The settings with which it exports to a server."""
        assert self.telemetry is not None
        values = {"url": url, "base": url.rstrip("/"), "key": key}
        return self.telemetry.filled({**values, "recorded": self.environment(url, key)})

    def gateway_recipe(self, gateway: Gateway) -> Recipe:
        """The settings with which it calls models through a gateway. Raises BadRequest."""
        assert self.gateway is not None
        return self.gateway.recipe(self.product, self.title, gateway)


def load(product: str) -> Card:
    """The card of an agent, from its package."""
    card = read("card", Card, _ROOM / product.replace("-", "_"))
    for sample in (
        None if card.hooks is None else card.hooks.sample,
        None if card.export is None else card.export.attributes,
    ):
        if sample is not None:
            sample.update(filled(sample, {"session": SESSION}))
    return card
