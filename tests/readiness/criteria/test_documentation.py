from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.readiness.hosting import Hosting
from stationmaster.readiness.judging.child import Origin
from stationmaster.readiness.judging.report import make
from stationmaster.repos.history import Commit
from stationmaster.repos.reading import open_path
from tests.readiness.criteria.judging import LIBRARY, SERVICE, judged
from tests.support.repositories import SECONDS, Repository
from tests.support.trees import AS_OF, Content, facts_of

DAY = 86_400_000
PROSE = "This program counts trains and tells when the next one leaves the station. " * 6
AGENTS = f"# Layout\n{PROSE}\n\n```sh\nnpm run build\nnpm test\n```\n"
SKILL = "---\nname: release\ndescription: How to release\n---\n\nTag it, then push.\n"

CASES: list[tuple[str, str, dict[str, Content], str]] = [
    ("readme", "with a section on use", {"README.md": f"# X\n{PROSE}\n## Usage\nRun it.\n"},
        "pass"),
    ("readme", "in another language", {"README.md": f"# X\n{PROSE}\n## 安装\nnpm i\n"}, "pass"),
    ("readme", "that links to the guide", {"README.rst": f"{PROSE}\n`Install guide <x>`_\n"},
        "pass"),
    ("readme", "of badges alone", {"README.md": "![b](https://x.example/b.svg)\n" * 60}, "fail"),
    ("readme", "with a title that says build", {"README.md": f"# Build tool\n{PROSE}\n"}, "fail"),
    ("readme", "missing", {"main.py": ""}, "fail"),
    ("license", "of several files", {"COPYING": "See LICENSE-MIT", "UNLICENSE": "public domain"},
     "pass"),
    ("license", "that is empty", {"LICENSE": ""}, "fail"),
    ("agents_md", "with commands", {"AGENTS.md": AGENTS}, "pass"),
    ("agents_md", "behind a link", {"CLAUDE.md": ("120000", "docs/agents.md"),
                                    "docs/agents.md": AGENTS}, "pass"),
    ("agents_md", "behind an include", {"AGENTS.md": AGENTS, "CLAUDE.md": "@AGENTS.md\n"}, "pass"),
    ("agents_md", "of a vendor", {".github/copilot-instructions.md": AGENTS}, "pass"),
    ("agents_md", "of style alone", {"AGENTS.md": f"# Style\n{PROSE}"}, "fail"),
    ("agents_md", "too short", {"AGENTS.md": "Run `npm test`."}, "fail"),
    ("agents_md", "in a cycle", {"AGENTS.md": "@CLAUDE.md", "CLAUDE.md": "@AGENTS.md"}, "fail"),
    ("agents_md", "that names a program which is not there",
     {"AGENTS.md": f"{PROSE}\n`scripts/none.sh`\n"}, "fail"),
    ("contributing_guide", "in .github", {".github/contributing.md": PROSE}, "pass"),
    ("contributing_guide", "of one line", {"CONTRIBUTING.md": "See the wiki."}, "fail"),
    ("automated_doc_generation", "by Sphinx", {"docs/conf.py": "project = 'x'\n"}, "pass"),
    ("automated_doc_generation", "by hand", {"docs/index.md": PROSE}, "fail"),
    ("skills", "with a body", {".claude/skills/release/SKILL.md": SKILL}, "pass"),
    ("skills", "without a description",
     {".claude/skills/release/SKILL.md": "---\nname: release\n---\nTag it.\n"}, "fail"),
    ("skills", "that is what the repository ships",
     {"skills/release/SKILL.md": SKILL, ".claude-plugin/plugin.json": "{}"}, "fail"),
    ("service_flow_documented", "on a page", {"ARCHITECTURE.md": PROSE}, "pass"),
    ("service_flow_documented", "by a diagram", {"README.md": "```mermaid\ngraph TD\n```\n"},
        "pass"),
    ("service_flow_documented", "of twenty files",
     {f"src/{number}.py": "x = 1" for number in range(20)}, "fail"),
    ("service_flow_documented", "of a tiny library", {"a.py": "x = 1"}, "skipped"),
    ("license", "that keeps all rights", {"package.json": '{"name":"a","license":"UNLICENSED"}'},
     "pass"),
    ("api_schema_docs", "by a schema", {**SERVICE, "openapi.yaml": "openapi: 3.1.0\n"}, "pass"),
    ("api_schema_docs", "of a library", {**LIBRARY}, "skipped"),
    ("api_schema_docs", "in fixtures",
     {**SERVICE, "tests/fixtures/openapi.yaml": "openapi: 3.1.0\n"}, "fail"),
    ("agents_md_validation", "by nothing", {"AGENTS.md": AGENTS}, "fail"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "files", "state"),
    [pytest.param(name, files, state, id=f"{name} {what}") for name, what, files, state in CASES],
)
def test_a_commit_is_judged_by_what_it_documents(
    name: str, files: dict[str, Content], state: str
) -> None:
    assert judged(name, facts_of(files)).state == state


