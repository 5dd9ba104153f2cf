"""What coding agents read before they start: instructions, whether they are checked, and skills."""

from __future__ import annotations

import posixpath
import re

from stationmaster.readiness.evidence import tools
from stationmaster.readiness.evidence.prose import front_matter
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips
from stationmaster.reading.projects.documents import Document
from stationmaster.reading.projects.model import Place
from stationmaster.repos.yaml_nodes import get, text

CANONICAL = ("AGENTS.md", "AGENT.md", ".agents/AGENTS.md")
VENDORS = (
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    ".github/instructions/**/*.instructions.md",
    ".cursorrules",
    ".cursor/rules/**/*.mdc",
    ".windsurfrules",
    ".windsurf/rules/**/*.md",
    ".clinerules",
    ".clinerules/**/*.md",
    ".junie/guidelines.md",
    ".kiro/steering/**/*.md",
    ".roo/rules/**/*.md",
    ".amazonq/rules/**/*.md",
    "WARP.md",
    ".goosehints",
    ".openhands/microagents/**/*.md",
    ".augment/rules/**/*.md",
    ".factory/*.md",
    ".rules",
    "CRUSH.md",
    "QWEN.md",
    ".trae/rules/**/*.md",
)
"""Files with instructions for agents at the root, by evidence table E29."""
SKILL_FILES = (
    "{.claude,.factory,.agents,.github,.codex,.cursor,.gemini,.opencode}/skills/**/SKILL.md",
    "skills/**/SKILL.md",
)
_PLUGINS = (".claude-plugin/*.json", ".codex-plugin/*.json", ".factory-plugin/*.json")
"""Where they are, the skills in skills/ are what the repository ships."""
_CHARACTERS_MIN = 200
_HOPS_MAX = 5
_INCLUDES_MAX = 20
_INCLUDE = re.compile(r"^\s{0,3}(?:[-*] )?@((?:\./|\.\./){0,4}[\w.-][\w./-]{0,200})\s*$", re.M)
_BARE = re.compile(r"(?:\./|\.\./){0,4}[\w.-][\w./-]{0,200}\.(?:md|mdc|txt)")
_PROMPT = re.compile(
    r"^\s*(?:[$>#%]\s+)?(?:sudo\s+|time\s+|[A-Z_][A-Z0-9_]{0,60}=\S{0,200}\s+){0,5}"
)
_PROGRAMS = re.compile(
    r"(?:npm|npx|pnpm|yarn|bun|bunx|deno|node|nx|turbo|vite|vitest|jest|tsc|eslint|prettier"
    r"|python3?|pip3?|uv|uvx|poetry|pdm|hatch|tox|nox|pytest|ruff|mypy|rye|pixi|conda|pre-commit"
    r"|prek"
    r"|go|golangci-lint|gotestsum|cargo|rustup|just|make|gmake|task|mise|mage|rake|bundle|rails"
    r"|bin/\S+"
    r"|rspec|mvn|mvnw|gradle|gradlew|sbt|lein|clj|dotnet|msbuild|composer|php|phpunit|artisan"
    r"|vendor/bin/\S+"
    r"|swift|xcodebuild|mix|iex|dart|flutter|melos|zig|cmake|ctest|ninja|meson|bazel|bazelisk"
    r"|buck2?|pants"
    r"|docker|docker-compose|podman|kubectl|helm|skaffold|tilt|terraform|tofu|ansible-playbook"
    r"|nix|devbox|earthly|dagger|sh|bash|\./\S+|scripts?/\S+|hack/\S+|tools/\S+|dev/\S+)"
)
_COMMAND = re.compile(_PROGRAMS.pattern + r"(?:\.cmd|\.bat)?(?:\s+\S|$)")
_ALONE = frozenset(
    {
        "make",
        "pytest",
        "tox",
        "nox",
        "just",
        "task",
        "ctest",
        "ninja",
        "rake",
        "rspec",
        "mage",
        "phpunit",
    }
)
_SHELLS = frozenset(
    {
        "",
        "sh",
        "bash",
        "shell",
        "console",
        "zsh",
        "shellsession",
        "shell-session",
        "sh-session",
        "powershell",
        "ps1",
        "pwsh",
        "text",
        "txt",
        "bat",
        "cmd",
        "fish",
        "nu",
        "terminal",
    }
)


def instructions(facts: Facts) -> Verdict:
    """Passes where a file of instructions for agents has a command of this repository."""
    canonical = [path for path in CANONICAL if facts.files.behind(path)]
    linked = [path for path in VENDORS if facts.files.behind(path)]
    found = list(dict.fromkeys((*canonical, *linked, *facts.tree.glob(*VENDORS))))
    near: Verdict | None = None
    for path in found:
        verdict = _of_instructions(facts, path)
        if verdict.outcome == "pass":
            if canonical:
                return verdict
            told = f"{verdict.reason}; it is of one vendor, and there is no AGENTS.md"
            return passes(told, *verdict.evidence)
        near = near or verdict
    return near or fails("There is no AGENTS.md at the root, nor a file like it of any vendor")


