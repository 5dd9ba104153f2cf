"""Criteria that are shown when asked for, and counted in no level: docs/readiness-criteria.md."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from stationmaster.agents.cards import traces
from stationmaster.catalogue import lists
from stationmaster.readiness.criteria.documentation import CANONICAL, vendors
from stationmaster.readiness.evidence import configs, deployment, prose
from stationmaster.readiness.facts import Facts, Verdict, fails, passes, skips, unknown
from stationmaster.reading.projects import globs, paths, test_files
from stationmaster.reading.projects.model import App, Place
from stationmaster.repos.yaml_nodes import get, texts

_ALIKE_MIN = 0.9


def agent_instructions_scoped(facts: Facts, app: App) -> Verdict | None:
    """Passes where the application's folder has instructions for agents, or rules name its path."""
    if app.path == ".":
        return skips("The application is the whole repository")
    for name in ("AGENTS.md", "AGENT.md", *traces.files("nested")):
        if facts.files.behind(f"{app.path}/{name}"):
            return passes("It has its own instructions", f"{app.path}/{name}")
    for path in facts.tree.glob(*traces.files("rules")):
        front, _ = prose.front_matter(facts.tree.text(path))
        for pattern in texts(get(front, "applyTo")) + texts(get(front, "globs")):
            if any(_covers(part.strip(), app.path) for part in pattern.split(",")):
                return passes("Rules for its path apply to it", path)
    return None


def _covers(pattern: str, folder: str) -> bool:
    """Is a pattern of files about one folder, rather than about everything?"""
    if pattern.startswith("*"):
        return False
    return globs.compiled(pattern).fullmatch(f"{folder}/a") is not None or paths.is_below(
        pattern.split("*")[0].rstrip("/"), folder
    )


def agent_instructions_consistent(facts: Facts) -> Verdict:
    """Passes where all agents read one file, or files that share at least 90 % of their lines."""
    named = [path for path in (*CANONICAL, *vendors()) if facts.files.behind(path)]
    real = list(dict.fromkeys(facts.files.behind(path) or path for path in named))
    own = [path for path in real if not _leads_on(facts, path)]
    if not real:
        return skips("There are no instructions for agents")
    if len(own) <= 1:
        return passes("All agents read one source", *named)
    first = _lines(facts, own[0])
    for path in own[1:]:
        other = _lines(facts, path)
        if len(first & other) < _ALIKE_MIN * max(1, len(first | other)):
            return fails("Agents get different instructions", own[0], path)
    return passes("The instructions have the same content", *own)


def _leads_on(facts: Facts, path: str) -> bool:
    """Does a file only include or name another?"""
    content = [line.strip() for line in facts.tree.text(path).split("\n") if line.strip()]
    lines = [line for line in content if not line.startswith("#")]
    return len(lines) <= 2 and any("@" in line or ".md" in line for line in lines)


def _lines(facts: Facts, path: str) -> frozenset[str]:
    return frozenset(line.strip() for line in facts.tree.text(path).split("\n") if line.strip())


def agent_guardrails(facts: Facts) -> Verdict | None:
    """Passes where tracked settings of agents have permissions or hooks."""
    for path in facts.tree.glob(*traces.files("guards")):
        if any(configs.value(facts, path, key) for key in lists.words("agent-guard")):
            return passes("Agents' permissions or hooks are tracked", path)
    if lists.words("codex-guard") & facts.tree.toml(".codex/config.toml").keys():
        return passes("Agents' permissions are tracked", ".codex/config.toml")
    return None


def mcp_config(facts: Facts) -> Verdict | None:
    """Passes where MCP servers are configured for agents, each of a stated version."""
    places: list[Place] = []
    for path, servers in _mcp_servers(facts):
        places.append(Place(path))
        for name, server in servers.items():
            if isinstance(server, dict) and not _is_pinned(server):
                return fails(f"The server {str(name)[:60]!r} is of no stated version", path)
    if places:
        return passes("Servers for agents are configured, with stated versions", *places)
    return None


def _mcp_servers(facts: Facts) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in facts.tree.glob(".mcp.json", *traces.files("servers")):
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
    words = [word for word in words if isinstance(word, str)]
    if not words or words[0].rpartition("/")[2] not in lists.words("package-runner"):
        return True
    return any(lists.pattern("pinned-package").fullmatch(word) for word in words[1:])


