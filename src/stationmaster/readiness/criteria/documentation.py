"""The criteria of the pillar Documentation: pages of people, of agents and of programs."""

from __future__ import annotations

import posixpath
import re

from stationmaster import days
from stationmaster.agents.cards import traces
from stationmaster.catalogue import lists
from stationmaster.readiness.evidence import deployment, prose, tools
from stationmaster.readiness.facts import Facts, Verdict, fails, once, passes, skips, unknown
from stationmaster.reading.projects import documents, test_files
from stationmaster.reading.projects.model import App, Place
from stationmaster.repos import contents, yaml_nodes

_README_CHARACTERS = 300
_LINK = re.compile(
    r"\[([^\]\[]{1,100})\]\(|`([^`<]{1,100}) ?<|<(?:a|h[1-6])\b[^>]{0,500}>([^<]{1,100})<"
)
"""The words of links, and headings in HTML."""
_FRESH_MS = 180 * days.MS_PER_DAY
_DORMANT_MS = 365 * days.MS_PER_DAY


def readme(facts: Facts) -> Verdict | None:
    """The verdict on the first README that passes, else on the one nearest to the root."""
    paths = facts.tree.glob(*lists.files("readme"), any_case=True)
    best: Verdict | None = None
    for path in sorted(paths, key=lambda path: path.count("/")):
        verdict = _of_readme(facts, path)
        if verdict.outcome == "pass":
            return verdict
        best = best or verdict
    return best


def _of_readme(facts: Facts, path: str) -> Verdict:
    page = documents.Document(path, facts.tree.text)
    words = len(prose.plain(page.text))
    if words < _README_CHARACTERS:
        return fails(
            f"The README has {words} characters without its markup, not {_README_CHARACTERS}", path
        )
    for number, heading in enumerate(page.headings):
        is_title = number == 0 and heading.level == 1
        if not is_title and lists.pattern("how-to-use").search(prose.plain(heading.text)):
            return passes("The README explains how to use or develop it", Place(path, heading.line))
    for number, line in enumerate(page.text.split("\n"), 1):
        named = " ".join(part for groups in _LINK.findall(line[:5000]) for part in groups)
        if lists.pattern("how-to-use").search(named):
            return passes(
                "The README links to a page on how to use or develop it", Place(path, number)
            )
    if page.code:
        shown = Place(path, page.code[0].line)
        return passes("The README shows an example of its use", shown, weak=True)
    return fails("The README has no section on installing, using or developing it", path)


def license(facts: Facts) -> Verdict | None:
    """Passes where the manifest at the root keeps all rights."""
    for manifest in facts.project.manifests:
        declared = manifest.data.get("license")
        kept = lists.pattern("all-rights")
        if manifest.folder == "." and isinstance(declared, str) and kept.search(declared):
            return passes("The manifest reserves all rights", manifest.path)
    if paths := facts.tree.glob(*lists.files("licence"), any_case=True):
        return fails("The licence file names no licence", paths[0])
    return None


def documentation_freshness(facts: Facts) -> Verdict:
    """Passes where a person changed a page in the last 180 days.

    Skipped where the last commit is over 365 days old; unknown without a history.
    """
    commits = facts.history.commits
    if not commits:
        return unknown("The history is not available")
    if facts.as_of - commits[0].at > _DORMANT_MS:
        return skips("No commit in the last 365 days: the repository is dormant")
    newest: tuple[int, str] | None = None
    for commit in commits:
        if commit.is_by_bot:
            continue
        pages = (path for path in commit.paths if lists.pattern("page-path").fullmatch(path))
        path = next(filter(facts.project.products.has, pages), None)
        if path is not None:
            newest = commit.at, path
            break
    if newest is not None and facts.as_of - newest[0] <= _FRESH_MS:
        return passes(f"A person changed it on {days.of_ms(newest[0])}", newest[1])
    if (
        newest is None
        and not facts.history.is_complete
        and facts.as_of - commits[-1].at <= _FRESH_MS
    ):
        return unknown(
            "The history of this copy is shorter than 180 days, as in a shallow clone; "
            "`git fetch --unshallow` brings the rest"
        )
    if newest is None:
        return fails(
            "No person changed README, CONTRIBUTING, agent instructions or a page of docs in the "
            "last year"
        )
    return fails(
        f"The newest change by a person is of {days.of_ms(newest[0])}, over 180 days ago", newest[1]
    )