def _of_instructions(facts: Facts, path: str) -> Verdict:
    policy = facts.project.policy
    if policy.policy == "forbidden" and policy.place and _is_same(facts, policy.place.path, path):
        return fails("The file asks agents to stay out", policy.place)
    pages = _resolved(facts, path)
    if sum(len(page.text.strip()) for page in pages) < _CHARACTERS_MIN:
        return fails(f"The file has fewer than {_CHARACTERS_MIN} characters", Place(path))
    for page in pages:
        line = _command_line(facts, page)
        if line is not None:
            return passes("There are instructions with commands to run", Place(page.path, line))
    return fails("The instructions for agents name no command of this repository", Place(path))


def _is_same(facts: Facts, one: str, other: str) -> bool:
    return (facts.files.behind(one) or one) == (facts.files.behind(other) or other)


def _resolved(facts: Facts, path: str) -> list[Document]:
    """A page, and those that it includes by lines such as `@docs/commands.md`."""
    found: dict[str, Document] = {}
    waiting = [(path, 0)]
    while waiting and len(found) < _INCLUDES_MAX:
        named, hops = waiting.pop(0)
        real = facts.files.behind(named)
        if real is None or real in found:
            continue
        page = found[real] = Document(real, facts.tree.text)
        includes = [match[1] for match in _INCLUDE.finditer(page.text)]
        if _BARE.fullmatch(page.text.strip()):
            # A link that was checked out as a file holds the path alone.
            includes.append(page.text.strip())
        if hops < _HOPS_MAX:
            folder = posixpath.dirname(real)
            waiting += [
                (posixpath.normpath(posixpath.join(folder, include)), hops + 1)
                for include in includes
            ]
    return list(found.values())


def _command_line(facts: Facts, page: Document) -> int | None:
    """The first line that shows a command which this repository has."""
    shown = [(code.line, code.text) for code in page.inline]
    for code in page.code:
        if code.language in _SHELLS:
            shown += enumerate(code.text.split("\n"), code.line)
    return min((line for line, text in shown if _is_command(facts, text)), default=None)


def _is_command(facts: Facts, shown: str) -> bool:
    command = _PROMPT.sub("", shown, count=1).strip()
    program = command.split(" ", 1)[0].removesuffix(":")
    if program in _ALONE and command in _ALONE:
        return True
    if not _COMMAND.match(command) or command.endswith("/"):
        return False
    if "/" in program:
        return facts.files.behind(program.removeprefix("./")) is not None
    return " " in command


def skills(facts: Facts) -> Verdict:
    """Passes where a skill has a name, description and body; skipped where agents are forbidden."""
    if facts.project.policy.policy == "forbidden":
        return skips("The repository forbids work by agents")
    is_product = bool(facts.tree.glob(*_PLUGINS))
    found = [
        path
        for path in facts.tree.glob(*SKILL_FILES)
        if not (is_product and path.startswith("skills/"))
    ]
    for path in found:
        if (name := _skill(facts, path)) is not None:
            more = f", and {len(found) - 1} more" if len(found) > 1 else ""
            return passes(f"There is a skill {name[:60]!r}{more}", Place(path))
    if found:
        return fails("No skill has a name, a description and a body", Place(found[0]))
    return fails(
        "There is no SKILL.md in .claude/skills, .agents/skills, .github/skills or the like"
    )


def _skill(facts: Facts, path: str) -> str | None:
    """The name of a skill that has one, a description and a body."""
    told, body = front_matter(facts.tree.text(path))
    name, description = text(get(told, "name")), text(get(told, "description"))
    return name if name and description and body.strip() else None


_NAMED_FILE = re.compile(r"\b(?:AGENTS?|CLAUDE|GEMINI)\.md\b|copilot-instructions\.md\b")
_LOOKS = frozenset({"ci", "hook", "script", "task"})


def validation(facts: Facts) -> Verdict:
    """Passes where a step or hook checks the instructions for agents; weakly for pages alone."""
    if shown := tools.of_repository(facts, "agent-instructions"):
        return passes(f"{shown.name} is run", *shown.places, weak=shown.is_weak)
    for command in facts.project.commands:
        if command.source in _LOOKS and _NAMED_FILE.search(command.text):
            return passes("A command checks the agent instructions", command.place)
    if shown := tools.of_repository(facts, "links"):
        return passes(f"{shown.name} reads every page", *shown.places, weak=shown.is_weak)
    if shown := tools.of_repository(facts, "pages"):
        sentence = f"{shown.name} reads every page, but runs none of its commands"
        return passes(sentence, *shown.places, weak=True)
    return fails("No step or hook checks the agent instructions, their links or their commands")
