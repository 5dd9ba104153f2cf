"""What is told to coding agents beyond one file, and what they may do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from stationmaster.readiness.criteria.documentation.agents import CANONICAL, VENDORS
from stationmaster.readiness.evidence.prose import front_matter
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips
from stationmaster.reading.projects import globs
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.paths import is_below
from stationmaster.repos.yaml_nodes import get, texts

_SCOPED = ("AGENTS.md", "AGENT.md", "CLAUDE.md", "GEMINI.md", ".claude/CLAUDE.md")
_ALIKE_MIN = 0.9
_GUARDS = (
    ".claude/settings.json",
    ".factory/settings.json",
    ".cursor/{cli,permissions,hooks}.json",
    ".gemini/settings.json",
    "opencode.{json,jsonc}",
    ".opencode/opencode.json",
    ".github/hooks/*.json",
    ".factory/hooks.json",
    ".claude/hooks/hooks.json",
)
_GUARDING = frozenset(
    {
        "permissions",
        "hooks",
        "permission",
        "commandDenylist",
        "commandAllowlist",
        "excludeTools",
        "coreTools",
        "tools",
        "sandbox",
        "deny",
        "allow",
        "denylist",
        "PreToolUse",
        "preToolUse",
    }
)
_CODEX_KEYS = frozenset(
    {"approval_policy", "sandbox_mode", "sandbox_workspace_write", "permissions"}
)
_SERVERS = (
    ".mcp.json",
    ".vscode/mcp.json",
    ".cursor/mcp.json",
    ".factory/mcp.json",
    ".gemini/settings.json",
    "opencode.{json,jsonc}",
    ".roo/mcp.json",
    ".github/mcp.json",
    ".amazonq/mcp.json",
    ".kiro/settings/mcp.json",
)
_RUNNERS = frozenset({"npx", "bunx", "pnpx", "uvx", "pipx", "pnpm", "yarn", "docker", "podman"})
_PINNED = re.compile(
    r"[^@\s]{1,200}(?:@|==)v?\d[\w.+-]{0,60}|\S{1,200}(?:@sha256:[0-9a-f]{64}|:\d[\w.-]{0,60})"
)


def scoped(facts: Facts, app: App) -> Verdict:
    """Passes where the application's folder has instructions for agents, or rules name its path."""
    if app.path == ".":
        return skips("The application is the whole repository")
    for name in _SCOPED:
        if facts.files.behind(f"{app.path}/{name}"):
            return passes("It has instructions of its own", Place(f"{app.path}/{name}"))
    for path in facts.tree.glob(
        ".github/instructions/**/*.instructions.md", ".cursor/rules/**/*.mdc"
    ):
        told, _ = front_matter(facts.tree.text(path))
        for pattern in texts(get(told, "applyTo")) + texts(get(told, "globs")):
            if any(_covers(part.strip(), app.path) for part in pattern.split(",")):
                return passes("Rules for its path hold for it", Place(path))
    return fails("There are no instructions for agents in its folder or for its path")


def _covers(pattern: str, folder: str) -> bool:
    """Is a pattern of files about one folder, rather than about everything?"""
    if pattern.startswith("*"):
        return False
    return globs.compiled(pattern).fullmatch(f"{folder}/a") is not None or is_below(
        pattern.split("*")[0].rstrip("/"), folder
    )


def consistent(facts: Facts) -> Verdict:
    """Passes where all agents read one file, or files that share at least 90 % of their lines."""
    named = [path for path in (*CANONICAL, *VENDORS) if facts.files.behind(path)]
    real = list(dict.fromkeys(facts.files.behind(path) or path for path in named))
    own = [path for path in real if not _leads_on(facts, path)]
    if not real:
        return skips("There are no instructions for agents")
    if len(own) <= 1:
        return passes("All agents read one source", *map(Place, named))
    first = _lines(facts, own[0])
    for path in own[1:]:
        other = _lines(facts, path)
        if len(first & other) < _ALIKE_MIN * max(1, len(first | other)):
            return fails("Agents get different instructions", Place(own[0]), Place(path))
    return passes("The instructions say the same", *map(Place, own))


def _leads_on(facts: Facts, path: str) -> bool:
    """Does a file only include or name another?"""
    content = [line.strip() for line in facts.tree.text(path).split("\n") if line.strip()]
    lines = [line for line in content if not line.startswith("#")]
    return len(lines) <= 2 and any("@" in line or ".md" in line for line in lines)


def _lines(facts: Facts, path: str) -> frozenset[str]:
    return frozenset(line.strip() for line in facts.tree.text(path).split("\n") if line.strip())


def guards(facts: Facts) -> Verdict:
    """Passes where tracked settings of agents have permissions or hooks."""
    for path in facts.tree.glob(*_GUARDS):
        settings = facts.tree.json(path)
        if isinstance(settings, dict) and any(settings.get(key) for key in _GUARDING):
            return passes("Agents' permissions or hooks are tracked", Place(path))
    if _CODEX_KEYS & facts.tree.toml(".codex/config.toml").keys():
        return passes("Agents' permissions are tracked", Place(".codex/config.toml"))
    return fails("No tracked settings of agents have permissions or hooks")


def mcp(facts: Facts) -> Verdict:
    """Passes where MCP servers are configured for agents, each of a stated version."""
    places: list[Place] = []
    for path, servers in _mcp_servers(facts):
        places.append(Place(path))
        for name, server in servers.items():
            if isinstance(server, dict) and not _is_pinned(server):
                return fails(f"The server {str(name)[:60]!r} is of no stated version", Place(path))
    if places:
        return passes("Servers for agents are configured, with stated versions", *places)
    return fails("There is no .mcp.json or another file of servers for agents")


def _mcp_servers(facts: Facts) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in facts.tree.glob(*_SERVERS):
        config = facts.tree.json(path)
        for key in ("mcpServers", "servers", "mcp"):
            if isinstance(config, dict) and isinstance(config.get(key), dict) and config[key]:
                yield path, config[key]
    codex = facts.tree.toml(".codex/config.toml").get("mcp_servers")
    if isinstance(codex, dict) and codex:
        yield ".codex/config.toml", codex


def _is_pinned(server: dict[str, Any]) -> bool:
    """A server at an address, a program of the repository, or a package of a stated version."""
    command, args = server.get("command"), server.get("args") or []
    words = command if isinstance(command, list) else [command, *args]
    words = [each for each in words if isinstance(each, str)]
    if not words or words[0].rpartition("/")[2] not in _RUNNERS:
        return True
    return any(_PINNED.fullmatch(word) for word in words[1:])
