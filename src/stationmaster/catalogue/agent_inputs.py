"""How workflows instruct coding agents, for every agent: `agent_inputs.toml`."""

from __future__ import annotations

from typing import Literal

from stationmaster.catalogue.table import Row, lazy_table

Template = Literal["code-review", "qa", "wiki", "security-audit", "triage", "incident-response"]
"""The kinds of agent workflow that the published product has templates for."""


class Options(Row, frozen=True):
    """Options of agents' commands."""

    tools: frozenset[str]
    model: frozenset[str]
    levels: frozenset[str]
    switches: frozenset[str]


class Free(Row, frozen=True):
    """What lets an agent do anything, and what keeps it in a sandbox all the same."""

    levels: frozenset[str]
    tools: frozenset[str]
    sandboxes: frozenset[str]


class AgentInputs(Row, frozen=True):
    """The whole table: inputs of agents' actions by what they are for, patterns of two of them, and
    the options of their commands. `runners` are programs that start others from packages."""

    prompts: frozenset[str]
    prompt_files: frozenset[str]
    arguments: tuple[str, ...]
    tools: tuple[str, ...]
    levels: tuple[str, ...]
    open_to: tuple[str, ...]
    settings: tuple[str, ...]
    model: str
    effort: str
    switches: dict[str, Template]
    templates: dict[str, Template]
    options: Options
    free: Free
    runners: tuple[str, ...]


inputs = lazy_table("agent_inputs", AgentInputs)
"""The table, decoded once."""