def test_a_guide_of_the_owner_counts_where_the_hosting_service_tells_it() -> None:
    inherited = Hosting(inherited=frozenset({"CONTRIBUTING.md"}))

    assert judged("contributing_guide", facts_of({"a.py": ""}, hosting=inherited)).state == "pass"
    assert "offline" in judged("contributing_guide", facts_of({"a.py": ""})).rationale


@pytest.mark.parametrize(
    ("author", "path", "age", "state"),
    [
        ("Ada", "docs/guide.md", 170, "pass"),
        ("Ada", "docs/guide.md", 200, "fail"),
        ("renovate[bot]", "README.md", 10, "fail"),
        ("Ada", "docs/logo.png", 10, "fail"),
        ("Ada", "docs/content/manual/v1/manual.yml", 10, "pass"),
        ("Ada", "docs/src/pages/start.mdx", 10, "pass"),
        ("Ada", "packages/shop/README.md", 10, "pass"),
        ("Ada", "docs/_config.yml", 10, "fail"),
        ("Ada", "examples/shop/README.md", 10, "fail"),
        ("Ada", "vendor/x/docs/guide.md", 10, "fail"),
        ("Ada", "README.md", 400, "skipped"),
    ],
)
def test_pages_are_fresh_for_180_days_after_a_person_changed_them(
    author: str, path: str, age: int, state: str
) -> None:
    commit = Commit("0" * 40, author, "example.com", AS_OF - age * DAY, "change", (path,))

    assert judged("documentation_freshness", facts_of({}, commits=[commit])).state == state


def test_a_short_history_cannot_tell_how_fresh_pages_are() -> None:
    commit = Commit("0" * 40, "Ada", "example.com", AS_OF - DAY, "change", ("a.py",))
    shallow = facts_of({}, commits=[commit], is_complete=False)

    assert judged("documentation_freshness", shallow).state == "not_evaluated"


def test_a_shallow_clone_tells_nothing_that_needs_history(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "origin")
    origin.commit({"README.md": "# Shop\n", "CHANGELOG.md": "1"}, at=SECONDS - 300 * 86_400)
    origin.git("tag", "v1", "main")
    origin.commit({"a.py": "1"})
    origin.git("clone", "--quiet", "--depth=1", f"file://{origin.path}", str(tmp_path / "shallow"))

    states = {}
    for name in ("origin", "shallow"):
        with open_path(tmp_path / name) as snapshot:
            report = make(snapshot, Origin("https://git.example/shop"), with_extras=True).report
        states[name] = {
            key: report[key].state
            for key in ("documentation_freshness", "agentic_development", "deployment_frequency",
                        "changelog", "commit_conventions")
        }  # fmt: skip
        if name == "shallow":
            assert "shallow" in report["documentation_freshness"].rationale

    assert states["origin"]["documentation_freshness"] == "fail"
    assert set(states["shallow"].values()) == {"not_evaluated"}