_RECORDS_MIN = 3
_COMMITS_READ = 100
_COMMITS_MIN = 10
_CONVENTIONAL_MIN = 0.8
_CHANGELOG = "**/{CHANGELOG,CHANGES,NEWS,HISTORY}{,.md,.rst,.txt,.adoc}"
_TAGS_BACK = 2
_FROM = re.compile(r"^\s{0,20}FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?", re.M | re.I)
_USER = re.compile(r"^\s{0,20}USER\s+(\S+)", re.M | re.I)
_ROOTS = frozenset({"root", "0", "0:0", "root:root"})


def targeted_test_command(facts: Facts, app: App) -> Verdict | None:
    """Passes where a page shows a command that checks one file or runs one test."""
    for page in facts.tree.documents:
        folder = posixpath.dirname(page.path) or "."
        if not (paths.is_below(app.path, folder) or paths.is_below(folder, app.path)):
            continue
        for shown in (*page.code, *page.inline):
            if match := lists.pattern("one-test").search(shown.text):
                line = shown.line + shown.text.count("\n", 0, match.start())
                return passes(
                    "A page explains how to check one file or test", Place(page.path, line)
                )
    return None


def architecture_decisions(facts: Facts) -> Verdict:
    """Passes where there are at least three records of decisions, templates and indexes aside."""
    files = [
        path
        for path in facts.tree.glob(*lists.files("decision-record"), any_case=True)
        if not test_files.is_test(path)
    ]
    records = [
        path
        for path in files
        if not re.search(r"(?i)(?:readme|template|index)", path.rpartition("/")[2])
    ]
    if len(records) >= _RECORDS_MIN:
        return passes(f"There are {len(records)} records of decisions", *records)
    return fails(f"There are {len(records)} decision records; {_RECORDS_MIN} are required")


def commit_conventions(facts: Facts) -> Verdict:
    """Passes where at least 80 % of the last 100 commit messages follow the convention."""
    commits = [commit for commit in facts.history.commits if not commit.is_by_bot][:_COMMITS_READ]
    if len(commits) < _COMMITS_MIN or (facts.history.is_cut and len(commits) < _COMMITS_READ):
        return unknown("The history of this copy is too short to decide")
    share = sum(
        lists.pattern("conventional-commit").match(commit.message) is not None for commit in commits
    ) / len(commits)
    reason = f"{share:.0%} of the last {len(commits)} messages follow the convention"
    return passes(reason) if share >= _CONVENTIONAL_MIN else fails(reason)


def changelog(facts: Facts) -> Verdict:
    """Passes where the changelog was changed since the third newest tag; weakly without tags."""
    files = facts.tree.glob(_CHANGELOG, any_case=True)
    if not files:
        return fails("There is no CHANGELOG, CHANGES, NEWS or HISTORY")
    if facts.history.is_cut:
        return unknown(
            "The history of this copy is incomplete, so it does not show what changed when"
        )
    tags = sorted((tag.at for tag in facts.history.tags), reverse=True)
    if not tags:
        return passes("There is a changelog; no tags show how recent it is", files[0], weak=True)
    since = tags[min(_TAGS_BACK, len(tags) - 1)]
    changed = next(
        (commit.at for commit in facts.history.commits if set(commit.paths) & set(files)), None
    )
    if changed is not None and changed >= since:
        return passes("The changelog has the newest versions", files[0])
    return fails("The changelog was not changed since the version before the last one", files[0])


def container_image(facts: Facts, app: App) -> Verdict | None:
    """Passes where a Dockerfile pins its images by hash and does not run as root.

    Weakly where a plugin builds the image instead.
    """
    builders = facts.tree.dependencies(app, *lists.packages("image-builder"))
    files = deployment.of_app(facts, app, *lists.files("dockerfile"))
    near: Verdict | None = None
    for path in files:
        verdict = _of_dockerfile(facts, path)
        if verdict.outcome == "pass":
            return verdict
        near = near or verdict
    if builders:
        return passes("A plugin builds its image", builders[0].place, weak=True)
    return near


def _of_dockerfile(facts: Facts, path: str) -> Verdict:
    content = facts.tree.text(path)
    stages = {name.lower() for _, name in _FROM.findall(content) if name}
    bases = [
        base
        for base, _ in _FROM.findall(content)
        if base.lower() not in stages and base != "scratch"
    ]
    if not _FROM.search(content):
        return fails("The file builds no image", path)
    if any("@sha256:" not in base for base in bases):
        return fails("A base image is not pinned by hash", path)
    users = _USER.findall(content)
    if not users or users[-1] in _ROOTS:
        return fails("The image runs as root", path)
    return passes("Its image is pinned by hash and runs as a separate user", path)