CANONICAL = ("AGENTS.md", "AGENT.md", ".agents/AGENTS.md")
_CHARACTERS_MIN = 200
_HOPS_MAX = 5
_INCLUDES_MAX = 20
_INCLUDE = re.compile(r"^\s{0,3}(?:[-*] )?@((?:\./|\.\./){0,4}[\w.-][\w./-]{0,200})\s*$", re.M)
_BARE = re.compile(r"(?:\./|\.\./){0,4}[\w.-][\w./-]{0,200}\.(?:md|mdc|txt)")
_PROMPT = re.compile(
    r"^\s*(?:[$>#%]\s+)?(?:sudo\s+|time\s+|[A-Z_][A-Z0-9_]{0,60}=\S{0,200}\s+){0,5}"
)


def skill_files() -> tuple[str, ...]:
    """The folders of skills of agents."""
    return (f"{{{','.join(_skill_folders())}}}/skills/**/SKILL.md", "skills/**/SKILL.md")


def _skill_folders() -> tuple[str, ...]:
    return (".agents", *traces.files("skills"))


def vendors() -> tuple[str, ...]:
    """Files with instructions for one vendor's agents at the root, by evidence table E29."""
    return traces.files("nested", "instructions", "rules")


def agents_md(facts: Facts) -> Verdict | None:
    """Passes where a file of instructions for agents has a command of this repository."""
    canonical = [path for path in CANONICAL if facts.files.behind(path)]
    linked = [path for path in vendors() if facts.files.behind(path)]
    paths = list(dict.fromkeys((*canonical, *linked, *facts.tree.glob(*vendors()))))
    near: Verdict | None = None
    for path in paths:
        verdict = _of_instructions(facts, path)
        if verdict.outcome == "pass":
            if canonical:
                return verdict
            reason = f"{verdict.reason}; it is for one vendor's agent, and there is no AGENTS.md"
            return passes(reason, *verdict.evidence)
        near = near or verdict
    return near


def _of_instructions(facts: Facts, path: str) -> Verdict:
    policy = facts.project.policy
    if policy.policy == "forbidden" and policy.place and _is_same(facts, policy.place.path, path):
        return fails("The file does not allow agents", policy.place)
    pages = _resolved(facts, path)
    if sum(len(page.text.strip()) for page in pages) < _CHARACTERS_MIN:
        return fails(f"The file has fewer than {_CHARACTERS_MIN} characters", path)
    for page in pages:
        line = _command_line(facts, page)
        if line is not None:
            return passes("There are instructions with commands to run", Place(page.path, line))
    return fails("The instructions for agents contain no command of this repository", path)


def _is_same(facts: Facts, one: str, other: str) -> bool:
    return (facts.files.behind(one) or one) == (facts.files.behind(other) or other)


def _resolved(facts: Facts, path: str) -> list[documents.Document]:
    """A page, and those that it includes by lines such as `@docs/commands.md`."""
    pages: dict[str, documents.Document] = {}
    waiting = [(path, 0)]
    while waiting and len(pages) < _INCLUDES_MAX:
        named, hops = waiting.pop(0)
        real = facts.files.behind(named)
        if real is None or real in pages:
            continue
        page = pages[real] = documents.Document(real, facts.tree.text)
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
    return list(pages.values())


def _command_line(facts: Facts, page: documents.Document) -> int | None:
    """The first line that shows a command which this repository has."""
    shown = [(code.line, code.text) for code in page.inline]
    for code in page.code:
        if code.language in lists.words("shell-block"):
            shown += enumerate(code.text.split("\n"), code.line)
    return min((line for line, text in shown if _is_command(facts, text)), default=None)


def _is_command(facts: Facts, shown: str) -> bool:
    command = _PROMPT.sub("", shown, count=1).strip()
    program = command.split(" ", 1)[0].removesuffix(":")
    if program in lists.words("bare-command") and command in lists.words("bare-command"):
        return True
    if not lists.pattern("development-command").match(command) or command.endswith("/"):
        return False
    if "/" in program:
        return facts.files.behind(program.removeprefix("./")) is not None
    return " " in command


def skills(facts: Facts) -> Verdict:
    """Passes where a skill has a name, description and body; skipped where agents are forbidden."""
    if facts.project.policy.policy == "forbidden":
        return skips("The repository forbids work by agents")
    # Then the skills in skills/ are what the repository ships.
    is_product = bool(facts.tree.glob(*traces.files("plugins")))
    paths = [
        path
        for path in facts.tree.glob(*skill_files())
        if not (is_product and path.startswith("skills/"))
    ]
    for path in paths:
        if (name := _skill(facts, path)) is not None:
            more = f", and {len(paths) - 1} more" if len(paths) > 1 else ""
            return passes(f"There is a skill {name[:60]!r}{more}", path)
    if paths:
        return fails("No skill has a name, a description and a body", paths[0])
    first, second = _skill_folders()[:2]
    return fails(f"There is no SKILL.md in {first}/skills, {second}/skills or the like")


def _skill(facts: Facts, path: str) -> str | None:
    """The name of a skill that has one, a description and a body."""
    front, body = prose.front_matter(facts.tree.text(path))
    name, description = (yaml_nodes.text(front, key) for key in ("name", "description"))
    return name if name and description and body.strip() else None


_WEAK_SCHEMA = re.compile(r"\.(?:postman_collection\.json|bru)$")
_SPECIFIED = re.compile(r"[\"']?(?:openapi|swagger|asyncapi)[\"']?\s{0,20}:", re.I)
_CONFIGURED = re.compile(r"(?:^|[.-])(?:config|generator|conf|rc|tools)\.|^\.|ui\.json|package")
_OPERATIONS = re.compile(r"^\s{0,40}(?:query|mutation|subscription|fragment)\b", re.M)
_DEFINITIONS = re.compile(
    r"^\s{0,40}(?:extend\s+)?(?:type|schema|input|interface|enum|directive)\b", re.M
)


def api_schema_docs(facts: Facts, app: App) -> Verdict | None:
    """Passes where a schema is tracked or a library makes one; skipped for what is no service."""
    paths = [path for path in _schemas(facts) if _is_of(facts, app, path)]
    if paths:
        weak = all(_WEAK_SCHEMA.search(path) for path in paths)
        return passes("There is a schema", *paths, weak=weak)
    if shown := tools.of_app(facts, app, "api-schema"):
        return passes(f"{shown.name} generates the schema from the code", *shown.places)
    if "service" not in app.kinds:
        return skips("A library without an interface to describe")
    return None


def _is_of(facts: Facts, app: App, path: str) -> bool:
    """Its own, or one outside of all applications that it has the libraries for."""
    owner = facts.tree.owner(path)
    if owner is not None or "service" not in app.kinds:
        return owner == app.path
    ending = path.rpartition(".")[2]
    if ending not in ("proto", "graphql", "thrift"):
        return deployment.is_alone(facts, app)
    return bool(facts.tree.imported(app, *lists.packages(f"{ending}-schema")))


@once
def _schemas(facts: Facts) -> list[str]:
    return [
        path
        for path in facts.tree.glob(*lists.files("api-schema"), any_case=True)
        if not test_files.is_test(path) and _is_schema(facts, path)
    ]


def _is_schema(facts: Facts, path: str) -> bool:
    """Configuration of generators, and queries of clients, are none."""
    name = path.rpartition("/")[2].lower()
    if name.endswith((".yaml", ".yml", ".json")) and not _WEAK_SCHEMA.search(name):
        return not _CONFIGURED.search(name) and (
            facts.files.entry(path).size > contents.SIZE_MAX
            or _SPECIFIED.search(facts.tree.text(path)[:20_000]) is not None
        )
    if name.endswith((".graphql", ".gql")):
        text = facts.tree.text(path)
        return _DEFINITIONS.search(text) is not None or not _OPERATIONS.search(text)
    return True
